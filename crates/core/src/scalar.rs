//! The number types that data comes in.

use std::cell::RefCell;
use std::fmt::{Debug, Display, LowerExp};
use std::iter::Sum;
use std::ops::{AddAssign, DivAssign, MulAssign, SubAssign};
use std::thread::LocalKey;

use num_traits::Float;

use crate::wide::{Dd, Number, Precision, Td};

/// `f32` or `f64`, with the wider precisions that answers are refined in.
///
/// | data | wide | wider |
/// |---|---|---|
/// | `f32` | `f64` | double-double |
/// | `f64` | double-double | triple-double |
///
/// The wide precision squares the unit roundoff, which is what refinement needs as a rule; the wider
/// one is for ill-conditioned problems with large residuals (κ²·u² is then no longer below u).
pub trait Scalar:
    Float
    + Number
    + Precision<Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
    + Default
    + Debug
    + Display
    + LowerExp
{
    /// The precision of refinement.
    type Wide: Number + From<Self> + Precision<Self>;
    /// The precision refinement escalates to.
    type Wider: Number + From<Self::Wide> + Precision<Self>;

    /// The wide number rounded to this type.
    fn from_wide(wide: Self::Wide) -> Self;

    /// The wider number rounded to the wide precision.
    fn narrow(wider: Self::Wider) -> Self::Wide;

    /// 2^exponent; zero or infinity where that is out of range.
    fn power_of_two(exponent: i32) -> Self;

    /// The exponent e with 2^(e−1) ≤ |self| < 2^e; 0 for zero.
    fn exponent(self) -> i32;

    /// Where a thread keeps room that it has worked in, for the next block.
    #[doc(hidden)]
    fn spares() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>>;

    /// The unit roundoff u = 2^−24 or 2^−53.
    fn unit_roundoff() -> f64 {
        Self::epsilon().to_double() / 2.0
    }
}

impl Scalar for f64 {
    type Wide = Dd;
    type Wider = Td;

    fn from_wide(wide: Dd) -> Self {
        wide.to_double()
    }

    fn narrow(wider: Td) -> Dd {
        wider.to_dd()
    }

    fn power_of_two(exponent: i32) -> Self {
        // In two factors, so that the subnormal range is reached without an intermediate underflow.
        f64::powi(2.0, exponent / 2) * f64::powi(2.0, exponent - exponent / 2)
    }

    fn exponent(self) -> i32 {
        if self == 0.0 {
            return 0;
        }
        let (mantissa, exponent, _) = num_traits::Float::integer_decode(self);
        exponent as i32 + (64 - mantissa.leading_zeros() as i32)
    }

    fn spares() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>> {
        thread_local!(static SPARES: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) });
        &SPARES
    }
}

impl Scalar for f32 {
    type Wide = f64;
    type Wider = Dd;

    fn from_wide(wide: f64) -> Self {
        wide as f32
    }

    fn narrow(wider: Dd) -> f64 {
        wider.to_double()
    }

    fn power_of_two(exponent: i32) -> Self {
        f64::power_of_two(exponent) as f32
    }

    fn exponent(self) -> i32 {
        f64::from(self).exponent()
    }

    fn spares() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>> {
        thread_local!(static SPARES: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) });
        &SPARES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_bracket_the_value() {
        for value in [1.0, 0.5, 3.0, 1e300, 1e-300, 5e-324, f64::MAX] {
            let e = value.exponent();
            assert!(value >= f64::power_of_two(e - 1), "{value}");
            assert!(value / 2.0 < f64::power_of_two(e - 1), "{value}");
        }
        assert_eq!(0.0_f64.exponent(), 0);
        assert_eq!(1.5_f32.exponent(), 1);
    }
}
