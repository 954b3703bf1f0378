//! Products with a matrix of low rank, through its rank, into room that is kept.

use crate::{Backend, Matrix, Scalar, View, ViewMut};

/// A matrix, or two factors that multiply to it within rounding, whichever is cheaper to apply.
pub(super) struct Thin<T> {
    left: Matrix<T>,
    right: Option<Matrix<T>>,
}

impl<T: Scalar> Thin<T> {
    pub(super) fn of(backend: &dyn Backend<T>, matrix: Matrix<T>) -> Self {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let most = rows.min(cols);
        let mut u = Matrix::zeros(rows, most);
        let mut values = vec![T::zero(); most];
        let mut v = Matrix::zeros(cols, most);
        let finite = matrix.as_slice().iter().all(|x| x.is_finite());
        let decomposed =
            finite && backend.svd(matrix.view(), u.view_mut(), &mut values, v.view_mut()).is_ok();
        let floor = T::epsilon() * values.first().copied().unwrap_or(T::zero());
        let rank = values.iter().filter(|value| **value > floor).count();
        if !decomposed || rank * (rows + cols) >= rows * cols {
            return Self { left: matrix, right: None };
        }
        Self {
            left: Matrix::from_fn(rows, rank, |i, k| u[(i, k)] * values[k]),
            right: Some(Matrix::from_fn(rank, cols, |k, j| v[(j, k)])),
        }
    }

    /// z times this matrix, for z of so many rows, column after column as the result.
    pub(super) fn product<'r>(
        &self,
        backend: &dyn Backend<T>,
        z: &[T],
        rows: usize,
        thin: &mut Vec<T>,
        result: &'r mut Vec<T>,
    ) -> &'r [T] {
        let z = by_columns(z, rows);
        match &self.right {
            None => product(backend, z, self.left.view(), result),
            Some(right) => {
                let first = product(backend, z, self.left.view(), thin);
                product(backend, by_columns(first, rows), right.view(), result)
            }
        }
    }
}

/// A·B, column after column.
pub(super) fn product<'r, T: Scalar>(
    backend: &dyn Backend<T>,
    a: View<'_, T>,
    b: View<'_, T>,
    result: &'r mut Vec<T>,
) -> &'r [T] {
    result.clear();
    result.resize(a.rows() * b.cols(), T::zero());
    let into = ViewMut::col_major(result, a.rows(), b.cols()).expect("the room has this size");
    backend.add_product(a, b, into);
    result
}

fn by_columns<T>(values: &[T], rows: usize) -> View<'_, T> {
    let cols = values.len().checked_div(rows).unwrap_or(0);
    View::col_major(values, rows, cols).expect("columns of equal length")
}
