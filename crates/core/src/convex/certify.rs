//! The lower bound that comes with a fit.
//!
//! From a [dual point](super::dual_point) τu, with v = Σ c_t u_t x_t and the offsets o,
//!
//! F(w, b) ≥ Σ c_t (τu_t o_t − ℓ*(τu_t)) − Σ_j [(τ|v_j| − λ₁ⱼ)₊]²/(4λ₂ⱼ).
//!
//! Where unpenalised weights ask for v_j = 0, the bound is the Newton decrement instead; where that is not known either,
//! it is what u = 0 gives, which is feasible always: the sum of the least losses of the rows. What rounding may
//! have done to the bound is estimated from a sample of the rows, and taken off it; where that is much, the sums are
//! made again in double-double.

use super::dual_point::{DualPoint, Sums};
use super::problem::Problem;
use super::rounding::{Doubt, Rounding};
use crate::certificate::{Bound, ConvexCertificate};
use crate::loss::Loss;
use crate::{Error, Scalar};

/// Relative doubts below this are taken off the bound without more ado.
pub(super) const SMALL_DOUBT: f64 = 1e-12;
/// So are those about the bound that are a small share of the gap.
pub(super) const DOUBT_SHARE: f64 = 0.1;

/// The largest decrement, relative to the objective, that is a bound: it is one near a minimiser only.
const LARGEST_DECREMENT: f64 = 1e-4;

/// Whether a decrement says how far below an objective the least is.
pub(super) fn is_near(decrement: f64, objective: f64) -> bool {
    decrement <= LARGEST_DECREMENT * objective.abs()
}

impl<T: Scalar, L: Loss> Problem<'_, T, L> {
    /// The certificate of θ in the precision of the data. `decrement` is ½gᵀH⁻¹g of θ before it is rounded: what rounding
    /// costs comes on top, and where that is more than it may be, no minimiser is near what is left.
    pub(super) fn certify_rounded(
        &self,
        theta: &[f64],
        decrement: Option<f64>,
    ) -> Result<ConvexCertificate, Error> {
        let rounded = self.rounded(theta);
        let decrement = match decrement {
            Some(decrement) if rounded != theta => {
                let exact = self.evaluate(theta)?.objective;
                let lost = self.evaluate(&rounded)?.objective - exact;
                (lost <= self.rounding() * exact.abs()).then(|| decrement + lost.max(0.0))
            }
            known => known,
        };
        self.certify(&rounded, None, decrement)
    }

    /// The certificate of θ. `dual` is a better u than the derivatives, where the solver has one;
    /// `decrement` is ½gᵀH⁻¹g, where it has that.
    pub(crate) fn certify(
        &self,
        theta: &[f64],
        dual: Option<Vec<f64>>,
        decrement: Option<f64>,
    ) -> Result<ConvexCertificate, Error> {
        let point = self.dual_point(theta, dual.as_deref(), Sums::Plain)?;
        let decrement = decrement.filter(|decrement| is_near(*decrement, point.objective));
        let doubt = self.doubt(theta, &point, dual.is_some());
        let plain = self.certificate(theta, &point, decrement, doubt.bound);
        let allowed = (DOUBT_SHARE * plain.relative_gap).max(SMALL_DOUBT);
        let size = point.objective.abs();
        // The other way round, a doubt that is no number would pass.
        if doubt.objective <= SMALL_DOUBT * size && doubt.bound <= allowed * size {
            return Ok(ConvexCertificate { dual, ..plain });
        }
        let point = self.dual_point(theta, dual.as_deref(), Sums::Wide)?;
        let wide = self.certificate(theta, &point, decrement, 0.0);
        // Nobody would round the derivatives in the same way again, and here that matters.
        let dual = dual.or_else(|| (wide.bound == Bound::Duality).then_some(point.u));
        Ok(ConvexCertificate { dual, ..wide })
    }

    /// The certificate from a dual point whose value is in doubt by so much.
    fn certificate(
        &self,
        theta: &[f64],
        point: &DualPoint,
        decrement: Option<f64>,
        doubt: f64,
    ) -> ConvexCertificate {
        let (weights, _) = self.split(theta);
        let DualPoint { objective, conjugate, ref products, ref weighted, shrink, .. } = *point;
        let mut v: Vec<f64> = products.iter().map(|v| v * shrink).collect();
        let size: f64 = weighted.iter().map(|u| u.abs()).sum();
        let missed = if decrement.is_none() { self.forgive(&mut v, weights, size) } else { None };
        let dual_value = -conjugate - self.terms.conjugate(&v);
        // Rounding of the two sums, which are about as large as the objective.
        let rounding = 8.0 * f64::EPSILON * (objective.abs() + conjugate.abs()) + doubt;
        let (value, bound) = match decrement {
            Some(decrement) if self.terms.has_free_weights() || dual_value == f64::NEG_INFINITY => {
                (objective - decrement - rounding, Bound::NewtonDecrement)
            }
            _ => match missed {
                Some(missed) => {
                    ((dual_value - missed - rounding).min(objective), Bound::NearlyFeasible)
                }
                None => ((dual_value - rounding).min(objective), Bound::Duality),
            },
        };
        let least = self.least();
        // No number, where sums overflow, is no bound.
        let (lower_bound, bound) = match value > least && value.is_finite() {
            true => (value, bound),
            false => (least.min(objective), Bound::Duality),
        };
        ConvexCertificate {
            loss: self.loss.known(),
            terms: self.terms.clone(),
            objective,
            lower_bound,
            bound,
            relative_gap: (objective - lower_bound) / objective.abs().max(f64::MIN_POSITIVE),
            optimality: self.optimality(weights, point),
            nonzero: weights.iter().filter(|w| **w != 0.0).count(),
            dual: None,
        }
    }

    /// −Σ c_t ℓ*(0): what no sum of losses is below.
    fn least(&self) -> f64 {
        let y = self.data.target_view();
        0.0 - self.sum(|t, c| c * self.loss.conjugate(0.0, y[(t, 0)].to_double()))
    }

    /// About what rounding may have added to the bound.
    fn doubt(&self, theta: &[f64], point: &DualPoint, is_given: bool) -> Doubt {
        let (weights, intercept) = self.split(theta);
        let y = self.data.target_view();
        Rounding::on(self.data).doubt(
            (weights, point.objective),
            &self.terms,
            |t| intercept.abs() + self.data.offset_of(t).abs() + y[(t, 0)].to_double().abs(),
            |t| self.data.weight_of(t),
            |t| point.derivatives[t].abs(),
            is_given,
        )
    }

    /// Sets v_j of unpenalised weights to zero where only rounding keeps it from that; what that may
    /// cost for weights of up to twice the size, if anything was forgiven.
    fn forgive(&self, v: &mut [f64], weights: &[f64], size: f64) -> Option<f64> {
        let free = self.terms.free();
        if free.is_empty() {
            return None;
        }
        let rounding = 1e-9_f64.max(64.0 * T::unit_roundoff());
        let coordinates = super::coordinates::Coordinates::of(self.data, self.intercept);
        let mut cost = None;
        for j in free {
            // Also where it is zero by luck: another order of the sum would find a few digits.
            if coordinates.in_deviations(j, v[j].abs()) <= rounding * size {
                cost = Some(cost.unwrap_or(0.0) + 2.0 * (v[j] * weights[j]).abs());
                v[j] = 0.0;
            }
        }
        cost
    }

    /// See [`Rounding::optimality`].
    fn optimality(&self, weights: &[f64], point: &DualPoint) -> f64 {
        let square = self.sum(|t, c| c * point.u[t] * point.u[t]);
        let of = (weights, point.products.as_slice());
        Rounding::on(self.data).optimality(of, &self.terms, |t| self.data.weight_of(t), square)
    }
}
