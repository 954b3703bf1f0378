//! Small owned matrices: Gram matrices, triangular factors, coefficients.
//!
//! Column-major, because that is what every backend takes without a copy. The design itself is never
//! owned: it stays the caller's, behind a [`View`].

use std::ops::{Index, IndexMut};

use crate::{Error, Scalar, View, ViewMut};

/// An owned column-major matrix.
///
/// ```
/// use minrisk_core::Matrix;
/// let eye = Matrix::<f64>::identity(2);
/// assert_eq!(eye.as_slice(), [1.0, 0.0, 0.0, 1.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Copy> Matrix<T> {
    /// A matrix of one value.
    ///
    /// # Panics
    /// If the matrix cannot be allocated; use [`Matrix::try_filled`] for extents that a caller chose.
    pub fn filled(rows: usize, cols: usize, value: T) -> Self {
        Self { data: vec![value; rows * cols], rows, cols }
    }

    /// A matrix of one value, or an error that names its size when memory does not reach.
    pub fn try_filled(rows: usize, cols: usize, value: T) -> Result<Self, Error> {
        let too_large = || Error::TooLarge { what: "a matrix", count: rows as u128 * cols as u128 };
        let len = rows.checked_mul(cols).ok_or_else(too_large)?;
        let mut data = Vec::new();
        data.try_reserve_exact(len).map_err(|_| too_large())?;
        data.resize(len, value);
        Ok(Self { data, rows, cols })
    }

    /// A matrix from a function of row and column.
    pub fn from_fn(rows: usize, cols: usize, mut value: impl FnMut(usize, usize) -> T) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for col in 0..cols {
            data.extend((0..rows).map(|row| value(row, col)));
        }
        Self { data, rows, cols }
    }

    /// A copy of what a view shows.
    pub fn from_view(view: View<'_, T>) -> Self {
        Self::from_fn(view.rows(), view.cols(), |i, j| view[(i, j)])
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All elements, column after column.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All elements, column after column.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Column `col`.
    pub fn col(&self, col: usize) -> &[T] {
        &self.data[col * self.rows..(col + 1) * self.rows]
    }

    /// Column `col`.
    pub fn col_mut(&mut self, col: usize) -> &mut [T] {
        &mut self.data[col * self.rows..(col + 1) * self.rows]
    }

    /// The columns in order.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.cols).map(|j| self.col(j))
    }

    /// The matrix to read from.
    pub fn view(&self) -> View<'_, T> {
        // SAFETY: `data` holds rows·cols initialised elements, column after column.
        unsafe {
            View::from_raw_parts(self.data.as_ptr(), self.rows, self.cols, 1, self.rows as isize)
        }
    }

    /// The matrix to write to.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        // SAFETY: as in `view`, borrowed exclusively.
        unsafe {
            ViewMut::from_raw_parts(
                self.data.as_mut_ptr(),
                self.rows,
                self.cols,
                1,
                self.rows as isize,
            )
        }
    }
}

impl<T: Scalar> Matrix<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self::filled(rows, cols, T::zero())
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { T::one() } else { T::zero() })
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (row, col): (usize, usize)) -> &T {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        &self.data[row + col * self.rows]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (row, col): (usize, usize)) -> &mut T {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        &mut self.data[row + col * self.rows]
    }
}
