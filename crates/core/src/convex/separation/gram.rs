//! XᵀX of columns of doubles, whatever the data's precision: by the backend where that computes in doubles, else by
//! plain products of columns.

use crate::convex::products::{ABREAST, ColumnDots};
use crate::simd::vectorised;
use crate::{Backend, Matrix, Partition, Scalar, View};

/// The lower triangle of a Gram matrix that blocks of rows are added to.
pub(super) struct Gram<T> {
    /// What the backend adds up; nothing where it computes in less than doubles.
    by_backend: Matrix<T>,
    /// What is added up here; nothing where the backend does it.
    plain: Matrix<f64>,
}

impl<T: Scalar> Gram<T> {
    /// The matrix of no rows.
    pub(super) fn new(size: usize) -> Self {
        let in_doubles = T::unit_roundoff() <= f64::unit_roundoff();
        let (by_backend, plain) = if in_doubles { (size, 0) } else { (0, size) };
        Self {
            by_backend: Matrix::zeros(by_backend, by_backend),
            plain: Matrix::zeros(plain, plain),
        }
    }

    /// Entry (i, j), either way round.
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        let lower = (i.max(j), i.min(j));
        match self.plain.rows() {
            0 => self.by_backend[lower].to_double(),
            _ => self.plain[lower],
        }
    }

    /// Adds rows, given by their columns one after the other.
    pub(super) fn add(&mut self, backend: &dyn Backend<T>, packed: &[f64], rows: usize) {
        if self.plain.rows() == 0 {
            let columns: Vec<T> = packed.iter().map(|&x| T::from_double(x)).collect();
            let size = self.by_backend.rows();
            if let Ok(columns) = View::col_major(&columns, rows, size) {
                backend.add_gram(columns, self.by_backend.view_mut());
            }
            return;
        }
        let size = self.plain.rows();
        let column = |k: usize| &packed[k.min(size - 1) * rows..][..rows];
        for j in 0..size {
            for first in (j..size).step_by(ABREAST) {
                let columns = std::array::from_fn(|k| column(first + k));
                let dots = vectorised(ColumnDots { columns, u: column(j) });
                let entries = self.plain.col_mut(j)[first..].iter_mut();
                entries.zip(dots).for_each(|(sum, dot)| *sum += dot);
            }
        }
    }

    /// Adds the matrix of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        let by_backend = self.by_backend.as_mut_slice().iter_mut();
        by_backend.zip(other.by_backend.as_slice()).for_each(|(a, &b)| *a += b);
        let plain = self.plain.as_mut_slice().iter_mut();
        plain.zip(other.plain.as_slice()).for_each(|(a, b)| *a += b);
    }
}

/// What sums over so many rows of so many columns may be wrong by, in units of u and of the sum of magnitudes: for a
/// block, of which a backend may add the rows one by one, for the sum over blocks, and for the columns themselves.
pub(super) fn rounding(rows: usize, cols: usize) -> f64 {
    let block = Partition::of(cols).block_rows;
    (2 * rows.min(block) + rows / block + 64) as f64
}
