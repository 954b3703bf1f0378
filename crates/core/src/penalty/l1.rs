//! Lasso: λ₁‖w‖₁.
//!
//! Sets weights to exactly zero: all of them from some λ_max on, which is
//! max_j |∂/∂w_j Σ c_t ℓ| at w = 0 with the best intercept.

use std::marker::PhantomData;

use super::{Penalty, PerSample, Scale, Total};

/// λ₁‖w‖₁, beside a risk of scale `S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct L1<S> {
    lambda: f64,
    scale: PhantomData<S>,
}

impl<S: Scale> L1<S> {
    /// λ₁‖w‖₁ beside a risk whose scale the type says.
    pub fn new(lambda: f64) -> Self {
        Self { lambda, scale: PhantomData }
    }
}

impl L1<Total> {
    /// Σ c_t ℓ + λ₁‖w‖₁.
    pub fn total(lambda: f64) -> Self {
        Self::new(lambda)
    }
}

impl L1<PerSample> {
    /// Σ c_t ℓ / Σ c_t + λ₁‖w‖₁.
    pub fn per_sample(lambda: f64) -> Self {
        Self::new(lambda)
    }
}

impl<S: Scale> Penalty for L1<S> {
    type Scale = S;

    fn l1(&self) -> f64 {
        self.lambda
    }

    fn l2(&self) -> f64 {
        0.0
    }
}
