//! The rows a_t = y_t x̃_t that decide whether there is a minimiser, without rounding.
//!
//! x̃_t has the columns whose weights pay no penalty, and a 1 for the intercept; rows of weight zero do not count.
//! Columns are measured in powers of two 2^p_j that bring their largest value to about 1: then all values are
//! integers over one common 2^−q. A direction w is measured in 2^−p_j, so that a_t·w is what it was.
//!
//! The sign of a_t·w is looked at in doubles with a bound for the rounding, and computed in integers where that is
//! not enough.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use rayon::prelude::*;

use crate::convex::problem::Problem;
use crate::halfspace::exact::{self, integer, last_bit};
use crate::loss::Loss;
use crate::{Dataset, Design, Scalar, View};

/// The signed rows that count.
pub(super) struct SignedRows<'a, T> {
    x: View<'a, T>,
    y: View<'a, T>,
    /// Rows of positive weight.
    counted: Vec<usize>,
    /// Columns whose weights are free.
    columns: Vec<usize>,
    intercept: bool,
    /// p_j of each coordinate.
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

impl<'a, T: Scalar> SignedRows<'a, T> {
    /// The rows of a problem.
    pub(super) fn of<L: Loss>(problem: &Problem<'a, T, L>) -> Self {
        let Design::Dense(x) = problem.data.design();
        let counted = counted(problem.data);
        let columns = problem.terms.free();
        let mut rows = Self {
            x,
            y: problem.data.target_view(),
            counted,
            columns,
            intercept: problem.intercept,
            units: Vec::new(),
            precision: 0,
        };
        let extents: Vec<(i32, i32)> = (0..rows.width()).map(|k| rows.extent(k)).collect();
        rows.precision = extents.iter().map(|(top, last)| top - last).max().unwrap_or(0);
        rows.units = extents.into_iter().map(|(top, _)| top).collect();
        rows
    }

    /// Number of coordinates: the columns, and one for the intercept.
    pub(super) fn width(&self) -> usize {
        self.columns.len() + usize::from(self.intercept)
    }

    /// Rows of positive weight.
    pub(super) fn counted(&self) -> &[usize] {
        &self.counted
    }

    /// Bits of an integer coordinate, at most.
    pub(super) fn bits(&self) -> u64 {
        self.precision.unsigned_abs().into()
    }

    /// Coordinate k of a_t.
    fn entry(&self, t: usize, k: usize) -> f64 {
        let y = self.y[(t, 0)].to_double();
        self.columns.get(k).map_or(y, |&j| y * self.x[(t, j)].to_double())
    }

    /// The exponents of the largest value of a coordinate and of its last bit.
    fn extent(&self, k: usize) -> (i32, i32) {
        let values = || self.counted.iter().map(|&t| self.entry(t, k));
        let largest = values().fold(0.0, |max: f64, v| max.max(v.abs()));
        let last = values().filter_map(last_bit).min().unwrap_or(0);
        (if largest > 0.0 { largest.exponent() } else { last }, last)
    }

    /// a_t in doubles, in the units of the rows.
    pub(super) fn scaled_row(&self, t: usize) -> Vec<f64> {
        (0..self.width()).map(|k| scale(self.entry(t, k), -self.units[k])).collect()
    }

    /// a_t in integers.
    pub(super) fn exact_row(&self, t: usize) -> Vec<BigInt> {
        (0..self.width()).map(|k| self.exact_entry(t, k)).collect()
    }

    fn exact_entry(&self, t: usize, k: usize) -> BigInt {
        integer(self.entry(t, k), self.units[k] - self.precision)
    }

    /// The direction of weights in doubles, taken as they are.
    pub(super) fn direction(&self, weights: Vec<f64>) -> Direction {
        let bits = weights.iter().zip(&self.units);
        let last = bits.filter_map(|(w, unit)| Some(last_bit(*w)? + unit)).min().unwrap_or(0);
        let exact = weights.iter().zip(&self.units).map(|(w, unit)| integer(*w, last - unit));
        Direction { exact: exact.collect(), weights }
    }

    /// The direction of integers in the units of the rows; its largest weight is about 1.
    pub(super) fn exact_direction(&self, exact: Vec<BigInt>) -> Direction {
        let exact = exact::primitive(exact);
        let sizes = exact.iter().zip(&self.units).filter(|(v, _)| !v.is_zero());
        let size = sizes.map(|(v, unit)| v.bits() as i64 - i64::from(*unit)).max().unwrap_or(0);
        let weight = |(v, unit): (&BigInt, &i32)| exact::ratio(v, size + i64::from(*unit));
        let weights = exact.iter().zip(&self.units).map(weight).collect();
        Direction { exact, weights }
    }

    /// The sign of a_t·w, where doubles tell it.
    pub(super) fn rounded_side(&self, t: usize, weights: &[f64]) -> Option<Ordering> {
        let (mut value, mut size) = (0.0, 0.0);
        for (k, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let term = w * self.entry(t, k);
            value += term;
            size += term.abs();
        }
        // Rounding of the weights, of the products and of the sums, and of this bound itself.
        let width = weights.len() as f64;
        let rounding = (width + 4.0) * f64::EPSILON * size + width * f64::MIN_POSITIVE;
        (value.abs() > rounding).then(|| value.total_cmp(&0.0))
    }

    /// The sign of a_t·w.
    pub(super) fn side(&self, t: usize, direction: &Direction) -> Ordering {
        self.rounded_side(t, &direction.weights)
            .unwrap_or_else(|| self.exact_side(t, &direction.exact))
    }

    /// The sign of a_t·w in integers.
    pub(super) fn exact_side(&self, t: usize, exact: &[BigInt]) -> Ordering {
        let nonzero = exact.iter().enumerate().filter(|(_, v)| !v.is_zero());
        let value: BigInt = nonzero.map(|(k, v)| self.exact_entry(t, k) * v).sum();
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
    /// By Gram and Schmidt in doubles: a row of which little is left is passed over.
    pub(super) fn independent(&self, rows: &[usize], most: usize) -> Vec<usize> {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut chosen = Vec::new();
        for &t in rows {
            if chosen.len() == most {
                break;
            }
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

/// Rows of positive weight.
pub(super) fn counted<T: Scalar>(data: &Dataset<'_, T>) -> Vec<usize> {
    (0..data.rows()).filter(|&t| data.weight_of(t) > 0.0).collect()
}

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
