//! Ridge: λ₂‖w‖².
//!
//! Tends to no penalty as λ₂ → 0 and to w = 0 as λ₂ → ∞; makes least squares uniquely solvable for
//! every λ₂ > 0, whatever the rank.

use std::marker::PhantomData;

use super::{Penalty, PerSample, Quadratic, Scale, SmoothPenalty, Total};

/// λ₂‖w‖², beside a risk of scale `S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct L2<S> {
    lambda: f64,
    scale: PhantomData<S>,
}

impl<S: Scale> L2<S> {
    /// λ₂‖w‖² beside a risk whose scale the type says.
    pub fn new(lambda: f64) -> Self {
        Self { lambda, scale: PhantomData }
    }
}

impl L2<Total> {
    /// Σ c_t ℓ + λ₂‖w‖².
    pub fn total(lambda: f64) -> Self {
        Self::new(lambda)
    }
}

impl L2<PerSample> {
    /// Σ c_t ℓ / Σ c_t + λ₂‖w‖².
    pub fn per_sample(lambda: f64) -> Self {
        Self::new(lambda)
    }
}

impl<S: Scale> Penalty for L2<S> {
    type Scale = S;

    fn l1(&self) -> f64 {
        0.0
    }

    fn l2(&self) -> f64 {
        self.lambda
    }
}

impl<S: Scale> SmoothPenalty for L2<S> {}
impl<S: Scale> Quadratic for L2<S> {}
