//! Grid search for a learning rate: the rate whose fit has the least objective after the same effort.

use crate::loss::Loss;
use crate::penalty::Penalty;
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver, Status};

/// What each rate of a grid came to, and the fit of the best.
#[derive(Clone, Debug)]
pub struct RateSearch<T> {
    /// The rates, in the order given.
    pub trials: Vec<RateTrial>,
    /// Which of them is best.
    pub best: usize,
    /// Its fit.
    pub fit: Fit<T>,
}

/// One rate of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateTrial {
    /// The rate.
    pub rate: f64,
    /// The objective at the end, in the problem's scale.
    pub objective: f64,
    /// How the fit ended.
    pub status: Status,
}

/// Fits with every rate of a grid and keeps the fit of least objective; among equals the first.
///
/// ```
/// use minrisk_core::convex::{Control, GradientDescent, Schedule, StepRule, rate_search};
/// # use minrisk_core::{Dataset, Erm, loss::Logistic, penalty::L2};
/// # fn example(backend: &dyn minrisk_core::Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), minrisk_core::Error> {
/// let effort = Control { max_iterations: Some(50), ..Control::default() };
/// let problem = Erm::new(Logistic, L2::total(1.0));
/// let found = rate_search(backend, &problem, data, &[1e-4, 1e-3, 1e-2], |rate| GradientDescent {
///     step: StepRule::Given(Schedule::constant(rate)),
///     control: effort.clone(),
/// })?;
/// let rate = found.trials[found.best].rate;
/// # Ok(()) }
/// ```
///
/// # Errors
/// Where the grid is empty, a rate is not positive, or a fit fails; a rate that diverges is no failure, it loses.
pub fn rate_search<T: Scalar, L: Loss, P: Penalty, S: Solver<T, L, P>>(
    backend: &dyn Backend<T>,
    problem: &Erm<L, P>,
    data: &Dataset<'_, T>,
    rates: &[f64],
    solver: impl Fn(f64) -> S,
) -> Result<RateSearch<T>, Error> {
    let mut trials = Vec::with_capacity(rates.len());
    let mut best: Option<(usize, Fit<T>)> = None;
    for &rate in rates {
        if !(rate > 0.0 && rate.is_finite()) {
            let (what, value) = ("a learning rate", rate.to_string());
            return Err(Error::BadParameter { what, value, expected: "positive and finite" });
        }
        let fit = solver(rate).solve(backend, problem, data)?;
        let objective = fit.report.objective.iter().sum();
        trials.push(RateTrial { rate, objective, status: fit.report.status });
        let better = |(k, _): &(usize, Fit<T>)| {
            let incumbent: f64 = trials[*k].objective;
            // A number beats what is none.
            objective < incumbent || incumbent.is_nan() && !objective.is_nan()
        };
        if best.as_ref().is_none_or(better) {
            best = Some((trials.len() - 1, fit));
        }
    }
    let (best, fit) = best.ok_or(Error::BadParameter {
        what: "the grid of rates",
        value: "no rates".into(),
        expected: "at least one rate",
    })?;
    Ok(RateSearch { trials, best, fit })
}
