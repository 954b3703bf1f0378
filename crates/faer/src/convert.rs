//! faer's matrices as core's views, and back; both are pointer, extents and signed strides.

use faer::{ColRef, MatMut, MatRef, Shape, Stride};
use minrisk_core::{View, ViewMut};

/// A faer matrix as a view, without a copy.
///
/// ```
/// let a = faer::mat![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let view = minrisk_faer::view(a.as_ref());
/// assert_eq!((view.rows(), view.cols(), view[(2, 1)]), (3, 2, 6.0));
/// ```
pub fn view<T, R: Shape, C: Shape>(
    matrix: MatRef<'_, T, R, C, impl Stride, impl Stride>,
) -> View<'_, T> {
    // SAFETY: a `MatRef` borrows initialised elements at exactly these places for the same lifetime;
    // its padding, which may be uninitialised, is not among them.
    unsafe {
        View::from_raw_parts(
            matrix.as_ptr(),
            matrix.nrows().unbound(),
            matrix.ncols().unbound(),
            matrix.row_stride().element_stride(),
            matrix.col_stride().element_stride(),
        )
    }
}

/// A faer column vector as a view with one column, without a copy.
///
/// ```
/// let y = faer::col![1.0, 2.0, 3.0];
/// assert_eq!(minrisk_faer::column(y.as_ref())[(2, 0)], 3.0);
/// ```
pub fn column<T, R: Shape>(vector: ColRef<'_, T, R, impl Stride>) -> View<'_, T> {
    view(vector.as_mat())
}

/// A view as faer's matrix.
pub(crate) fn mat<T>(view: View<'_, T>) -> MatRef<'_, T> {
    // SAFETY: a view vouches for its elements for its lifetime, which the result inherits.
    unsafe {
        MatRef::from_raw_parts(
            view.as_ptr(),
            view.rows(),
            view.cols(),
            view.row_stride(),
            view.col_stride(),
        )
    }
}

/// A mutable view as faer's matrix.
pub(crate) fn mat_mut<T>(mut view: ViewMut<'_, T>) -> MatMut<'_, T> {
    // SAFETY: as in `mat`; the view is consumed, so that the borrow stays exclusive.
    unsafe {
        MatMut::from_raw_parts_mut(
            view.as_mut_ptr(),
            view.rows(),
            view.cols(),
            view.row_stride(),
            view.col_stride(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    #[test]
    fn padded_reversed_and_transposed_matrices_keep_their_strides() {
        let a = Mat::from_fn(5, 3, |i, j| (10 * i + j) as f64);
        let parts = [
            a.as_ref(),
            a.transpose(),
            a.reverse_rows_and_cols(),
            a.submatrix(1, 1, 3, 2),
            a.subrows(2, 0),
        ];
        for part in parts {
            let seen = view(part);
            assert_eq!((seen.rows(), seen.cols()), part.shape());
            for (i, j) in (0..part.nrows()).flat_map(|i| (0..part.ncols()).map(move |j| (i, j))) {
                assert_eq!(seen[(i, j)], part[(i, j)]);
            }
            assert_eq!(mat(seen), part);
        }
    }

    #[test]
    fn columns_may_be_reversed() {
        let y = faer::col![1.0, 2.0, 3.0];
        assert_eq!(column(y.as_ref().reverse_rows())[(0, 0)], 3.0);
    }
}
