//! XᵀX of columns of doubles.

use crate::convex::vectors::add;
use crate::{Backend, Matrix, Partition, View};

/// The lower triangle of a Gram matrix that blocks of rows are added to.
pub(super) struct Gram(Matrix<f64>);

impl Gram {
    /// The matrix of no rows.
    pub(super) fn new(size: usize) -> Self {
        Self(Matrix::zeros(size, size))
    }

    /// Entry (i, j), either way round.
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.0[(i.max(j), i.min(j))]
    }

    /// Adds rows, given by their columns one after the other.
    pub(super) fn add(&mut self, backend: &dyn Backend<f64>, packed: &[f64], rows: usize) {
        if let Ok(columns) = View::col_major(packed, rows, self.0.rows()) {
            backend.add_gram(columns, self.0.view_mut());
        }
    }

    /// Adds the matrix of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        add(self.0.as_mut_slice(), other.0.as_slice());
    }
}

/// What sums over so many rows of so many columns may be wrong by, in units of u and of the sum of magnitudes: for a
/// block, of which a backend may add the rows one by one, for the sum over blocks, and for the columns themselves.
pub(super) fn rounding(rows: usize, cols: usize) -> f64 {
    let block = Partition::of(cols).block_rows;
    (2 * rows.min(block) + rows / block + 64) as f64
}
