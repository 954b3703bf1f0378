//! min_w wᵀGw − 2c·w + Σ λ₁ⱼ|w_j| + λ₂ⱼw_j² for one penalty after another, from the moments alone.
//!
//! With the support A and its signs s held, the minimiser is (G_AA + Λ₂)⁻¹(c_A − ½λ₁s), from a factor that
//! changes by one column at a time. On the way to it a weight that would change its sign stops at zero and
//! leaves; at it the column outside whose |2(c − Gw)_j| is furthest above λ₁ⱼ enters. The objective falls
//! with every change, so the search ends (feature-sign search: Lee, Battle, Raina, Ng 2007), and from one
//! penalty to the next few columns change: O(d·s) for each.
//!
//! Coordinates are w_j·‖x_j‖, so that G has a unit diagonal. What the moments lost, |ΔG_ij| ≤ ε and
//! |Δc_j| ≤ ε_c, and what the factor left, ρ, move the weights by at most
//!
//! |w_j − w_j*| ≤ √(H⁻¹)_jj·√‖H⁻¹‖·(ε·√s·‖w‖₁ + ‖ε_c‖ + ‖ρ‖),  H = G_AA + Λ₂,
//!
//! and by no more than max_j Σ_i |H⁻¹_ji|·(ε·‖w‖₁ + ‖ε_c‖ + ‖ρ‖), which is sharper where columns are many.

use super::spectrum::norm;
use super::support::Support;
use crate::least_squares::moments::{GRAM_ERROR, Moments};
use crate::penalty::Terms;
use crate::{Matrix, Scalar};

/// Errors beyond this share of the largest weight are bounded with more work.
const WORTH_A_LOOK: f64 = 5e-13;

/// The quadratic in unit coordinates, and the point on the path.
pub(super) struct SparsePath {
    /// Both triangles, diagonal 1; zero for columns that are constant.
    gram: Matrix<f64>,
    cross: Vec<f64>,
    /// ‖x_j‖.
    lengths: Vec<f64>,
    /// Relative error of the moments.
    rounding: f64,
    cross_error: f64,
    /// Where the path is: weights in unit coordinates, their signs and their support.
    weights: Vec<f64>,
    signs: Vec<f64>,
    support: Support,
    /// The λ₂ that the support's factor was made with.
    ridge: Vec<f64>,
}

/// The weights for one penalty.
pub(super) struct Sparse {
    pub(super) weights: Vec<f64>,
    /// Digits that hold in every |w_j|·‖x_j‖ relative to the largest.
    pub(super) digits: f64,
}

impl SparsePath {
    /// The path of training moments with the cross products given and what these err by; `None` where
    /// the moments are out of range.
    pub(super) fn new<T: Scalar>(
        moments: &Moments<T>,
        cross: &[f64],
        cross_errors: &[f64],
    ) -> Option<Self> {
        let size = moments.gram.rows();
        let lengths: Vec<f64> =
            (0..size).map(|j| moments.gram[(j, j)].to_double().max(0.0).sqrt()).collect();
        let unit = |value: f64, length: f64| if length > 0.0 { value / length } else { 0.0 };
        let entry = |i: usize, j: usize| {
            let value = moments.gram[(i.max(j), i.min(j))].to_double();
            unit(unit(value, lengths[i]), lengths[j])
        };
        let gram = Matrix::from_fn(size, size, entry);
        let in_units = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(&lengths).map(|(&value, &length)| unit(value, length)).collect()
        };
        let (cross, cross_errors) = (in_units(cross), in_units(cross_errors));
        let finite = gram.as_slice().iter().chain(&cross).all(|v| v.is_finite());
        finite.then(|| Self {
            rounding: GRAM_ERROR * T::unit_roundoff(),
            cross_error: norm(&cross_errors),
            weights: vec![0.0; size],
            signs: vec![0.0; size],
            support: Support::default(),
            ridge: vec![0.0; size],
            gram,
            cross,
            lengths,
        })
    }

    /// Goes on to a penalty; `None` where the support's columns depend on each other.
    pub(super) fn step_to(&mut self, terms: &Terms) -> Option<Sparse> {
        // A column of zeros has no unit, and no weight.
        let scaled = |values: &[f64], power: i32| -> Vec<f64> {
            let unit = |(&value, &length): (&f64, &f64)| {
                if length > 0.0 { value / length.powi(power) } else { 0.0 }
            };
            values.iter().zip(&self.lengths).map(unit).collect()
        };
        let (l1, l2) = (scaled(&terms.l1, 1), scaled(&terms.l2, 2));
        if l2 != self.ridge {
            self.ridge = l2;
            self.refactor()?;
        }
        // Every change lowers the objective; the limit is for rounding.
        for _ in 0..10 * self.weights.len() + 100 {
            if !self.towards_minimiser(&l1) {
                continue;
            }
            let rest = self.rest();
            match self.furthest_outside(&l1, &rest) {
                Some(entering) => {
                    self.signs[entering] = rest[entering].signum();
                    self.enter(entering).then_some(())?;
                }
                None => return Some(self.refined(&l1, &rest)),
            }
        }
        None
    }

    /// A new factor for the support that there is.
    fn refactor(&mut self) -> Option<()> {
        let columns = std::mem::take(&mut self.support).columns;
        columns.into_iter().all(|column| self.enter(column)).then_some(())
    }

    fn enter(&mut self, column: usize) -> bool {
        let Self { gram, ridge, support, .. } = self;
        let entry = |i: usize| gram[(i, column)] + if i == column { ridge[i] } else { 0.0 };
        support.enter(column, entry)
    }

    /// Moves to the minimiser with the signs that there are; false if a weight left on the way.
    fn towards_minimiser(&mut self, l1: &[f64]) -> bool {
        let side = |&j: &usize| self.cross[j] - 0.5 * l1[j] * self.signs[j];
        let target = self.support.solve(self.support.columns.iter().map(side).collect());
        // The first weight that would change its sign.
        let mut first: Option<(f64, usize)> = None;
        for (place, (&j, &goal)) in self.support.columns.iter().zip(&target).enumerate() {
            let now = self.weights[j];
            if l1[j] > 0.0 && goal * self.signs[j] <= 0.0 {
                let share = if now == 0.0 { 0.0 } else { now / (now - goal) };
                if first.is_none_or(|(least, _)| share < least) {
                    first = Some((share, place));
                }
            }
        }
        let share = first.map_or(1.0, |(share, _)| share);
        for (&j, &goal) in self.support.columns.iter().zip(&target) {
            let now = self.weights[j];
            self.weights[j] = if share == 1.0 { goal } else { now + share * (goal - now) };
        }
        let Some((_, place)) = first else { return true };
        let leaving = self.support.columns[place];
        (self.weights[leaving], self.signs[leaving]) = (0.0, 0.0);
        self.support.leave(place);
        false
    }

    /// c − (G + Λ₂)w, the second term on the support only.
    fn rest(&self) -> Vec<f64> {
        let mut rest = self.cross.clone();
        for &j in &self.support.columns {
            let w = self.weights[j];
            rest.iter_mut().zip(self.gram.col(j)).for_each(|(r, g)| *r -= g * w);
            rest[j] -= self.ridge[j] * w;
        }
        rest
    }

    /// The column outside the support whose derivative is furthest beyond its corner.
    fn furthest_outside(&self, l1: &[f64], rest: &[f64]) -> Option<usize> {
        let size: f64 = self.weights.iter().map(|w| w.abs()).sum();
        let excess = |j: usize| {
            let noise = self.rounding * (self.cross[j].abs() + size);
            rest[j].abs() - 0.5 * l1[j] - noise
        };
        let outside = (0..rest.len()).filter(|&j| excess(j) > 0.0 && !self.support.contains(j));
        outside.max_by(|&i, &j| excess(i).total_cmp(&excess(j)))
    }

    /// What is left of the equations on the support.
    fn defect(&self, l1: &[f64], rest: &[f64]) -> Vec<f64> {
        let left = |&j: &usize| rest[j] - 0.5 * l1[j] * self.signs[j];
        self.support.columns.iter().map(left).collect()
    }

    /// One correction with what the factor left, and the digits that are then sure.
    fn refined(&mut self, l1: &[f64], rest: &[f64]) -> Sparse {
        let step = self.support.solve(self.defect(l1, rest));
        for (&j, step) in self.support.columns.iter().zip(&step) {
            self.weights[j] += step;
        }
        let left = self.defect(l1, &self.rest());
        let outer = |(w, length): (&f64, &f64)| if *w == 0.0 { 0.0 } else { w / length };
        let weights = self.weights.iter().zip(&self.lengths).map(outer).collect();
        Sparse { weights, digits: self.digits(norm(&left)) }
    }

    fn digits(&self, left: f64) -> f64 {
        let largest = self.weights.iter().fold(0.0, |max: f64, w| max.max(w.abs()));
        if largest == 0.0 {
            // No weight, and no column that is beyond its corner.
            return f64::INFINITY;
        }
        let inverse = self.support.inverse_factor();
        let sum: f64 = self.weights.iter().map(|w| w.abs()).sum();
        let lost = self.rounding * sum;
        let outside = self.cross_error + left;
        let root = (self.support.columns.len() as f64).sqrt();
        let enlarged = (inverse.largest_diagonal() * inverse.norm_bound()).sqrt();
        let mut error = enlarged * (lost * root + outside);
        if error > WORTH_A_LOOK * largest {
            error = error.min(inverse.largest_row_sum() * (lost + outside));
        }
        (-(error / largest).log10()).max(0.0)
    }
}
