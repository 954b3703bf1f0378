//! Some columns of the data side by side, standardised, and the three loops that coordinate descent needs.
//!
//! Columns stand in blocks of [`BLOCK`], so that a block is one pass over its columns and one over a vector:
//! X_Bᵀr, z + X_BΔ and X_BᵀDX_B. They are kept in doubles, in groups of [`LANES`] rows, the last group filled up with zeros.

use super::coordinates::Coordinates;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES};
use crate::{Error, Scalar, View};

/// Columns of a block.
pub(super) const BLOCK: usize = 8;

/// [`LANES`] rows of one column.
pub(super) type Group = [f64; LANES];

/// Standardised columns, filled up with columns of zeros to whole blocks.
pub(super) struct Columns {
    groups: usize,
    count: usize,
    /// The columns of each block one after the other.
    blocks: Vec<Vec<Group>>,
}

/// Products within a block: X_BᵀDX_B, and DX_B summed over the rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockGram {
    pub(super) products: [[f64; BLOCK]; BLOCK],
    pub(super) sums: [f64; BLOCK],
}

impl Columns {
    /// No columns yet, for so many rows.
    pub(super) fn new(rows: usize) -> Self {
        Self { groups: rows.div_ceil(LANES), count: 0, blocks: Vec::new() }
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// A vector of zeros, one for each row.
    pub(super) fn zeros(&self) -> Vec<Group> {
        vec![[0.0; LANES]; self.groups]
    }

    /// Takes columns j of a design in, in some coordinates.
    pub(super) fn append<T: Scalar>(
        &mut self,
        x: View<'_, T>,
        coordinates: &Coordinates<T>,
        columns: &[usize],
    ) -> Result<(), Error> {
        let whole = (self.count + columns.len()).div_ceil(BLOCK);
        let too_large = |_| Error::TooLarge {
            what: "a working set of columns",
            count: (whole * BLOCK) as u128 * x.rows() as u128,
        };
        while self.blocks.len() < whole {
            let mut block = Vec::new();
            block.try_reserve_exact(BLOCK * self.groups).map_err(too_large)?;
            block.resize(BLOCK * self.groups, [0.0; LANES]);
            self.blocks.push(block);
        }
        let mut rest = columns;
        while !rest.is_empty() {
            let room = BLOCK - self.count % BLOCK;
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.fill(x, coordinates, now);
            rest = later;
        }
        Ok(())
    }

    /// Copies columns into the block that is not full yet.
    fn fill<T: Scalar>(&mut self, x: View<'_, T>, coordinates: &Coordinates<T>, columns: &[usize]) {
        let standardisations: [(f64, f64); BLOCK] = std::array::from_fn(|k| {
            columns.get(k).map_or((0.0, 0.0), |&j| coordinates.standardisation(j))
        });
        let first = self.count % BLOCK * self.groups;
        let into = self.blocks[self.count / BLOCK][first..].as_flattened_mut();
        let height = self.groups * LANES;
        if x.row_stride() == 1 {
            for (k, &j) in columns.iter().enumerate() {
                let (shift, scale) = standardisations[k];
                let values = into[k * height..].iter_mut().zip(x.col_iter(j));
                values.for_each(|(to, x)| *to = (x.to_double() - shift) * scale);
            }
        } else {
            // Along the rows of the source, so that each is read once.
            for i in 0..x.rows() {
                for (k, &j) in columns.iter().enumerate() {
                    let (shift, scale) = standardisations[k];
                    into[k * height + i] = (x[(i, j)].to_double() - shift) * scale;
                }
            }
        }
        self.count += columns.len();
    }

    fn block(&self, block: usize) -> [&[Group]; BLOCK] {
        std::array::from_fn(|k| &self.blocks[block][k * self.groups..][..self.groups])
    }

    /// X_Bᵀr.
    pub(super) fn dots(&self, block: usize, r: &[Group]) -> [f64; BLOCK] {
        vectorised(Dots { columns: self.block(block), r })
    }

    /// X_BᵀDX_B and Σ DX_B, D = diag(h).
    pub(super) fn gram(&self, block: usize, h: &[Group]) -> BlockGram {
        vectorised(Gram { columns: self.block(block), h })
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
        vectorised(Shift { columns: self.block(block), change, level, h, z, r })
    }
}

// Each loop below is over the lanes of one column at a time: that is what the compiler turns into vectors.

#[inline(always)]
fn add_product(sum: &mut Group, a: &Group, b: &Group) {
    for l in 0..LANES {
        sum[l] += a[l] * b[l];
    }
}

#[inline(always)]
fn add_multiple(sum: &mut Group, factor: f64, x: &Group) {
    for l in 0..LANES {
        sum[l] += factor * x[l];
    }
}

struct Dots<'a> {
    columns: [&'a [Group]; BLOCK],
    r: &'a [Group],
}

impl Kernel for Dots<'_> {
    type Output = [f64; BLOCK];

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> [f64; BLOCK] {
        let Self { columns, r } = self;
        let columns = columns.map(|column| &column[..r.len()]);
        let mut sums = [[0.0; LANES]; BLOCK];
        for t in 0..r.len() {
            for k in 0..BLOCK {
                add_product(&mut sums[k], &columns[k][t], &r[t]);
            }
        }
        sums.map(|lanes| lanes.iter().sum())
    }
}

struct Gram<'a> {
    columns: [&'a [Group]; BLOCK],
    h: &'a [Group],
}

impl Kernel for Gram<'_> {
    type Output = BlockGram;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> BlockGram {
        let Self { columns, h } = self;
        let columns = columns.map(|column| &column[..h.len()]);
        let mut gram = BlockGram::default();
        two_rows::<2>(&columns, h, &mut gram);
        two_rows::<4>(&columns, h, &mut gram);
        two_rows::<6>(&columns, h, &mut gram);
        two_rows::<BLOCK>(&columns, h, &mut gram);
        gram
    }
}

/// The rows WIDTH − 2 and WIDTH − 1 of the lower triangle, and the columns of the upper one.
#[inline(always)]
fn two_rows<const WIDTH: usize>(columns: &[&[Group]; BLOCK], h: &[Group], gram: &mut BlockGram) {
    let mut sums = [[[0.0; LANES]; WIDTH]; 2];
    let mut totals = [[0.0; LANES]; 2];
    for t in 0..h.len() {
        let mut weighted = [[0.0; LANES]; 2];
        for row in 0..2 {
            add_product(&mut weighted[row], &columns[WIDTH - 2 + row][t], &h[t]);
            add_multiple(&mut totals[row], 1.0, &weighted[row]);
        }
        for k in 0..WIDTH {
            add_product(&mut sums[0][k], &columns[k][t], &weighted[0]);
            add_product(&mut sums[1][k], &columns[k][t], &weighted[1]);
        }
    }
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

struct Shift<'a> {
    columns: [&'a [Group]; BLOCK],
    change: &'a [f64; BLOCK],
    level: f64,
    h: &'a [Group],
    z: &'a mut [Group],
    r: &'a mut [Group],
}

impl Kernel for Shift<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> f64 {
        let Self { columns, change, level, h, z, r } = self;
        let columns = columns.map(|column| &column[..h.len()]);
        let (z, r) = (&mut z[..h.len()], &mut r[..h.len()]);
        let mut sums = [0.0; LANES];
        for t in 0..h.len() {
            let mut s = [level; LANES];
            for k in 0..BLOCK {
                add_multiple(&mut s, change[k], &columns[k][t]);
            }
            add_multiple(&mut z[t], 1.0, &s);
            add_product(&mut r[t], &h[t], &s);
            add_multiple(&mut sums, 1.0, &r[t]);
        }
        sums.iter().sum()
    }
}
