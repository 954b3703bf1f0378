//! A quadratic with corners in the space of the rows, and coordinate descent on it.
//!
//! min over weights v and a level β of Σ_j g_jΔ_j + g_bδ + Σ_t (u_t s_t + ½h_t s_t²) + Σ_j λ₁ⱼ|v_j| + λ₂ⱼv_j², where s = X̃Δ + δ
//! is what the changes Δ and δ of v and β change in z. With r = u + hs in every row its slope is g + X̃ᵀr in the
//! weights. Either all of the slope where the descent starts is in u, or all of it is known beforehand and is in g:
//! then X̃ need only be as accurate as the change is to be. A block of columns and the level are minimised over at
//! once, by cyclic coordinate descent on their own Gram matrix; then s and r follow. So a round reads every column
//! twice, the second time from cache, and s and r once for all columns of a block.

use super::columns::{BLOCK, BlockGram, Columns, Group, WIDTH};
use super::extrapolation::{Extrapolation, Point};
use crate::Backend;
use crate::penalty::{Terms, soft_threshold};
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, Number};

/// Rounds within a block: its unknowns are few, and better known than the blocks after it.
const WITHIN_BLOCK: usize = 3;

/// The model and where its minimisation stands. What there is for every column is filled up to whole blocks.
pub(super) struct ColumnModel<S> {
    pub(super) weights: Vec<f64>,
    pub(super) level: f64,
    pub(super) has_level: bool,
    pub(super) terms: Terms,
    /// h.
    pub(super) h: Vec<Group<S>>,
    /// The change of z so far.
    pub(super) s: Vec<Group<S>>,
    /// u + hs.
    pub(super) r: Vec<Group<S>>,
    /// g, what is known of the slopes of the weights, and of the level last.
    pub(super) known: Vec<f64>,
    pub(super) known_level: f64,
    /// The slope of the level.
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
    extrapolation: Extrapolation<S>,
}

impl<S: Number> ColumnModel<S> {
    /// No columns, no curvature yet.
    pub(super) fn new(columns: &Columns<S>, has_level: bool, unit: f64) -> Self {
        Self {
            weights: Vec::new(),
            level: 0.0,
            has_level,
            terms: Terms::default(),
            h: columns.zeros(),
            s: columns.zeros(),
            r: columns.zeros(),
            known: Vec::new(),
            known_level: 0.0,
            total: 0.0,
            curvature: 0.0,
            value: 0.0,
            unit,
            grams: Vec::new(),
            unsettled: true,
            extrapolation: Extrapolation::default(),
        }
    }

    /// The columns are others from this one on, with these terms and known slopes for all of them.
    pub(super) fn change_columns(
        &mut self,
        from: usize,
        columns: &Columns<S>,
        terms: Terms,
        known: Vec<f64>,
    ) {
        let whole = columns.blocks() * BLOCK;
        self.grams.truncate(from / BLOCK);
        self.weights.resize(whole, 0.0);
        self.terms = terms;
        self.terms.l1.resize(whole, 0.0);
        self.terms.l2.resize(whole, 0.0);
        self.known = known;
        self.known.resize(whole, 0.0);
    }

    /// The columns are in another order; the last blocks may be filled up.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        let Self { weights, terms: Terms { l1, l2 }, known, .. } = self;
        for values in [weights, l1, l2, known] {
            let reordered: Vec<f64> = order.iter().map(|&j| values[j]).collect();
            values[..order.len()].copy_from_slice(&reordered);
        }
        self.grams.clear();
        self.extrapolation = Extrapolation::default();
    }

    /// z is another, and so what changes are counted from; h may be another too. The slope is in u.
    pub(super) fn start_anew(&mut self, same_curvature: bool) {
        self.s.fill([S::ZERO; WIDTH]);
        self.known.fill(0.0);
        self.known_level = 0.0;
        self.extrapolation = Extrapolation::default();
        if !same_curvature {
            self.grams.clear();
        }
    }

    /// The slope at the start is known: of the columns that are in, and of the level.
    pub(super) fn know(&mut self, known: impl Iterator<Item = f64>) {
        self.known.iter_mut().zip(known).for_each(|(to, slope)| *to = slope);
        self.known_level = self.total;
        self.r.fill([S::ZERO; WIDTH]);
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
    pub(super) fn round(
        &mut self,
        backend: &dyn Backend<f64>,
        columns: &Columns<S>,
        all: bool,
    ) -> f64 {
        let mut largest = if self.has_level { self.total.abs() / self.unit } else { 0.0 };
        self.unsettled = false;
        for block in 0..columns.blocks() {
            let range = block * BLOCK..(block + 1) * BLOCK;
            if !all && self.weights[range.clone()].iter().all(|v| *v == 0.0) {
                continue;
            }
            let slopes = self.slopes(columns, block);
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

    /// The slopes of the weights of a block.
    pub(super) fn slopes(&self, columns: &Columns<S>, block: usize) -> [f64; BLOCK] {
        let dots = columns.dots(block, &self.r);
        std::array::from_fn(|k| self.known[block * BLOCK + k] + dots[k])
    }

    /// Minimises over a block and the level.
    fn minimise_block(&mut self, columns: &Columns<S>, block: usize, mut slopes: [f64; BLOCK]) {
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

    fn gram(&mut self, columns: &Columns<S>, block: usize) -> BlockGram {
        if self.grams.len() < columns.blocks() {
            self.grams.resize(columns.blocks(), None);
        }
        *self.grams[block].get_or_insert_with(|| columns.gram(block, &self.h))
    }

    /// s and r follow a change of weights and level.
    pub(super) fn shift(
        &mut self,
        columns: &Columns<S>,
        block: usize,
        change: &[f64; BLOCK],
        level: f64,
    ) {
        if level != 0.0 || change.iter().any(|v| *v != 0.0) {
            let sum = columns.shift(block, change, level, &self.h, &mut self.s, &mut self.r);
            self.total = self.known_level + sum;
        }
    }

    /// Goes to where the last rounds lead, if the model is lower there.
    fn extrapolate(&mut self, backend: &dyn Backend<f64>) {
        let Self { weights, level, s, r, .. } = self;
        let here = || Point { weights: weights.clone(), level: *level, s: s.clone(), r: r.clone() };
        if let Some(point) = self.extrapolation.push(backend, here) {
            self.go_if_lower(point);
        }
    }

    /// Goes to a point if the model is lower there; whether it is.
    pub(super) fn go_if_lower(&mut self, point: Point<S>) -> bool {
        let rise = self.rise(&point);
        // The other way round, a rise that is no number would pass.
        let is_lower = rise < 0.0;
        if is_lower {
            self.value += rise;
            let sum: f64 = point.r.as_flattened().iter().map(|r| r.to_double()).sum();
            self.total = self.known_level + sum;
            (self.weights, self.level) = (point.weights, point.level);
            (self.s, self.r) = (point.s, point.r);
        }
        is_lower
    }

    /// How much higher the model is at a point: differences throughout, so that a small one is not rounded away.
    fn rise(&self, point: &Point<S>) -> f64 {
        let loss = vectorised(Rise {
            here: (self.s.as_flattened(), self.r.as_flattened()),
            there: (point.s.as_flattened(), point.r.as_flattened()),
        });
        let weights = (0..self.weights.len()).map(|j| {
            let (to, from) = (point.weights[j], self.weights[j]);
            self.known[j] * (to - from)
                + self.terms.l1[j] * (to.abs() - from.abs())
                + self.terms.l2[j] * (to - from) * (to + from)
        });
        0.5 * loss + weights.sum::<f64>() + self.known_level * (point.level - self.level)
    }

    /// What the model promises to first order for the way here from weights and a level before.
    pub(super) fn slope_from(&self, (weights, level): &(Vec<f64>, f64)) -> f64 {
        let rows = self.h.as_flattened().iter().zip(self.s.as_flattened());
        let rows = rows.zip(self.r.as_flattened()).map(|((h, s), r)| {
            let (h, s) = (h.to_double(), s.to_double());
            s * (r.to_double() - h * s)
        });
        let known = (0..weights.len()).map(|j| self.known[j] * (self.weights[j] - weights[j]));
        rows.sum::<f64>() + known.sum::<f64>() + self.known_level * (self.level - level)
    }
}

/// Σ (s′ − s)(r′ + r): twice what the quadratic rises by from (s, r) here to (s′, r′) there.
struct Rise<'a, S> {
    here: (&'a [S], &'a [S]),
    there: (&'a [S], &'a [S]),
}

impl<S: Number> Kernel for Rise<'_, S> {
    type Output = f64;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> f64 {
        let mut lanes = [0.0; WIDTH];
        let (here, there) =
            (self.here.0.iter().zip(self.here.1), self.there.0.iter().zip(self.there.1));
        for (t, ((s, r), (to, q))) in here.zip(there).enumerate() {
            let slope = r.to_double() + q.to_double();
            lanes[t % WIDTH] += (to.to_double() - s.to_double()) * slope;
        }
        lanes.iter().sum()
    }
}
