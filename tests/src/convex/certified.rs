//! Logistic and lasso fits against coefficients that others have certified.

use minrisk_core::convex::{CoordinateDescent, Lbfgs, Newton};
use minrisk_core::loss::{Logistic, Squared};
use minrisk_core::penalty::{L1, L2};
use minrisk_core::verify::verify;
use minrisk_core::{Backend, Dataset, Erm, Fit, Scalar, Solver, Status};

use crate::certified::{Certified, CertifiedFit, lasso, lasso_knots, logistic};
use crate::check::{Outcome, Tally, ensure};
use crate::exact::{approximate, digits};

/// Newton and L-BFGS on the logistic sets: 13 digits in every coefficient, 11 on the ill-conditioned one.
pub(crate) fn logistic_sets_have_their_digits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for set in logistic::<T>() {
        let wanted = if set.name == "wdbc" { 11.0 } else { 13.0 };
        for certified in &set.fits {
            let problem = Erm::new(Logistic, L2::total(approximate(&certified.alpha) / 2.0));
            let solvers: [(&str, &dyn Solver<T, _, _>); 2] =
                [("Newton", &Newton::default()), ("L-BFGS", &Lbfgs::default())];
            for (name, solver) in solvers {
                tally.add(|| {
                    let data = set.dataset()?;
                    let fit = solver.solve(backend, &problem, &data)?;
                    judge(&set, certified, &data, &fit, wanted)
                        .map_err(|failure| failure.within(format_args!("{name} on {}", set.name)))
                });
            }
        }
    }
    tally.outcome()
}

/// Coordinate descent on the lasso sets: 12 digits, and zeros that are zeros.
pub(crate) fn lasso_sets_have_their_digits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for set in lasso::<T>() {
        for certified in &set.fits {
            let lambda = 2.0 * approximate(&certified.alpha);
            tally.add(|| {
                let data = set.dataset()?;
                let problem = Erm::new(Squared, L1::total(lambda));
                let fit = CoordinateDescent::default().solve(backend, &problem, &data)?;
                judge(&set, certified, &data, &fit, 12.0)
                    .map_err(|failure| failure.within(format_args!("λ₁ = {lambda}")))
            });
        }
    }
    tally.outcome()
}

/// The knots of the diabetes path, in order.
pub(crate) fn knots_have_their_digits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    const NAMES: [&str; 10] = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"];
    let sets = lasso::<T>();
    let found = minrisk_core::convex::lasso_knots(backend, &sets[0].dataset()?, true, 1e-3)?;
    if T::unit_roundoff() > 1e-10 {
        // Rounding the data moves the knots; the first ones are far apart.
        ensure!(NAMES[found[0].feature] == "bmi", "the path starts with {:?}", found[0]);
        return Ok(());
    }
    let certified = lasso_knots();
    ensure!(found.len() == certified.len(), "{} knots, not {}", found.len(), certified.len());
    for (found, (lambda, feature, enters)) in found.iter().zip(&certified) {
        ensure!(NAMES[found.feature] == feature && found.enters == *enters, "{found:?}, {feature}");
        let digits = digits(found.lambda / 2.0, lambda);
        ensure!(digits >= 10.0, "{feature} has {digits:.1} digits");
    }
    Ok(())
}

fn judge<T: Scalar>(
    set: &Certified<T>,
    certified: &CertifiedFit,
    data: &Dataset<'_, T>,
    fit: &Fit<T>,
    wanted: f64,
) -> Outcome {
    let status = fit.report.status;
    ensure!(status == Status::Solved, "ended as {status:?}");
    let verdict = verify(data, fit)?;
    ensure!(verdict.holds, "verify denies it: {:?}", verdict.findings);
    let found = fit.model.intercept().into_iter().chain(fit.model.coefficients().iter().copied());
    for (k, (found, truth)) in found.zip(&certified.coefficients).enumerate() {
        let found = found.to_double();
        if approximate(truth) == 0.0 {
            ensure!(found == 0.0, "coefficient {k} is {found:e} instead of zero");
        } else if T::unit_roundoff() < 1e-10 {
            // Rounding the decimals to single precision moves the answer itself.
            let digits = digits(found, truth);
            ensure!(
                digits >= wanted,
                "coefficient {k} of {} at {} has {digits:.1} digits",
                set.name,
                approximate(&certified.alpha)
            );
        }
    }
    Ok(())
}
