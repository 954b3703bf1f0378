//! Some columns of the data in blocks, standardised, and the three loops that coordinate descent needs.
//!
//! A block of [`BLOCK`] columns is one pass over them and one over a vector of the rows: X_Bᵀr, s + X_BΔ and
//! X_BᵀDX_B. Columns x̃ = s(x − μ) and vectors are kept in a precision S and multiplied in it. In single precision that is twice
//! the speed, whether memory or arithmetic is what binds, and whoever knows the exact gradient can make up for what it
//! rounds away. Vectors of the rows are in groups of [`WIDTH`], the last group filled up with zeros; sums are carried
//! on in doubles every few groups.

use std::ops::Range;

use super::coordinates::Coordinates;
use crate::simd::{Kernel, prefetch_line, vectorised};
use crate::wide::{ExactProduct, Number};
use crate::{Error, Matrix, Scalar, View};

/// Columns of a block.
pub(super) const BLOCK: usize = 8;

/// Rows of a group: a register of single precision, two of double.
pub(super) const WIDTH: usize = 16;

/// [`WIDTH`] rows of a vector.
pub(super) type Group<S> = [S; WIDTH];

/// Groups that are summed up in S.
const RUN: usize = 64;

/// A block of no more bytes is asked for ahead of its turn, because it then still is in the cache.
const FITS: usize = 1 << 18;

/// Standardised columns, filled up with columns of zeros to whole blocks.
pub(super) struct Columns<S> {
    rows: usize,
    columns: Vec<Column<S>>,
    /// A column of them.
    zeros: Vec<Group<S>>,
}

/// A standardised column, divided by a power of two where S has no room for it.
struct Column<S> {
    values: Vec<Group<S>>,
    scale: f64,
}

/// Products within a block: X_BᵀDX_B, and DX_B summed over the rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockGram {
    pub(super) products: [[f64; BLOCK]; BLOCK],
    pub(super) sums: [f64; BLOCK],
}

impl<S: Number> Columns<S> {
    /// No columns yet, for so many rows.
    pub(super) fn new(rows: usize) -> Self {
        let zeros = vec![[S::ZERO; WIDTH]; rows.div_ceil(WIDTH)];
        Self { rows, columns: Vec::new(), zeros }
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.columns.len().div_ceil(BLOCK)
    }

    /// A vector of zeros, one for each row.
    pub(super) fn zeros(&self) -> Vec<Group<S>> {
        self.zeros.clone()
    }

    /// Takes columns j of a design in, in some coordinates.
    pub(super) fn append<T: Scalar>(
        &mut self,
        x: View<'_, T>,
        coordinates: &Coordinates,
        columns: &[usize],
    ) -> Result<(), Error> {
        let count = columns.len() * self.zeros.len() * WIDTH;
        let too_large = |_| Error::TooLarge { what: "a copy of columns", count: count as u128 };
        self.columns.try_reserve(columns.len()).map_err(too_large)?;
        let before = self.columns.len();
        for _ in columns {
            let mut values = Vec::new();
            values.try_reserve_exact(self.zeros.len()).map_err(too_large)?;
            values.resize(self.zeros.len(), [S::ZERO; WIDTH]);
            self.columns.push(Column { values, scale: 1.0 });
        }
        let added = &mut self.columns[before..];
        let standardisation = |j: usize| coordinates.standardisation(j);
        if x.col_stride() == 1 && x.row_stride() != 1 {
            // Along the rows of the source, so that each is read once.
            for i in 0..self.rows {
                for (column, &j) in added.iter_mut().zip(columns) {
                    let value = standardised(x[(i, j)].to_double(), standardisation(j));
                    column.values[i / WIDTH][i % WIDTH] = S::from_double(value);
                }
            }
        } else {
            for (column, &j) in added.iter_mut().zip(columns) {
                column.copy(x, j, standardisation(j));
            }
        }
        for (column, &j) in added.iter_mut().zip(columns) {
            column.make_room(x, j, standardisation(j));
        }
        Ok(())
    }

    fn block(&self, block: usize) -> Block<'_, S> {
        let column = |k: usize| self.columns.get(block * BLOCK + k);
        Block {
            columns: std::array::from_fn(|k| column(k).map_or(&self.zeros[..], |c| &c.values)),
            scales: std::array::from_fn(|k| column(k).map_or(1.0, |c| c.scale)),
        }
    }

    /// X_Bᵀr.
    pub(super) fn dots(&self, block: usize, r: &[Group<S>]) -> [f64; BLOCK] {
        let block = self.block(block);
        let raw = vectorised(Dots { block: &block, r });
        std::array::from_fn(|k| block.scales[k] * raw[k])
    }

    /// X_BᵀDX_B and Σ DX_B, D = diag(h).
    pub(super) fn gram(&self, block: usize, h: &[Group<S>]) -> BlockGram {
        let block = self.block(block);
        let BlockGram { products, sums } = vectorised(Gram { block: &block, h });
        let scales = block.scales;
        let scaled = |j: usize, k: usize| scales[j] * scales[k] * products[j][k];
        BlockGram {
            products: std::array::from_fn(|j| std::array::from_fn(|k| scaled(j, k))),
            sums: std::array::from_fn(|k| scales[k] * sums[k]),
        }
    }

    /// With a change X_BΔ + level of the rows: s gets it, r gets D times it; Σ r is returned.
    pub(super) fn shift(
        &self,
        block: usize,
        change: &[f64; BLOCK],
        level: f64,
        h: &[Group<S>],
        s: &mut [Group<S>],
        r: &mut [Group<S>],
    ) -> f64 {
        let next = self.block((block + 1) % self.blocks());
        let block = self.block(block);
        let change = std::array::from_fn(|k| S::from_double(change[k] * block.scales[k]));
        let level = S::from_double(level);
        if self.rows * BLOCK * size_of::<S>() <= FITS {
            vectorised(Shift::<_, true> { block: &block, next: &next, change, level, h, s, r })
        } else {
            vectorised(Shift::<_, false> { block: &block, next: &next, change, level, h, s, r })
        }
    }

    /// Puts the columns in another order.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        let mut columns: Vec<_> = std::mem::take(&mut self.columns).into_iter().map(Some).collect();
        self.columns = order.iter().filter_map(|&j| columns[j].take()).collect();
    }

    /// Some columns side by side, their rows multiplied by the roots of h.
    pub(super) fn weighted(&self, members: &[usize], h: &[Group<S>]) -> Result<Matrix<f64>, Error> {
        let mut copy = Matrix::try_filled(self.zeros.len() * WIDTH, members.len(), 0.0)?;
        let roots: Vec<Group<f64>> = h.iter().map(|h| h.map(|h| h.to_double().sqrt())).collect();
        for (k, &j) in members.iter().enumerate() {
            let Column { values, scale } = &self.columns[j];
            let column = copy.col_mut(k);
            vectorised(Weighted { values, roots: &roots, scale: *scale, column });
        }
        Ok(copy)
    }
}

impl<S: Number> Column<S> {
    /// Copies column j.
    fn copy<T: Scalar>(&mut self, x: View<'_, T>, j: usize, standardisation: (f64, f64)) {
        match x.col_slice(j) {
            Some(from) => vectorised(Copy { from, standardisation, values: &mut self.values }),
            None => {
                for (i, to) in self.values.as_flattened_mut()[..x.rows()].iter_mut().enumerate() {
                    *to = S::from_double(standardised(x[(i, j)].to_double(), standardisation));
                }
            }
        }
    }

    /// Where a value is beyond S, the column is copied again, smaller.
    fn make_room<T: Scalar>(&mut self, x: View<'_, T>, j: usize, (shift, scale): (f64, f64)) {
        if vectorised(IsFinite(&self.values)) {
            return;
        }
        let values = x.col_iter(j).map(|x| standardised(x.to_double(), (shift, scale)).abs());
        let exponent = values.fold(0.0, f64::max).exponent().clamp(0, 1000);
        self.scale = f64::power_of_two(exponent);
        self.copy(x, j, (shift, scale / self.scale));
    }
}

/// s(x − μ); s is a power of two, and scaling first keeps the difference in range.
#[inline(always)]
fn standardised(x: f64, (shift, scale): (f64, f64)) -> f64 {
    x * scale - shift * scale
}

/// The columns of a block, in groups of rows.
struct Block<'a, S> {
    columns: [&'a [Group<S>]; BLOCK],
    scales: [f64; BLOCK],
}

impl<S: Number> Block<'_, S> {
    /// The groups in runs whose sums S can hold.
    #[inline(always)]
    fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let count = self.columns[0].len();
        (0..count).step_by(RUN).map(move |start| start..count.min(start + RUN))
    }

    /// Calls a function with every group of a run of all columns, counted from the first of the run.
    #[inline(always)]
    fn for_each(&self, run: Range<usize>, mut f: impl FnMut(usize, [&Group<S>; BLOCK])) {
        let count = run.len();
        let columns = self.columns.map(|column| &column[run.clone()]);
        let columns = columns.map(|column| &column[..count]);
        #[expect(
            clippy::needless_range_loop,
            reason = "eight slices of one length are walked at once"
        )]
        for t in 0..count {
            f(t, std::array::from_fn(|k| &columns[k][t]));
        }
    }
}

// Each loop below is over the lanes of one column at a time: that is what the compiler turns into vectors.

#[inline(always)]
fn add_product<S: Number>(sum: &mut Group<S>, a: &Group<S>, b: &Group<S>) {
    for l in 0..WIDTH {
        sum[l] += a[l] * b[l];
    }
}

#[inline(always)]
fn add_multiple<S: Number>(sum: &mut Group<S>, factor: S, x: &Group<S>) {
    for l in 0..WIDTH {
        sum[l] += factor * x[l];
    }
}

/// The sum of the lanes, in doubles.
#[inline(always)]
fn total<S: Number>(lanes: &Group<S>) -> f64 {
    lanes.iter().map(|lane| lane.to_double()).sum()
}

struct Copy<'a, T, S> {
    from: &'a [T],
    standardisation: (f64, f64),
    values: &'a mut [Group<S>],
}

impl<T: Scalar, S: Number> Kernel for Copy<'_, T, S> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let Self { from, standardisation, values } = self;
        for (to, from) in values.as_flattened_mut().iter_mut().zip(from) {
            *to = S::from_double(standardised(from.to_double(), standardisation));
        }
    }
}

struct IsFinite<'a, S>(&'a [Group<S>]);

impl<S: Number> Kernel for IsFinite<'_, S> {
    type Output = bool;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> bool {
        let mut sums = [S::ZERO; WIDTH];
        for group in self.0 {
            // Zero for every number that is finite, and no number else.
            add_multiple(&mut sums, S::ZERO, group);
        }
        sums.iter().all(|sum| *sum == S::ZERO)
    }
}

struct Weighted<'a, T, S> {
    values: &'a [Group<S>],
    roots: &'a [Group<f64>],
    scale: f64,
    column: &'a mut [T],
}

impl<T: Scalar, S: Number> Kernel for Weighted<'_, T, S> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let rows = self.values.as_flattened().iter().zip(self.roots.as_flattened());
        for (to, (x, root)) in self.column.iter_mut().zip(rows) {
            *to = T::from_double(x.to_double() * self.scale * root);
        }
    }
}

struct Dots<'a, 'd, S> {
    block: &'a Block<'d, S>,
    r: &'a [Group<S>],
}

impl<S: Number> Kernel for Dots<'_, '_, S> {
    type Output = [f64; BLOCK];

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> [f64; BLOCK] {
        let mut totals = [0.0; BLOCK];
        for run in self.block.runs() {
            let mut sums = [[S::ZERO; WIDTH]; BLOCK];
            let r = &self.r[run.clone()];
            self.block.for_each(
                run,
                #[inline(always)]
                |t, columns| {
                    for k in 0..BLOCK {
                        add_product(&mut sums[k], columns[k], &r[t]);
                    }
                },
            );
            for k in 0..BLOCK {
                totals[k] += total(&sums[k]);
            }
        }
        totals
    }
}

struct Gram<'a, 'd, S> {
    block: &'a Block<'d, S>,
    h: &'a [Group<S>],
}

impl<S: Number> Kernel for Gram<'_, '_, S> {
    type Output = BlockGram;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> BlockGram {
        let mut gram = BlockGram::default();
        two_rows::<S, 2>(self.block, self.h, &mut gram);
        two_rows::<S, 4>(self.block, self.h, &mut gram);
        two_rows::<S, 6>(self.block, self.h, &mut gram);
        two_rows::<S, BLOCK>(self.block, self.h, &mut gram);
        gram
    }
}

/// The rows COUNT − 2 and COUNT − 1 of the lower triangle, and the columns of the upper one.
#[inline(always)]
fn two_rows<S: Number, const COUNT: usize>(
    block: &Block<'_, S>,
    h: &[Group<S>],
    gram: &mut BlockGram,
) {
    for run in block.runs() {
        let mut sums = [[[S::ZERO; WIDTH]; COUNT]; 2];
        let mut totals = [[S::ZERO; WIDTH]; 2];
        let h = &h[run.clone()];
        block.for_each(
            run,
            #[inline(always)]
            |t, columns| {
                let mut weighted = [[S::ZERO; WIDTH]; 2];
                for row in 0..2 {
                    add_product(&mut weighted[row], columns[COUNT - 2 + row], &h[t]);
                    add_multiple(&mut totals[row], S::ONE, &weighted[row]);
                }
                for k in 0..COUNT {
                    add_product(&mut sums[0][k], columns[k], &weighted[0]);
                    add_product(&mut sums[1][k], columns[k], &weighted[1]);
                }
            },
        );
        for row in 0..2 {
            let j = COUNT - 2 + row;
            gram.sums[j] += total(&totals[row]);
            for (k, lanes) in sums[row].iter().enumerate().take(j + 1) {
                gram.products[j][k] += total(lanes);
                gram.products[k][j] = gram.products[j][k];
            }
        }
    }
}

/// `AHEAD`: the next block is asked for meanwhile, since this one comes from the cache.
struct Shift<'a, 'd, S, const AHEAD: bool> {
    block: &'a Block<'d, S>,
    next: &'a Block<'d, S>,
    change: [S; BLOCK],
    level: S,
    h: &'a [Group<S>],
    s: &'a mut [Group<S>],
    r: &'a mut [Group<S>],
}

impl<S: Number, const AHEAD: bool> Kernel for Shift<'_, '_, S, AHEAD> {
    type Output = f64;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> f64 {
        let Self { block, next, change, level, h, s, r } = self;
        let mut sum = 0.0;
        for run in block.runs() {
            let mut sums = [S::ZERO; WIDTH];
            let (h, s, r) = (&h[run.clone()], &mut s[run.clone()], &mut r[run.clone()]);
            let ahead = next.columns.map(|column| &column[run.clone()]);
            block.for_each(
                run,
                #[inline(always)]
                |t, columns| {
                    if AHEAD {
                        ahead.iter().for_each(|column| prefetch_line(&column[t]));
                    }
                    let mut moved = [level; WIDTH];
                    for k in 0..BLOCK {
                        add_multiple(&mut moved, change[k], columns[k]);
                    }
                    add_multiple(&mut s[t], S::ONE, &moved);
                    add_product(&mut r[t], &moved, &h[t]);
                    add_multiple(&mut sums, S::ONE, &r[t]);
                },
            );
            sum += total(&sums);
        }
        sum
    }
}

#[cfg(test)]
mod tests;
