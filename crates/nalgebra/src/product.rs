//! C ← C + A·B with any strides.

use minrisk_core::{Scalar, View, ViewMut};
use nalgebra::{DVectorView, DVectorViewMut, Dyn, Matrix, RealField, ViewStorage};

/// The product of matrices with signed strides, which `matrixmultiply` has under two names.
pub trait Gemm: Sized {
    /// C ← C + A·B.
    ///
    /// # Safety
    /// All elements of A (m × k), B (k × n) and C (m × n) must lie at their strides from the
    /// pointers; those of C must be writable, distinct, and apart from A and B.
    #[allow(clippy::too_many_arguments)]
    unsafe fn gemm(
        m: usize,
        k: usize,
        n: usize,
        a: *const Self,
        a_strides: (isize, isize),
        b: *const Self,
        b_strides: (isize, isize),
        c: *mut Self,
        c_strides: (isize, isize),
    );
}

macro_rules! gemm {
    ($scalar:ty, $function:path) => {
        impl Gemm for $scalar {
            unsafe fn gemm(
                m: usize,
                k: usize,
                n: usize,
                a: *const Self,
                (row_a, col_a): (isize, isize),
                b: *const Self,
                (row_b, col_b): (isize, isize),
                c: *mut Self,
                (row_c, col_c): (isize, isize),
            ) {
                // SAFETY: the caller's promise is what matrixmultiply asks for.
                unsafe {
                    $function(m, k, n, 1.0, a, row_a, col_a, b, row_b, col_b, 1.0, c, row_c, col_c);
                }
            }
        }
    };
}

gemm!(f32, matrixmultiply::sgemm);
gemm!(f64, matrixmultiply::dgemm);

/// C ← C + A·B.
pub(crate) fn add<T: Scalar + RealField + Gemm>(
    a: View<'_, T>,
    b: View<'_, T>,
    mut c: ViewMut<'_, T>,
) {
    assert_eq!(
        (a.rows(), a.cols(), b.cols()),
        (c.rows(), b.rows(), c.cols()),
        "shapes of a product"
    );
    if c.rows() == 1 && c.cols() > 1 {
        return add(b.transpose(), a.transpose(), c.transpose());
    }
    if a.is_empty() || c.is_empty() || (c.cols() == 1 && add_to_vector(a, b, &mut c)) {
        return;
    }
    // SAFETY: views vouch for their elements, shapes agree, and C is borrowed exclusively, so that it
    // is apart from A and B.
    unsafe {
        T::gemm(
            a.rows(),
            a.cols(),
            b.cols(),
            a.as_ptr(),
            (a.row_stride(), a.col_stride()),
            b.as_ptr(),
            (b.row_stride(), b.col_stride()),
            c.as_mut_ptr(),
            (c.row_stride(), c.col_stride()),
        );
    }
}

/// y ← y + A·x if all elements that nalgebra's loops run over are adjacent; says whether they were.
fn add_to_vector<T: Scalar + RealField>(
    a: View<'_, T>,
    x: View<'_, T>,
    y: &mut ViewMut<'_, T>,
) -> bool {
    let (Some(x), Some(y)) = (x.col_slice(0), y.col_slice_mut(0)) else {
        return false;
    };
    let x = DVectorView::from_slice(x, x.len());
    let mut y = DVectorViewMut::from_slice(y, y.len());
    if let Some(a) = columns_adjacent(a) {
        y.gemv(T::one(), &a, &x, T::one());
    } else if let Some(a) = columns_adjacent(a.transpose()) {
        y.gemv_tr(T::one(), &a, &x, T::one());
    } else {
        return false;
    }
    true
}

type ColumnsAdjacent<'a, T> = Matrix<T, Dyn, Dyn, ViewStorage<'a, T, Dyn, Dyn, nalgebra::U1, Dyn>>;

/// The view as nalgebra's, if its columns are slices.
fn columns_adjacent<T: Scalar + RealField>(view: View<'_, T>) -> Option<ColumnsAdjacent<'_, T>> {
    let col_stride = usize::try_from(view.col_stride()).ok()?;
    if view.row_stride() != 1 {
        return None;
    }
    // SAFETY: the view vouches for its elements, and the strides are not negative.
    Some(Matrix::from_data(unsafe {
        ViewStorage::from_raw_parts(
            view.as_ptr(),
            (Dyn(view.rows()), Dyn(view.cols())),
            (nalgebra::U1, Dyn(col_stride)),
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversed_and_padded_operands_are_multiplied_in_place() {
        let data: Vec<f64> = (0..40).map(f64::from).collect();
        let a = View::strided(&data, 0, 4, 3, 1, 5).unwrap();
        let b = View::strided(&data, 20, 3, 2, 6, 2).unwrap();
        let layouts = [a, a.reverse_rows(), a.transpose().reverse_rows().transpose()];
        for (a, b) in layouts.into_iter().flat_map(|a| [(a, b), (a, b.reverse_rows())]) {
            for cols in [1, 2] {
                let b = b.col_range(0..cols);
                let mut c = vec![1.0; 4 * cols];
                add(a, b, ViewMut::row_major(&mut c, 4, cols).unwrap());
                for (at, &value) in c.iter().enumerate() {
                    let (i, j) = (at / cols, at % cols);
                    let dot: f64 = (0..3).map(|k| a[(i, k)] * b[(k, j)]).sum();
                    assert_eq!(value, 1.0 + dot);
                }
            }
        }
    }
}
