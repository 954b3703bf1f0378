//! Whether there is a direction of endless descent, decided in integers: for few rows.
//!
//! Gordan's alternative says that some w has a_t·w > 0 for all rows, or that weights g ≥ 0, not all zero, have
//! Σ g_t a_t = 0. In the second case a_t·w = 0 for every row with g_t > 0 and every w with no row on its wrong side:
//! those w lie in the null space of these rows. The question is asked again there, for the rows that are not zero in
//! it, in fewer dimensions. It ends with a w that is > 0 on all rows that are left, or with no row left. Then weights
//! of the earlier rounds add up to α > 0 on all rows, and there is a minimiser (Stiemke).
//!
//! Each question is a point of least norm, by [Wolfe's method](crate::halfspace).

use num_bigint::BigInt;
use num_traits::Zero;

use super::rows::SignedRows;
use crate::Scalar;
use crate::halfspace::Budget;
use crate::halfspace::exact::{dot, null_space, primitive};
use crate::halfspace::exact_min_norm::ExactCorral;

/// The most words in the rows: a cycle multiplies each of them, in integers.
const MOST_WORDS: u64 = 1 << 15;
/// The most cycles, all rounds together, and the most products of integers in their systems of n³; of longer ones as many
/// as cost the same.
const MOST_CYCLES: u64 = 1000;
const MOST_PRODUCTS: u64 = 1 << 23;

/// What the rows allow.
pub(super) enum Face {
    /// No direction of endless descent.
    Closed,
    /// This one, in the units of the rows.
    Open(Vec<BigInt>),
    /// More than the budget has.
    Spent,
}

impl<T: Scalar> SignedRows<'_, T> {
    /// Decides whether there is a direction of endless descent.
    pub(super) fn face(&self) -> Face {
        let width = self.unknowns();
        let entries = (self.counted().len() as u64).saturating_mul(width as u64);
        if entries.saturating_mul(self.bits() / 64 + 1) > MOST_WORDS {
            return Face::Spent;
        }
        let product = (self.bits() / 128 + 1).saturating_pow(2);
        let cycle = (width as u64).saturating_pow(3).saturating_mul(product);
        let affordable = MOST_PRODUCTS / cycle.max(1);
        let clock = Budget::steps(affordable.min(MOST_CYCLES)).start();
        let mut cycles = 0;
        // The space that is left, and the rows in the coordinates of its basis.
        let unit = |k: usize| (0..width).map(|l| BigInt::from(u8::from(k == l))).collect();
        let mut basis: Vec<Vec<BigInt>> = (0..width).map(unit).collect();
        let mut points: Vec<(usize, Vec<BigInt>)> =
            self.counted().iter().map(|&t| (t, primitive(self.exact_row(t)))).collect();
        loop {
            points.retain(|(_, point)| point.iter().any(|v| !v.is_zero()));
            let Some(first) = points.first().cloned() else { return Face::Closed };
            let corral = ExactCorral::of(vec![first], &clock, &mut cycles);
            let Some(mut corral) = corral else { return Face::Spent };
            if !corral.descend(&points, &clock, &mut cycles) {
                return Face::Spent;
            }
            if !corral.is_zero() {
                return Face::Open(combination(&corral.x, &basis));
            }
            let balanced = points.iter().filter(|(t, _)| corral.keys.contains(t));
            let balanced = balanced.map(|(_, point)| point.clone()).collect();
            let null: Vec<_> = null_space(balanced, basis.len()).collect();
            for (_, point) in &mut points {
                *point = primitive(null.iter().map(|v| dot(v, point)).collect());
            }
            basis = null.iter().map(|v| combination(v, &basis)).collect();
        }
    }
}

/// Σ v_k·basis_k.
fn combination(v: &[BigInt], basis: &[Vec<BigInt>]) -> Vec<BigInt> {
    let mut sum = vec![BigInt::zero(); basis.first().map_or(0, Vec::len)];
    for (v, vector) in v.iter().zip(basis).filter(|(v, _)| !v.is_zero()) {
        for (sum, b) in sum.iter_mut().zip(vector) {
            *sum += v * b;
        }
    }
    sum
}
