//! Bad input, descent by gradients, and threads.

use minrisk_core::curve::{Bells, Curve, CurveStatus, GradientDescent, LevenbergMarquardt, Real};
use minrisk_core::{Backend, Dataset, Error, Scalar, View};

use crate::check::ensure;
use crate::random::Random;
use crate::{Failure, Outcome};

/// √(x − θ), which is not defined everywhere.
struct Root;

impl Curve for Root {
    fn parameters(&self) -> usize {
        1
    }

    fn value<N: Real>(&self, x: &[f64], theta: &[N]) -> N {
        (-theta[0] + x[0]).sqrt()
    }
}

/// Starts of the wrong length or outside the domain are errors; steps out of the domain are not taken.
pub fn curves_refuse_bad_input<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let solver = LevenbergMarquardt::default();
    let x: Vec<T> = (1..20).map(|i| T::from_double(f64::from(i))).collect();
    let y: Vec<T> = x.iter().map(|x| (*x - T::from_double(0.75)).sqrt()).collect();
    let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
    let refused = solver.fit(backend, &Root, &data, &[1.0, 2.0]);
    ensure!(matches!(refused, Err(Error::LengthMismatch { .. })), "two for one: {refused:?}");
    for bad in [f64::NAN, f64::INFINITY, 5.0] {
        let refused = solver.fit(backend, &Root, &data, &[bad]);
        ensure!(matches!(refused, Err(Error::BadParameter { .. })), "from {bad}: {refused:?}");
    }
    let fit = solver.fit(backend, &Root, &data, &[-30.0])?;
    let near = (fit.parameters[0] - 0.75).abs() <= 1e2 * T::unit_roundoff();
    ensure!(near && fit.status == CurveStatus::Converged, "{:?} {:?}", fit.status, fit.parameters);
    let plain = GradientDescent::default().fit(&Root, &data, &[0.0])?;
    let near = (plain.parameters[0] - 0.75).abs() <= 1e-4;
    ensure!(near && plain.trace.is_sorted_by(|a, b| a >= b), "descent: {:?}", plain.parameters);
    let wild = GradientDescent { rate: 1e6, backtracking: false, ..Default::default() };
    let wild = wild.fit(&Root, &data, &[0.0])?;
    ensure!(wild.status == CurveStatus::Stalled, "a step of 10⁶ ends as {:?}", wild.status);
    Ok(())
}

/// The same bits from pools of any size.
pub fn threads_do_not_change_a_curve<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(3);
    let bell = Bells::new(1);
    let x: Vec<T> = (0..30_000).map(|_| T::from_double(4.0 * random.signed())).collect();
    let noisy = |x: &T| {
        let value = bell.value(&[x.to_double()], &[2.0, 0.5, 1.5]);
        T::from_double(value + 0.1 * random.normal())
    };
    let y: Vec<T> = x.iter().map(noisy).collect();
    let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
    let mut fits = Vec::new();
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::new(error.to_string()))?;
        let solver = LevenbergMarquardt::default();
        fits.push(pool.install(|| solver.fit(backend, &bell, &data, &[1.0, 0.0, 1.0]))?);
    }
    ensure!(fits[0] == fits[1] && fits[0] == fits[2], "the fits differ: {fits:?}");
    Ok(())
}
