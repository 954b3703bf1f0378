//! Quantile (pinball) loss: ℓ = q(y − z)₊ + (1 − q)(z − y)₊, ℓ*(u) = uy for −q ≤ u ≤ 1 − q.
//!
//! Minimised by a q-quantile of y; q = 1/2 is half the absolute loss. Lipschitz with max(q, 1 − q), not
//! smooth at z = y. Targets: any finite number. Koenker and Bassett, "Regression quantiles" (1978).

use super::{AnyLoss, Kink, Loss, PiecewiseLinear};
use crate::Error;

/// q(y − z) where y > z, (1 − q)(z − y) where z > y.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Quantile {
    q: f64,
}

impl Quantile {
    /// The loss of the q-quantile, 0 < q < 1.
    pub fn new(q: f64) -> Result<Self, Error> {
        if q > 0.0 && q < 1.0 {
            return Ok(Self { q });
        }
        let expected = "between 0 and 1, both excluded";
        Err(Error::BadParameter { what: "the quantile q", value: q.to_string(), expected })
    }

    /// q.
    pub fn q(&self) -> f64 {
        self.q
    }
}

impl Loss for Quantile {
    const NAME: &'static str = "quantile";
    const DOMAIN: &'static str = "any finite number";

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        if z < y { self.q * (y - z) } else { (1.0 - self.q) * (z - y) }
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        f64::from(z > y) * (1.0 - self.q) - f64::from(z < y) * self.q
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        if u >= -self.q && u <= 1.0 - self.q { u * y } else { f64::INFINITY }
    }

    fn lipschitz(&self) -> f64 {
        self.q.max(1.0 - self.q)
    }

    fn accepts(&self, y: f64) -> bool {
        y.is_finite()
    }

    fn is_of_residual(&self) -> bool {
        true
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::Quantile(*self))
    }
}

impl PiecewiseLinear for Quantile {
    fn kink(&self, y: f64) -> Kink {
        Kink { at: y, below: -self.q, above: 1.0 - self.q }
    }
}
