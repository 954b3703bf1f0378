//! A penalty spelled out: what each weight pays on the total scale.

use super::{Penalty, Scale};
use crate::Error;
use crate::wide::Dd;

/// Σ_j λ₁ⱼ|w_j| + λ₂ⱼ w_j² beside Σ_t c_t ℓ.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Terms {
    /// λ₁ⱼ for each feature.
    pub l1: Vec<f64>,
    /// λ₂ⱼ for each feature.
    pub l2: Vec<f64>,
}

impl Terms {
    /// The terms of a penalty for `features` weights and rows of total weight Σ c_t.
    pub fn new<P: Penalty>(penalty: &P, features: usize, weight: Dd) -> Result<Self, Error> {
        for (what, lambda) in [("λ₁", penalty.l1()), ("λ₂", penalty.l2())] {
            if !(lambda.is_finite() && lambda >= 0.0) {
                let expected = "finite and not negative";
                return Err(Error::BadParameter { what, value: lambda.to_string(), expected });
            }
        }
        if let Some(factors) = penalty.factors()
            && factors.len() != features
        {
            return Err(Error::LengthMismatch {
                what: "the list of penalty factors",
                per: "feature",
                expected: features,
                found: factors.len(),
            });
        }
        let scale = P::Scale::to_total(weight);
        let lambda =
            |value: f64, factor: f64| (scale * Dd::from(value) * Dd::from(factor)).to_f64();
        let factors = |j| penalty.factors().map_or((1.0, 1.0), |factors| factors.of(j));
        Ok(Self {
            l1: (0..features).map(|j| lambda(penalty.l1(), factors(j).0)).collect(),
            l2: (0..features).map(|j| lambda(penalty.l2(), factors(j).1)).collect(),
        })
    }

    /// The features whose weights pay nothing.
    pub(crate) fn free(&self) -> Vec<usize> {
        (0..self.l1.len()).filter(|&j| self.l1[j] == 0.0 && self.l2[j] == 0.0).collect()
    }

    /// The value of the penalty.
    pub fn value(&self, weights: &[f64]) -> f64 {
        let terms = weights.iter().zip(self.l1.iter().zip(&self.l2));
        terms.map(|(w, (l1, l2))| l1 * w.abs() + l2 * w * w).sum()
    }

    /// The least of v·w + penalty(w) over w, without its sign: the conjugate at −v. Infinite where
    /// nothing holds w back.
    pub fn conjugate(&self, v: &[f64]) -> f64 {
        let terms = v.iter().zip(self.l1.iter().zip(&self.l2));
        let conjugate = |(v, (l1, l2)): (&f64, (&f64, &f64))| {
            let excess = (v.abs() - l1).max(0.0);
            if excess == 0.0 {
                0.0
            } else if *l2 > 0.0 {
                excess * excess / (4.0 * l2)
            } else {
                f64::INFINITY
            }
        };
        terms.map(conjugate).sum()
    }

    /// The factor that makes |v_j| ≤ λ₁ⱼ wherever nothing else bounds v_j.
    pub(crate) fn shrink_into_corners(&self, v: &[f64]) -> f64 {
        let corners = v.iter().zip(self.l1.iter().zip(&self.l2));
        let fits = corners.filter(|(v, (l1, l2))| **l2 == 0.0 && **l1 > 0.0 && v.abs() > **l1);
        // A hair more, so that rounding the product does not undo it.
        fits.map(|(v, (l1, _))| l1 / v.abs() * (1.0 - f64::EPSILON)).fold(1.0, f64::min)
    }

    /// Whether a weight pays no penalty at all.
    pub(crate) fn has_free_weights(&self) -> bool {
        !self.free().is_empty()
    }

    /// Whether no weight pays any penalty.
    pub(crate) fn is_zero(&self) -> bool {
        self.l1.iter().chain(&self.l2).all(|&lambda| lambda == 0.0)
    }

    /// argmin_u ½(u − v)² + step·(λ₁ⱼ|u| + λ₂ⱼu²).
    pub fn prox(&self, j: usize, v: f64, step: f64) -> f64 {
        soft_threshold(v, step * self.l1[j]) / (1.0 + 2.0 * step * self.l2[j])
    }

    /// The distance of −g from the subdifferential of the penalty at w_j.
    #[inline]
    pub fn violation(&self, j: usize, w: f64, g: f64) -> f64 {
        if w == 0.0 {
            (g.abs() - self.l1[j]).max(0.0)
        } else {
            (g + self.l1[j].copysign(w) + 2.0 * self.l2[j] * w).abs()
        }
    }

    /// What the penalty adds to the slope of w_j, at most.
    pub(crate) fn share(&self, j: usize, w: f64) -> f64 {
        self.l1[j] + 2.0 * self.l2[j] * w.abs()
    }

    /// Whether some weight has a corner at zero.
    pub fn is_smooth(&self) -> bool {
        self.l1.iter().all(|&l1| l1 == 0.0)
    }
}

/// v moved towards zero by `threshold`, and no further than zero.
#[inline(always)]
pub(crate) fn soft_threshold(v: f64, threshold: f64) -> f64 {
    if v > threshold {
        v - threshold
    } else if v < -threshold {
        v + threshold
    } else {
        0.0
    }
}
