//! Perceptron loss: ℓ = max(0, −yz), ℓ′ = −y where yz ≤ 0, ℓ*(u) = 0 for −yu in [0, 1].
//!
//! One stochastic step of rate η on it is one update of the perceptron, a row with yz = 0 counting as a
//! mistake. w = 0 minimises it, so its minimum means nothing: it is a loss for the stochastic solvers and
//! for the theory. 1-Lipschitz. Targets: −1 or +1.

use super::{AnyLoss, Loss, SIGNS, is_sign};

/// max(0, −yz).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perceptron;

impl Loss for Perceptron {
    const NAME: &'static str = "perceptron";
    const DOMAIN: &'static str = SIGNS;

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        (-y * z).max(0.0)
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        if y * z <= 0.0 { -y } else { 0.0 }
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        if (0.0..=1.0).contains(&(-y * u)) { 0.0 } else { f64::INFINITY }
    }

    fn lipschitz(&self) -> f64 {
        1.0
    }

    fn accepts(&self, y: f64) -> bool {
        is_sign(y)
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::Perceptron)
    }
}
