//! Elastic net: λ₁‖w‖₁ + λ₂‖w‖². Sparse like the lasso, unique like ridge.

use std::marker::PhantomData;

use super::{Penalty, PerSample, Scale, Total};

/// λ₁‖w‖₁ + λ₂‖w‖², beside a risk of scale `S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticNet<S> {
    l1: f64,
    l2: f64,
    scale: PhantomData<S>,
}

impl<S: Scale> ElasticNet<S> {
    /// λ₁‖w‖₁ + λ₂‖w‖² beside a risk whose scale the type says.
    pub fn new(l1: f64, l2: f64) -> Self {
        Self { l1, l2, scale: PhantomData }
    }
}

impl ElasticNet<Total> {
    /// Σ c_t ℓ + λ₁‖w‖₁ + λ₂‖w‖².
    pub fn total(l1: f64, l2: f64) -> Self {
        Self::new(l1, l2)
    }
}

impl ElasticNet<PerSample> {
    /// Σ c_t ℓ / Σ c_t + λ₁‖w‖₁ + λ₂‖w‖².
    pub fn per_sample(l1: f64, l2: f64) -> Self {
        Self::new(l1, l2)
    }
}

impl<S: Scale> Penalty for ElasticNet<S> {
    type Scale = S;

    fn l1(&self) -> f64 {
        self.l1
    }

    fn l2(&self) -> f64 {
        self.l2
    }
}
