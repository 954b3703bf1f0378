//! Absolute loss: ℓ = |z − y|; 1-Lipschitz, not smooth at z = y.
//!
//! Targets: any finite number.

use super::Loss;
use crate::Scalar;

/// |z − y|.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absolute;

impl<T: Scalar> Loss<T> for Absolute {
    const NAME: &'static str = "absolute";
    const DOMAIN: &'static str = "any finite number";

    fn value(&self, z: T, y: T) -> T {
        (z - y).abs()
    }

    fn accepts(&self, y: T) -> bool {
        y.is_finite()
    }
}
