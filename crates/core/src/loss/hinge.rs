//! Hinge loss: ℓ = max(0, 1 − yz), ℓ′ = −y where yz < 1, ℓ*(u) = −t for t = −yu in [0, 1].
//!
//! The convex stand-in for the zero-one loss, and the loss of support vector machines. 1-Lipschitz, not
//! smooth at yz = 1. Targets: −1 or +1.

use super::{AnyLoss, Kink, Loss, PiecewiseLinear, SIGNS, is_sign};

/// max(0, 1 − yz).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hinge;

impl Loss for Hinge {
    const NAME: &'static str = "hinge";
    const DOMAIN: &'static str = SIGNS;

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        (1.0 - y * z).max(0.0)
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        if y * z < 1.0 { -y } else { 0.0 }
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        let t = -y * u;
        if (0.0..=1.0).contains(&t) { -t } else { f64::INFINITY }
    }

    fn lipschitz(&self) -> f64 {
        1.0
    }

    fn accepts(&self, y: f64) -> bool {
        is_sign(y)
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::Hinge)
    }
}

impl PiecewiseLinear for Hinge {
    fn kink(&self, y: f64) -> Kink {
        Kink { at: y, below: -y.max(0.0), above: (-y).max(0.0) }
    }
}
