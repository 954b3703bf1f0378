//! Arrays of ndarray: two axes are a matrix, one axis is a column.

use ::ndarray::{ArrayBase, ArrayRef1, ArrayRef2, ArrayView1, ArrayView2, Data, Ix1, Ix2};
use minrisk_core::View;

use super::{IntoView, outlive};

/// `&Array2`, `&ArcArray2`, `&CowArray`, references to views, …
///
/// ```
/// use ndarray::{array, s};
/// let x = array![[1.0, 0.5], [2.0, 0.25], [3.0, 0.125]];
/// let y = array![1.0, 2.0, 3.0];
/// let data = minrisk::dataset(&x, &y)?;
/// assert_eq!((data.rows(), data.cols()), (3, 2));
/// let every_other_row = minrisk::dataset(x.slice(s![..;2, ..]), y.slice(s![..;2]))?;
/// # Ok::<(), minrisk::Error>(())
/// ```
impl<'a, T, S: Data<Elem = T>> IntoView<'a, T> for &'a ArrayBase<S, Ix2> {
    fn into_view(self) -> View<'a, T> {
        minrisk_ndarray::view(self)
    }
}

impl<'a, T> IntoView<'a, T> for &'a ArrayRef2<T> {
    fn into_view(self) -> View<'a, T> {
        minrisk_ndarray::view(self)
    }
}

impl<'a, T> IntoView<'a, T> for ArrayView2<'a, T> {
    fn into_view(self) -> View<'a, T> {
        // SAFETY: an `ArrayView2<'a, T>` borrows its elements for `'a`.
        unsafe { outlive(minrisk_ndarray::view(&self)) }
    }
}

/// `&Array1`, `&ArcArray1`, `&CowArray`, references to views, …
impl<'a, T, S: Data<Elem = T>> IntoView<'a, T> for &'a ArrayBase<S, Ix1> {
    fn into_view(self) -> View<'a, T> {
        minrisk_ndarray::column(self)
    }
}

impl<'a, T> IntoView<'a, T> for &'a ArrayRef1<T> {
    fn into_view(self) -> View<'a, T> {
        minrisk_ndarray::column(self)
    }
}

impl<'a, T> IntoView<'a, T> for ArrayView1<'a, T> {
    fn into_view(self) -> View<'a, T> {
        // SAFETY: an `ArrayView1<'a, T>` borrows its elements for `'a`.
        unsafe { outlive(minrisk_ndarray::column(&self)) }
    }
}

#[cfg(test)]
mod tests {
    use ::ndarray::{Array, ArrayRef2, Ix2, s};

    use crate::view;

    #[test]
    #[expect(clippy::needless_borrows_for_generic_args, reason = "borrowed views are tested too")]
    fn every_ndarray_type_is_seen_in_place() {
        let mut matrix = Array::from_shape_fn((5, 3), |(i, j)| (10 * i + j) as f64);
        let any: &ArrayRef2<f64> = &matrix;
        for seen in [view(&matrix), view(any), view(matrix.view()), view(&matrix.view())] {
            assert_eq!((seen.rows(), seen.cols(), seen[(4, 2)]), (5, 3, 42.0));
            assert_eq!(seen.as_ptr(), matrix.as_ptr());
        }
        assert_eq!(view(matrix.t())[(2, 4)], 42.0);
        assert_eq!(view(matrix.slice(s![..;-2, 1..]))[(0, 1)], 42.0);
        assert_eq!(view(&matrix.view_mut())[(4, 2)], 42.0);
        assert_eq!(view(&matrix.to_shared())[(4, 2)], 42.0);
        assert_eq!(view(matrix.column(2))[(4, 0)], 42.0);
        assert_eq!(view(&matrix.column(2).to_owned())[(4, 0)], 42.0);
        assert_eq!(view(&Array::<f32, Ix2>::zeros((0, 3))).rows(), 0);
    }
}
