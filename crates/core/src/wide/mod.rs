//! Arithmetic wider than the data: where refinement gets its digits.
//!
//! [`Dd`] (106 bits) and [`Td`] (159 bits) are unevaluated sums of doubles, built on two error-free
//! transformations: for doubles a and b, fl(a + b) + e = a + b and fl(a·b) + e = a·b hold exactly
//! with e a double (Knuth 1969; Dekker 1971). No step depends on the machine: where there is no fused
//! multiply-add the product error is found by splitting, with the same bits.

mod dd;
mod exact;
mod lanes;
mod td;

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

pub use dd::Dd;
pub use exact::{ExactProduct, Fused, Split};
pub use lanes::{LANES, Precision};
pub use td::Td;

/// A real number type of some precision: what the small dense work of a solver is written in.
pub trait Number:
    Copy
    + Debug
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Unit roundoff of one operation.
    const UNIT: f64;

    /// The nearest double; exact for data.
    fn to_double(self) -> f64;

    /// The nearest number of this type to a double.
    fn from_double(value: f64) -> Self;

    /// |self|.
    fn magnitude(self) -> Self {
        if self < Self::ZERO { -self } else { self }
    }
}

macro_rules! number_for_float {
    ($float:ty, $unit:expr) => {
        impl Number for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const UNIT: f64 = $unit;

            #[inline(always)]
            fn to_double(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn from_double(value: f64) -> Self {
                value as $float
            }
        }
    };
}

number_for_float!(f32, f32::EPSILON as f64 / 2.0);
number_for_float!(f64, f64::EPSILON / 2.0);
