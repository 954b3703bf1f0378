//! Huber's loss: ℓ = r² for |r| ≤ δ, else 2δ|r| − δ², with r = z − y.
//!
//! ℓ′ = 2·clip(r, −δ, δ), ℓ″ = 2 for |r| ≤ δ, else 0; ℓ*(u) = u²/4 + uy for |u| ≤ 2δ. Squared loss in the
//! middle (so no half, as there), absolute loss times 2δ in the tails. Smooth with constant 2, Lipschitz with
//! 2δ. Targets: any finite number. Huber, "Robust estimation of a location parameter" (1964).

use super::{AnyLoss, Loss, Smooth, TwiceSmooth};
use crate::Error;

/// (z − y)² near y, linear from a distance δ on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Huber {
    delta: f64,
}

impl Huber {
    /// The loss that is linear from a residual δ > 0 on.
    pub fn new(delta: f64) -> Result<Self, Error> {
        if delta > 0.0 && delta.is_finite() {
            return Ok(Self { delta });
        }
        let expected = "positive and finite";
        Err(Error::BadParameter { what: "Huber's δ", value: delta.to_string(), expected })
    }

    /// δ.
    pub fn delta(&self) -> f64 {
        self.delta
    }
}

impl Loss for Huber {
    const NAME: &'static str = "Huber";
    const DOMAIN: &'static str = "any finite number";

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        let r = (z - y).abs();
        if r <= self.delta { r * r } else { self.delta * (2.0 * r - self.delta) }
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        2.0 * (z - y).clamp(-self.delta, self.delta)
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        if u.abs() <= 2.0 * self.delta { u * (0.25 * u + y) } else { f64::INFINITY }
    }

    fn lipschitz(&self) -> f64 {
        2.0 * self.delta
    }

    fn accepts(&self, y: f64) -> bool {
        y.is_finite()
    }

    fn is_of_residual(&self) -> bool {
        true
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::Huber(*self))
    }
}

impl Smooth for Huber {
    fn smoothness(&self) -> f64 {
        2.0
    }
}

impl TwiceSmooth for Huber {
    const FLAT_IN_PLACES: bool = true;

    #[inline(always)]
    fn second_derivative(&self, z: f64, y: f64) -> f64 {
        if (z - y).abs() <= self.delta { 2.0 } else { 0.0 }
    }

    /// ℓ′/r: the parabola that touches at −r too.
    #[inline(always)]
    fn majorant(&self, z: f64, y: f64) -> f64 {
        2.0 * (self.delta / (z - y).abs()).min(1.0)
    }
}
