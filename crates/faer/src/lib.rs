//! The [faer](https://docs.rs/faer) backend: pure Rust, vectorised at run time, any strides.
//!
//! faer takes pointers and signed strides as they are, so that products and solves copy nothing.
//! Every call goes to a function that takes [`Par`] and gets [`Par::Seq`]: the methods on faer's
//! matrix types read a process-wide parallelism setting instead, which a kernel must not depend on.
//!
//! ```
//! use minrisk_core::{Backend, Matrix, View};
//! use minrisk_faer::Faer;
//! let rows = [[1.0, 2.0], [3.0, 4.0]];
//! let mut gram = Matrix::zeros(2, 2);
//! Faer.add_gram(View::from_arrays(&rows), gram.view_mut());
//! assert_eq!(gram[(1, 0)], 14.0);
//! ```

mod convert;
mod native;
mod stacked_qr;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{self, ComputeEigenvectors, SelfAdjointEvdParams};
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams};
use faer::linalg::triangular_solve;
use faer::traits::RealField;
use faer::{Accum, Auto, ColMut, Mat, Par, Spec};
use minrisk_core::{Backend, KernelError, Scalar, View, ViewMut};

pub use convert::{column, view};
use convert::{mat, mat_mut};
pub use native::Native;

/// The faer library as a backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faer;

impl<T: Scalar + RealField> Backend<T> for Faer {
    fn name(&self) -> &'static str {
        "faer"
    }

    fn doubles(&self) -> &dyn Backend<f64> {
        self
    }

    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, c: ViewMut<'_, T>) {
        matmul(mat_mut(c), Accum::Add, mat(a), mat(b), T::ONE, Par::Seq);
    }

    fn cholesky(&self, a: ViewMut<'_, T>) -> Result<(), KernelError> {
        let params = Spec::default();
        let scratch = llt::factor::cholesky_in_place_scratch::<T>(a.rows(), Par::Seq, params);
        let mut buffer = MemBuffer::new(scratch);
        llt::factor::cholesky_in_place(
            mat_mut(a),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut buffer),
            params,
        )
        .map(|_| ())
        .map_err(|llt::factor::LltError::NonPositivePivot { index }| {
            KernelError::NotPositiveDefinite { pivot: index }
        })
    }

    fn stack_qr(&self, r: ViewMut<'_, T>, block: ViewMut<'_, T>) {
        stacked_qr::fold(mat_mut(r), mat_mut(block));
    }

    fn svd(
        &self,
        a: View<'_, T>,
        u: ViewMut<'_, T>,
        s: &mut [T],
        v: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        let mut params = <SvdParams as Auto<T>>::auto();
        // Divide and conquer loses half the digits on matrices of deficient rank; the QR iteration
        // does not. A tall matrix would be reduced by faer's QR, which drops columns.
        params.recursion_threshold = usize::MAX;
        params.qr_ratio_threshold = f64::INFINITY;
        let params = params.into();
        let thin = ComputeSvdVectors::Thin;
        let scratch = svd::svd_scratch::<T>(a.rows(), a.cols(), thin, thin, Par::Seq, params);
        let mut buffer = MemBuffer::new(scratch);
        let (scaled, exponent) = scaled(mat(a).to_owned());
        svd::svd(
            scaled.as_ref(),
            ColMut::from_slice_mut(s).as_diagonal_mut(),
            Some(mat_mut(u)),
            Some(mat_mut(v)),
            Par::Seq,
            MemStack::new(&mut buffer),
            params,
        )
        .map_err(|_| KernelError::NoConvergence)?;
        scale(s.iter_mut(), exponent);
        Ok(())
    }

    fn symmetric_eigen(
        &self,
        a: View<'_, T>,
        values: &mut [T],
        vectors: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        if values.is_empty() {
            return Ok(());
        }
        let mut params = <SelfAdjointEvdParams as Auto<T>>::auto();
        params.recursion_threshold = usize::MAX; // as in `svd`
        let params = params.into();
        let wanted = ComputeEigenvectors::Yes;
        let scratch = evd::self_adjoint_evd_scratch::<T>(a.rows(), wanted, Par::Seq, params);
        let mut buffer = MemBuffer::new(scratch);
        let (scaled, exponent) =
            scaled(Mat::from_fn(a.rows(), a.cols(), |i, j| a[(i.max(j), i.min(j))]));
        evd::self_adjoint_evd(
            scaled.as_ref(),
            ColMut::from_slice_mut(values).as_diagonal_mut(),
            Some(mat_mut(vectors)),
            Par::Seq,
            MemStack::new(&mut buffer),
            params,
        )
        .map_err(|_| KernelError::NoConvergence)?;
        scale(values.iter_mut(), exponent);
        Ok(())
    }

    fn solve_lower(&self, l: View<'_, T>, b: ViewMut<'_, T>) {
        triangular_solve::solve_lower_triangular_in_place(mat(l), mat_mut(b), Par::Seq);
    }

    fn solve_upper(&self, u: View<'_, T>, b: ViewMut<'_, T>) {
        triangular_solve::solve_upper_triangular_in_place(mat(u), mat_mut(b), Par::Seq);
    }
}

/// Compiles the kernels in this crate: development builds share generic code with the crates that it was compiled for.
#[cfg(all(debug_assertions, not(test)))]
#[used]
static KERNELS: (&dyn Backend<f32>, &dyn Backend<f64>) = (&Faer, &Faer);

/// A times 2^−e, with e such that the largest element is between ½ and 1.
///
/// faer's iterations square elements, with no guard against overflow or underflow.
fn scaled<T: Scalar + RealField>(mut a: Mat<T>) -> (Mat<T>, i32) {
    let exponent = a.norm_max().exponent();
    scale(a.col_iter_mut().flat_map(|column| column.iter_mut()), -exponent);
    (a, exponent)
}

/// Multiplies by 2^exponent, which rounds nothing unless it leaves the range.
fn scale<'a, T: Scalar>(values: impl Iterator<Item = &'a mut T>, exponent: i32) {
    // In two factors, each in range even where their product is not.
    let first = T::power_of_two(exponent / 2);
    let second = T::power_of_two(exponent - exponent / 2);
    for value in values {
        *value = *value * first * second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use minrisk_core::Matrix;

    #[test]
    fn a_failed_pivot_is_named() {
        for dim in [1, 2, 40, 130] {
            for pivot in [0, dim / 2, dim - 1] {
                let bad = |i, j| {
                    if i != j {
                        0.0
                    } else if i == pivot {
                        -1.0
                    } else {
                        1.0
                    }
                };
                let mut a = Matrix::from_fn(dim, dim, bad);
                let failure = Faer.cholesky(a.view_mut());
                assert_eq!(failure, Err(KernelError::NotPositiveDefinite { pivot }));
            }
        }
    }

    #[test]
    fn singular_values_of_deficient_rank_are_right_where_divide_and_conquer_is_not() {
        let (dim, rank) = (130, 65);
        let wave = |i: usize, j: usize| ((1 + i * j + i + 3 * j) as f64).sin();
        let (left, right) = (Matrix::from_fn(dim, rank, wave), Matrix::from_fn(rank, dim, wave));
        let mut a = Matrix::zeros(dim, dim);
        Faer.add_product(left.view(), right.view(), a.view_mut());
        let (mut u, mut v) = (Matrix::zeros(dim, dim), Matrix::zeros(dim, dim));
        let mut s = vec![0.0; dim];
        Faer.svd(a.view(), u.view_mut(), &mut s, v.view_mut()).unwrap();
        for (col, &value) in s.iter().enumerate() {
            u.col_mut(col).iter_mut().for_each(|x| *x *= -value);
        }
        Faer.add_product(u.view(), v.view().transpose(), a.view_mut());
        let residual = a.as_slice().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(residual < 1e-13 * s[0], "{residual}");
    }

    #[test]
    fn decompositions_take_numbers_of_any_size() {
        for size in [1e-300_f64, 1e-160, 1.0, 1e160, 1e300] {
            let a = Matrix::from_fn(2, 2, |i, j| size * [[2.0, 1.0], [1.0, 2.0]][i][j]);
            let (mut u, mut v) = (Matrix::zeros(2, 2), Matrix::zeros(2, 2));
            let mut values = [0.0_f64; 2];
            Faer.svd(a.view(), u.view_mut(), &mut values, v.view_mut()).unwrap();
            assert!((values[0] / size - 3.0).abs() < 1e-14, "{values:?}");
            Faer.symmetric_eigen(a.view(), &mut values, v.view_mut()).unwrap();
            assert!((values[0] / size - 1.0).abs() < 1e-14, "{values:?}");
        }
    }
}
