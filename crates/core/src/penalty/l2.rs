//! Ridge: λ₂‖w‖².
//!
//! Tends to no penalty as λ₂ → 0 and to w = 0 as λ₂ → ∞; makes least squares uniquely solvable for
//! every λ₂ > 0, whatever the rank.

use std::marker::PhantomData;

use super::{Penalty, PerSample, Quadratic, Scale, Total};

/// α‖w‖², beside a risk of scale `S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct L2<S> {
    alpha: f64,
    scale: PhantomData<S>,
}

impl<S: Scale> L2<S> {
    /// α‖w‖² beside a risk whose scale the type says.
    pub fn new(alpha: f64) -> Self {
        Self { alpha, scale: PhantomData }
    }
}

impl L2<Total> {
    /// Σ c_t ℓ + α‖w‖².
    pub fn total(alpha: f64) -> Self {
        Self::new(alpha)
    }
}

impl L2<PerSample> {
    /// Σ c_t ℓ / Σ c_t + α‖w‖².
    pub fn per_sample(alpha: f64) -> Self {
        Self::new(alpha)
    }
}

impl<S: Scale> Penalty for L2<S> {
    type Scale = S;

    fn value(&self, weights: &[f64]) -> f64 {
        self.alpha * weights.iter().map(|w| w * w).sum::<f64>()
    }
}

impl<S: Scale> Quadratic for L2<S> {
    fn ridge(&self) -> f64 {
        self.alpha
    }
}
