//! ndarray's arrays as core's views, and views as arrays and packed copies.

use minrisk_core::{View, ViewMut};
use ndarray::{
    ArrayRef1, ArrayRef2, ArrayView2, ArrayViewMut2, Axis, Ix2, ShapeBuilder, StrideShape,
};

/// A two-dimensional array of any kind as a view, without a copy.
///
/// ```
/// use ndarray::{array, s};
/// let a = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let view = minrisk_ndarray::view(&a);
/// assert_eq!((view.rows(), view.cols(), view[(2, 1)]), (3, 2, 6.0));
/// assert_eq!(minrisk_ndarray::view(&a.slice(s![..;-1, ..]))[(0, 0)], 5.0);
/// ```
pub fn view<T>(array: &ArrayRef2<T>) -> View<'_, T> {
    let (rows, cols) = array.dim();
    // SAFETY: an array borrows initialised elements at exactly these places, and the reference keeps
    // them alive and unchanged.
    unsafe {
        View::from_raw_parts(array.as_ptr(), rows, cols, array.strides()[0], array.strides()[1])
    }
}

/// A one-dimensional array of any kind as a view with one column, without a copy.
///
/// ```
/// let y = ndarray::array![1.0, 2.0, 3.0];
/// assert_eq!(minrisk_ndarray::column(&y)[(2, 0)], 3.0);
/// ```
pub fn column<T>(array: &ArrayRef1<T>) -> View<'_, T> {
    // SAFETY: as in `view`.
    unsafe { View::from_raw_parts(array.as_ptr(), array.len(), 1, array.strides()[0], 0) }
}

/// A view as an array.
pub(crate) fn array<T>(view: View<'_, T>) -> ArrayView2<'_, T> {
    let (shape, lowest, reversed) = layout(view);
    // SAFETY: from the lowest address, absolute strides reach the elements that the view vouches for.
    let mut array = unsafe { ArrayView2::from_shape_ptr(shape, view.as_ptr().offset(lowest)) };
    reversed.for_each(|axis| array.invert_axis(axis));
    array
}

/// A mutable view as an array.
pub(crate) fn array_mut<T>(mut view: ViewMut<'_, T>) -> ArrayViewMut2<'_, T> {
    let (shape, lowest, reversed) = layout(view.as_view());
    // SAFETY: as in `array`; the view is consumed, so that the borrow stays exclusive.
    let mut array =
        unsafe { ArrayViewMut2::from_shape_ptr(shape, view.as_mut_ptr().offset(lowest)) };
    reversed.for_each(|axis| array.invert_axis(axis));
    array
}

/// Shape with absolute strides, the way to the lowest address, and the axes with negative strides.
fn layout<T>(view: View<'_, T>) -> (StrideShape<Ix2>, isize, impl Iterator<Item = Axis> + use<T>) {
    let extents = [view.rows(), view.cols()];
    let strides = [view.row_stride(), view.col_stride()];
    let lowest = (0..2).map(|k| (extents[k].max(1) - 1) as isize * strides[k].min(0)).sum();
    let absolute = (strides[0].unsigned_abs(), strides[1].unsigned_abs());
    let shape = (extents[0], extents[1]).strides(absolute);
    (shape, lowest, (0..2).filter(move |&k| strides[k] < 0).map(Axis))
}

/// A column-major copy.
pub(crate) fn packed<T: Copy>(view: View<'_, T>) -> Vec<T> {
    let mut data = Vec::with_capacity(view.rows() * view.cols());
    for col in 0..view.cols() {
        extend_by_column(&mut data, view, col);
    }
    data
}

/// Appends a column of a view.
pub(crate) fn extend_by_column<T: Copy>(data: &mut Vec<T>, view: View<'_, T>, col: usize) {
    match view.col_slice(col) {
        Some(column) => data.extend_from_slice(column),
        None => data.extend(view.col_iter(col)),
    }
}

/// Copies a packed matrix back into a view of its shape.
pub(crate) fn unpack<T: Copy>(data: &[T], view: &mut ViewMut<'_, T>) {
    let rows = view.rows();
    view.fill_with(|row, col| data[row + col * rows]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use minrisk_core::Matrix;
    use ndarray::{Array2, s};

    #[test]
    fn slices_keep_their_strides_both_ways() {
        let a = Array2::from_shape_fn((6, 5), |(i, j)| (10 * i + j) as f64);
        for part in [
            a.view(),
            a.t(),
            a.slice(s![..;-1, ..]),
            a.slice(s![1..;2, ..;-2]),
            a.slice(s![..;-3, ..;-1]),
            a.slice(s![2..2, ..]),
        ] {
            let seen = view(&part);
            assert_eq!(array(seen), part);
            for ((i, j), &x) in part.indexed_iter() {
                assert_eq!(seen[(i, j)], x);
            }
        }
    }

    #[test]
    fn reversed_vectors_are_columns() {
        let y = ndarray::array![1.0, 2.0, 3.0];
        assert_eq!(packed(column(&y.slice(s![..;-1]))), [3.0, 2.0, 1.0]);
    }

    #[test]
    fn reversed_arrays_are_written_in_place() {
        let mut a = Matrix::<f64>::zeros(3, 2);
        let (pointer, rows, cols) = (a.as_mut_slice().as_mut_ptr(), 3, 2);
        // SAFETY: all six elements of the matrix, from the last to the first.
        let reversed = unsafe { ViewMut::from_raw_parts(pointer.add(5), rows, cols, -1, -3) };
        array_mut(reversed)[(0, 1)] = 1.0;
        assert_eq!(a[(2, 0)], 1.0);
    }
}
