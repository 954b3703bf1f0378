//! Whether the columns of the design have a given rank, exactly.
//!
//! Take r independent rows, and r columns that are independent on them. Every other column is a combination of those on
//! these rows; the design has rank r iff each of these relations holds in every row, like "the columns of all categories
//! add up to one". A relation is one system in integers, and short as a rule, which lifting makes use of.

use num_bigint::BigInt;
use num_traits::Zero;

use super::rows::SignedRows;
use crate::Scalar;
use crate::halfspace::Budget;
use crate::halfspace::exact::{Solved, solve};

/// The most products of words that the systems of all relations take, where relations are not short: solutions of r
/// numbers of r words, made from as many digits. A few seconds.
const MOST_PRODUCTS: usize = 1 << 28;

impl<T: Scalar> SignedRows<'_, T> {
    /// Whether the rows are proven to span no more than `rank` dimensions.
    pub(super) fn span_at_most(&self, rank: usize) -> bool {
        let words = (self.bits() / 64 + 1) as usize;
        let system = rank.saturating_pow(3).saturating_mul(words.saturating_pow(2));
        let cost = system.saturating_mul(self.unknowns().saturating_sub(rank));
        if cost > MOST_PRODUCTS {
            return false;
        }
        let basis = self.independent(self.counted(), rank);
        let columns = self.independent_columns(&basis);
        let mut others = (0..self.unknowns()).filter(|k| !columns.contains(k));
        columns.len() == basis.len() && others.all(|k| self.is_related(&basis, &columns, k))
    }

    /// As many columns as there are rows, the largest value that is left of each row first.
    fn independent_columns(&self, basis: &[usize]) -> Vec<usize> {
        let mut rest: Vec<Vec<f64>> = basis.iter().map(|&t| self.scaled_row(t)).collect();
        let mut columns = Vec::with_capacity(basis.len());
        for i in 0..rest.len() {
            let (above, below) = rest.split_at_mut(i + 1);
            let row = &above[i];
            let largest = (0..row.len()).max_by(|&a, &b| row[a].abs().total_cmp(&row[b].abs()));
            let Some(pivot) = largest.filter(|&k| row[k] != 0.0) else { break };
            for other in below {
                let factor = other[pivot] / row[pivot];
                other.iter_mut().zip(row).for_each(|(o, r)| *o -= factor * r);
                other[pivot] = 0.0;
            }
            columns.push(pivot);
        }
        columns
    }

    /// Whether a column is a combination of others in every row, the one that it is on a basis.
    fn is_related(&self, basis: &[usize], columns: &[usize], other: usize) -> bool {
        let rows: Vec<Vec<BigInt>> = basis.iter().map(|&t| self.exact_row(t)).collect();
        let take = |row: &Vec<BigInt>| columns.iter().map(|&k| row[k].clone()).collect();
        let side = rows.iter().map(|row| row[other].clone()).collect();
        let clock = Budget::unlimited().start();
        let solved = solve(rows.iter().map(take).collect(), side, &clock);
        let Solved::Unique { numerators, denominator } = solved else { return false };
        let mut relation = vec![BigInt::zero(); self.unknowns()];
        columns.iter().zip(numerators).for_each(|(&k, factor)| relation[k] = factor);
        relation[other] = -denominator;
        let relation = self.exact_direction(relation);
        self.is_affordable(&relation, self.counted().len())
            && self.first_off(self.counted(), &relation.exact).is_none()
    }
}
