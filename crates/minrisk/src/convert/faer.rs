//! Matrices and columns of faer, whatever their shape types and strides.

use ::faer::col::{self, AsColRef, ColRef};
use ::faer::mat::{self, AsMatRef, MatRef};
use ::faer::{Shape, Stride};
use minrisk_core::View;

use super::IntoView;

/// `&Mat`, `&MatRef`, `&MatMut`.
///
/// ```
/// use faer::{col, mat};
/// let x = mat![[1.0, 0.5], [2.0, 0.25], [3.0, 0.125]];
/// let y = col![1.0, 2.0, 3.0];
/// let data = minrisk::dataset(&x, &y)?;
/// assert_eq!((data.rows(), data.cols()), (3, 2));
/// let every_row_backwards = minrisk::dataset(x.reverse_rows(), y.reverse_rows())?;
/// # Ok::<(), minrisk::Error>(())
/// ```
impl<'a, M> IntoView<'a, <mat::generic::Mat<M> as AsMatRef>::T> for &'a mat::generic::Mat<M>
where
    mat::generic::Mat<M>: AsMatRef,
{
    fn into_view(self) -> View<'a, <mat::generic::Mat<M> as AsMatRef>::T> {
        minrisk_faer::view(self.as_mat_ref())
    }
}

impl<'a, T, Rows: Shape, Cols: Shape, Rs: Stride, Cs: Stride> IntoView<'a, T>
    for MatRef<'a, T, Rows, Cols, Rs, Cs>
{
    fn into_view(self) -> View<'a, T> {
        minrisk_faer::view(self)
    }
}

/// `&Col`, `&ColRef`, `&ColMut`.
impl<'a, C> IntoView<'a, <col::generic::Col<C> as AsMatRef>::T> for &'a col::generic::Col<C>
where
    col::generic::Col<C>: AsColRef,
{
    fn into_view(self) -> View<'a, <col::generic::Col<C> as AsMatRef>::T> {
        minrisk_faer::column(self.as_col_ref())
    }
}

impl<'a, T, Rows: Shape, Rs: Stride> IntoView<'a, T> for ColRef<'a, T, Rows, Rs> {
    fn into_view(self) -> View<'a, T> {
        minrisk_faer::column(self)
    }
}

#[cfg(test)]
mod tests {
    use ::faer::{Mat, col};

    use crate::view;

    #[test]
    #[expect(clippy::needless_borrows_for_generic_args, reason = "borrowed views are tested too")]
    fn every_faer_type_is_seen_in_place() {
        let mut matrix = Mat::from_fn(5, 3, |i, j| (10 * i + j) as f64);
        let expected = view(&matrix).as_ptr();
        for seen in [view(&matrix), view(matrix.as_ref()), view(&matrix.as_ref())] {
            assert_eq!((seen.rows(), seen.cols(), seen[(4, 2)]), (5, 3, 42.0));
            assert_eq!(seen.as_ptr(), expected);
        }
        assert_eq!(view(matrix.transpose())[(2, 4)], 42.0);
        assert_eq!(view(matrix.reverse_rows())[(0, 2)], 42.0);
        assert_eq!(view(&matrix.as_mut())[(4, 2)], 42.0);
        assert_eq!(view(matrix.col(2))[(4, 0)], 42.0);

        let mut vector = col![1.0_f32, 2.0, 3.0];
        for seen in [view(&vector), view(vector.as_ref()), view(&vector.as_ref())] {
            assert_eq!((seen.rows(), seen.cols(), seen[(2, 0)]), (3, 1, 3.0));
        }
        assert_eq!(view(vector.reverse_rows())[(2, 0)], 1.0);
        assert_eq!(view(&vector.as_mut())[(2, 0)], 3.0);
    }
}
