//! s = start + shift + Xβ, r = φ(s) row by row, g = Xᵀr, fused: the block is read from memory once
//! and from cache once.
//!
//! Written over [`Precision`], so the same loops run in the data's own precision (a gradient) and in
//! the wide ones (a refinement step), and over a [`RowMap`] φ, so that a residual, the derivative of
//! any loss and a plain prediction are the same pass. Two walks, by the layout of the block:
//!
//! - contiguous columns: s lives in lanes of eight rows; four columns at a time update them all (axpy),
//!   then each column is reduced against r (dot) in four independent chains;
//! - contiguous rows: a row is reduced in lanes of eight columns (dot), eight rows at a time, then the
//!   same eight rows update the lanes of g (axpy). A last group of fewer than eight columns overlaps
//!   the one before it, with zeros for the columns that were counted already.
//!
//! Chains are renormalised after a few dozen terms, which keeps their error at
//! [`Precision::CHAIN_ERROR`] times the sum of the magnitudes of their terms.

use super::{Layout, Packed, Transform};
use crate::simd::{Kernel, prefetch_line, vectorised};
use crate::wide::{ExactProduct, LANES, Precision};
use crate::{Scalar, View};

/// Columns (or rows) accumulated before a chain is renormalised.
pub(super) const CHAIN: usize = 16;

/// Groups of a long row that are asked for ahead on the way back.
const GROUPS_AHEAD: usize = 4;

/// The longest rows of which the next eight are asked for instead: they fit into the innermost cache beside eight others.
const SHORT: usize = 256;

/// What is done to the sums of the rows between the two products.
pub(crate) trait RowMap<T: Scalar, P: Precision<T>> {
    /// Turns the sums of the rows `first .. first + count` of a block, at most eight, into the factors
    /// that the rows have in the gradient. Lanes from `count` on are zero and must stay finite.
    ///
    /// Must be `#[inline(always)]`, or it is not compiled for the instruction set.
    fn map<E: ExactProduct>(&mut self, first: usize, count: usize, sums: P::Lanes) -> P::Lanes;
}

/// Keeps the sums of every row.
struct Record<'v, P>(&'v mut Vec<P>);

impl<T: Scalar, P: Precision<T>> RowMap<T, P> for Record<'_, P> {
    #[inline(always)]
    fn map<E: ExactProduct>(&mut self, _first: usize, count: usize, sums: P::Lanes) -> P::Lanes {
        self.0.extend((0..count).map(|l| P::lane(&sums, l)));
        sums
    }
}

/// Hands out factors that are known.
struct Given<'v, P>(&'v [P]);

impl<T: Scalar, P: Precision<T>> RowMap<T, P> for Given<'_, P> {
    #[inline(always)]
    fn map<E: ExactProduct>(&mut self, first: usize, count: usize, mut sums: P::Lanes) -> P::Lanes {
        for (l, &factor) in self.0[first..first + count].iter().enumerate() {
            P::set_lane(&mut sums, l, factor);
        }
        sums
    }
}

/// What a row's sum starts from: a column of values, and the same number for all.
#[derive(Clone, Copy)]
pub(crate) struct Start<'b, T, P> {
    pub(crate) values: Option<View<'b, T>>,
    pub(crate) shift: P,
}

/// The fused kernel for one vector β, with the buffers it works in.
pub(crate) struct FusedKernel<T: Scalar, P: Precision<T>> {
    coefficients: Vec<P>,
    /// Whether β = 0, so that the sums are what they start from.
    constant: bool,
    /// β in groups of eight columns; in a last one that overlaps, columns of the one before have zeros.
    groups: Vec<P::Lanes>,
    sums: Vec<P::Lanes>,
    gradient_lanes: Vec<P::Lanes>,
    packed: Packed<T>,
}

impl<T: Scalar, P: Precision<T>> FusedKernel<T, P> {
    pub(crate) fn new(coefficients: Vec<P>) -> Self {
        let group = |fresh: usize| {
            let mut lanes = P::splat(P::ZERO);
            for (l, j) in in_group(fresh, coefficients.len()) {
                P::set_lane(&mut lanes, l, coefficients[j]);
            }
            lanes
        };
        let groups = (0..coefficients.len()).step_by(LANES).map(group).collect();
        let constant = coefficients.iter().all(|&b| b == P::ZERO);
        Self {
            coefficients,
            constant,
            groups,
            sums: Vec::new(),
            gradient_lanes: Vec::new(),
            packed: Packed::default(),
        }
    }

    /// Maps the sums of every row of a block; their products with the block are added to `gradient`.
    pub(crate) fn absorb(
        &mut self,
        x: View<'_, T>,
        start: Start<'_, T, P>,
        map: &mut impl RowMap<T, P>,
        gradient: &mut [P],
    ) {
        self.walk(x, Some(start), map, Some(gradient));
    }

    /// Appends the sums of every row of a block.
    pub(crate) fn forward(&mut self, x: View<'_, T>, start: Start<'_, T, P>, sums: &mut Vec<P>) {
        self.walk(x, Some(start), &mut Record(sums), None);
    }

    /// Adds Σ_t factors_t·x_t over the rows of a block to `gradient`.
    pub(crate) fn backward(&mut self, x: View<'_, T>, factors: &[P], gradient: &mut [P]) {
        self.walk(x, None, &mut Given(factors), Some(gradient));
    }

    fn walk(
        &mut self,
        x: View<'_, T>,
        start: Option<Start<'_, T, P>>,
        map: &mut impl RowMap<T, P>,
        gradient: Option<&mut [P]>,
    ) {
        // The buffer leaves `self` while its view is in use.
        let mut packed = std::mem::take(&mut self.packed);
        let x = match Layout::of(x) {
            Layout::Scattered => packed.pack(x, None, &Transform::default()),
            _ => x,
        };
        if Layout::of(x) == Layout::Rows {
            let with_gradient = gradient.is_some();
            vectorised(ByRows { kernel: self, x, start, map, with_gradient });
            if let Some(gradient) = gradient {
                for (group, lanes) in self.gradient_lanes.iter().enumerate() {
                    for (l, j) in in_group(group * LANES, gradient.len()) {
                        gradient[j] += P::lane(lanes, l);
                    }
                }
            }
        } else {
            vectorised(ByColumns { kernel: self, x, start, map, gradient });
        }
        self.packed = packed;
    }
}

/// The lanes and columns of the group whose columns from `fresh` on are in no group before.
fn in_group(fresh: usize, cols: usize) -> impl Iterator<Item = (usize, usize)> {
    let start = fresh.min(cols.saturating_sub(LANES));
    (fresh..cols.min(fresh + LANES)).map(move |j| (j - start, j))
}

impl<T: Scalar, P: Precision<T>> Start<'_, T, P> {
    /// The starts of up to eight rows; lanes past the last row are zero.
    #[inline(always)]
    fn lanes<E: ExactProduct>(&self, rows: usize, first: usize) -> P::Lanes {
        let shift = P::splat(self.shift);
        if rows - first >= LANES {
            let Some(values) = self.values else { return shift };
            let values = load_column(values, first, LANES);
            return P::mul_add::<E>(P::lift(values), [T::one(); LANES], shift);
        }
        let count = rows - first;
        let values = self.values.map_or([T::zero(); LANES], |v| load_column(v, first, count));
        let mut ones = [T::zero(); LANES];
        ones[..count].fill(T::one());
        P::mul_add::<E>(P::lift(values), ones, shift)
    }
}

struct ByColumns<'k, 'b, T: Scalar, P: Precision<T>, M> {
    kernel: &'k mut FusedKernel<T, P>,
    x: View<'b, T>,
    /// `None`: no sums are asked for, the map knows its factors.
    start: Option<Start<'b, T, P>>,
    map: &'k mut M,
    gradient: Option<&'k mut [P]>,
}

impl<T: Scalar, P: Precision<T>, M: RowMap<T, P>> Kernel for ByColumns<'_, '_, T, P, M> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let FusedKernel { coefficients, constant, sums, .. } = self.kernel;
        let (rows, cols) = (self.x.rows(), self.x.cols());
        sums.clear();
        match self.start {
            Some(start) => {
                sums.extend((0..rows).step_by(LANES).map(|first| start.lanes::<E>(rows, first)));
            }
            None => sums.resize(rows.div_ceil(LANES), P::splat(P::ZERO)),
        }
        let (full, tail) = sums.split_at_mut(rows / LANES);
        let summed = if self.start.is_some() && !*constant { cols } else { 0 };
        // Four columns at a time: the sums are loaded and stored once for all four.
        for first in (0..summed).step_by(4) {
            let group = first..(first + 4).min(cols);
            if group.len() == 4 {
                let columns: [&[T]; 4] = std::array::from_fn(|k| column(self.x, first + k));
                let next: [&[T]; 4] =
                    std::array::from_fn(|k| column(self.x, (first + 4 + k).min(cols - 1)));
                let factors: [P::Lanes; 4] =
                    std::array::from_fn(|k| P::splat(coefficients[first + k]));
                add_four::<T, P, E>(full, columns, next, factors);
            } else {
                for j in group.clone() {
                    let (chunks, _) = column(self.x, j).as_chunks::<LANES>();
                    let factor = P::splat(coefficients[j]);
                    for (s, x) in full.iter_mut().zip(chunks) {
                        *s = P::mul_add::<E>(*s, *x, factor);
                    }
                }
            }
            if let Some(last) = tail.first_mut() {
                for j in group.clone() {
                    let x = load(column(self.x, j), rows / LANES * LANES);
                    *last = P::mul_add::<E>(*last, x, P::splat(coefficients[j]));
                }
            }
            if group.end % CHAIN == 0 {
                full.iter_mut().chain(&mut *tail).for_each(renormalise::<T, P>);
            }
        }
        for (q, s) in sums.iter_mut().enumerate() {
            let first = q * LANES;
            *s = self.map.map::<E>(first, LANES.min(rows - first), *s);
        }
        let Some(gradient) = self.gradient else { return };
        let (fours, rest) = sums[..rows / LANES].as_chunks::<4>();
        for (j, gradient) in gradient.iter_mut().enumerate() {
            let column = column(self.x, j);
            let (chunks, _) = column.as_chunks::<LANES>();
            let (four_chunks, rest_chunks) = chunks.as_chunks::<4>();
            let mut chains = [P::splat(P::ZERO); 4];
            for (r, x) in fours.chunks(CHAIN).zip(four_chunks.chunks(CHAIN)) {
                for (r, x) in r.iter().zip(x) {
                    for k in 0..4 {
                        chains[k] = P::mul_add::<E>(chains[k], x[k], r[k]);
                    }
                }
                chains.iter_mut().for_each(renormalise::<T, P>);
            }
            for (r, x) in rest.iter().zip(rest_chunks) {
                chains[0] = P::mul_add::<E>(chains[0], *x, *r);
            }
            if let Some(last) = sums.get(rows / LANES) {
                chains[0] = P::mul_add::<E>(chains[0], load(column, rows / LANES * LANES), *last);
            }
            for chain in chains {
                *gradient += P::sum(chain);
            }
        }
    }
}

/// s ← s + Σ_k x_k·factor_k for four columns, while the next four are asked for: the hardware sees no stretch of a
/// column coming that is as short as a block. And compilers, which may not look behind this, do not hit upon gathering
/// from eight groups at once.
#[inline(always)]
fn add_four<T: Scalar, P: Precision<T>, E: ExactProduct>(
    sums: &mut [P::Lanes],
    columns: [&[T]; 4],
    next: [&[T]; 4],
    factors: [P::Lanes; 4],
) {
    let [a, b, c, d] = columns.map(|column| column.as_chunks::<LANES>().0);
    let next = next.map(|column| column.as_chunks::<LANES>().0);
    for (q, ((((s, a), b), c), d)) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d).enumerate() {
        for column in next {
            column.get(q).into_iter().for_each(prefetch_line);
        }
        let mut sum = P::mul_add::<E>(*s, *a, factors[0]);
        sum = P::mul_add::<E>(sum, *b, factors[1]);
        sum = P::mul_add::<E>(sum, *c, factors[2]);
        *s = P::mul_add::<E>(sum, *d, factors[3]);
    }
}

struct ByRows<'k, 'b, T: Scalar, P: Precision<T>, M> {
    kernel: &'k mut FusedKernel<T, P>,
    x: View<'b, T>,
    /// `None`: no sums are asked for, the map knows its factors.
    start: Option<Start<'b, T, P>>,
    map: &'k mut M,
    with_gradient: bool,
}

impl<T: Scalar, P: Precision<T>, M: RowMap<T, P>> Kernel for ByRows<'_, '_, T, P, M> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let FusedKernel { groups, constant, gradient_lanes, .. } = self.kernel;
        let rows = self.x.rows();
        gradient_lanes.clear();
        gradient_lanes.resize(groups.len(), P::splat(P::ZERO));
        for first in (0..rows).step_by(LANES) {
            let count = LANES.min(rows - first);
            // Rows past the last have a factor of zero.
            let slices = eight_rows(self.x, first);
            let sums = match self.start {
                Some(start) if *constant => start.lanes::<E>(rows, first),
                Some(start) => {
                    let mut dots = dots::<T, P, E>(&slices, groups);
                    dots[count..].fill(P::splat(P::ZERO));
                    P::add_transposed::<E>(start.lanes::<E>(rows, first), &dots)
                }
                None => P::splat(P::ZERO),
            };
            let factors = self.map.map::<E>(first, count, sums);
            if self.with_gradient {
                let mut spread = [P::splat(P::ZERO); LANES];
                for (i, factor) in spread[..count].iter_mut().enumerate() {
                    *factor = P::splat(P::lane(&factors, i));
                }
                let (whole, last) = gradient_lanes.split_at_mut(self.x.cols() / LANES);
                let chunks = slices.map(|row| row.as_chunks::<LANES>().0);
                let (ahead, by) = match self.x.cols() <= SHORT {
                    true => (eight_rows(self.x, first + LANES).map(|row| row.as_chunks().0), 0),
                    false => (chunks, GROUPS_AHEAD),
                };
                for (j, gradient) in whole.iter_mut().enumerate() {
                    // While a map is computed the hardware does not look ahead, and eight streams are many for it. And
                    // compilers, which may not look behind this, do not hit upon gathering from eight groups at once.
                    for row in ahead {
                        row.get(j + by).into_iter().for_each(prefetch_line);
                    }
                    *gradient = add_rows::<T, P, E>(*gradient, &spread, |i| chunks[i][j]);
                }
                for gradient in last {
                    *gradient = add_rows::<T, P, E>(*gradient, &spread, |i| last_group(slices[i]));
                }
            }
        }
    }
}

/// Eight rows from one on; copies of the last stand in for those past it.
#[inline(always)]
fn eight_rows<'b, T>(x: View<'b, T>, first: usize) -> [&'b [T]; LANES] {
    let last = x.rows() - 1;
    // Not `from_fn`, which is not always inlined.
    let mut rows = [row(x, first.min(last)); LANES];
    for (i, slice) in rows.iter_mut().enumerate() {
        *slice = row(x, (first + i).min(last));
    }
    rows
}

/// sum + Σ_i x_i·factor_i for eight rows.
#[inline(always)]
fn add_rows<T: Scalar, P: Precision<T>, E: ExactProduct>(
    mut sum: P::Lanes,
    factors: &[P::Lanes; LANES],
    x: impl Fn(usize) -> [T; LANES],
) -> P::Lanes {
    for (i, factor) in factors.iter().enumerate() {
        sum = P::mul_add::<E>(sum, x(i), *factor);
    }
    renormalise::<T, P>(&mut sum);
    sum
}

/// The products of eight rows with the coefficients, lane by lane.
#[inline(always)]
fn dots<T: Scalar, P: Precision<T>, E: ExactProduct>(
    rows: &[&[T]; LANES],
    groups: &[P::Lanes],
) -> [P::Lanes; LANES] {
    let mut dots = [P::splat(P::ZERO); LANES];
    // One row after the other: memory is prefetched best in its own order. And few instructions to a group: as much as
    // the processor has under way at once, so far ahead it reads.
    for (dot, row) in dots.iter_mut().zip(rows) {
        // In two chains, because the products of a long row would wait for one another's sums.
        let mut sums = [P::splat(P::ZERO); 2];
        let chunks = row.as_chunks::<LANES>().0;
        let (whole, last) = groups.split_at(chunks.len());
        for (x, b) in chunks.chunks(2 * CHAIN).zip(whole.chunks(2 * CHAIN)) {
            let ((pairs, odd), (b_pairs, b_odd)) = (x.as_chunks::<2>(), b.as_chunks::<2>());
            for (x, b) in pairs.iter().zip(b_pairs) {
                sums[0] = P::mul_add::<E>(sums[0], x[0], b[0]);
                sums[1] = P::mul_add::<E>(sums[1], x[1], b[1]);
            }
            for (x, b) in odd.iter().zip(b_odd) {
                sums[0] = P::mul_add::<E>(sums[0], *x, *b);
            }
            sums.iter_mut().for_each(renormalise::<T, P>);
        }
        for b in last {
            sums[1] = P::mul_add::<E>(sums[1], last_group(row), *b);
        }
        *dot = P::mul_add::<E>(sums[0], [T::one(); LANES], sums[1]);
    }
    dots
}

/// The group that holds the columns past the last multiple of eight: the last eight, or all with zeros past the end.
#[inline(always)]
fn last_group<T: Scalar>(row: &[T]) -> [T; LANES] {
    row.last_chunk().copied().unwrap_or_else(|| load(row, 0))
}

/// Eight elements from `start`, with zeros past the end.
#[inline(always)]
fn load<T: Scalar>(slice: &[T], start: usize) -> [T; LANES] {
    match slice[start..].first_chunk::<LANES>() {
        Some(full) => *full,
        None => {
            let mut padded = [T::zero(); LANES];
            padded[..slice.len() - start].copy_from_slice(&slice[start..]);
            padded
        }
    }
}

/// Up to eight elements of a one-column view, with zeros past the last.
#[inline(always)]
pub(crate) fn load_column<T: Scalar>(
    column: View<'_, T>,
    first: usize,
    count: usize,
) -> [T; LANES] {
    if let Some(slice) = column.col_slice(0) {
        return load(slice, first);
    }
    let mut values = [T::zero(); LANES];
    for l in 0..count {
        values[l] = column[(first + l, 0)];
    }
    values
}

#[inline(always)]
pub(super) fn renormalise<T, P: Precision<T>>(lanes: &mut P::Lanes) {
    for l in 0..LANES {
        let value = P::lane(lanes, l);
        P::set_lane(lanes, l, value);
    }
}

#[inline(always)]
fn column<'b, T>(x: View<'b, T>, j: usize) -> &'b [T] {
    x.col_slice(j).expect("the layout has contiguous columns")
}

#[inline(always)]
fn row<'b, T>(x: View<'b, T>, i: usize) -> &'b [T] {
    x.row_slice(i).expect("the layout has contiguous rows")
}
