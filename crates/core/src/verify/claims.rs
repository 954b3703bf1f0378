//! Claims that every certificate of a convex objective makes, beside what was found.

use super::Finding;
use crate::penalty::Terms;

/// What a claim about optimality may be exceeded by: it is made from estimated lengths of columns.
const MOST_EXCEEDED: f64 = 10.0;

impl Finding {
    /// That F is what it is said to be, up to rounding.
    pub(super) fn objective(claimed: f64, found: f64, rounding: f64) -> Self {
        Self {
            holds: (found - claimed).abs() <= rounding * found.abs().max(f64::MIN_POSITIVE),
            text: format!("the objective is {claimed:e} ({found:e} found)"),
        }
    }

    /// That the relative gap is that of the objective and its bound.
    pub(super) fn gap(claimed: f64, objective: f64, lower_bound: f64) -> Self {
        let gap = (objective - lower_bound) / objective.abs().max(f64::MIN_POSITIVE);
        Self {
            holds: (gap - claimed).abs() <= 1e-3 * gap.abs() + f64::EPSILON,
            text: format!("the relative gap is {claimed:.1e}"),
        }
    }

    /// That so many coefficients are not zero.
    pub(super) fn nonzero(claimed: usize, found: usize) -> Self {
        Self { holds: found == claimed, text: format!("{claimed} coefficients are not zero") }
    }

    /// That the conditions of optimality are off by no more than claimed, up to rounding.
    pub(super) fn optimality(claimed: f64, found: f64, rounding: f64) -> Self {
        Self {
            holds: found <= MOST_EXCEEDED * claimed + rounding,
            text: format!("the conditions of optimality hold to about {claimed:.1e} ({found:.1e})"),
        }
    }
}

/// How far the slope of w_j is from optimality, relative to the size of its terms and the penalty's share.
pub(super) fn relative_violation(terms: &Terms, j: usize, w: f64, slope: f64, size: f64) -> f64 {
    match terms.violation(j, w, slope) {
        0.0 => 0.0,
        violation => violation / (size + terms.share(j, w)).max(f64::MIN_POSITIVE),
    }
}
