//! Triple-double numbers: 159 bits, for sums that cancel beyond what 106 bits can hold.
//!
//! Least squares with condition κ and a large residual loses κ² in its gradient: with unit roundoff
//! u² a solution is good to κ²u², which exceeds u from κ ≈ 1/√u on. The third word brings that to
//! κ²u³ ≤ u for every κ ≤ 1/u, that is, for every design that doubles can tell from a singular one.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use super::exact::{ExactProduct, Fused, quick_two_sum, two_sum};
use super::{Dd, Number};

/// An unevaluated sum of three doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Td {
    words: [f64; 3],
}

impl Td {
    /// The sum of four words, largest first, renormalised to three.
    pub(super) fn renormalise(words: [f64; 4]) -> Self {
        // Two sweeps of error-free sums from the smallest word up: the first gathers, the second
        // separates what the first left overlapping (Hida, Li, Bailey 2001).
        let mut w = words;
        for _ in 0..2 {
            for k in (0..3).rev() {
                (w[k], w[k + 1]) = two_sum(w[k], w[k + 1]);
            }
        }
        let (high, rest) = quick_two_sum(w[0], w[1]);
        let (middle, low) = two_sum(rest, w[2]);
        Self { words: [high, middle, low + w[3]] }
    }

    /// The three words, largest first.
    pub fn words(self) -> [f64; 3] {
        self.words
    }

    /// Rounded to a double-double.
    pub fn to_dd(self) -> Dd {
        Dd::new(self.words[0], self.words[1]) + Dd::from(self.words[2])
    }

    fn times(self, factor: f64) -> Self {
        let [a, b, c] = self.words;
        let (p0, p1) = (a * factor, b * factor);
        let e0 = Fused::product_error(a, factor, p0);
        let e1 = Fused::product_error(b, factor, p1);
        let (s1, t1) = two_sum(e0, p1);
        Self::renormalise([p0, s1, t1 + e1, 0.0]) + Self { words: [c * factor, 0.0, 0.0] }
    }
}

impl From<f64> for Td {
    fn from(value: f64) -> Self {
        Self { words: [value, 0.0, 0.0] }
    }
}

impl From<Dd> for Td {
    fn from(value: Dd) -> Self {
        Self { words: [value.to_f64(), value.low(), 0.0] }
    }
}

impl Add for Td {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (s0, t0) = two_sum(self.words[0], other.words[0]);
        let (s1, t1) = two_sum(self.words[1], other.words[1]);
        let (s1, t2) = two_sum(s1, t0);
        let (s2, t3) = two_sum(self.words[2], other.words[2]);
        let (s2, t4) = two_sum(s2, t1);
        let (s2, t5) = two_sum(s2, t2);
        Self::renormalise([s0, s1, s2, t3 + t4 + t5])
    }
}

impl Sub for Td {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + (-other)
    }
}

impl Neg for Td {
    type Output = Self;

    fn neg(self) -> Self {
        Self { words: self.words.map(|word| -word) }
    }
}

impl Mul for Td {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let [a, b, c] = other.words;
        self.times(c) + self.times(b) + self.times(a)
    }
}

impl Div for Td {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let mut rest = self;
        let mut quotient = Self::ZERO;
        for _ in 0..4 {
            let step = rest.words[0] / other.words[0];
            if !step.is_finite() {
                return step.into();
            }
            quotient += step.into();
            rest -= other.times(step);
        }
        quotient
    }
}

impl AddAssign for Td {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Td {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl PartialOrd for Td {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.words.partial_cmp(&other.words)
    }
}

impl Number for Td {
    const ZERO: Self = Self { words: [0.0; 3] };
    const ONE: Self = Self { words: [1.0, 0.0, 0.0] };
    // 2^−153: a few bits above the 159 of three full words.
    const UNIT: f64 = f64::EPSILON * f64::EPSILON * f64::EPSILON * 8.0;

    fn to_double(self) -> f64 {
        self.words[0]
    }

    fn from_double(value: f64) -> Self {
        value.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive, Zero};
    use proptest::prelude::*;

    fn exact(a: Td) -> BigRational {
        a.words.iter().map(|&w| BigRational::from_float(w).expect("finite")).sum()
    }

    fn relative_error(computed: Td, truth: &BigRational) -> f64 {
        if truth.is_zero() {
            return computed.words[0].abs();
        }
        ((exact(computed) - truth) / truth).abs().to_f64().expect("representable")
    }

    fn number() -> impl Strategy<Value = Td> {
        (-1e6..1e6, -1.0..1.0, -1.0..1.0).prop_map(|(a, b, c): (f64, f64, f64)| {
            Td::renormalise([a, a * b * 1e-16, a * c * 1e-32, 0.0])
        })
    }

    proptest! {
        #[test]
        fn operations_are_as_accurate_as_stated(a in number(), b in number()) {
            prop_assume!(b.words[0].abs() > 1e-3);
            let (ea, eb) = (exact(a), exact(b));
            prop_assert!(relative_error(a + b, &(&ea + &eb)) <= Td::UNIT);
            prop_assert!(relative_error(a - b, &(&ea - &eb)) <= Td::UNIT);
            prop_assert!(relative_error(a * b, &(&ea * &eb)) <= Td::UNIT);
            prop_assert!(relative_error(a / b, &(&ea / &eb)) <= 4.0 * Td::UNIT);
        }
    }
}
