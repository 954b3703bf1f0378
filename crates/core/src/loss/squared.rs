//! Squared loss: ℓ = (z − y)², ℓ′ = 2(z − y), ℓ″ = 2, ℓ*(u) = u²/4 + uy.
//!
//! No half in front: ridge's α is the λ₂ of the objective. Smooth with constant 2, not Lipschitz.
//! Targets: any finite number.

use super::{AnyLoss, Loss, Smooth, TwiceSmooth};
use crate::wide::Dd;

/// (z − y)².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Squared;

impl Loss for Squared {
    const NAME: &'static str = "squared";
    const DOMAIN: &'static str = "any finite number";

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        (z - y) * (z - y)
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        2.0 * (z - y)
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        u * (0.25 * u + y)
    }

    fn lipschitz(&self) -> f64 {
        f64::INFINITY
    }

    fn accepts(&self, y: f64) -> bool {
        y.is_finite()
    }

    fn is_of_residual(&self) -> bool {
        true
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::Squared)
    }
}

impl Smooth for Squared {
    fn smoothness(&self) -> f64 {
        2.0
    }
}

impl TwiceSmooth for Squared {
    const QUADRATIC: bool = true;

    #[inline(always)]
    fn second_derivative(&self, _z: f64, _y: f64) -> f64 {
        2.0
    }

    #[inline(always)]
    fn wide_derivative(&self, z: Dd, y: f64) -> Dd {
        (z - Dd::from(y)) * Dd::from(2.0)
    }
}
