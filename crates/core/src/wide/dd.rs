//! Double-double numbers: 106 bits.
//!
//! The value is high + low with |low| ≤ ulp(high)/2. Sums and products have relative error at most
//! a few 2^−106 (Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks
//! of double-word arithmetic", 2017); quotients and roots come from one Newton correction.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use super::Number;
use super::exact::{ExactProduct, Fused, quick_two_sum, two_sum};

/// An unevaluated sum of two doubles.
///
/// ```
/// use minrisk_core::wide::Dd;
/// let tenth = Dd::from(1.0) / Dd::from(10.0);
/// let error = tenth * Dd::from(10.0) - Dd::from(1.0);
/// assert!(error.to_f64().abs() < 1e-31);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dd {
    high: f64,
    low: f64,
}

impl Dd {
    /// high + low, normalised.
    pub fn new(high: f64, low: f64) -> Self {
        let (high, low) = two_sum(high, low);
        Self { high, low }
    }

    /// The exact product of two doubles.
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self { high, low: Fused::product_error(a, b, high) }
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        self.high
    }

    /// What the nearest double leaves out.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The square root of a number that is not negative.
    pub fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::default();
        }
        let root = self.high.sqrt();
        let correction = (self - Self::product(root, root)).high / (2.0 * root);
        Self::new(root, correction)
    }
}

impl From<f64> for Dd {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl From<f32> for Dd {
    fn from(high: f32) -> Self {
        f64::from(high).into()
    }
}

impl Add for Dd {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        let (low, low_error) = two_sum(self.low, other.low);
        let (high, error) = quick_two_sum(high, error + low);
        let (high, low) = quick_two_sum(high, error + low_error);
        Self { high, low }
    }
}

impl Sub for Dd {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + (-other)
    }
}

impl Neg for Dd {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Mul for Dd {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        let (high, low) = quick_two_sum(product.high, product.low + cross);
        Self { high, low }
    }
}

impl Div for Dd {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        if !first.is_finite() || other.high.is_infinite() {
            return first.into();
        }
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        let third = rest.high / other.high;
        Self::new(first, second) + third.into()
    }
}

impl AddAssign for Dd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Dd {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl PartialOrd for Dd {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high)? {
            Ordering::Equal => self.low.partial_cmp(&other.low),
            decided => Some(decided),
        }
    }
}

impl Number for Dd {
    const ZERO: Self = Self { high: 0.0, low: 0.0 };
    const ONE: Self = Self { high: 1.0, low: 0.0 };
    // 2^−104: the worst of the bounds for addition and multiplication.
    const UNIT: f64 = f64::EPSILON * f64::EPSILON;

    fn to_double(self) -> f64 {
        self.high
    }

    fn from_double(value: f64) -> Self {
        value.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn exact(a: Dd) -> BigRational {
        let part = |x| BigRational::from_float(x).expect("finite");
        part(a.high) + part(a.low)
    }

    fn relative_error(computed: Dd, truth: &BigRational) -> f64 {
        use num_traits::{Signed, ToPrimitive, Zero};
        if truth.is_zero() {
            return computed.high.abs();
        }
        ((exact(computed) - truth) / truth).abs().to_f64().expect("representable")
    }

    fn number() -> impl Strategy<Value = Dd> {
        (-1e6..1e6, -1.0..1.0).prop_map(|(high, low): (f64, f64)| Dd::new(high, high * low * 1e-16))
    }

    proptest! {
        #[test]
        fn operations_are_as_accurate_as_stated(a in number(), b in number()) {
            prop_assume!(b.high.abs() > 1e-3);
            let (ea, eb) = (exact(a), exact(b));
            prop_assert!(relative_error(a + b, &(&ea + &eb)) <= Dd::UNIT);
            prop_assert!(relative_error(a - b, &(&ea - &eb)) <= Dd::UNIT);
            prop_assert!(relative_error(a * b, &(&ea * &eb)) <= Dd::UNIT);
            prop_assert!(relative_error(a / b, &(&ea / &eb)) <= 4.0 * Dd::UNIT);
            let root = a.magnitude().sqrt();
            prop_assert!(relative_error(root * root, &exact(a.magnitude())) <= 8.0 * Dd::UNIT);
        }
    }
}
