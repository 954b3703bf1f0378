//! Some columns of the data in blocks, standardised, and the three loops that coordinate descent needs.
//!
//! A block of [`BLOCK`] columns is one pass over them and one over a vector of the rows: X_Bᵀr, z + X_BΔ and
//! X_BᵀDX_B. Columns that are contiguous stay where they are, and x̃ = s(x − μ) is made up for in the sums,
//! x̃ᵀr = s(xᵀr − μΣr); others are copied, and so are those so far from zero that this would cost digits. Vectors of
//! the rows are in groups of [`LANES`], the last group filled up with zeros.

use super::coordinates::Coordinates;
use super::working_set::copy_columns;
use crate::simd::{Kernel, prefetch_line, vectorised};
use crate::wide::{ExactProduct, LANES};
use crate::{Error, Matrix, Scalar, View};

/// Columns of a block.
pub(super) const BLOCK: usize = 8;

/// [`LANES`] rows of a vector.
pub(super) type Group = [f64; LANES];

/// Columns whose mean is further from zero than so many deviations are copied.
const FAR: f64 = 64.0;

/// A block of no more bytes is asked for ahead of its turn, because it then still is in the cache.
const FITS: usize = 1 << 18;

/// Standardised columns, filled up with columns of zeros to whole blocks.
pub(super) struct Columns<'d, T> {
    rows: usize,
    columns: Vec<Column<'d, T>>,
    copies: Vec<Matrix<T>>,
    /// A column of them.
    zeros: Vec<T>,
}

/// A column and its standardisation, x̃ = scale·(x − shift).
#[derive(Clone, Copy)]
struct Column<'d, T> {
    place: Place<'d, T>,
    shift: f64,
    scale: f64,
}

#[derive(Clone, Copy)]
enum Place<'d, T> {
    Given(&'d [T]),
    Copied { copy: usize, column: usize },
    Nowhere,
}

/// Products within a block: X_BᵀDX_B, and DX_B summed over the rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockGram {
    pub(super) products: [[f64; BLOCK]; BLOCK],
    pub(super) sums: [f64; BLOCK],
}

impl<'d, T: Scalar> Columns<'d, T> {
    /// No columns yet, for so many rows.
    pub(super) fn new(rows: usize) -> Self {
        Self { rows, columns: Vec::new(), copies: Vec::new(), zeros: vec![T::zero(); rows] }
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.columns.len().div_ceil(BLOCK)
    }

    /// A vector of zeros, one for each row.
    pub(super) fn zeros(&self) -> Vec<Group> {
        vec![[0.0; LANES]; self.rows.div_ceil(LANES)]
    }

    /// Takes columns j of a design in, in some coordinates.
    pub(super) fn append(
        &mut self,
        x: View<'d, T>,
        coordinates: &Coordinates<T>,
        columns: &[usize],
    ) -> Result<(), Error> {
        let as_given = |j: usize| {
            let (shift, scale) = coordinates.standardisation(j);
            x.col_slice(j).filter(|_| (shift * scale).abs() <= FAR)
        };
        let others: Vec<usize> =
            columns.iter().copied().filter(|&j| as_given(j).is_none()).collect();
        let mut standardised = copy_columns(x, &others)?;
        let (copy, mut column) = (self.copies.len(), 0);
        for &j in columns {
            let (shift, scale) = coordinates.standardisation(j);
            self.columns.push(match as_given(j) {
                Some(given) => Column { place: Place::Given(given), shift, scale },
                None => {
                    let values = standardised.col_mut(column).iter_mut();
                    values.for_each(|x| *x = T::from_double((x.to_double() - shift) * scale));
                    column += 1;
                    let place = Place::Copied { copy, column: column - 1 };
                    Column { place, shift: 0.0, scale: 1.0 }
                }
            });
        }
        self.copies.push(standardised);
        Ok(())
    }

    fn column(&self, j: usize) -> Column<'d, T> {
        let nothing = Column { place: Place::Nowhere, shift: 0.0, scale: 0.0 };
        self.columns.get(j).copied().unwrap_or(nothing)
    }

    fn block(&self, block: usize) -> Block<'_, T> {
        let columns: [Column<'d, T>; BLOCK] =
            std::array::from_fn(|k| self.column(block * BLOCK + k));
        let slices = columns.map(|column| match column.place {
            Place::Given(given) => given,
            Place::Copied { copy, column } => self.copies[copy].col(column),
            Place::Nowhere => &self.zeros,
        });
        Block {
            groups: slices.map(|column| column.as_chunks().0),
            rest: slices.map(|column| {
                let rest = column.as_chunks::<LANES>().1;
                let mut padded = [T::zero(); LANES];
                padded[..rest.len()].copy_from_slice(rest);
                padded
            }),
            has_rest: !self.rows.is_multiple_of(LANES),
            shifts: columns.map(|column| column.shift),
            scales: columns.map(|column| column.scale),
        }
    }

    /// X_Bᵀr, where the sum of r is known.
    pub(super) fn dots(&self, block: usize, r: &[Group], total: f64) -> [f64; BLOCK] {
        let block = self.block(block);
        let raw = vectorised(Dots { block: &block, r });
        std::array::from_fn(|k| block.scales[k] * (raw[k] - block.shifts[k] * total))
    }

    /// X_BᵀDX_B and Σ DX_B, D = diag(h), where the sum of h is known.
    pub(super) fn gram(&self, block: usize, h: &[Group], total: f64) -> BlockGram {
        let block = self.block(block);
        let BlockGram { products, sums } = vectorised(Gram { block: &block, h });
        let Block { shifts, scales, .. } = block;
        let centred = |j: usize, k: usize| {
            let moved = shifts[j] * sums[k] + shifts[k] * (sums[j] - shifts[j] * total);
            scales[j] * scales[k] * (products[j][k] - moved)
        };
        BlockGram {
            products: std::array::from_fn(|j| std::array::from_fn(|k| centred(j, k))),
            sums: std::array::from_fn(|k| scales[k] * (sums[k] - shifts[k] * total)),
        }
    }

    /// s = X_BΔ + level, z ← z + s, r ← r + Ds; Σ r is returned.
    pub(super) fn shift(
        &self,
        block: usize,
        change: &[f64; BLOCK],
        level: f64,
        h: &[Group],
        z: &mut [Group],
        r: &mut [Group],
    ) -> f64 {
        let next = self.block((block + 1) % self.blocks());
        let block = self.block(block);
        let change: [f64; BLOCK] = std::array::from_fn(|k| change[k] * block.scales[k]);
        let moved: f64 = (0..BLOCK).map(|k| change[k] * block.shifts[k]).sum();
        let level = level - moved;
        if self.rows * BLOCK * size_of::<T>() <= FITS {
            vectorised(Shift::<_, true> { block: &block, next: &next, change, level, h, z, r })
        } else {
            vectorised(Shift::<_, false> { block: &block, next: &next, change, level, h, z, r })
        }
    }

    /// Puts the columns in another order.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        self.columns = order.iter().map(|&j| self.columns[j]).collect();
    }
}

/// The columns of a block as they lie in memory: groups of rows, and what is left of each.
struct Block<'a, T> {
    groups: [&'a [[T; LANES]]; BLOCK],
    rest: [[T; LANES]; BLOCK],
    has_rest: bool,
    shifts: [f64; BLOCK],
    scales: [f64; BLOCK],
}

impl<T: Scalar> Block<'_, T> {
    /// Calls a function with every group of rows of all columns.
    #[inline(always)]
    fn for_each(&self, mut f: impl FnMut(usize, [&[T; LANES]; BLOCK])) {
        let count = self.groups[0].len();
        let groups = self.groups.map(|column| &column[..count]);
        #[expect(
            clippy::needless_range_loop,
            reason = "eight slices of one length are walked at once"
        )]
        for t in 0..count {
            f(t, std::array::from_fn(|k| &groups[k][t]));
        }
        if self.has_rest {
            f(count, self.rest.each_ref());
        }
    }
}

// Each loop below is over the lanes of one column at a time: that is what the compiler turns into vectors.

#[inline(always)]
fn add_product<T: Scalar>(sum: &mut Group, a: &[T; LANES], b: &Group) {
    for l in 0..LANES {
        sum[l] += a[l].to_double() * b[l];
    }
}

#[inline(always)]
fn add_multiple<T: Scalar>(sum: &mut Group, factor: f64, x: &[T; LANES]) {
    for l in 0..LANES {
        sum[l] += factor * x[l].to_double();
    }
}

struct Dots<'a, 'd, T> {
    block: &'a Block<'d, T>,
    r: &'a [Group],
}

impl<T: Scalar> Kernel for Dots<'_, '_, T> {
    type Output = [f64; BLOCK];

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> [f64; BLOCK] {
        let mut sums = [[0.0; LANES]; BLOCK];
        self.block.for_each(
            #[inline(always)]
            |t, columns| {
                for k in 0..BLOCK {
                    add_product(&mut sums[k], columns[k], &self.r[t]);
                }
            },
        );
        sums.map(|lanes| lanes.iter().sum())
    }
}

struct Gram<'a, 'd, T> {
    block: &'a Block<'d, T>,
    h: &'a [Group],
}

impl<T: Scalar> Kernel for Gram<'_, '_, T> {
    type Output = BlockGram;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> BlockGram {
        let mut gram = BlockGram::default();
        two_rows::<T, 2>(self.block, self.h, &mut gram);
        two_rows::<T, 4>(self.block, self.h, &mut gram);
        two_rows::<T, 6>(self.block, self.h, &mut gram);
        two_rows::<T, BLOCK>(self.block, self.h, &mut gram);
        gram
    }
}

/// The rows WIDTH − 2 and WIDTH − 1 of the lower triangle, and the columns of the upper one.
#[inline(always)]
fn two_rows<T: Scalar, const WIDTH: usize>(
    block: &Block<'_, T>,
    h: &[Group],
    gram: &mut BlockGram,
) {
    let mut sums = [[[0.0; LANES]; WIDTH]; 2];
    let mut totals = [[0.0; LANES]; 2];
    block.for_each(
        #[inline(always)]
        |t, columns| {
            let mut weighted = [[0.0; LANES]; 2];
            for row in 0..2 {
                add_product(&mut weighted[row], columns[WIDTH - 2 + row], &h[t]);
                add_multiple(&mut totals[row], 1.0, &weighted[row]);
            }
            for k in 0..WIDTH {
                add_product(&mut sums[0][k], columns[k], &weighted[0]);
                add_product(&mut sums[1][k], columns[k], &weighted[1]);
            }
        },
    );
    for row in 0..2 {
        let j = WIDTH - 2 + row;
        gram.sums[j] = totals[row].iter().sum();
        for (k, lanes) in sums[row].iter().enumerate().take(j + 1) {
            let product = lanes.iter().sum();
            gram.products[j][k] = product;
            gram.products[k][j] = product;
        }
    }
}

/// `AHEAD`: the next block is asked for meanwhile, since this one comes from the cache.
struct Shift<'a, 'd, T, const AHEAD: bool> {
    block: &'a Block<'d, T>,
    next: &'a Block<'d, T>,
    change: [f64; BLOCK],
    level: f64,
    h: &'a [Group],
    z: &'a mut [Group],
    r: &'a mut [Group],
}

impl<T: Scalar, const AHEAD: bool> Kernel for Shift<'_, '_, T, AHEAD> {
    type Output = f64;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> f64 {
        let Self { block, next, change, level, h, z, r } = self;
        let mut sums = [0.0; LANES];
        block.for_each(
            #[inline(always)]
            |t, columns| {
                if AHEAD {
                    next.groups.iter().filter_map(|column| column.get(t)).for_each(prefetch_line);
                }
                let mut s = [level; LANES];
                for k in 0..BLOCK {
                    add_multiple(&mut s, change[k], columns[k]);
                }
                add_multiple(&mut z[t], 1.0, &s);
                add_product(&mut r[t], &s, &h[t]);
                add_multiple(&mut sums, 1.0, &r[t]);
            },
        );
        sums.iter().sum()
    }
}
