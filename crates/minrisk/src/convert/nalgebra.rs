//! Matrices, vectors and views of nalgebra, whatever their dimensions, storage and strides.

use ::nalgebra::{Dim, Matrix, MatrixView, RawStorage};
use minrisk_core::View;

use super::{IntoView, outlive};

/// `&DMatrix`, `&SMatrix`, `&DVector`, references to views, …
///
/// ```
/// use nalgebra::{DMatrix, DVector};
/// let x = DMatrix::from_row_slice(3, 2, &[1.0, 0.5, 2.0, 0.25, 3.0, 0.125]);
/// let y = DVector::from_vec(vec![1.0, 2.0, 3.0]);
/// let data = minrisk::dataset(&x, &y)?;
/// assert_eq!((data.rows(), data.cols()), (3, 2));
/// let second_column_only = minrisk::dataset(x.column(1), &y)?;
/// # Ok::<(), minrisk::Error>(())
/// ```
impl<'a, T, R: Dim, C: Dim, S: RawStorage<T, R, C>> IntoView<'a, T> for &'a Matrix<T, R, C, S> {
    fn into_view(self) -> View<'a, T> {
        minrisk_nalgebra::view(self)
    }
}

impl<'a, T, R: Dim, C: Dim, RStride: Dim, CStride: Dim> IntoView<'a, T>
    for MatrixView<'a, T, R, C, RStride, CStride>
{
    fn into_view(self) -> View<'a, T> {
        // SAFETY: a `MatrixView<'a, …>` borrows its elements for `'a`.
        unsafe { outlive(minrisk_nalgebra::view(&self)) }
    }
}

#[cfg(test)]
mod tests {
    use ::nalgebra::{DMatrix, DVector, SMatrix};

    use crate::view;

    #[test]
    #[expect(clippy::needless_borrows_for_generic_args, reason = "borrowed views are tested too")]
    fn every_nalgebra_type_is_seen_in_place() {
        let mut matrix = DMatrix::from_fn(5, 3, |i, j| (10 * i + j) as f64);
        let whole = matrix.rows(0, 5);
        for seen in [view(&matrix), view(whole), view(&whole)] {
            assert_eq!((seen.rows(), seen.cols(), seen[(4, 2)]), (5, 3, 42.0));
            assert_eq!(seen.as_ptr(), matrix.as_ptr());
        }
        let every_other = view(matrix.rows_with_step(0, 3, 1));
        assert_eq!((every_other.rows(), every_other[(2, 2)]), (3, 42.0));
        assert_eq!(view(matrix.column(2))[(4, 0)], 42.0);
        assert_eq!(view(&matrix.columns_mut(1, 2))[(4, 1)], 42.0);
        assert_eq!(view(&SMatrix::<f32, 2, 2>::identity())[(1, 1)], 1.0);
        assert_eq!(view(&DVector::from_vec(vec![1.0, 2.0]))[(1, 0)], 2.0);
    }
}
