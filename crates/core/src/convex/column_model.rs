//! A quadratic with corners in the space of the rows, and coordinate descent on it.
//!
//! min over weights v and a level β of Σ_t (u_t s_t + ½h_t s_t²) + Σ_j λ₁ⱼ|v_j| + λ₂ⱼv_j², where s = X̃Δ + δ is what
//! the changes Δ and δ of v and β change in z. Its derivative is r = u + hs in every row, and X̃ᵀr in the
//! weights. A block of columns and the level are minimised over at once, by cyclic coordinate descent on
//! their own Gram matrix; then s and r follow. So a round reads every column twice, the second time from
//! cache, and s and r once for all columns of a block.

use super::columns::{BLOCK, BlockGram, Columns, Group};
use super::extrapolation::{Extrapolation, Point};
use crate::penalty::{Terms, soft_threshold};
use crate::{Backend, Scalar};

/// Rounds within a block: its unknowns are few, and better known than the blocks after it.
const WITHIN_BLOCK: usize = 3;

/// The model and where its minimisation stands. What there is for every column is filled up to whole blocks.
pub(super) struct ColumnModel {
    pub(super) weights: Vec<f64>,
    pub(super) level: f64,
    pub(super) has_level: bool,
    pub(super) terms: Terms,
    /// h.
    pub(super) h: Vec<Group>,
    /// The change of z so far.
    pub(super) s: Vec<Group>,
    /// The derivative, u + hs, and its sum.
    pub(super) r: Vec<Group>,
    pub(super) total: f64,
    /// Σ h.
    pub(super) curvature: f64,
    /// Its value.
    pub(super) value: f64,
    /// The largest λ₁.
    pub(super) unit: f64,
    /// Of the blocks that were needed so far.
    grams: Vec<Option<BlockGram>>,
    /// Whether a weight came in or went out in the last round.
    pub(super) unsettled: bool,
    extrapolation: Extrapolation,
}

impl ColumnModel {
    /// No columns, no curvature yet.
    pub(super) fn new<T: Scalar>(columns: &Columns<'_, T>, has_level: bool, unit: f64) -> Self {
        Self {
            weights: Vec::new(),
            level: 0.0,
            has_level,
            terms: Terms::default(),
            h: columns.zeros(),
            s: columns.zeros(),
            r: columns.zeros(),
            total: 0.0,
            curvature: 0.0,
            value: 0.0,
            unit,
            grams: Vec::new(),
            unsettled: true,
            extrapolation: Extrapolation::default(),
        }
    }

    /// The columns are others from this one on, with these terms for all of them.
    pub(super) fn change_columns<T: Scalar>(
        &mut self,
        from: usize,
        columns: &Columns<'_, T>,
        terms: Terms,
    ) {
        let whole = columns.blocks() * BLOCK;
        self.grams.truncate(from / BLOCK);
        self.weights.resize(whole, 0.0);
        self.terms = terms;
        self.terms.l1.resize(whole, 0.0);
        self.terms.l2.resize(whole, 0.0);
    }

    /// The columns are in another order; the last blocks may be filled up.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        for values in [&mut self.weights, &mut self.terms.l1, &mut self.terms.l2] {
            let reordered: Vec<f64> = order.iter().map(|&j| values[j]).collect();
            values[..order.len()].copy_from_slice(&reordered);
        }
        self.grams.clear();
        self.extrapolation = Extrapolation::default();
    }

    /// z is another, and so what changes are counted from; h may be another too.
    pub(super) fn start_anew(&mut self, same_curvature: bool) {
        self.s.fill(Group::default());
        self.extrapolation = Extrapolation::default();
        if !same_curvature {
            self.grams.clear();
        }
    }

    /// How many weights are not zero.
    pub(super) fn support(&self) -> usize {
        self.weights.iter().filter(|v| **v != 0.0).count()
    }

    /// What violations are measured in: λ₁ⱼ, where there is one.
    pub(super) fn unit_of(&self, l1: f64) -> f64 {
        if l1 > 0.0 { l1 } else { self.unit }
    }

    /// One round over all blocks, or over those with weights that are not zero, and now and then an
    /// extrapolation; the largest violation met.
    pub(super) fn round<T: Scalar>(
        &mut self,
        backend: &dyn Backend<T>,
        columns: &Columns<'_, T>,
        all: bool,
    ) -> f64 {
        let mut largest = if self.has_level { self.total.abs() / self.unit } else { 0.0 };
        self.unsettled = false;
        for block in 0..columns.blocks() {
            let range = block * BLOCK..(block + 1) * BLOCK;
            if !all && self.weights[range.clone()].iter().all(|v| *v == 0.0) {
                continue;
            }
            let slopes = columns.dots(block, &self.r, self.total);
            let violation = |(k, j): (usize, usize)| {
                let violation = self.terms.violation(j, self.weights[j], slopes[k]);
                violation / self.unit_of(self.terms.l1[j])
            };
            let violation = range.enumerate().map(violation).fold(0.0, f64::max);
            largest = largest.max(violation);
            if violation > 0.0 {
                self.minimise_block(columns, block, slopes);
            }
        }
        self.extrapolate(backend);
        largest
    }

    /// Minimises over a block and the level.
    fn minimise_block<T: Scalar>(
        &mut self,
        columns: &Columns<'_, T>,
        block: usize,
        mut slopes: [f64; BLOCK],
    ) {
        let BlockGram { products, sums } = self.gram(columns, block);
        let (mut change, mut level) = ([0.0; BLOCK], 0.0);
        let mut total = self.total;
        for _ in 0..WITHIN_BLOCK {
            let mut moved = false;
            for k in 0..BLOCK {
                let (j, curvature) = (block * BLOCK + k, products[k][k]);
                let (l1, l2) = (self.terms.l1[j], self.terms.l2[j]);
                let divisor = curvature + 2.0 * l2;
                if divisor <= 0.0 {
                    continue;
                }
                let v = self.weights[j];
                let target = soft_threshold(curvature * v - slopes[k], l1) / divisor;
                let step = target - v;
                if step == 0.0 {
                    continue;
                }
                moved = true;
                self.unsettled |= (v == 0.0) != (target == 0.0);
                self.value += step * (slopes[k] + 0.5 * curvature * step)
                    + l1 * (target.abs() - v.abs())
                    + l2 * (target + v) * step;
                self.weights[j] = target;
                change[k] += step;
                total += sums[k] * step;
                slopes.iter_mut().zip(&products[k]).for_each(|(slope, p)| *slope += p * step);
            }
            if self.has_level && self.curvature > 0.0 {
                let step = -total / self.curvature;
                self.value += 0.5 * total * step;
                level += step;
                total = 0.0;
                slopes.iter_mut().zip(&sums).for_each(|(slope, p)| *slope += p * step);
            }
            if !moved {
                break;
            }
        }
        self.level += level;
        self.shift(columns, block, &change, level);
    }

    fn gram<T: Scalar>(&mut self, columns: &Columns<'_, T>, block: usize) -> BlockGram {
        if self.grams.len() < columns.blocks() {
            self.grams.resize(columns.blocks(), None);
        }
        *self.grams[block].get_or_insert_with(|| columns.gram(block, &self.h, self.curvature))
    }

    /// s and r follow a change of weights and level.
    pub(super) fn shift<T: Scalar>(
        &mut self,
        columns: &Columns<'_, T>,
        block: usize,
        change: &[f64; BLOCK],
        level: f64,
    ) {
        if level != 0.0 || change.iter().any(|v| *v != 0.0) {
            self.total = columns.shift(block, change, level, &self.h, &mut self.s, &mut self.r);
        }
    }

    /// Goes to where the last rounds lead, if the model is lower there.
    fn extrapolate<T: Scalar>(&mut self, backend: &dyn Backend<T>) {
        let Self { weights, level, s, r, .. } = self;
        let here = || Point {
            weights: weights.iter().copied().chain([*level]).collect(),
            s: s.clone(),
            r: r.clone(),
        };
        let Some(mut point) = self.extrapolation.push(backend, here) else { return };
        let level = point.weights.pop().unwrap_or_default();
        let rise = self.rise(&point);
        if rise < 0.0 {
            self.value += rise;
            (self.weights, self.level) = (point.weights, level);
            (self.s, self.r) = (point.s, point.r);
            self.total = self.r.as_flattened().iter().sum();
        }
    }

    /// How much higher the model is at a point: differences throughout, so that a small one is not rounded away.
    fn rise(&self, point: &Point) -> f64 {
        let steps = point.s.as_flattened().iter().zip(self.s.as_flattened());
        let slopes = point.r.as_flattened().iter().zip(self.r.as_flattened());
        let loss: f64 = steps.zip(slopes).map(|((s, t), (r, q))| (s - t) * (r + q)).sum();
        let penalty = (0..self.weights.len()).map(|j| {
            let (to, from) = (point.weights[j], self.weights[j]);
            self.terms.l1[j] * (to.abs() - from.abs())
                + self.terms.l2[j] * (to - from) * (to + from)
        });
        0.5 * loss + penalty.sum::<f64>()
    }
}
