//! The [nalgebra](https://docs.rs/nalgebra) backend.
//!
//! Factorisations work on column-major copies: nalgebra factors matrices that it owns. Products go to
//! `matrixmultiply`, which is what nalgebra's `gemm` calls, because it takes signed strides where
//! nalgebra's are unsigned; products with one vector go to nalgebra's `gemv`.
//!
//! nalgebra squares elements with no guard against overflow or underflow. So decompositions are of
//! matrices scaled by powers of two, which is exact, and spectral ones in doubles for `f32`, too.
//!
//! ```
//! use minrisk_core::{Backend, Matrix, View};
//! use minrisk_nalgebra::Nalgebra;
//! let rows = [[1.0, 2.0], [3.0, 4.0]];
//! let mut gram = Matrix::zeros(2, 2);
//! Nalgebra.add_gram(View::from_arrays(&rows), gram.view_mut());
//! assert_eq!(gram[(1, 0)], 14.0);
//! ```

mod convert;
mod jacobi;
mod native;
mod product;
mod scale;

use std::cmp::Ordering;

use minrisk_core::{Backend, KernelError, Scalar, View, ViewMut};
use nalgebra::{Cholesky, DMatrix, QR, RealField, SymmetricEigen};

pub use convert::view;
use convert::{extend_by_column, packed, unpack};
pub use native::Native;
use product::Gemm;
use scale::{scale, scale_to_one};

/// The nalgebra library as a backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nalgebra;

impl<T: Scalar + RealField + Gemm> Backend<T> for Nalgebra {
    fn name(&self) -> &'static str {
        "nalgebra"
    }

    fn doubles(&self) -> &dyn Backend<f64> {
        self
    }

    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, c: ViewMut<'_, T>) {
        product::add(a, b, c);
    }

    fn cholesky(&self, mut a: ViewMut<'_, T>) -> Result<(), KernelError> {
        // `Cholesky::new` does not say which pivot failed. This one goes on past it, and leaves a
        // zero or, as the root of a negative number, a NaN on the diagonal.
        let l = Cholesky::new_unchecked(packed(a.as_view())).unpack_dirty();
        let positive = |pivot: &T| pivot.partial_cmp(&T::ZERO) == Some(Ordering::Greater);
        if let Some(pivot) = l.diagonal().iter().position(|pivot| !positive(pivot)) {
            return Err(KernelError::NotPositiveDefinite { pivot });
        }
        unpack(&l, &mut a);
        Ok(())
    }

    fn stack_qr(&self, mut r: ViewMut<'_, T>, block: ViewMut<'_, T>) {
        let (rows, cols) = (r.rows() + block.rows(), r.cols());
        let mut stacked = Vec::with_capacity(rows * cols);
        let mut exponents = Vec::with_capacity(cols);
        for col in 0..cols {
            let start = stacked.len();
            extend_by_column(&mut stacked, r.as_view(), col);
            stacked[start + col + 1..].fill(T::ZERO);
            extend_by_column(&mut stacked, block.as_view(), col);
            exponents.push(scale_to_one(&mut stacked[start..]));
        }
        let mut factor = QR::new(DMatrix::from_vec(rows, cols, stacked)).unpack_r();
        for (mut column, exponent) in factor.column_iter_mut().zip(exponents) {
            scale(column.as_mut_slice(), exponent);
        }
        unpack(&factor, &mut r);
    }

    fn svd(
        &self,
        a: View<'_, T>,
        mut u: ViewMut<'_, T>,
        s: &mut [T],
        mut v: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        if a.rows() < a.cols() {
            return self.svd(a.transpose(), v, s, u);
        }
        let mut doubles = DMatrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].to_double());
        let exponent = scale_to_one(doubles.as_mut_slice());
        let mut svd = jacobi::svd(doubles)?;
        scale(&mut svd.s, exponent);
        for (to, from) in s.iter_mut().zip(svd.s) {
            *to = T::from_double(from);
        }
        u.fill_with(|row, col| T::from_double(svd.u[(row, col)]));
        v.fill_with(|row, col| T::from_double(svd.v[(row, col)]));
        Ok(())
    }

    fn symmetric_eigen(
        &self,
        a: View<'_, T>,
        values: &mut [T],
        mut vectors: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        let dim = values.len();
        if dim == 0 {
            return Ok(());
        }
        let mut full = DMatrix::from_fn(dim, dim, |i, j| a[(i.max(j), i.min(j))].to_double());
        let exponent = scale_to_one(full.as_mut_slice());
        // Next to a largest element near one these change nothing; their squares underflow.
        full.apply(|x| *x = if x.abs() < 1e-60 { 0.0 } else { *x });
        let eigen = SymmetricEigen::try_new(full, f64::EPSILON, 100 * dim)
            .filter(|eigen| eigen.eigenvalues.iter().all(|value| value.is_finite()))
            .ok_or(KernelError::NoConvergence)?;
        let mut order: Vec<usize> = (0..dim).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
        let mut sorted: Vec<f64> = order.iter().map(|&from| eigen.eigenvalues[from]).collect();
        scale(&mut sorted, exponent);
        for (to, from) in values.iter_mut().zip(sorted) {
            *to = T::from_double(from);
        }
        vectors.fill_with(|row, col| T::from_double(eigen.eigenvectors[(row, order[col])]));
        Ok(())
    }

    fn solve_lower(&self, l: View<'_, T>, mut b: ViewMut<'_, T>) {
        let mut x = packed(b.as_view());
        packed(l).solve_lower_triangular_unchecked_mut(&mut x);
        unpack(&x, &mut b);
    }

    fn solve_upper(&self, u: View<'_, T>, mut b: ViewMut<'_, T>) {
        let mut x = packed(b.as_view());
        packed(u).solve_upper_triangular_unchecked_mut(&mut x);
        unpack(&x, &mut b);
    }
}

/// Compiles the kernels in this crate: development builds share generic code with the crates that it was compiled for.
#[cfg(all(debug_assertions, not(test)))]
#[used]
static KERNELS: (&dyn Backend<f32>, &dyn Backend<f64>) = (&Nalgebra, &Nalgebra);

#[cfg(test)]
mod tests {
    use super::*;
    use minrisk_core::Matrix;

    #[test]
    fn a_failed_pivot_is_named() {
        for bad in [-1.0, 0.0, f64::NAN] {
            for pivot in [0, 3, 6] {
                let value = |i, j| {
                    if i != j {
                        0.0
                    } else if i == pivot {
                        bad
                    } else {
                        1.0
                    }
                };
                let mut a = Matrix::from_fn(7, 7, value);
                let failure = Nalgebra.cholesky(a.view_mut());
                assert_eq!(failure, Err(KernelError::NotPositiveDefinite { pivot }));
            }
        }
    }

    #[test]
    fn decompositions_take_numbers_of_any_size() {
        for size in [1e-300_f64, 1e-160, 1.0, 1e160, 1e300] {
            let a = Matrix::from_fn(2, 2, |i, j| size * [[2.0, 1.0], [1.0, 2.0]][i][j]);
            let (mut u, mut v) = (Matrix::zeros(2, 2), Matrix::zeros(2, 2));
            let mut values = [0.0_f64; 2];
            Nalgebra.svd(a.view(), u.view_mut(), &mut values, v.view_mut()).unwrap();
            assert!((values[0] / size - 3.0).abs() < 1e-14, "{values:?}");
            Nalgebra.symmetric_eigen(a.view(), &mut values, v.view_mut()).unwrap();
            assert!((values[0] / size - 1.0).abs() < 1e-14, "{values:?}");
            let (mut r, mut block) = (Matrix::<f64>::zeros(2, 2), a.clone());
            Nalgebra.stack_qr(r.view_mut(), block.view_mut());
            assert!((r[(0, 0)].abs() / size - 5_f64.sqrt()).abs() < 1e-14, "{r:?}");
        }
    }

    #[test]
    fn graded_single_precision_has_eigenvectors() {
        let grade = |i: usize| 1e-9_f32.powi(i as i32);
        let a = Matrix::from_fn(5, 5, |i, j| grade(i) * grade(j) * if i == j { 2.0 } else { 1.0 });
        let (mut values, mut vectors) = ([0.0; 5], Matrix::zeros(5, 5));
        Nalgebra.symmetric_eigen(a.view(), &mut values, vectors.view_mut()).unwrap();
        assert!((values[4] - 2.0).abs() < 1e-6);
        assert!(
            vectors.columns().all(|v| (v.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6)
        );
    }
}
