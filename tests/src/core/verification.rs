//! `verify` says yes to what solvers certify, and no to what was tampered with.

use minrisk_core::verify::verify;
use minrisk_core::{
    Backend, Certificate, Dataset, Fit, LeastSquares, LeastSquaresCertificate, LinearModel, Matrix,
    Ridge, Scalar,
};

use crate::check::ensure;
use crate::families::{Family, Residual, targets};
use crate::random::Random;
use crate::{Outcome, Tally};

/// Fits of all kinds pass: good and bad condition, any rank, ridge.
pub fn fits_pass_verification<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for (what, x, y) in problems::<T>() {
        let run = || {
            let data = Dataset::new(x.view(), y.view())?;
            let fits = [
                LeastSquares::new().fit_on(backend, &data)?,
                LeastSquares::new().without_intercept().fit_on(backend, &data)?,
                Ridge::total(0.5).fit_on(backend, &data)?,
                Ridge::per_sample(0.1).without_intercept().fit_on(backend, &data)?,
            ];
            for (which, fit) in fits.iter().enumerate() {
                let verdict = verify(&data, fit)?;
                ensure!(verdict.holds, "fit {which} does not pass: {:?}", verdict.findings);
            }
            Ok(())
        };
        tally.add(|| run().map_err(|failure: crate::Failure| failure.within(what)));
    }
    tally.outcome()
}

/// A coefficient moved by some units in the last place, a bound made smaller, a rank or relation
/// changed: all are found.
pub fn tampered_fits_fail_verification<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(101);
    let mut x: Matrix<T> = random.matrix(30, 4);
    for i in 0..30 {
        x[(i, 3)] = x[(i, 0)];
    }
    let y = targets(&x, 1, Residual::Large, &mut random);
    let data = Dataset::new(x.view(), y.view())?;
    let sound = LeastSquares::new().fit_on(backend, &data)?;
    let eight = T::from_double(8.0) * T::epsilon();
    let mut tally = Tally::default();
    let mut expect_found = |what: &str, fit: Fit<T>| {
        tally.add(|| {
            let verdict = verify(&data, &fit)?;
            ensure!(!verdict.holds, "{what}, and verify confirms the fit");
            Ok(())
        });
    };
    for j in 0..4 {
        let mut w = sound.model.coefficients().to_vec();
        w[j] *= T::one() + eight;
        let model = LinearModel::from_coefficients(w, sound.model.intercept())?;
        expect_found("a coefficient was moved", Fit { model, ..sound.clone() });
    }
    let b = sound.model.intercept().map(|b| b + b * eight);
    let model = LinearModel::from_coefficients(sound.model.coefficients().to_vec(), b)?;
    expect_found("the intercept was moved", Fit { model, ..sound.clone() });
    let changed = |change: &dyn Fn(&mut LeastSquaresCertificate)| {
        let mut fit = sound.clone();
        if let Certificate::LeastSquares(certificate) = &mut fit.certificate {
            change(certificate);
        }
        fit
    };
    expect_found("a rank was raised", changed(&|c| c.rank += 1));
    expect_found("a relation was dropped", changed(&|c| c.relations.clear()));
    expect_found(
        "a relation was changed",
        changed(&|c| {
            c.relations.iter_mut().flat_map(|r| &mut r.terms).for_each(|term| term.2 *= 1.5);
        }),
    );
    expect_found("bounds were removed", changed(&|c| c.coefficient_bounds.clear()));
    tally.outcome()
}

fn problems<T: Scalar>() -> Vec<(String, Matrix<T>, Matrix<T>)> {
    let mut random = Random::new(102);
    let mut all = Vec::new();
    for condition in [10.0, T::unit_roundoff().powf(-0.5), T::unit_roundoff().powf(-0.75)] {
        let x = Family::Geometric.design(40, 5, condition, &mut random);
        let y = targets(&x, 2, Residual::Large, &mut random);
        all.push((format!("κ = {condition:.1e}"), x, y));
    }
    let wide = random.matrix(4, 7);
    let y = targets(&wide, 2, Residual::Large, &mut random);
    all.push(("fewer rows than columns".into(), wide, y));
    let mut dependent: Matrix<T> = random.matrix(20, 5);
    for i in 0..20 {
        dependent[(i, 2)] = dependent[(i, 0)];
        dependent[(i, 4)] = T::zero();
    }
    let y = targets(&dependent, 2, Residual::Large, &mut random);
    all.push(("dependent columns".into(), dependent, y));
    all
}
