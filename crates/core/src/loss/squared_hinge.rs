//! Squared hinge loss: ℓ = max(0, 1 − yz)², ℓ′ = −2y·max(0, 1 − yz), ℓ″ = 2 where yz < 1.
//!
//! Conjugate, with t = −yu ≥ 0: ℓ*(u) = t²/4 − t. Smooth with constant 2, not Lipschitz. Targets: −1 or +1.

use super::{AnyLoss, Loss, SIGNS, Smooth, TwiceSmooth, is_sign};

/// max(0, 1 − yz)².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    const NAME: &'static str = "squared hinge";
    const DOMAIN: &'static str = SIGNS;

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        let short = (1.0 - y * z).max(0.0);
        short * short
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        -2.0 * y * (1.0 - y * z).max(0.0)
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        let t = -y * u;
        if t >= 0.0 { t * (0.25 * t - 1.0) } else { f64::INFINITY }
    }

    fn lipschitz(&self) -> f64 {
        f64::INFINITY
    }

    fn accepts(&self, y: f64) -> bool {
        is_sign(y)
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::SquaredHinge)
    }
}

impl Smooth for SquaredHinge {
    fn smoothness(&self) -> f64 {
        2.0
    }
}

impl TwiceSmooth for SquaredHinge {
    const FLAT_IN_PLACES: bool = true;

    #[inline(always)]
    fn second_derivative(&self, z: f64, y: f64) -> f64 {
        if y * z < 1.0 { 2.0 } else { 0.0 }
    }
}
