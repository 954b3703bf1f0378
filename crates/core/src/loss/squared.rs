//! Squared loss: ℓ = (z − y)², ℓ′ = 2(z − y), ℓ″ = 2.
//!
//! No half in front: ridge's α is the λ₂ of the objective. Smooth with L = 2, not Lipschitz.
//! Targets: any finite number.

use super::{Loss, Smooth, TwiceSmooth};
use crate::Scalar;

/// (z − y)².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Squared;

impl<T: Scalar> Loss<T> for Squared {
    const NAME: &'static str = "squared";
    const DOMAIN: &'static str = "any finite number";

    fn value(&self, z: T, y: T) -> T {
        (z - y) * (z - y)
    }

    fn accepts(&self, y: T) -> bool {
        y.is_finite()
    }
}

impl<T: Scalar> Smooth<T> for Squared {
    fn derivative(&self, z: T, y: T) -> T {
        (z - y) + (z - y)
    }

    fn smoothness(&self) -> T {
        T::one() + T::one()
    }
}

impl<T: Scalar> TwiceSmooth<T> for Squared {
    fn second_derivative(&self, _z: T, _y: T) -> T {
        T::one() + T::one()
    }
}
