//! Each method keeps its promise: all digits up to the condition it is for, and beyond that an error
//! or a certificate that says less, never a wrong answer.

use minrisk_core::least_squares::{ClosedForm, Method, Ridge};
use minrisk_core::{Backend, Dataset, Error, Matrix, Scalar};

use crate::check::ensure;
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::random::Random;
use crate::solvers::{Demand, fit, judge};
use crate::{Failure, Outcome, Tally};

/// Normal equations up to κ ≈ 1/√u, QR and SVD up to κ ≈ 1/u.
pub fn methods_keep_their_promises<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let inverse = 1.0 / T::unit_roundoff();
    let mut tally = Tally::default();
    for method in [Method::Auto, Method::NormalEquations, Method::Qr, Method::Svd] {
        for condition in [1.0, 0.01 * inverse.sqrt(), inverse.sqrt(), 1e-3 * inverse] {
            for intercept in [false, true] {
                let run = || run(backend, method, condition, intercept);
                tally.add(|| {
                    run().map_err(|failure| {
                        let which = if intercept { "with" } else { "without" };
                        let case = format!("{method:?}, κ = {condition:.1e}, {which} intercept");
                        failure.within(case)
                    })
                });
            }
        }
    }
    tally.outcome()
}

/// Many penalties at once give what each gives alone.
pub fn ridge_paths_equal_single_fits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let alphas = [0.0, 1e-6, 0.1, 3.0, 1e5];
    let mut tally = Tally::default();
    for (rows, cols) in [(30, 4), (5, 8)] {
        let mut random = Random::new(rows as u64);
        let x: Matrix<T> = random.matrix(rows, cols);
        let y = targets(&x, 2, Residual::Large, &mut random);
        for intercept in [false, true] {
            tally.add(|| {
                let data = Dataset::new(x.view(), y.view())?;
                let ridge = Ridge::total(0.0);
                let ridge = if intercept { ridge } else { ridge.without_intercept() };
                let path = ridge.path_on(backend, &data, &alphas)?;
                ensure!(path.len() == alphas.len(), "{} fits for 5 penalties", path.len());
                for (fit, alpha) in path.iter().zip(alphas) {
                    let truth = exact::ridge(&data, intercept, &exact::rational(alpha));
                    judge(&data, fit, &truth, Demand::Faithful).map_err(|failure| {
                        failure.within(format_args!("{rows} × {cols}, α = {alpha:e}"))
                    })?;
                }
                Ok(())
            });
        }
    }
    tally.outcome()
}

fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    method: Method,
    condition: f64,
    intercept: bool,
) -> Outcome {
    let mut random = Random::new(condition as u64);
    let x: Matrix<T> = Family::Geometric.design(50, 5, condition, &mut random);
    let mut y = targets(&x, 1, Residual::Large, &mut random);
    y.as_mut_slice().iter_mut().for_each(|y| *y += T::one());
    let data = Dataset::new(x.view(), y.view())?;
    let truth = exact::least_squares(&data, intercept);
    let easy = condition <= 0.01 / T::unit_roundoff().sqrt();
    match fit(backend, &ClosedForm { method }, &data, intercept) {
        // Only the normal equations may refuse, and only what is too ill-conditioned for them.
        Err(Error::TooIllConditioned { .. }) if method == Method::NormalEquations && !easy => {
            Ok(())
        }
        Err(error) => Err(Failure::from(error)),
        Ok(fit) => judge(&data, &fit, &truth, Demand::nearly_faithful::<T>()),
    }
}
