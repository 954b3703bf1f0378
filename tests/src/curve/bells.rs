//! Bells with noise, fitted without a starting point from the caller.

use minrisk_core::curve::{Baseline, Bells, Curve, CurveFit, CurveStatus};
use minrisk_core::{Backend, Dataset, Scalar, View};

use crate::Outcome;
use crate::check::ensure;
use crate::random::Random;

/// A bell with noise is found, each parameter within four of its standard errors.
pub fn a_noisy_bell_is_found<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    for (seed, truth) in [(1, [3.0, 2.0, 0.5]), (2, [-40.0, -7.0, 9.0]), (3, [0.02, 110.0, 300.0])]
    {
        let width = f64::sqrt(truth[2]);
        let range = (truth[1] - 4.0 * width, truth[1] + 5.0 * width);
        let fitter: BellFitter<'_, T> = &|curve, data| curve.fit_on(backend, data);
        recover(fitter, &Bells::new(1), &truth, range, 120, 0.05 * truth[0].abs(), seed)?;
    }
    Ok(())
}

/// Three bells that overlap, over a constant and over a sloping baseline.
pub fn overlapping_bells_are_found<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    judge_bells(&|curve, data| curve.fit_on(backend, data))
}

/// A way to fit bells, as it is judged here.
pub type BellFitter<'a, T> =
    &'a dyn Fn(&Bells, &Dataset<'_, T>) -> Result<CurveFit, minrisk_core::Error>;

/// The same for any way to fit them.
pub fn judge_bells<T: Scalar>(fitter: BellFitter<'_, T>) -> Outcome {
    let bells = [5.0, 2.0, 1.0, 3.0, 4.0, 1.5, 4.0, 7.0, 2.0];
    for (seed, noise) in [(11, 0.01), (12, 0.05), (13, 0.1)] {
        recover(fitter, &Bells::new(3), &bells, (-1.0, 11.0), 300, noise, seed)?;
        let floor = [&bells[..], &[1.5]].concat();
        let over_constant = Bells::over(3, Baseline::Constant);
        recover(fitter, &over_constant, &floor, (-2.0, 12.0), 300, noise, seed)?;
        let slope = [&bells[..], &[1.5, 0.1]].concat();
        let over_line = Bells::over(3, Baseline::Linear);
        recover(fitter, &over_line, &slope, (-2.0, 12.0), 300, noise, seed)?;
    }
    Ok(())
}

fn recover<T: Scalar>(
    fitter: BellFitter<'_, T>,
    curve: &Bells,
    truth: &[f64],
    (from, to): (f64, f64),
    rows: usize,
    noise: f64,
    seed: u64,
) -> Outcome {
    let mut random = Random::new(seed);
    let x: Vec<T> = (0..rows)
        .map(|i| T::from_double(from + (to - from) * i as f64 / (rows - 1) as f64))
        .collect();
    let y: Vec<T> = x
        .iter()
        .map(|x| T::from_double(curve.value(&[x.to_double()], truth) + noise * random.normal()))
        .collect();
    let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
    let fit = fitter(curve, &data)?;
    ensure!(fit.status == CurveStatus::Converged, "{:?} at {:?}", fit.status, fit.parameters);
    // Which bell is first is a matter of the start: by their centres they can be told.
    let (bells, baseline) = (3 * curve.count(), &fit.parameters[3 * curve.count()..]);
    let mut order: Vec<usize> = (0..curve.count()).collect();
    order.sort_by(|a, b| fit.parameters[3 * a + 1].total_cmp(&fit.parameters[3 * b + 1]));
    for (k, &found) in order.iter().enumerate() {
        for part in 0..3 {
            let value = fit.parameters[3 * found + part];
            let error = fit.standard_errors[3 * found + part];
            let planted = truth[3 * k + part];
            ensure!(
                (value - planted).abs() <= 4.0 * error,
                "bell {k}: parameter {part} is {value} ± {error}, {planted} was planted (noise {noise})"
            );
        }
    }
    for (k, (value, planted)) in baseline.iter().zip(&truth[bells..]).enumerate() {
        let error = fit.standard_errors[bells + k];
        ensure!((value - planted).abs() <= 4.0 * error, "baseline {k} is {value} ± {error}");
    }
    let deviation = fit.residual_deviation / noise;
    ensure!((0.75..1.3).contains(&deviation), "σ̂ is {deviation} of the noise");
    Ok(())
}
