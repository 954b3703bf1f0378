//! Exact rational arithmetic: what the truth is, for the numbers as they were given.
//!
//! Every finite float is a rational number m·2^e, so the solution of a least-squares problem with
//! float data is a vector of rational numbers, which can be had without any rounding. This is what
//! solvers are compared with.

mod elimination;
mod least_squares;

use minrisk_core::Scalar;
use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{Float, Signed, ToPrimitive, Zero};

pub use elimination::{Echelon, rank};
pub use least_squares::{
    Solution, inverse_gram_diagonal, least_squares, polynomial_ridge, residual_sum_of_squares,
    ridge, total_weight,
};

/// Where [`digits`] stops counting: a double has 16 to 17.
pub const MOST_DIGITS: f64 = 18.0;

/// The value of a float.
///
/// # Panics
/// If it is not finite.
pub fn rational<T: Scalar>(value: T) -> BigRational {
    assert!(value.is_finite(), "{value} is not a number with a value");
    let (mantissa, exponent) = decode(value);
    if exponent >= 0 {
        BigRational::from_integer(mantissa << exponent)
    } else {
        BigRational::new(mantissa, BigInt::from(1) << -exponent)
    }
}

/// A decimal number such as `-0.316081871345029E-14`, without rounding.
pub fn decimal(text: &str) -> Option<BigRational> {
    let (number, exponent) = match text.trim().split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text.trim(), 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent - i32::try_from(fraction.len()).ok()?;
    let power = BigRational::from_integer(BigInt::from(10)).pow(exponent);
    Some(BigRational::from_integer(digits) * power)
}

/// The nearest double, near enough for figures in messages.
pub fn approximate(value: &BigRational) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// |computed − exact|.
pub fn error<T: Scalar>(computed: T, exact: &BigRational) -> BigRational {
    (rational(computed) - exact).abs()
}

/// Correct decimal digits, −log₁₀(|computed − exact| / |exact|), between 0 and [`MOST_DIGITS`].
///
/// Zero has no leading digit to count from: there all digits are right, or none.
pub fn digits<T: Scalar>(computed: T, exact: &BigRational) -> f64 {
    if !computed.is_finite() {
        return 0.0;
    }
    let error = error(computed, exact);
    if error.is_zero() {
        return MOST_DIGITS;
    }
    if exact.is_zero() {
        return 0.0;
    }
    let relative = approximate(&(error / exact.abs()));
    // Not −log₁₀, which would make a negative zero of no digits.
    (0.0 - relative.log10()).clamp(0.0, MOST_DIGITS)
}

/// Whether a float is one of the two (or the one) next to the exact value.
pub fn is_faithful<T: Scalar>(computed: T, exact: &BigRational) -> bool {
    if !computed.is_finite() {
        return false;
    }
    // Between powers of two, floats are as far apart as the last bit of the mantissa says. Just
    // below a power of two they are twice as dense, and that is the distance to the lower neighbour.
    let (mantissa, exponent) = decode(computed);
    let lowest = T::min_positive_value();
    let at_power = mantissa.magnitude().count_ones() == 1 && Float::abs(computed) > lowest;
    let away_from_zero = (exact - rational(computed)).is_positive() == computed.is_sign_positive();
    let gap = ulp(exponent - i32::from(at_power && !away_from_zero));
    error(computed, exact) < gap
}

/// Whether a float is the one nearest to the exact value (either, in a tie).
pub fn is_correctly_rounded<T: Scalar>(computed: T, exact: &BigRational) -> bool {
    let (mantissa, exponent) = decode(computed);
    let at_power = mantissa.magnitude().count_ones() == 1;
    let away_from_zero = (exact - rational(computed)).is_positive() == computed.is_sign_positive();
    let gap = ulp(exponent - i32::from(at_power && !away_from_zero));
    error(computed, exact) * BigInt::from(2) <= gap
}

/// 2^exponent.
fn ulp(exponent: i32) -> BigRational {
    BigRational::from_integer(BigInt::from(2)).pow(exponent)
}

/// (m, e) with value = m·2^e, where 2^e is the distance to the next float away from zero.
fn decode<T: Scalar>(value: T) -> (BigInt, i32) {
    let (mantissa, exponent, sign) = Float::integer_decode(value);
    let sign = if sign < 0 { Sign::Minus } else { Sign::Plus };
    // For subnormal numbers integer_decode shifts the mantissa left by one, which halves its unit.
    let subnormal = Float::abs(value) < T::min_positive_value();
    let (mantissa, exponent) =
        if subnormal { (mantissa >> 1, exponent + 1) } else { (mantissa, exponent) };
    (BigInt::from_biguint(sign, mantissa.into()), i32::from(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn floats_and_decimals_are_read_exactly() {
        for value in [0.0, 1.0, -0.1, 1e300, 5e-324, 2.2250738585072014e-308, f64::MAX] {
            assert_eq!(rational(value), BigRational::from_float(value).unwrap());
        }
        for value in [0.1_f32, 1e-45, f32::MAX] {
            assert_eq!(rational(value), rational(f64::from(value)));
        }
        assert_eq!(decimal("-0.25"), Some(fraction(-1, 4)));
        assert_eq!(decimal("12.5E-1"), Some(fraction(5, 4)));
        assert_eq!(decimal(".5e2"), Some(fraction(50, 1)));
        assert_eq!(decimal("760."), Some(fraction(760, 1)));
        assert_eq!(decimal("x"), None);
    }

    #[test]
    fn digits_count_what_is_right() {
        assert_eq!(digits(0.5, &fraction(1, 2)), MOST_DIGITS);
        assert!((digits(1.001, &fraction(1, 1)) - 3.0).abs() < 1e-9);
        assert_eq!(digits(3.0, &fraction(1, 1)), 0.0);
        assert_eq!(digits(1e-300, &fraction(0, 1)), 0.0);
        assert_eq!(digits(f64::NAN, &fraction(1, 1)), 0.0);
    }

    #[test]
    fn neighbours_of_the_truth_are_told_from_others() {
        let third = fraction(1, 3);
        let nearest = 1.0 / 3.0_f64;
        assert!(is_correctly_rounded(nearest, &third) && is_faithful(nearest, &third));
        let above = nearest.next_up();
        assert!(is_faithful(above, &third) && !is_correctly_rounded(above, &third));
        assert!(!is_faithful(above.next_up(), &third) && !is_faithful(nearest.next_down(), &third));
        // 1 is twice as far from the float above it as from the one below.
        let tiny = BigRational::new(1.into(), BigInt::from(1) << 60);
        let just_above = fraction(1, 1) + &tiny;
        let just_below = fraction(1, 1) - &tiny;
        assert!(is_faithful(1.0_f64.next_up(), &just_above));
        assert!(is_faithful(1.0_f64.next_down(), &just_below));
        assert!(!is_faithful(1.0_f64.next_up(), &just_below));
        let far_below = rational(1.0_f64.next_down()) - &tiny;
        assert!(!is_faithful(1.0_f64, &far_below));
        assert!(
            is_faithful(0.0_f64, &fraction(0, 1)) && is_faithful(5e-324_f64, &rational(5e-324))
        );
    }
}
