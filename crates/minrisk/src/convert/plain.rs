//! Slices, arrays and vectors, and core's own types.

use minrisk_core::{Matrix, Scalar, View};

use super::IntoView;

impl<'a, T> IntoView<'a, T> for View<'a, T> {
    fn into_view(self) -> View<'a, T> {
        self
    }
}

impl<'a, T> IntoView<'a, T> for &View<'a, T> {
    fn into_view(self) -> View<'a, T> {
        *self
    }
}

impl<'a, T: Scalar> IntoView<'a, T> for &'a Matrix<T> {
    fn into_view(self) -> View<'a, T> {
        self.view()
    }
}

/// Numbers are a column; arrays of numbers are rows.
impl<'a, T, E: Entry<T>> IntoView<'a, T> for &'a [E] {
    fn into_view(self) -> View<'a, T> {
        E::view(self)
    }
}

impl<'a, T, E: Entry<T>> IntoView<'a, T> for &&'a [E] {
    fn into_view(self) -> View<'a, T> {
        E::view(self)
    }
}

impl<'a, T, E: Entry<T>, const M: usize> IntoView<'a, T> for &'a [E; M] {
    fn into_view(self) -> View<'a, T> {
        E::view(self)
    }
}

impl<'a, T, E: Entry<T>> IntoView<'a, T> for &'a Vec<E> {
    fn into_view(self) -> View<'a, T> {
        E::view(self)
    }
}

/// What a plain sequence holds per example: a number, or an array of them.
pub trait Entry<T>: Sized {
    /// A sequence of entries as a matrix with a row for each.
    fn view(entries: &[Self]) -> View<'_, T>;
}

impl<T: Scalar> Entry<T> for T {
    fn view(entries: &[T]) -> View<'_, T> {
        View::column_vector(entries)
    }
}

impl<T: Scalar, const N: usize> Entry<T> for [T; N] {
    fn view(entries: &[[T; N]]) -> View<'_, T> {
        View::from_arrays(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view;

    #[test]
    #[expect(clippy::needless_borrows_for_generic_args, reason = "borrowed views are tested too")]
    fn every_plain_sequence_is_seen_in_place() {
        let rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let list = rows.to_vec();
        let slice: &[[f64; 2]] = &rows;
        for seen in [view(&rows), view(&list), view(slice), view(&slice), view(&view(slice))] {
            assert_eq!((seen.rows(), seen.cols(), seen[(2, 0)]), (3, 2, 5.0));
        }
        assert_eq!(view(&list).as_ptr(), list.as_ptr().cast());

        let column = [1.0_f32, 2.0];
        let list = column.to_vec();
        let slice: &[f32] = &column;
        for seen in [view(&column), view(&list), view(slice), view(&slice)] {
            assert_eq!((seen.rows(), seen.cols(), seen[(1, 0)]), (2, 1, 2.0));
        }
        assert_eq!(view(&Matrix::from_view(view(&rows)))[(1, 1)], 4.0);
    }
}
