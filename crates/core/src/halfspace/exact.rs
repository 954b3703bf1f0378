//! Exact arithmetic on the data as given: every finite float is an integer times a power of two.
//!
//! Rows become integer vectors over one common power 2^e. Signs that decide something are first looked
//! at in doubles with a bound for the rounding, and computed in big integers where that is not enough.
//! Linear systems are solved without fractions (Bareiss 1968): every intermediate number is a minor of
//! the matrix, and every division is exact.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Float, One, Signed, ToPrimitive, Zero};

use super::budget::Clock;
use super::lifting::solve_by_lifting;

/// The exponent e of the last bit of a double: value = odd·2^e. `None` for zero.
pub(crate) fn last_bit(value: f64) -> Option<i32> {
    if value == 0.0 {
        return None;
    }
    let (mantissa, exponent, _) = value.integer_decode();
    Some(i32::from(exponent) + mantissa.trailing_zeros() as i32)
}

/// value·2^−e as an integer; e is at most the last bit of the value.
pub(crate) fn integer(value: f64, e: i32) -> BigInt {
    let (mantissa, exponent, sign) = value.integer_decode();
    if mantissa == 0 {
        return BigInt::zero();
    }
    let shift = i32::from(exponent) - e;
    let magnitude =
        if shift >= 0 { BigInt::from(mantissa) << shift } else { BigInt::from(mantissa) >> -shift };
    if sign < 0 { -magnitude } else { magnitude }
}

/// The value of a double.
#[cfg(test)]
pub(crate) fn rational(value: f64) -> BigRational {
    BigRational::from_float(value).unwrap_or_else(BigRational::zero)
}

/// numerator/denominator·2^e.
pub(crate) fn scaled(numerator: BigInt, denominator: BigInt, e: i32) -> BigRational {
    let power = BigInt::one() << e.unsigned_abs();
    if e >= 0 {
        BigRational::new(numerator * power, denominator)
    } else {
        BigRational::new(numerator, denominator * power)
    }
}

/// a·b for integer vectors.
pub(crate) fn dot(a: &[BigInt], b: &[BigInt]) -> BigInt {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A vector of integers divided by their greatest common divisor.
pub(crate) fn primitive(mut vector: Vec<BigInt>) -> Vec<BigInt> {
    let divisor = vector.iter().fold(BigInt::zero(), |divisor, v| divisor.gcd(v));
    if divisor > BigInt::one() {
        vector.iter_mut().for_each(|v| *v /= &divisor);
    }
    vector
}

/// Doubles in proportion to integers: the largest is between ½ and 1, each is rounded once.
pub(crate) fn proportional(vector: &[BigInt]) -> Vec<f64> {
    let bits = vector.iter().map(BigInt::bits).max().unwrap_or(0) as i64;
    vector.iter().map(|v| ratio(v, bits)).collect()
}

/// v·2^−bits, rounded to nearest.
pub(crate) fn ratio(v: &BigInt, bits: i64) -> f64 {
    // The 64 leading bits with a sticky last one: rounding them once more is rounding v.
    let excess = v.bits().saturating_sub(64);
    let magnitude = v.magnitude();
    let mut head = (magnitude >> excess).to_u64().unwrap_or(u64::MAX);
    if excess > 0 && magnitude.trailing_zeros().is_some_and(|zeros| zeros < excess) {
        head |= 1;
    }
    let exponent = excess as i64 - bits;
    let value = power_of_two(head as f64, exponent);
    if v.sign() == Sign::Minus { -value } else { value }
}

/// value·2^exponent in steps that neither overflow nor underflow early.
fn power_of_two(mut value: f64, mut exponent: i64) -> f64 {
    while exponent < -512 && value != 0.0 {
        value *= f64::powi(2.0, -512);
        exponent += 512;
    }
    while exponent > 512 && value.is_finite() {
        value *= f64::powi(2.0, 512);
        exponent -= 512;
    }
    value * f64::powi(2.0, exponent as i32)
}

/// The nearest double to a rational number, or the largest finite one.
pub(crate) fn approximate(value: &BigRational) -> f64 {
    value.to_f64().unwrap_or(f64::MAX)
}

/// What solving a linear system comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Solved {
    /// x_i = numerators_i/denominator, the denominator positive.
    Unique { numerators: Vec<BigInt>, denominator: BigInt },
    /// The matrix is singular.
    Singular,
    /// The time was over.
    OutOfTime,
}

/// The solution of A·x = b as integers over one denominator.
pub(crate) fn solve(a: Vec<Vec<BigInt>>, b: Vec<BigInt>, clock: &Clock) -> Solved {
    const SMALL: usize = 16;
    if b.len() > SMALL
        && let Some(solved) = solve_by_lifting(&a, &b, clock)
    {
        return solved;
    }
    eliminate(a, b, clock)
}

/// Bareiss's elimination in the form of Gauss and Jordan: n³ products of numbers of up to n times the
/// length of the entries.
fn eliminate(mut a: Vec<Vec<BigInt>>, b: Vec<BigInt>, clock: &Clock) -> Solved {
    let n = b.len();
    for (row, right) in a.iter_mut().zip(b) {
        row.push(right);
    }
    let mut previous = BigInt::one();
    for k in 0..n {
        if clock.is_over() {
            return Solved::OutOfTime;
        }
        let Some(pivot_row) = (k..n).find(|&i| !a[i][k].is_zero()) else {
            return Solved::Singular;
        };
        a.swap(k, pivot_row);
        let pivot_row = a[k].clone();
        for (i, row) in a.iter_mut().enumerate() {
            if i == k {
                continue;
            }
            // What is left of column k is the same pivot in every row above, and never read again.
            let factor = std::mem::take(&mut row[k]);
            for (entry, pivot_entry) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                *entry = (&*entry * &pivot_row[k] - &factor * pivot_entry) / &previous;
            }
        }
        previous = pivot_row[k].clone();
    }
    let negative = previous.is_negative();
    let flip = |v: BigInt| if negative { -v } else { v };
    let numerators = a.into_iter().map(|mut row| flip(row.pop().unwrap_or_default())).collect();
    Solved::Unique { numerators, denominator: flip(previous) }
}

/// A vector v ≠ 0 with A·v = 0, for a matrix with more columns than its rank; `None` if there is
/// none. A is given by its rows.
pub(crate) fn null_vector(a: Vec<Vec<BigInt>>, cols: usize) -> Option<Vec<BigInt>> {
    null_space(a, cols).next()
}

/// A basis of the vectors v with A·v = 0, one for each column that is a combination of those before it. A is
/// given by its rows.
pub(crate) fn null_space(
    mut a: Vec<Vec<BigInt>>,
    cols: usize,
) -> impl Iterator<Item = Vec<BigInt>> {
    let (mut pivots, mut free) = (Vec::new(), Vec::new());
    let mut previous = BigInt::one();
    for col in 0..cols {
        let rank = pivots.len();
        let Some(pivot_row) = (rank..a.len()).find(|&i| !a[i][col].is_zero()) else {
            free.push(col);
            continue;
        };
        a.swap(rank, pivot_row);
        let pivot_row = a[rank].clone();
        for (i, row) in a.iter_mut().enumerate() {
            if i == rank {
                continue;
            }
            let factor = row[col].clone();
            for j in 0..cols {
                row[j] = (&row[j] * &pivot_row[col] - &factor * &pivot_row[j]) / &previous;
            }
        }
        previous = pivot_row[col].clone();
        pivots.push(col);
    }
    // A free column is a combination of the pivot columns: v_col = −1 turns it into a relation.
    let relation = move |col: usize| {
        let mut v = vec![BigInt::zero(); cols];
        for (i, &pivot) in pivots.iter().enumerate() {
            v[pivot] = a[i][col].clone();
        }
        v[col] = -&previous;
        primitive(v)
    };
    free.into_iter().map(relation)
}

#[cfg(test)]
mod tests {
    use super::super::Budget;
    use super::*;
    use proptest::prelude::*;

    fn big(values: &[i64]) -> Vec<BigInt> {
        values.iter().map(|&v| v.into()).collect()
    }

    #[test]
    fn floats_are_integers_times_powers_of_two() {
        for value in [1.0, -0.1, 3.5e300, 5e-324, 123456.75] {
            let e = last_bit(value).unwrap();
            assert_eq!(scaled(integer(value, e), BigInt::one(), e), rational(value));
            assert_eq!(scaled(integer(value, e - 3), BigInt::one(), e - 3), rational(value));
        }
        assert_eq!(last_bit(0.0), None);
        assert_eq!(proportional(&big(&[1, -2, 4])), [0.125, -0.25, 0.5]);
        let large: BigInt = BigInt::from(3) << 5000;
        assert_eq!(proportional(&[large.clone(), -large]), [0.75, -0.75]);
    }

    proptest! {
        #[test]
        fn solutions_solve(entries in prop::collection::vec(-4..5_i64, 16), b in prop::collection::vec(-9..10_i64, 4)) {
            let a: Vec<Vec<BigInt>> = entries.chunks(4).map(big).collect();
            match solve(a.clone(), big(&b), &Budget::unlimited().start()) {
                Solved::OutOfTime => prop_assert!(false),
                Solved::Unique { numerators: x, denominator } => {
                    prop_assert!(denominator.is_positive());
                    for (row, b) in a.iter().zip(&b) {
                        prop_assert_eq!(dot(row, &x), &denominator * b);
                    }
                    prop_assert!(null_vector(a, 4).is_none());
                }
                Solved::Singular => {
                    let v = null_vector(a.clone(), 4).unwrap();
                    prop_assert!(v.iter().any(|v| !v.is_zero()));
                    prop_assert!(a.iter().all(|row| dot(row, &v).is_zero()));
                }
            }
        }

        #[test]
        fn null_spaces_are_complete(entries in prop::collection::vec(-1..2_i64, 20)) {
            let a: Vec<Vec<BigInt>> = entries.chunks(5).map(big).collect();
            let transposed: Vec<Vec<BigInt>> =
                (0..5).map(|j| a.iter().map(|row| row[j].clone()).collect()).collect();
            let basis: Vec<_> = null_space(a.clone(), 5).collect();
            for v in &basis {
                prop_assert!(a.iter().all(|row| dot(row, v).is_zero()));
            }
            // A matrix and its transpose have one rank, and the basis is independent.
            prop_assert_eq!(5 - basis.len(), 4 - null_space(transposed, 4).count());
            let count = basis.len();
            let across: Vec<Vec<BigInt>> =
                (0..5).map(|j| basis.iter().map(|v| v[j].clone()).collect()).collect();
            prop_assert_eq!(null_space(across, count).count(), 0);
        }

        #[test]
        fn wide_matrices_have_null_vectors(entries in prop::collection::vec(-3..4_i64, 15)) {
            let a: Vec<Vec<BigInt>> = entries.chunks(5).map(big).collect();
            let v = null_vector(a.clone(), 5).unwrap();
            prop_assert!(v.iter().any(|v| !v.is_zero()));
            prop_assert!(a.iter().all(|row| dot(row, &v).is_zero()));
        }
    }
}
