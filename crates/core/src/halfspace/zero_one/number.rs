//! Numbers whose signs can be trusted: three rings for one exact algorithm.
//!
//! [`Filtered`] is a double with a bound for its error, exact where no rounding happened: enough for
//! data in general position, and for ties among small whole numbers. `i128` holds the minors of whole
//! numbers of moderate size, [`BigInt`] those of any. An algorithm is run with the first; where a sign
//! cannot be told it is run again with the next.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::wide::{ExactProduct, Split};

/// A sign that a number cannot tell, a number that it cannot hold, or one that there is no time for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undecided;

/// A ring with signs.
pub(crate) trait Ring: Clone {
    /// a·b − c·d.
    fn cross(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Self, Undecided>;

    /// The quotient, which is known to be exact.
    fn divide(self, divisor: &Self) -> Self;

    /// −a.
    fn negate(self) -> Self;

    /// How it compares with zero.
    fn sign(&self) -> Result<Ordering, Undecided>;

    /// Roughly how large it is, to choose pivots by.
    fn size(&self) -> f64;
}

/// A double and a bound for its distance from the number meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Filtered {
    value: f64,
    error: f64,
}

impl From<f64> for Filtered {
    fn from(value: f64) -> Self {
        Self { value, error: 0.0 }
    }
}

/// A little more than one, to cover the rounding of bounds themselves.
const UP: f64 = 1.0 + 16.0 * f64::EPSILON;

impl Ring for Filtered {
    #[inline]
    fn cross(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Self, Undecided> {
        if a.error == 0.0 && b.error == 0.0 && c.error == 0.0 && d.error == 0.0 {
            let exact = exact_cross(a.value, b.value, c.value, d.value);
            if exact.value.abs() < 1e270 && (exact.value == 0.0 || exact.value.abs() > 1e-250) {
                return Ok(exact);
            }
        }
        let (p, q) = (a.value * b.value, c.value * d.value);
        let value = p - q;
        let spread = |x: &Self, y: &Self| {
            x.value.abs() * y.error + y.value.abs() * x.error + x.error * y.error
        };
        let rounding = 2.0 * f64::EPSILON * (p.abs() + q.abs()) + f64::MIN_POSITIVE;
        let error = (spread(a, b) + spread(c, d) + rounding) * UP;
        if error.is_finite() { Ok(Self { value, error }) } else { Err(Undecided) }
    }

    fn divide(self, divisor: &Self) -> Self {
        // The quotient is only there to keep numbers small. Dividing by a power of two does that
        // without an error, and signs do not mind.
        let scale = f64::powi(2.0, -(divisor.value.abs().log2() as i32));
        Self { value: self.value * scale, error: self.error * scale }
    }

    fn negate(self) -> Self {
        Self { value: -self.value, error: self.error }
    }

    #[inline]
    fn sign(&self) -> Result<Ordering, Undecided> {
        if self.value > self.error {
            Ok(Ordering::Greater)
        } else if self.value < -self.error {
            Ok(Ordering::Less)
        } else if self.error == 0.0 && self.value == 0.0 {
            Ok(Ordering::Equal)
        } else {
            Err(Undecided)
        }
    }

    fn size(&self) -> f64 {
        self.value.abs()
    }
}

/// a·b − c·d with an error that is zero iff nothing was rounded, barring overflow and underflow.
#[inline]
fn exact_cross(a: f64, b: f64, c: f64, d: f64) -> Filtered {
    let (p, q) = (a * b, c * d);
    let (p_rest, q_rest) = (Split::product_error(a, b, p), Split::product_error(c, d, q));
    // The four words p − q + p_rest − q_rest are summed without loss.
    let (high, first) = two_sum(p, -q);
    let (low, second) = two_sum(p_rest, -q_rest);
    let (middle, third) = two_sum(first, low);
    let (value, rest) = two_sum(high, middle);
    Filtered { value, error: (rest.abs() + second.abs() + third.abs()) * UP }
}

/// a + b rounded, and what rounding lost.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

impl Ring for i128 {
    fn cross(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Self, Undecided> {
        let product = |x: &Self, y: &Self| x.checked_mul(*y).ok_or(Undecided);
        product(a, b)?.checked_sub(product(c, d)?).ok_or(Undecided)
    }

    fn divide(self, divisor: &Self) -> Self {
        self / divisor
    }

    fn negate(self) -> Self {
        -self
    }

    fn sign(&self) -> Result<Ordering, Undecided> {
        Ok(self.cmp(&0))
    }

    fn size(&self) -> f64 {
        self.unsigned_abs() as f64
    }
}

impl Ring for BigInt {
    fn cross(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Self, Undecided> {
        Ok(a * b - c * d)
    }

    fn divide(self, divisor: &Self) -> Self {
        self / divisor
    }

    fn negate(self) -> Self {
        -self
    }

    fn sign(&self) -> Result<Ordering, Undecided> {
        Ok(if self.is_zero() {
            Ordering::Equal
        } else if self.is_positive() {
            Ordering::Greater
        } else {
            Ordering::Less
        })
    }

    fn size(&self) -> f64 {
        // Any nonzero pivot will do; the shortest keeps numbers short.
        if self.is_zero() { 0.0 } else { 1.0 / self.bits() as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn filters_never_claim_a_wrong_sign(
            a in -3..4_i32, b in -3..4_i32, c in -3..4_i32, d in -3..4_i32, scale in 0.1..10.0_f64,
        ) {
            let values = [f64::from(a) * scale, f64::from(b), f64::from(c), f64::from(d) * scale];
            let [a, b, c, d] = values.map(Filtered::from);
            let found = Filtered::cross(&a, &b, &c, &d).unwrap();
            let again = Filtered::cross(&found, &b, &c, &found).unwrap();
            let [ra, rb, rc, rd] = values.map(|v| BigRational::from_float(v).unwrap());
            let exact = &ra * &rb - &rc * &rd;
            let exact_again = &exact * &rb - &rc * &exact;
            for (found, exact) in [(found, exact), (again, exact_again)] {
                if let Ok(sign) = found.sign() {
                    prop_assert_eq!(sign, exact.cmp(&BigRational::zero()));
                }
            }
        }
    }
}
