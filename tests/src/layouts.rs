//! One matrix in every layout that a strided view can describe.
//!
//! What does not belong to the matrix (padding, skipped rows) is NaN: a kernel that reads it spoils
//! its result, and one that writes it is found out by [`Stored::surroundings_are_intact`].
//!
//! A transposed matrix is the same memory with its strides exchanged, so `ByRows` is the transpose of
//! a column-major matrix, `PaddedRows` that of a padded one, and so on.

use minrisk_core::{Matrix, Scalar, View, ViewMut};

/// How the elements of a matrix lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Columns follow each other.
    ByColumns,
    /// Rows follow each other; a transposed column-major matrix.
    ByRows,
    /// Columns follow each other with a gap between them.
    PaddedColumns,
    /// Rows follow each other with a gap between them.
    PaddedRows,
    /// Columns, each stored from its last row up.
    ReversedRows,
    /// Rows, each stored from its last column back.
    ReversedColumns,
    /// Every second row of a larger column-major matrix.
    EverySecondRow,
    /// No two elements adjacent, both strides negative.
    Scattered,
}

impl Layout {
    /// All of them.
    pub const ALL: [Layout; 8] = [
        Layout::ByColumns,
        Layout::ByRows,
        Layout::PaddedColumns,
        Layout::PaddedRows,
        Layout::ReversedRows,
        Layout::ReversedColumns,
        Layout::EverySecondRow,
        Layout::Scattered,
    ];

    /// Stores a matrix in this layout, surrounded by NaN.
    pub fn store<T: Scalar>(self, matrix: &Matrix<T>) -> Stored<T> {
        let (rows, cols) = (matrix.rows() as isize, matrix.cols() as isize);
        let (row_stride, col_stride) = match self {
            Layout::ByColumns => (1, rows),
            Layout::ByRows => (cols, 1),
            Layout::PaddedColumns => (1, rows + 3),
            Layout::PaddedRows => (cols + 3, 1),
            Layout::ReversedRows => (-1, rows),
            Layout::ReversedColumns => (cols, -1),
            Layout::EverySecondRow => (2, 2 * rows + 1),
            Layout::Scattered => (-2 * cols - 1, -2),
        };
        Stored::new(matrix, row_stride, col_stride)
    }
}

/// A matrix in memory of its own, with NaN around it.
#[derive(Clone, Debug)]
pub struct Stored<T> {
    data: Vec<T>,
    offset: usize,
    rows: usize,
    cols: usize,
    row_stride: isize,
    col_stride: isize,
}

impl<T: Scalar> Stored<T> {
    /// Two elements of NaN lie before and behind whatever the strides reach.
    fn new(matrix: &Matrix<T>, row_stride: isize, col_stride: isize) -> Self {
        const MARGIN: usize = 2;
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let reach = |n: usize, stride: isize| n.saturating_sub(1) as isize * stride;
        let (down, across) = (reach(rows, row_stride), reach(cols, col_stride));
        let before = (-down.min(0) - across.min(0)) as usize;
        let behind = (down.max(0) + across.max(0)) as usize;
        let data = vec![T::nan(); before + behind + 1 + 2 * MARGIN];
        let offset = MARGIN + before;
        let mut stored = Self { data, offset, rows, cols, row_stride, col_stride };
        stored.view_mut().fill_with(|i, j| matrix[(i, j)]);
        stored
    }

    /// The matrix to read from.
    pub fn view(&self) -> View<'_, T> {
        View::strided(
            &self.data,
            self.offset,
            self.rows,
            self.cols,
            self.row_stride,
            self.col_stride,
        )
        .expect("the layout was made to fit")
    }

    /// The matrix to write to.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        let (rows, cols) = (self.view().rows(), self.view().cols());
        // SAFETY: `view` has just proven that all elements lie inside `data`, which we borrow
        // exclusively; in every layout one stride steps over the whole extent of the other, so no two
        // elements share memory. The pointer comes from the exclusive borrow.
        unsafe {
            let first = self.data.as_mut_ptr().add(self.offset);
            ViewMut::from_raw_parts(first, rows, cols, self.row_stride, self.col_stride)
        }
    }

    /// A copy of the matrix without its surroundings.
    pub fn to_matrix(&self) -> Matrix<T> {
        Matrix::from_view(self.view())
    }

    /// Whether everything around the matrix is still NaN.
    pub fn surroundings_are_intact(&self) -> bool {
        let (offset, down, across) = (self.offset as isize, self.row_stride, self.col_stride);
        let mut inside = vec![false; self.data.len()];
        for (i, j) in (0..self.rows).flat_map(|i| (0..self.cols).map(move |j| (i, j))) {
            inside[(offset + i as isize * down + j as isize * across) as usize] = true;
        }
        self.data.iter().zip(inside).all(|(value, inside)| inside || value.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_shows_the_same_matrix() {
        for (rows, cols) in [(4, 3), (1, 5), (5, 1), (1, 1), (0, 3), (3, 0), (0, 0)] {
            let matrix = Matrix::from_fn(rows, cols, |i, j| (10 * i + j) as f64);
            for layout in Layout::ALL {
                let mut stored = layout.store(&matrix);
                assert_eq!(stored.to_matrix(), matrix, "{layout:?}");
                assert!(stored.surroundings_are_intact(), "{layout:?}");
                stored.data[0] = 0.0;
                assert!(!stored.surroundings_are_intact(), "{layout:?}");
            }
        }
    }
}
