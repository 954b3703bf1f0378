//! The rows that decide whether there is a minimiser, without rounding.
//!
//! A row t of class y has one a = (e_y − e_k) ⊗ x̃_t for every other class k: the prediction of its own class less that
//! of the other is a·w (Kesler's construction). x̃_t has the columns whose weights pay no penalty, and a 1 for the
//! intercept; the block of the last class is left out, and rows of weight zero do not count. With one block a is y_t x̃_t.
//!
//! Columns are measured in powers of two 2^p_j that bring their largest value to about 1: then all values are
//! integers over one common 2^−q. A direction w is measured in 2^−p_j, so that a·w is what it was.
//!
//! The sign of a·w is looked at in doubles with a bound for the rounding, and computed in integers where that is
//! not enough.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use rayon::prelude::*;

use super::question::Question;
use crate::halfspace::exact::{self, integer, last_bit};
use crate::{Design, Scalar, View};

/// The signed rows that count, each known by a number: t·K + k.
pub(super) struct SignedRows<'q, T: Scalar> {
    question: &'q Question<'q, T>,
    x: View<'q, T>,
    counted: Vec<usize>,
    /// p_j of each coordinate of a block.
    units: Vec<i32>,
    /// q.
    precision: i32,
}

/// A direction in integers, up to a positive factor, and its weights rounded.
pub(super) struct Direction {
    /// In the units of the rows.
    pub(super) exact: Vec<BigInt>,
    /// In those of the data; each is rounded once.
    pub(super) weights: Vec<f64>,
}

impl<'q, T: Scalar> SignedRows<'q, T> {
    /// The rows of a question.
    pub(super) fn of(question: &'q Question<'q, T>) -> Self {
        let Design::Dense(x) = question.data.design();
        let rows = (0..x.rows()).filter(|&t| question.counts(t));
        let numbers = |t: usize| question.others(t).map(move |k| t * (question.blocks + 1) + k);
        let counted = rows.flat_map(numbers).collect();
        let mut rows = Self { question, x, counted, units: Vec::new(), precision: 0 };
        let extents: Vec<(i32, i32)> = (0..question.width()).map(|j| rows.extent(j)).collect();
        rows.precision = extents.iter().map(|(top, last)| top - last).max().unwrap_or(0);
        rows.units = extents.into_iter().map(|(top, _)| top).collect();
        rows
    }

    /// Number of coordinates.
    pub(super) fn unknowns(&self) -> usize {
        self.question.unknowns()
    }

    /// The rows that count.
    pub(super) fn counted(&self) -> &[usize] {
        &self.counted
    }

    /// Coordinates of a row that are not zero, at most.
    pub(super) fn entries_of_a_row(&self) -> usize {
        self.question.blocks.min(2) * self.question.width()
    }

    /// Bits of an integer coordinate, at most.
    pub(super) fn bits(&self) -> u64 {
        self.precision.unsigned_abs().into()
    }

    /// Coordinate j of x̃_t.
    fn value(&self, t: usize, j: usize) -> f64 {
        self.question.columns.get(j).map_or(1.0, |&column| self.x[(t, column)].to_double())
    }

    /// The coordinates in the blocks of a row, with their values.
    fn entries(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let (blocks, width) = (self.question.blocks, self.question.width());
        let (t, other) = (row / (blocks + 1), row % (blocks + 1));
        let signs = [(self.question.labels[t], 1.0), (other, -1.0)];
        let inside = signs.into_iter().filter(move |(block, _)| *block < blocks);
        inside.flat_map(move |(block, sign)| {
            (0..width).map(move |j| (block * width + j, sign * self.value(t, j)))
        })
    }

    /// p of a coordinate.
    fn unit(&self, k: usize) -> i32 {
        self.units[k % self.question.width()]
    }

    /// The exponents of the largest value of a coordinate of x̃ and of its last bit.
    fn extent(&self, j: usize) -> (i32, i32) {
        let counted = || (0..self.x.rows()).filter(|&t| self.question.counts(t));
        let values = || counted().map(|t| self.value(t, j));
        let largest = values().fold(0.0, |max: f64, v| max.max(v.abs()));
        let last = values().filter_map(last_bit).min().unwrap_or(0);
        (if largest > 0.0 { largest.exponent() } else { last }, last)
    }

    /// A row in doubles, in the units of the rows.
    pub(super) fn scaled_row(&self, row: usize) -> Vec<f64> {
        let mut scaled = vec![0.0; self.unknowns()];
        self.entries(row).for_each(|(k, value)| scaled[k] = scale(value, -self.unit(k)));
        scaled
    }

    /// A row in integers.
    pub(super) fn exact_row(&self, row: usize) -> Vec<BigInt> {
        let mut exact = vec![BigInt::zero(); self.unknowns()];
        self.entries(row).for_each(|(k, value)| exact[k] = self.exact_entry(k, value));
        exact
    }

    fn exact_entry(&self, k: usize, value: f64) -> BigInt {
        integer(value, self.unit(k) - self.precision)
    }

    /// The direction of weights in doubles, taken as they are.
    pub(super) fn direction(&self, weights: Vec<f64>) -> Direction {
        let bits = weights.iter().enumerate();
        let last = bits.filter_map(|(k, w)| Some(last_bit(*w)? + self.unit(k))).min().unwrap_or(0);
        let exact = weights.iter().enumerate().map(|(k, w)| integer(*w, last - self.unit(k)));
        Direction { exact: exact.collect(), weights }
    }

    /// The direction of integers in the units of the rows; its largest weight is about 1.
    pub(super) fn exact_direction(&self, exact: Vec<BigInt>) -> Direction {
        let exact = exact::primitive(exact);
        let unit = |k: usize| i64::from(self.unit(k));
        let sizes = exact.iter().enumerate().filter(|(_, v)| !v.is_zero());
        let size = sizes.map(|(k, v)| v.bits() as i64 - unit(k)).max().unwrap_or(0);
        let weight = |(k, v): (usize, &BigInt)| exact::ratio(v, size + unit(k));
        let weights = exact.iter().enumerate().map(weight).collect();
        Direction { exact, weights }
    }

    /// The sign of a·w, where doubles tell it.
    fn rounded_side(&self, row: usize, weights: &[f64]) -> Option<Ordering> {
        let (mut value, mut size) = (0.0, 0.0);
        for (k, entry) in self.entries(row) {
            let term = weights[k] * entry;
            value += term;
            size += term.abs();
        }
        // Rounding of the weights, of the products and of the sums, and of this bound itself.
        let width = weights.len() as f64;
        let rounding = (width + 4.0) * f64::EPSILON * size + width * f64::MIN_POSITIVE;
        (value.abs() > rounding).then(|| value.total_cmp(&0.0))
    }

    /// The sign of a·w.
    fn side(&self, row: usize, direction: &Direction) -> Ordering {
        self.rounded_side(row, &direction.weights)
            .unwrap_or_else(|| self.exact_side(row, &direction.exact))
    }

    /// The sign of a·w in integers.
    fn exact_side(&self, row: usize, exact: &[BigInt]) -> Ordering {
        let nonzero = self.entries(row).filter(|(k, _)| !exact[*k].is_zero());
        let value: BigInt = nonzero.map(|(k, v)| self.exact_entry(k, v) * &exact[k]).sum();
        value.cmp(&BigInt::zero())
    }

    /// The rows that doubles cannot tell from the hyperplane of the weights.
    pub(super) fn undecided(&self, weights: &[f64]) -> Vec<usize> {
        let rows = self.counted.par_iter().copied();
        rows.filter(|&t| self.rounded_side(t, weights).is_none()).collect()
    }

    /// Whether no row that doubles can tell from the hyperplane is on the wrong side.
    pub(super) fn all_but_ties_are_right(&self, weights: &[f64]) -> bool {
        let wrong = Some(Ordering::Less);
        self.counted.par_iter().all(|&t| self.rounded_side(t, weights) != wrong)
    }

    /// Whether no row is on the wrong side, and one at least on the right one.
    pub(super) fn separates(&self, direction: &Direction) -> bool {
        let rows = || self.counted.par_iter().copied();
        rows().all(|t| self.side(t, direction) != Ordering::Less)
            && rows().any(|t| self.side(t, direction) == Ordering::Greater)
    }

    /// Whether all rows are on the right side.
    pub(super) fn separates_all(&self, direction: &Direction) -> bool {
        self.counted.par_iter().all(|&t| self.side(t, direction) == Ordering::Greater)
    }

    /// Whether all of some rows lie on the hyperplane of an exact direction: the first that does not.
    pub(super) fn first_off(&self, rows: &[usize], exact: &[BigInt]) -> Option<usize> {
        let off = rows.par_iter().find_first(|t| self.exact_side(**t, exact) != Ordering::Equal);
        off.copied()
    }

    /// Rows among those given, in their order, that are linearly independent beyond doubt; at most `most`.
    ///
    /// By Gram and Schmidt in doubles: a row of which little is left is passed over, and so are those after
    /// [`MOST_PRODUCTS`].
    pub(super) fn independent(&self, rows: &[usize], most: usize) -> Vec<usize> {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut chosen = Vec::new();
        let mut products = 0_usize;
        for &t in rows {
            if chosen.len() == most || products > MOST_PRODUCTS {
                break;
            }
            products = products.saturating_add(4 * (basis.len() + 1) * self.unknowns());
            let mut rest = self.scaled_row(t);
            let before = length(&rest);
            // Twice is enough.
            for _ in 0..2 {
                for unit in &basis {
                    let share: f64 = unit.iter().zip(&rest).map(|(u, r)| u * r).sum();
                    rest.iter_mut().zip(unit).for_each(|(r, u)| *r -= share * u);
                }
            }
            let after = length(&rest);
            if after > INDEPENDENT * before {
                rest.iter_mut().for_each(|r| *r /= after);
                basis.push(rest);
                chosen.push(t);
            }
        }
        chosen
    }
}

/// The share of a row that must be left beside others for it to count as independent of them. Rounding leaves
/// about 10⁻¹⁶ for each coordinate.
const INDEPENDENT: f64 = 1e-11;

/// Products that a look for independent rows may take, a second or so.
const MOST_PRODUCTS: usize = 1 << 31;

impl Direction {
    /// Whether it is no direction at all.
    pub(super) fn is_zero(&self) -> bool {
        self.exact.iter().all(Zero::is_zero)
    }

    /// Bits of its longest integer.
    pub(super) fn bits(&self) -> u64 {
        self.exact.iter().map(|v| v.abs().bits()).max().unwrap_or(0)
    }
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// value·2^exponent, in two steps because a power alone may not be a double.
fn scale(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * f64::powi(2.0, half) * f64::powi(2.0, exponent - half)
}
