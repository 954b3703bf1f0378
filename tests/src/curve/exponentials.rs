//! Sums of exponentials, fitted without a starting point from the caller.

use minrisk_core::curve::{Curve, CurveStatus, Exponentials};
use minrisk_core::{Backend, Dataset, Scalar, View};

use crate::Outcome;
use crate::check::ensure;
use crate::random::Random;

/// Two decays over a constant, each parameter within four of its standard errors.
pub fn exponentials_are_found<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let curve = Exponentials::new(2).with_constant();
    let truth = [3.0, 0.5, 2.0, 3.0, 1.0];
    for seed in [31, 32, 33] {
        let mut random = Random::new(seed);
        let x: Vec<T> = (0..200).map(|i| T::from_double(8.0 * f64::from(i) / 199.0)).collect();
        let noisy = |x: &T| curve.value(&[x.to_double()], &truth) + 0.01 * random.normal();
        let y: Vec<T> = x.iter().map(noisy).map(T::from_double).collect();
        let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
        let fit = curve.fit_on(backend, &data)?;
        ensure!(fit.status == CurveStatus::Converged, "{:?} at {:?}", fit.status, fit.parameters);
        // The slower decay is the first of the truth.
        let swapped = fit.parameters[1] > fit.parameters[3];
        let order = if swapped { [2, 3, 0, 1, 4] } else { [0, 1, 2, 3, 4] };
        for (planted, at) in truth.iter().zip(order) {
            let (value, error) = (fit.parameters[at], fit.standard_errors[at]);
            ensure!((value - planted).abs() <= 4.0 * error, "{value} ± {error}, not {planted}");
        }
    }
    Ok(())
}
