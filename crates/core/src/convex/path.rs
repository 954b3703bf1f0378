//! Whole paths: the fits for a sequence of λ, each started from the one before.
//!
//! λ_max is the least λ₁ for which all weights are zero: max_j |∂/∂w_j Σ c_t ℓ|/f_j at w = 0 with the best
//! intercept. A path runs from there downwards on a logarithmic scale, as Friedman, Hastie and Tibshirani
//! (2010) do.

use super::problem::Problem;
use super::run::Control;
use super::smooth::newton;
use super::vectors::largest;
use crate::loss::TwiceSmooth;
use crate::penalty::Penalty;
use crate::{Backend, Dataset, Erm, Error, Fit, LinearModel, Scalar};

/// λ_max of a loss on data, for the total scale and factors of 1.
///
/// ```
/// # use minrisk_core::{Dataset, View, loss::Squared, convex::lambda_max};
/// # fn example(backend: &dyn minrisk_core::Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), minrisk_core::Error> {
/// let largest = lambda_max(backend, &Squared, true, data)?;
/// # Ok(()) }
/// ```
pub fn lambda_max<T: Scalar, L: TwiceSmooth>(
    backend: &dyn Backend<T>,
    loss: &L,
    intercept: bool,
    data: &Dataset<'_, T>,
) -> Result<f64, Error> {
    let erm = Erm { loss: loss.clone(), penalty: crate::penalty::Unpenalised, intercept };
    let problem = Problem::new(backend, &erm, data)?;
    let mut theta = vec![0.0; problem.unknowns()];
    if intercept {
        theta[problem.features()] = best_level(&problem)?;
    }
    let gradient = problem.evaluate(&theta)?.gradient;
    Ok(largest(&gradient[..problem.features()]))
}

/// The intercept that is best with all weights zero, by Newton's method on the targets alone.
fn best_level<T: Scalar, L: TwiceSmooth>(problem: &Problem<'_, T, L>) -> Result<f64, Error> {
    let empty = crate::Matrix::<T>::zeros(problem.data.rows(), 0);
    let data = Dataset::new(empty.view(), problem.data.target_view())?;
    let data = problem.data.weigh_like(data)?;
    let level = problem.with_columns(&data, crate::penalty::Terms::default());
    let fit = newton(&level, vec![0.0], &Control::default(), "Newton")?;
    Ok(fit.model.intercept().map_or(0.0, |b| b.to_double()))
}

/// `count` values from λ_max down to `ratio`·λ_max, evenly on a logarithmic scale.
///
/// ```
/// use minrisk_core::convex::lambda_grid;
/// let grid = lambda_grid(100.0, 0.01, 3);
/// assert!((grid[1] - 10.0).abs() < 1e-12 && grid.len() == 3);
/// ```
pub fn lambda_grid(largest: f64, ratio: f64, count: usize) -> Vec<f64> {
    let step = |k: usize| ratio.powf(k as f64 / (count.max(2) - 1) as f64);
    (0..count).map(|k| largest * step(k)).collect()
}

/// Fits a sequence of problems that differ in their penalty, in the order given, each started from the
/// solution before it. From large λ to small is the fastest order.
pub fn path<T: Scalar, L: TwiceSmooth, P: Penalty>(
    backend: &dyn Backend<T>,
    problems: &[Erm<L, P>],
    data: &Dataset<'_, T>,
    control: &Control,
) -> Result<Vec<Fit<T>>, Error> {
    let mut fits: Vec<Fit<T>> = Vec::with_capacity(problems.len());
    for erm in problems {
        let problem = Problem::new(backend, erm, data)?;
        let start = match fits.last() {
            Some(before) => theta_of(&before.model),
            None => vec![0.0; problem.unknowns()],
        };
        fits.push(newton(&problem, start, control, "path")?);
    }
    Ok(fits)
}

fn theta_of<T: Scalar>(model: &LinearModel<T>) -> Vec<f64> {
    let weights = model.coefficients().iter().copied().chain(model.intercept());
    weights.map(|w| w.to_double()).collect()
}
