//! The nonlinear NIST sets, from both starting points, with default settings.

use minrisk_core::curve::{CurveFit, CurveStatus, LevenbergMarquardt};
use minrisk_core::{Backend, Dataset, Scalar, View};
use num_rational::BigRational;

use crate::certified::{Model, NonlinearSet, nist_nonlinear};
use crate::check::ensure;
use crate::exact::digits;
use crate::{Outcome, Tally};

/// Nine digits in every parameter on the sets of lower difficulty, six on the others, with standard
/// errors and residual sum of squares to match.
pub fn nist_curves_are_fitted_from_both_starts<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    run_all(backend, &LevenbergMarquardt { eliminate: false, ..Default::default() })
}

/// The same digits when the parameters that enter linearly are eliminated, which is the default.
pub fn nist_curves_are_fitted_with_linear_parameters_eliminated<T: Scalar>(
    backend: &dyn Backend<T>,
) -> Outcome {
    run_all(backend, &LevenbergMarquardt::default())
}

fn run_all<T: Scalar>(backend: &dyn Backend<T>, solver: &LevenbergMarquardt) -> Outcome {
    let mut tally = Tally::default();
    for set in nist_nonlinear() {
        for (at, start) in set.starts.iter().enumerate() {
            let run = || run(backend, solver, &set, start);
            let case = format!("{} from start {}", set.name, at + 1);
            tally.add(|| run().map_err(|failure| failure.within(case)));
        }
    }
    tally.outcome()
}

fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LevenbergMarquardt,
    set: &NonlinearSet,
    start: &[f64],
) -> Outcome {
    let model = Model::of(&set.name).expect("a model for every set");
    let (x, y) = set.rounded::<T>();
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let fit = solver.fit(backend, &model, &data, start)?;
    if T::unit_roundoff() > 1e-10 {
        return in_single_precision(set, &fit);
    }
    ensure!(
        fit.status == CurveStatus::Converged,
        "{:?} after {} steps at {:?}",
        fit.status,
        fit.iterations,
        fit.parameters
    );
    let least = if set.lower { 9.0 } else { 6.0 };
    expect("parameter", least, &fit.parameters, &set.parameters)?;
    expect("standard error", 6.0, &fit.standard_errors, &set.standard_errors)?;
    let squares = std::slice::from_ref(&set.squares);
    expect("residual sum of squares", 6.0, &[fit.residual_sum_of_squares], squares)
}

fn expect(what: &str, least: f64, found: &[f64], certified: &[BigRational]) -> Outcome {
    for (k, (&value, certified)) in found.iter().zip(certified).enumerate() {
        let digits = digits(value, certified);
        ensure!(digits >= least, "{what} {k} is {value:e}, with {digits:.2} digits, not {least}");
    }
    Ok(())
}

/// Singles carry the data with seven digits, and the triangle of the Jacobian: the well-conditioned
/// sets keep three of them, and no set ends in an error.
fn in_single_precision(set: &NonlinearSet, fit: &CurveFit) -> Outcome {
    ensure!(
        fit.parameters.iter().all(|p| p.is_finite()),
        "parameters are not finite: {:?}",
        fit.parameters
    );
    let easy = ["Chwirut1", "Chwirut2", "DanWood", "Gauss1", "Gauss2", "Misra1a", "Rat42"];
    if easy.contains(&set.name.as_str()) {
        expect("parameter", 3.0, &fit.parameters, &set.parameters)?;
    }
    Ok(())
}
