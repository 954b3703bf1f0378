//! The lower bound that comes with a fit.
//!
//! For any numbers u_t, ℓ(z) ≥ u z − ℓ*(u) gives, with v = Σ c_t u_t x_t and the offsets o,
//!
//! F(w, b) ≥ Σ c_t (u_t o_t − ℓ*(u_t)) − Σ_j [(|v_j| − λ₁ⱼ)₊]²/(4λ₂ⱼ),
//!
//! if Σ c_t u_t = 0 (for an intercept) and |v_j| ≤ λ₁ⱼ where λ₂ⱼ = 0. The derivatives u_t = ℓ′(z_t) nearly are
//! such a point; they are made one by shrinking, which never leaves the domain of ℓ*: the positive or the
//! negative ones until they cancel, then all of them until every |v_j| fits. Where unpenalised weights ask
//! for v_j = 0, the bound is the Newton decrement instead.

use super::passes::{predictions, transposed_product};
use super::problem::Problem;
use crate::certificate::{Bound, ConvexCertificate};
use crate::loss::Loss;
use crate::simd::{Kernel, vectorised};
use crate::wide::ExactProduct;
use crate::{Error, Scalar};

/// Numbers u_t, one for each row, and what the bound needs of them.
pub(super) struct DualPoint {
    /// F at the θ that it comes from.
    pub(super) objective: f64,
    /// Σ c_t u_t x_t, before shrinking.
    pub(super) products: Vec<f64>,
    /// c_t u_t.
    weighted: Vec<f64>,
    /// The factor that makes τu feasible.
    pub(super) shrink: f64,
    /// Σ c_t (ℓ*(τu_t) − τu_t o_t).
    conjugate: f64,
}

impl<T: Scalar, L: Loss> Problem<'_, T, L> {
    /// The certificate of θ. `dual` is a better u than the derivatives, where the solver has one;
    /// `decrement` is ½gᵀH⁻¹g, where it has that.
    pub(crate) fn certify(
        &self,
        theta: &[f64],
        dual: Option<Vec<f64>>,
        decrement: Option<f64>,
    ) -> Result<ConvexCertificate, Error> {
        let (weights, _) = self.split(theta);
        let point = self.dual_point(theta, dual.as_deref())?;
        let DualPoint { objective, conjugate, ref products, ref weighted, shrink } = point;
        let mut v: Vec<f64> = products.iter().map(|v| v * shrink).collect();
        let size: f64 = weighted.iter().map(|u| u.abs()).sum();
        let missed = if decrement.is_none() { self.forgive(&mut v, weights, size) } else { None };
        let dual_value = -conjugate - self.terms.conjugate(&v);
        // Rounding of the two sums, which are about as large as the objective.
        let rounding = 8.0 * f64::EPSILON * (objective.abs() + conjugate.abs());
        let (lower_bound, bound) = match decrement {
            Some(decrement) if self.terms.has_free_weights() || dual_value == f64::NEG_INFINITY => {
                (objective - decrement - rounding, Bound::NewtonDecrement)
            }
            _ => match missed {
                Some(missed) => (dual_value - missed - rounding, Bound::NearlyFeasible),
                None => ((dual_value - rounding).min(objective), Bound::Duality),
            },
        };
        Ok(ConvexCertificate {
            loss: self.loss.known(),
            terms: self.terms.clone(),
            objective,
            lower_bound,
            bound,
            relative_gap: (objective - lower_bound) / objective.abs().max(f64::MIN_POSITIVE),
            optimality: self.optimality(weights, products, weighted),
            nonzero: weights.iter().filter(|w| **w != 0.0).count(),
            dual,
        })
    }

    /// The dual point of θ: `dual` where the solver has one, else the derivatives, made feasible.
    pub(super) fn dual_point(
        &self,
        theta: &[f64],
        dual: Option<&[f64]>,
    ) -> Result<DualPoint, Error> {
        let (weights, intercept) = self.split(theta);
        let z = predictions(self.data, weights, intercept)?;
        let targets = self.map(|_, _, y| y);
        let (values, derivatives) = vectorised(Rowwise { loss: self.loss, z: &z, y: &targets });
        let risk = self.sum(|t, c, _| c * values[t]);
        let mut u = dual.map_or(derivatives, <[f64]>::to_vec);
        if self.intercept {
            self.cancel(&mut u);
        }
        let weighted = self.map(|t, c, _| c * u[t]);
        let products = transposed_product(self.data, &weighted)?;
        let shrink = self.terms.shrink_into_corners(&products);
        let conjugate = self.sum(|t, c, y| {
            let offset = self.data.offset_of(t);
            c * (self.loss.conjugate(u[t] * shrink, y) - u[t] * shrink * offset)
        });
        let objective = risk + self.terms.value(weights);
        Ok(DualPoint { objective, products, weighted, shrink, conjugate })
    }

    /// The duality gap at a dual point.
    pub(super) fn gap_at(&self, point: &DualPoint) -> f64 {
        let v: Vec<f64> = point.products.iter().map(|v| v * point.shrink).collect();
        point.objective + point.conjugate + self.terms.conjugate(&v)
    }

    /// Shrinks the positive or the negative numbers until Σ c_t u_t = 0.
    fn cancel(&self, u: &mut [f64]) {
        let positive = self.sum(|t, c, _| c * u[t].max(0.0));
        let negative = self.sum(|t, c, _| c * (-u[t]).max(0.0));
        let (up, down) = if positive > negative {
            (negative / positive, 1.0)
        } else if negative > 0.0 {
            (1.0, positive / negative)
        } else {
            return;
        };
        for u in u {
            *u *= if *u > 0.0 { up } else { down };
        }
    }

    /// Sets v_j of unpenalised weights to zero where only rounding keeps it from that; what that may
    /// cost for weights of up to twice the size, if anything was forgiven.
    fn forgive(&self, v: &mut [f64], weights: &[f64], size: f64) -> Option<f64> {
        let rounding = 1e-9_f64.max(64.0 * T::unit_roundoff());
        let coordinates = super::coordinates::Coordinates::of(self.data, self.intercept);
        let mut cost = None;
        for (j, v) in v.iter_mut().enumerate() {
            let free = self.terms.l1[j] == 0.0 && self.terms.l2[j] == 0.0;
            // Also where it is zero by luck: another order of the sum would find a few digits.
            if free && v.abs() * coordinates.scale(j) <= rounding * size {
                cost = Some(cost.unwrap_or(0.0) + 2.0 * (*v * weights[j]).abs());
                *v = 0.0;
            }
        }
        cost
    }

    /// The largest violation, relative to the terms it is the sum of: ‖u‖·‖x_j‖, the length of a column
    /// estimated from a sample, and the penalty's share.
    fn optimality(&self, weights: &[f64], gradient: &[f64], weighted: &[f64]) -> f64 {
        let crate::Design::Dense(x) = self.data.design();
        let norm = weighted.iter().map(|u| u * u).sum::<f64>().sqrt();
        let sample = x.every(self.data.rows().div_ceil(1024));
        let rest = self.data.rows() as f64 / sample.rows() as f64;
        let relative = |j: usize| {
            let violation = self.terms.violation(j, weights[j], gradient[j]);
            if violation == 0.0 {
                return 0.0;
            }
            let squares: f64 = sample.col_iter(j).map(|x| x.to_double().powi(2)).sum();
            let share = self.terms.l1[j] + 2.0 * self.terms.l2[j] * weights[j].abs();
            violation / (norm * (squares * rest).sqrt() + share).max(f64::MIN_POSITIVE)
        };
        (0..self.features()).map(relative).fold(0.0, f64::max)
    }

    /// f(t, c_t, y_t) for every row.
    fn map(&self, f: impl Fn(usize, f64, f64) -> f64) -> Vec<f64> {
        let y = self.data.target_view();
        let weight = |t| self.data.weight_of(t);
        (0..self.data.rows()).map(|t| f(t, weight(t), y[(t, 0)].to_double())).collect()
    }

    /// Σ_t f(t, c_t, y_t), rows of weight zero left out.
    fn sum(&self, f: impl Fn(usize, f64, f64) -> f64) -> f64 {
        let terms = self.map(|t, c, y| if c > 0.0 { f(t, c, y) } else { 0.0 });
        pairwise_sum(&terms)
    }
}

/// ℓ and ℓ′ of every row, compiled for the instruction set.
struct Rowwise<'a, L> {
    loss: &'a L,
    z: &'a [f64],
    y: &'a [f64],
}

impl<L: Loss> Kernel for Rowwise<'_, L> {
    type Output = (Vec<f64>, Vec<f64>);

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Self::Output {
        let (mut values, mut derivatives) = (vec![0.0; self.z.len()], vec![0.0; self.z.len()]);
        let results = values.iter_mut().zip(&mut derivatives);
        for ((value, derivative), (&z, &y)) in results.zip(self.z.iter().zip(self.y)) {
            (*value, *derivative) = self.loss.value_and_derivative(z, y);
        }
        (values, derivatives)
    }
}

/// A sum whose error grows with the logarithm of its length.
pub(super) fn pairwise_sum(terms: &[f64]) -> f64 {
    if terms.len() <= 32 {
        return terms.iter().sum();
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    pairwise_sum(left) + pairwise_sum(right)
}
