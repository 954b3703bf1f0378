//! The exact places where the lasso path bends.
//!
//! Without λ₂ the solution is piecewise linear in λ (Osborne, Presnell, Turlach 2000; Efron et al. 2004): with
//! the support A and signs s, v_A(λ) = −H_AA⁻¹(c_A + λs), until a weight of A reaches zero or a partial
//! derivative outside reaches ±λ: these λ are the knots.

use super::factor::Factor;
use super::moments::Moments;
use super::problem::Problem;
use crate::loss::Squared;
use crate::penalty::Unpenalised;
use crate::{Backend, Dataset, Erm, Error, Scalar};

/// A λ at which the lasso path bends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Knot {
    /// λ₁, total scale.
    pub lambda: f64,
    /// The feature.
    pub feature: usize,
    /// Whether it enters the support below this λ or leaves it.
    pub enters: bool,
}

/// The knots of the lasso path Σ c_t (y_t − z_t)² + λ‖w‖₁, from λ_max down to `smallest`.
pub fn lasso_knots<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    intercept: bool,
    smallest: f64,
) -> Result<Vec<Knot>, Error> {
    let erm = Erm { loss: Squared, penalty: Unpenalised, intercept };
    let problem = Problem::new(backend, &erm, data)?;
    let Moments { coordinates, hessian, linear, .. } = Moments::of(&problem)?;
    let features = data.cols();
    // The share of λ that a weight pays in the coordinates.
    let share = |j: usize| if j < features { coordinates.scale(j) } else { 0.0 };
    let mut support: Vec<usize> = (features..coordinates.unknowns()).collect();
    let mut signs = vec![0.0; coordinates.unknowns()];
    let (mut knots, mut lambda) = (Vec::new(), f64::INFINITY);
    let most = 50 * features.max(1) + 100;
    while knots.len() < most {
        // A support whose columns are dependent ends the path: its weights are no longer unique.
        let factor = Factor::of_support(problem.backend, &hessian, &support, |_| 0.0);
        let Some(factor) = factor else { break };
        let line = |side: &dyn Fn(usize) -> f64| {
            factor.solve(&support.iter().map(|&j| side(j)).collect::<Vec<f64>>())
        };
        let (level, slope) = (line(&|j| -linear[j]), line(&|j| -share(j) * signs[j]));
        let mut next: Option<Knot> = None;
        let mut consider = |candidate: f64, feature: usize, enters: bool| {
            // The event just passed comes up again at its own λ.
            let fresh = candidate < lambda * (1.0 - 1e-11)
                || knots.last().is_none_or(|last: &Knot| last.feature != feature)
                    && candidate < lambda * (1.0 + 1e-11);
            if candidate > 0.0 && fresh && next.is_none_or(|next| candidate > next.lambda) {
                next = Some(Knot { lambda: candidate.min(lambda), feature, enters });
            }
        };
        for (k, &j) in support.iter().enumerate().filter(|(_, j)| **j < features) {
            // v_j = level + slope·λ reaches zero.
            consider(-level[k] / slope[k], j, false);
        }
        for j in (0..features).filter(|j| !support.contains(j)) {
            let column = hessian.col(j);
            let along = |v: &[f64]| support.iter().zip(v).map(|(&i, v)| column[i] * v).sum::<f64>();
            let (at_zero, per_lambda) = (linear[j] + along(&level), along(&slope));
            // |at_zero + per_lambda·λ| = share·λ.
            consider(at_zero / (share(j) - per_lambda), j, true);
            consider(-at_zero / (share(j) + per_lambda), j, true);
        }
        let Some(knot) = next.filter(|knot| knot.lambda >= smallest) else { break };
        lambda = knot.lambda;
        if knot.enters {
            let column = hessian.col(knot.feature);
            let v = |k: usize| level[k] + slope[k] * lambda;
            let derivative = linear[knot.feature]
                + support.iter().enumerate().map(|(k, &i)| column[i] * v(k)).sum::<f64>();
            signs[knot.feature] = -derivative.signum();
            support.push(knot.feature);
        } else {
            signs[knot.feature] = 0.0;
            support.retain(|&j| j != knot.feature);
        }
        knots.push(knot);
    }
    Ok(knots)
}
