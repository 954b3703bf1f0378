//! H = LLᵀ of a support that changes by one column at a time.
//!
//! A column that enters is one more row of L, by a triangular solve; one that leaves takes a row out, and
//! rotations of neighbouring columns make the rest triangular again (Gill, Golub, Murray, Saunders 1974).
//! Either costs O(s²) for s columns, where a new factor would cost O(s³).

use super::spectrum::dot;
use crate::simd::{Kernel, vectorised};
use crate::wide::ExactProduct;

/// The columns of the support in the order they entered, and the rows of L.
#[derive(Clone, Debug, Default)]
pub(super) struct Support {
    pub(super) columns: Vec<usize>,
    /// Row i has i + 1 entries.
    rows: Vec<Vec<f64>>,
}

/// A column whose square that is left beside the support is below this share of it depends on it.
const DEPENDENT: f64 = 1e-12;

impl Support {
    pub(super) fn contains(&self, column: usize) -> bool {
        self.columns.contains(&column)
    }

    /// Takes a column in; `entry(i)` is H between it and column i, itself included. False, and no change,
    /// if it depends on those that are there.
    pub(super) fn enter(&mut self, column: usize, entry: impl Fn(usize) -> f64) -> bool {
        let mut row: Vec<f64> = Vec::with_capacity(self.columns.len() + 1);
        for (above, &other) in self.rows.iter().zip(&self.columns) {
            let (left, diagonal) = (&above[..row.len()], above[row.len()]);
            row.push((entry(other) - dot(left, &row)) / diagonal);
        }
        let whole = entry(column);
        let rest = whole - dot(&row, &row);
        if rest.is_nan() || rest <= DEPENDENT * whole {
            return false;
        }
        row.push(rest.sqrt());
        self.rows.push(row);
        self.columns.push(column);
        true
    }

    /// Takes out the column at a place.
    pub(super) fn leave(&mut self, place: usize) {
        self.columns.remove(place);
        self.rows.remove(place);
        for k in place..self.rows.len() {
            // Row k has an entry beyond its diagonal, which a rotation of columns k and k + 1 takes in.
            let (a, b) = (self.rows[k][k], self.rows[k][k + 1]);
            let length = a.hypot(b);
            let (cosine, sine) = (a / length, b / length);
            for row in &mut self.rows[k..] {
                let (a, b) = (row[k], row[k + 1]);
                row[k] = cosine * a + sine * b;
                row[k + 1] = cosine * b - sine * a;
            }
            self.rows[k].truncate(k + 1);
        }
    }

    /// H⁻¹·side, in the order of the columns.
    pub(super) fn solve(&self, mut side: Vec<f64>) -> Vec<f64> {
        for (k, row) in self.rows.iter().enumerate() {
            side[k] = (side[k] - dot(&row[..k], &side[..k])) / row[k];
        }
        for (k, row) in self.rows.iter().enumerate().rev() {
            side[k] /= row[k];
            let value = side[k];
            side.iter_mut().zip(&row[..k]).for_each(|(s, l)| *s -= value * l);
        }
        side
    }

    /// The rows of L⁻¹: row i is (e_i − Σ_{k<i} L_ik·row k)/L_ii.
    pub(super) fn inverse_factor(&self) -> InverseFactor {
        InverseFactor { rows: vectorised(Invert { rows: &self.rows }) }
    }
}

struct Invert<'a> {
    rows: &'a [Vec<f64>],
}

impl Kernel for Invert<'_> {
    type Output = Vec<Vec<f64>>;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(self.rows.len());
        for (i, row) in self.rows.iter().enumerate() {
            let mut next = vec![0.0; i + 1];
            next[i] = 1.0;
            for (l, above) in row.iter().zip(&rows) {
                next.iter_mut().zip(above).for_each(|(n, a)| *n -= l * a);
            }
            next.iter_mut().for_each(|n| *n /= row[i]);
            rows.push(next);
        }
        rows
    }
}

/// L⁻¹, for how much H⁻¹ = L⁻ᵀL⁻¹ can enlarge an error.
pub(super) struct InverseFactor {
    rows: Vec<Vec<f64>>,
}

impl InverseFactor {
    /// The largest diagonal entry of H⁻¹.
    pub(super) fn largest_diagonal(&self) -> f64 {
        self.largest_column(|entry| entry * entry)
    }

    /// ‖H⁻¹‖ = ‖L⁻¹‖² ≤ ‖L⁻¹‖₁·‖L⁻¹‖_∞.
    pub(super) fn norm_bound(&self) -> f64 {
        let row = |row: &Vec<f64>| row.iter().map(|entry| entry.abs()).sum();
        let widest = self.rows.iter().map(row).fold(0.0, f64::max);
        self.largest_column(f64::abs) * widest
    }

    /// The largest Σ_i |H⁻¹_ji|: more work, and sharper where columns are many and little correlated.
    pub(super) fn largest_row_sum(&self) -> f64 {
        vectorised(RowSums { factor: &self.rows }).into_iter().fold(0.0, f64::max)
    }

    fn largest_column(&self, of: impl Fn(f64) -> f64) -> f64 {
        let mut sums = vec![0.0; self.rows.len()];
        for row in &self.rows {
            sums.iter_mut().zip(row).for_each(|(sum, &entry)| *sum += of(entry));
        }
        sums.into_iter().fold(0.0, f64::max)
    }
}

/// Σ_i |H⁻¹_ji| for every j, from the lower triangle of H⁻¹.
struct RowSums<'a> {
    factor: &'a [Vec<f64>],
}

impl Kernel for RowSums<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Vec<f64> {
        let mut lower: Vec<Vec<f64>> = (1..=self.factor.len()).map(|len| vec![0.0; len]).collect();
        for row in self.factor {
            for (into, &factor) in lower.iter_mut().zip(row) {
                into.iter_mut().zip(row).for_each(|(to, entry)| *to += factor * entry);
            }
        }
        let mut sums = vec![0.0; lower.len()];
        for (j, row) in lower.iter().enumerate() {
            sums.iter_mut().zip(row).for_each(|(sum, entry)| *sum += entry.abs());
            sums[j] += row[..j].iter().map(|entry| entry.abs()).sum::<f64>();
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_entered_and_left_the_factor_solves(
            entries in prop::collection::vec(-1.0..1.0_f64, 64), out in prop::collection::vec(0..8_usize, 3),
        ) {
            // H = AᵀA + I.
            let h = |i: usize, j: usize| {
                let products: f64 = (0..8).map(|k| entries[8 * k + i] * entries[8 * k + j]).sum();
                products + f64::from(u8::from(i == j))
            };
            let mut support = Support::default();
            for j in 0..8 {
                prop_assert!(support.enter(j, |i| h(i, j)));
            }
            for place in out {
                support.leave(place % support.columns.len());
            }
            let columns = support.columns.clone();
            let side: Vec<f64> = columns.iter().map(|&j| entries[j]).collect();
            let x = support.solve(side.clone());
            for (k, &i) in columns.iter().enumerate() {
                let product: f64 = columns.iter().zip(&x).map(|(&j, x)| h(i, j) * x).sum();
                prop_assert!((product - side[k]).abs() < 1e-11);
                let mut unit = vec![0.0; columns.len()];
                unit[k] = 1.0;
                let column = support.solve(unit);
                let inverse = support.inverse_factor();
                let (diagonal, norm) = (inverse.largest_diagonal(), inverse.norm_bound());
                let sizes: f64 = column.iter().map(|v| v.abs()).sum();
                prop_assert!(sizes <= inverse.largest_row_sum() * (1.0 + 1e-12));
                prop_assert!(column[k] <= diagonal * (1.0 + 1e-12));
                prop_assert!(dot(&column, &column).sqrt() <= norm * (1.0 + 1e-12));
            }
            let copy = columns[0];
            let dependent = !support.enter(99, |i| h(copy, if i == 99 { copy } else { i }));
            prop_assert!(dependent);
        }
    }
}
