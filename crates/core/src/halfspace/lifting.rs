//! Linear systems of some size in integers, by lifting (Dixon 1982).
//!
//! With C = A⁻¹ mod p the digits of x in base p follow one by one: x_i = C·r_i mod p and
//! r_{i+1} = (r_i − A·x_i)/p, at n² short products a digit. Once there are enough digits the rational
//! numbers are reconstructed by Euclid's algorithm. How many are enough is not computed but tried: the
//! result is checked in the system itself, exactly. O(n³) modulo p and n² for each of the O(n) digits,
//! where elimination takes n³ products of numbers of O(n) digits.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::budget::Clock;
use super::exact::{Solved, dot};

/// The Mersenne prime 2⁶¹ − 1.
const P: u64 = (1 << 61) - 1;

/// The solution of A·x = b; `None` if A is singular modulo p, where elimination has to decide.
pub(crate) fn solve_by_lifting(a: &[Vec<BigInt>], b: &[BigInt], clock: &Clock) -> Option<Solved> {
    let inverse = inverse_modulo(a)?;
    let mut rest = b.to_vec();
    let mut x = vec![BigInt::zero(); b.len()];
    let mut modulus = BigInt::one();
    // No fraction in lowest terms has more digits than Hadamard's bound gives determinants.
    let longest = a.iter().flatten().map(BigInt::bits).max().unwrap_or(0) + 64;
    let enough = 2 * (b.len() as u64 + 1) * longest / 60 + 4;
    let mut next_try = 8;
    for digit in 1..=enough {
        if clock.is_over() {
            return Some(Solved::OutOfTime);
        }
        let digits = apply(&inverse, &residues(&rest));
        for (x, &d) in x.iter_mut().zip(&digits) {
            *x += &modulus * d;
        }
        modulus *= P;
        for (rest, row) in rest.iter_mut().zip(a) {
            let product: BigInt = row.iter().zip(&digits).map(|(a, &d)| a * d).sum();
            *rest = (&*rest - product) / P;
        }
        if digit == next_try || digit == enough {
            next_try += next_try / 2;
            if let Some((numerators, denominator)) = reconstruct(&x, &modulus)
                && a.iter().zip(b).all(|(row, b)| dot(row, &numerators) == &denominator * b)
            {
                return Some(Solved::Unique { numerators, denominator });
            }
        }
    }
    None
}

/// Whether rows span all of their `width` coordinates modulo p, and so over the rationals; false says
/// nothing. Rows are taken until they do.
pub(crate) fn span_modulo(rows: impl Iterator<Item = Vec<BigInt>>, width: usize) -> bool {
    let mut echelon: Vec<(usize, Vec<u64>)> = Vec::new();
    for row in rows {
        if echelon.len() == width {
            break;
        }
        let mut row = residues(&row);
        for (pivot, above) in &echelon {
            let factor = row[*pivot];
            row.iter_mut().zip(above).for_each(|(v, &a)| *v = minus(*v, times(factor, a)));
        }
        if let Some(pivot) = row.iter().position(|v| *v != 0) {
            let unit = reciprocal(row[pivot]);
            row.iter_mut().for_each(|v| *v = times(*v, unit));
            echelon.push((pivot, row));
        }
    }
    echelon.len() == width
}

fn residues(values: &[BigInt]) -> Vec<u64> {
    let p = BigInt::from(P);
    values.iter().map(|v| v.mod_floor(&p).to_u64().unwrap_or(0)).collect()
}

/// a·b modulo p.
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product as u64 & P) + (product >> 61) as u64;
    if folded >= P { folded - P } else { folded }
}

fn minus(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + P - b }
}

/// a^(p−2), the inverse of a ≠ 0.
fn reciprocal(a: u64) -> u64 {
    let (mut result, mut power, mut exponent) = (1, a, P - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, power);
        }
        power = times(power, power);
        exponent >>= 1;
    }
    result
}

fn apply(matrix: &[Vec<u64>], v: &[u64]) -> Vec<u64> {
    let row = |row: &Vec<u64>| {
        row.iter().zip(v).fold(0, |sum, (&a, &v)| {
            let sum = sum + times(a, v);
            if sum >= P { sum - P } else { sum }
        })
    };
    matrix.iter().map(row).collect()
}

/// A⁻¹ modulo p by Gauss and Jordan, in place beside the identity.
fn inverse_modulo(a: &[Vec<BigInt>]) -> Option<Vec<Vec<u64>>> {
    let n = a.len();
    let mut rows: Vec<Vec<u64>> = a
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let unit = (0..n).map(|j| u64::from(i == j));
            residues(row).into_iter().chain(unit).collect()
        })
        .collect();
    for k in 0..n {
        let pivot = (k..n).find(|&i| rows[i][k] != 0)?;
        rows.swap(k, pivot);
        let unit = reciprocal(rows[k][k]);
        rows[k].iter_mut().for_each(|v| *v = times(*v, unit));
        let pivot_row = std::mem::take(&mut rows[k]);
        for row in rows.iter_mut().filter(|row| !row.is_empty() && row[k] != 0) {
            let factor = row[k];
            for (v, &p) in row[k..].iter_mut().zip(&pivot_row[k..]) {
                *v = minus(*v, times(factor, p));
            }
        }
        rows[k] = pivot_row;
    }
    rows.iter_mut().for_each(|row| drop(row.drain(..n)));
    Some(rows)
}

/// Fractions over one denominator that are x modulo the modulus, all short; `None` if there are none.
fn reconstruct(x: &[BigInt], modulus: &BigInt) -> Option<(Vec<BigInt>, BigInt)> {
    let limit = (modulus >> 1_u32).sqrt();
    let mut denominator = BigInt::one();
    for x in x {
        // Most are already short times the denominator so far.
        let scaled = symmetric(&(x * &denominator), modulus);
        if scaled.magnitude() > limit.magnitude() {
            denominator *= short_denominator(scaled, modulus, &limit);
            if denominator > limit {
                return None;
            }
        }
    }
    let numerators: Vec<BigInt> =
        x.iter().map(|x| symmetric(&(x * &denominator), modulus)).collect();
    let short = numerators.iter().all(|v| v.magnitude() <= limit.magnitude());
    short.then_some((numerators, denominator))
}

/// The residue of least magnitude.
fn symmetric(x: &BigInt, modulus: &BigInt) -> BigInt {
    let rest = x.mod_floor(modulus);
    if &rest + &rest > *modulus { rest - modulus } else { rest }
}

/// The denominator of the fraction with numerator up to the limit that is x modulo the modulus: half
/// of Euclid's algorithm.
fn short_denominator(x: BigInt, modulus: &BigInt, limit: &BigInt) -> BigInt {
    let (mut old, mut new) = (modulus.clone(), x.mod_floor(modulus));
    let (mut old_factor, mut factor) = (BigInt::zero(), BigInt::one());
    while &new > limit {
        let (quotient, rest) = old.div_rem(&new);
        (old, new) = (new, rest);
        let next = &old_factor - &quotient * &factor;
        (old_factor, factor) = (factor, next);
    }
    factor.abs()
}

#[cfg(test)]
mod tests {
    use super::super::Budget;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lifting_solves_what_is_regular(
            entries in prop::collection::vec(-1_000_000_i64..1_000_000, 36),
            b in prop::collection::vec(-9..10_i64, 6), repeat in prop::bool::ANY,
        ) {
            let mut a: Vec<Vec<BigInt>> =
                entries.chunks(6).map(|row| row.iter().map(|&v| v.into()).collect()).collect();
            if repeat {
                a[5] = a[2].clone();
            }
            let b: Vec<BigInt> = b.into_iter().map(BigInt::from).collect();
            match solve_by_lifting(&a, &b, &Budget::unlimited().start()) {
                Some(Solved::Unique { numerators, denominator }) => {
                    prop_assert!(!repeat && denominator.is_positive());
                    for (row, b) in a.iter().zip(&b) {
                        prop_assert_eq!(dot(row, &numerators), &denominator * b);
                    }
                }
                other => prop_assert!(repeat && other.is_none()),
            }
        }
    }
}
