//! Logistic regression without a penalty on separable data has no minimiser.
//!
//! If some (w, b) has y_t(w·x_t + b) ≥ 0 for all rows and > 0 for some, the loss falls for ever along it. At
//! an iterate where every row is on its right side (a loss below log 2 each) the iterate itself is such a
//! direction. Where only part of the rows can be separated the iterates run off along one, the last rows
//! coming to rest on the hyperplane: there the direction is what Newton's steps converge to, and rows with
//! a share of it below rounding lie on the hyperplane.

use super::passes::PredictionPass;
use super::problem::Problem;
use crate::certificate::Separation;
use crate::loss::{AnyLoss, Loss};
use crate::{Error, Rows, Scalar};

/// A prediction this large means a probability that doubles can hardly tell from 0 or 1.
const RUN_OFF: f64 = 15.0;

/// A direction of endless descent, if θ shows one.
pub(super) fn find<T: Scalar, L: Loss>(
    problem: &Problem<'_, T, L>,
    theta: &[f64],
) -> Result<Option<Separation>, Error> {
    let unpenalised = problem.terms.l1.iter().chain(&problem.terms.l2).all(|&lambda| lambda == 0.0);
    if problem.loss.known() != Some(AnyLoss::Logistic) || !unpenalised {
        return Ok(None);
    }
    let (weights, intercept) = problem.split(theta);
    let (_, z) = Rows::Memory(problem.data).reduce(&PredictionPass { weights, intercept })?;
    let y = problem.data.target_view();
    let counts = |t: usize| problem.data.weights().is_none_or(|c| c[(t, 0)] > T::zero());
    let margins = (0..z.len()).filter(|&t| counts(t)).map(|t| z[t] * y[(t, 0)].to_double());
    let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
    for margin in margins {
        least = least.min(margin);
        largest = largest.max(margin);
    }
    let complete = least > 0.0 && problem.data.offsets().is_none();
    let quasi = !complete && largest > RUN_OFF && least > -1e-6 * largest;
    if !complete && !quasi {
        return Ok(None);
    }
    let largest_weight = weights.iter().fold(intercept.abs(), |max, w| max.max(w.abs()));
    let direction = |w: &f64| w / largest_weight;
    Ok(Some(Separation {
        weights: weights.iter().map(direction).collect(),
        intercept: problem.intercept.then(|| direction(&intercept)),
        complete,
    }))
}
