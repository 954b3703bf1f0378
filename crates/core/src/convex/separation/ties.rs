//! A direction that some rows only touch: their a_t·w is made zero exactly.
//!
//! Let A be the rows on the hyperplane, a largest independent subset of them. The nearest direction to v that is
//! orthogonal to all of A is v − Aᵀ(AAᵀ)⁻¹Av: one system in integers, because A and v are integers. Nearest, so that
//! rounding such a direction and projecting it again moves it by no more than the rounding.
//!
//! A is begun in doubles. A row of the others that is off the hyperplane of the result is independent of A, and
//! joins it; so the result is exact whatever doubles have overlooked.

use num_bigint::BigInt;

use super::rows::{Direction, SignedRows};
use crate::Scalar;
use crate::halfspace::Budget;
use crate::halfspace::exact::{Solved, dot, solve};

/// Rows that doubles have overlooked: each of them costs a system of its own.
const MOST_OVERLOOKED: usize = 8;
/// The most products of words in one look at all ties, a few seconds; making an integer and adding it up costs as
/// much as [`OVERHEAD`] of them.
const MOST_PRODUCTS: u64 = 1 << 30;
const OVERHEAD: u64 = 16;
/// The most bits in all ties together of a direction that is not exact as it is rounded: what `verify` takes on.
const MOST_ROUNDED_BITS: u64 = 1 << 13;

impl<T: Scalar> SignedRows<'_, T> {
    /// The nearest direction for which all ties lie on the hyperplane, of which `most` are independent; `None` if there
    /// is none but zero, or if it is too expensive to find.
    pub(super) fn project(
        &self,
        direction: &Direction,
        ties: &[usize],
        most: usize,
    ) -> Option<Direction> {
        let most = most.min(self.unknowns().saturating_sub(1));
        let mut basis = self.independent(ties, most + 1);
        for _ in 0..MOST_OVERLOOKED {
            if basis.len() > most || !self.is_solvable(basis.len()) {
                return None;
            }
            let projected = self.exact_direction(self.orthogonal(&direction.exact, &basis)?);
            if projected.is_zero() || !self.is_affordable(&projected, ties.len()) {
                return None;
            }
            match self.first_off(ties, &projected.exact) {
                Some(row) => basis.push(row),
                None => return Some(projected),
            }
        }
        None
    }

    /// The most ties that a rounded direction may have for `verify` to project it again.
    pub(super) fn most_rounded_ties(&self) -> usize {
        (MOST_ROUNDED_BITS / self.bits().max(1)).try_into().unwrap_or(usize::MAX)
    }

    /// Whether so many ties make a system that can be solved: its solution has about as many digits as the ties
    /// have together, and each costs a product with the matrix.
    fn is_solvable(&self, ties: usize) -> bool {
        let (n, words) = (ties as u64, self.bits() / 32 + 1);
        let digits = n.saturating_mul(2 * (words + 1));
        n.saturating_mul(n).saturating_mul(digits).saturating_mul(words) <= MOST_PRODUCTS
    }

    /// det·(v − Aᵀ(AAᵀ)⁻¹Av), in integers.
    fn orthogonal(&self, v: &[BigInt], basis: &[usize]) -> Option<Vec<BigInt>> {
        let rows: Vec<Vec<BigInt>> = basis.iter().map(|&t| self.exact_row(t)).collect();
        let gram = rows.iter().map(|a| rows.iter().map(|b| dot(a, b)).collect()).collect();
        let side = rows.iter().map(|a| dot(a, v)).collect();
        let clock = Budget::unlimited().start();
        let Solved::Unique { numerators, denominator } = solve(gram, side, &clock) else {
            return None;
        };
        let mut rest: Vec<BigInt> = v.iter().map(|v| v * &denominator).collect();
        for (row, factor) in rows.iter().zip(&numerators) {
            rest.iter_mut().zip(row).for_each(|(rest, a)| *rest -= factor * a);
        }
        Some(rest)
    }

    /// Whether so many rows can be multiplied with a direction in integers.
    pub(super) fn is_affordable(&self, direction: &Direction, rows: usize) -> bool {
        let words = |bits: u64| bits / 64 + 1;
        let entries = (rows as u64).saturating_mul(self.entries_of_a_row() as u64);
        let each = words(self.bits()).saturating_mul(words(direction.bits())) + OVERHEAD;
        entries.saturating_mul(each) <= MOST_PRODUCTS
    }
}
