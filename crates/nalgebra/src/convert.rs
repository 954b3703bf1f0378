//! nalgebra's matrices as core's views, and column-major copies of views.

use minrisk_core::{View, ViewMut};
use nalgebra::{DMatrix, Dim, Matrix, RawStorage, Scalar};

/// A nalgebra matrix, vector or view of one as a view, without a copy.
///
/// ```
/// use nalgebra::{Matrix3x2, Vector3};
/// let a = Matrix3x2::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
/// let view = minrisk_nalgebra::view(&a);
/// assert_eq!((view.rows(), view.cols(), view[(2, 1)]), (3, 2, 6.0));
/// assert_eq!(minrisk_nalgebra::view(&a.row(1))[(0, 1)], 4.0);
/// assert_eq!(minrisk_nalgebra::view(&Vector3::new(1.0, 2.0, 3.0))[(2, 0)], 3.0);
/// ```
pub fn view<T, R: Dim, C: Dim, S: RawStorage<T, R, C>>(matrix: &Matrix<T, R, C, S>) -> View<'_, T> {
    let (rows, cols) = matrix.shape();
    let (row_stride, col_stride) = matrix.strides();
    // SAFETY: `RawStorage` is an unsafe trait whose implementations have their elements at these
    // places; the borrow of the matrix keeps them alive and unchanged. Strides count elements of
    // one allocation, so they fit an isize.
    unsafe {
        View::from_raw_parts(matrix.as_ptr(), rows, cols, row_stride as isize, col_stride as isize)
    }
}

/// A column-major copy.
pub(crate) fn packed<T: Scalar + Copy>(view: View<'_, T>) -> DMatrix<T> {
    let mut data = Vec::with_capacity(view.rows() * view.cols());
    for col in 0..view.cols() {
        extend_by_column(&mut data, view, col);
    }
    DMatrix::from_vec(view.rows(), view.cols(), data)
}

/// Appends a column of a view.
pub(crate) fn extend_by_column<T: Copy>(data: &mut Vec<T>, view: View<'_, T>, col: usize) {
    match view.col_slice(col) {
        Some(column) => data.extend_from_slice(column),
        None => data.extend(view.col_iter(col)),
    }
}

/// Copies a matrix of the same shape back into a view.
pub(crate) fn unpack<T: Scalar + Copy>(matrix: &DMatrix<T>, view: &mut ViewMut<'_, T>) {
    view.fill_with(|row, col| matrix[(row, col)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_views_keep_their_strides() {
        let a = DMatrix::from_fn(5, 4, |i, j| (10 * i + j) as f64);
        let part = a.view_with_steps((1, 0), (2, 2), (1, 2));
        let seen = view(&part);
        assert_eq!((seen.row_stride(), seen.col_stride()), (2, 15));
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert_eq!(seen[(i, j)], part[(i, j)]);
        }
        assert_eq!(packed(seen.transpose()), part.transpose());
    }

    #[test]
    fn matrices_without_elements_have_views() {
        assert!(view(&DMatrix::<f64>::zeros(0, 3)).is_empty());
        assert_eq!(packed(view(&DMatrix::<f64>::zeros(2, 0))).shape(), (2, 0));
    }
}
