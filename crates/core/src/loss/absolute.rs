//! Absolute loss: ℓ = |z − y|, ℓ′ = sign(z − y), ℓ*(u) = uy for |u| ≤ 1.
//!
//! Minimised by a median. 1-Lipschitz, not smooth at z = y. Targets: any finite number.

use super::{AnyLoss, Kink, Loss, PiecewiseLinear};

/// |z − y|.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absolute;

impl Loss for Absolute {
    const NAME: &'static str = "absolute";
    const DOMAIN: &'static str = "any finite number";

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        (z - y).abs()
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        f64::from(z > y) - f64::from(z < y)
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        if u.abs() <= 1.0 { u * y } else { f64::INFINITY }
    }

    fn lipschitz(&self) -> f64 {
        1.0
    }

    fn accepts(&self, y: f64) -> bool {
        y.is_finite()
    }

    fn is_of_residual(&self) -> bool {
        true
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::Absolute)
    }
}

impl PiecewiseLinear for Absolute {
    fn kink(&self, y: f64) -> Kink {
        Kink { at: y, below: -1.0, above: 1.0 }
    }
}
