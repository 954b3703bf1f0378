//! The [ndarray](https://docs.rs/ndarray) backend: BLAS and LAPACK, by way of
//! [ndarray-linalg](https://docs.rs/ndarray-linalg).
//!
//! Products take views as they are. LAPACK takes column-major matrices, so that factorisations work
//! on packed copies; a row-major matrix handed over as it is would be factored transposed.
//!
//! # Where LAPACK comes from
//! | feature | library |
//! |---|---|
//! | `openblas-system` (default) | the installed OpenBLAS, found by pkg-config |
//! | `openblas-static` | OpenBLAS, downloaded and compiled |
//! | `netlib-system`, `netlib-static` | the reference BLAS and LAPACK |
//! | `intel-mkl-system`, `intel-mkl-static` | Intel MKL |
//! | none | whatever the final program links; it must have CBLAS and LAPACK symbols |
//!
//! OpenBLAS is kept to one thread inside kernels, see [`Ndarray`]; the MKL linked here is the
//! sequential one. A library of your own has to be kept to one thread by its own means.
//!
//! ```
//! use minrisk_core::{Backend, Matrix, View};
//! use minrisk_ndarray::Ndarray;
//! let rows = [[1.0, 2.0], [3.0, 4.0]];
//! let mut gram = Matrix::zeros(2, 2);
//! Ndarray.add_gram(View::from_arrays(&rows), gram.view_mut());
//! assert_eq!(gram[(1, 0)], 14.0);
//! ```

mod convert;
mod gram;
mod native;
mod threads;

use std::cmp::Ordering;

use lax::error::Error;
use lax::layout::MatrixLayout;
use lax::{Diag, JobSvd, Lapack, SvdOwned, UPLO};
use minrisk_core::{Backend, KernelError, Scalar, View, ViewMut};
use ndarray::linalg::{general_mat_mul, general_mat_vec_mul};

use convert::{array, array_mut, extend_by_column, packed, unpack};
pub use convert::{column, view};
use gram::Syrk;
pub use native::Native;
use threads::SingleThread;

/// BLAS and LAPACK as a backend, for users of ndarray.
///
/// With OpenBLAS, its number of threads is one while any kernel runs and is then what it was before.
/// The setting is the process's: calls to OpenBLAS elsewhere meanwhile are on one thread, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ndarray;

impl<T> Backend<T> for Ndarray
where
    T: Scalar + Lapack + ndarray_linalg::Scalar<Real = T> + Syrk,
{
    fn name(&self) -> &'static str {
        "ndarray"
    }

    fn doubles(&self) -> &dyn Backend<f64> {
        self
    }

    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, c: ViewMut<'_, T>) {
        if a.is_empty() || b.is_empty() {
            return;
        }
        if c.rows() == 1 && c.cols() > 1 {
            return self.add_product(b.transpose(), a.transpose(), c.transpose());
        }
        let _single = SingleThread::enter();
        let (a, b, mut c) = (array(a), array(b), array_mut(c));
        if c.ncols() == 1 {
            general_mat_vec_mul(T::ONE, &a, &b.column(0), T::ONE, &mut c.column_mut(0));
        } else {
            general_mat_mul(T::ONE, &a, &b, T::ONE, &mut c);
        }
    }

    fn add_gram(&self, a: View<'_, T>, mut c: ViewMut<'_, T>) {
        let _single = SingleThread::enter();
        if !gram::add(a, &mut c) {
            self.add_product(a.transpose(), a, c);
        }
    }

    fn cholesky(&self, mut a: ViewMut<'_, T>) -> Result<(), KernelError> {
        if a.is_empty() {
            return Ok(());
        }
        let _single = SingleThread::enter();
        let dim = a.rows();
        let mut l = packed(a.as_view());
        T::cholesky(column_major(dim, dim), UPLO::Lower, &mut l).map_err(failed_pivot)?;
        // OpenBLAS asks whether a pivot is below zero, which a NaN is not.
        let positive = |pivot: T| pivot.partial_cmp(&T::ZERO) == Some(Ordering::Greater);
        if let Some(pivot) = (0..dim).find(|i| !positive(l[i * (dim + 1)])) {
            return Err(KernelError::NotPositiveDefinite { pivot });
        }
        unpack(&l, &mut a);
        Ok(())
    }

    fn stack_qr(&self, mut r: ViewMut<'_, T>, block: ViewMut<'_, T>) {
        // Bounds the scratch memory, and the extents, which are 32-bit integers in LAPACK.
        const ROWS_AT_ONCE: usize = 8192;
        let _single = SingleThread::enter();
        let (rows, mut start) = (block.rows(), 0);
        loop {
            let end = rows.min(start + ROWS_AT_ONCE);
            fold(&mut r, block.as_view().row_range(start..end));
            if end == rows {
                return;
            }
            start = end;
        }
    }

    fn svd(
        &self,
        a: View<'_, T>,
        mut u: ViewMut<'_, T>,
        s: &mut [T],
        mut v: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        if a.is_empty() {
            return Ok(());
        }
        let _single = SingleThread::enter();
        let layout = column_major(a.rows(), a.cols());
        // Divide and conquer fails on rare matrices, which the QR iteration then decomposes; its U
        // and Vᵀ are square. lax computes their sizes in 32 bits.
        let fits = |rows: usize, cols: usize| i32::try_from(rows * cols).is_ok();
        let by_halves = || T::svddc(layout, JobSvd::Some, &mut packed(a)).ok();
        let by_iteration = || T::svd(layout, true, true, &mut packed(a)).ok();
        let svd = fits(a.rows(), a.cols()).then(by_halves).flatten().or_else(|| {
            let widest = a.rows().max(a.cols());
            fits(widest, widest).then(by_iteration).flatten()
        });
        let Some(SvdOwned { s: values, u: Some(left), vt: Some(right) }) = svd else {
            return Err(KernelError::NoConvergence);
        };
        s.copy_from_slice(&values);
        // As many as there are singular values, or as columns.
        let right_rows = right.len() / a.cols();
        u.fill_with(|row, col| left[row + col * a.rows()]);
        v.fill_with(|row, col| right[col + row * right_rows]);
        Ok(())
    }

    fn symmetric_eigen(
        &self,
        a: View<'_, T>,
        values: &mut [T],
        mut vectors: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        if a.is_empty() {
            return Ok(());
        }
        let _single = SingleThread::enter();
        let mut columns = packed(a);
        let ascending = T::eigh(true, column_major(a.rows(), a.cols()), UPLO::Lower, &mut columns)
            .map_err(|_| KernelError::NoConvergence)?;
        values.copy_from_slice(&ascending);
        unpack(&columns, &mut vectors);
        Ok(())
    }

    fn solve_lower(&self, l: View<'_, T>, b: ViewMut<'_, T>) {
        solve(l, UPLO::Lower, b);
    }

    fn solve_upper(&self, u: View<'_, T>, b: ViewMut<'_, T>) {
        solve(u, UPLO::Upper, b);
    }
}

/// Compiles the kernels in this crate: development builds share generic code with the crates that it was compiled for.
#[cfg(all(debug_assertions, not(test)))]
#[used]
static KERNELS: (&dyn Backend<f32>, &dyn Backend<f64>) = (&Ndarray, &Ndarray);

/// R ← the triangular factor of [R; B].
fn fold<T: Scalar + Lapack>(r: &mut ViewMut<'_, T>, block: View<'_, T>) {
    if r.is_empty() {
        return;
    }
    let (rows, cols) = (r.rows() + block.rows(), r.cols());
    let mut stacked = Vec::with_capacity(rows * cols);
    for col in 0..cols {
        let start = stacked.len();
        extend_by_column(&mut stacked, r.as_view(), col);
        stacked[start + col + 1..].fill(T::ZERO);
        extend_by_column(&mut stacked, block, col);
    }
    let reflected = T::householder(column_major(rows, cols), &mut stacked);
    debug_assert!(reflected.is_ok(), "LAPACK's QR fails on invalid arguments only");
    r.fill_with(|row, col| if row <= col { stacked[row + col * rows] } else { T::ZERO });
}

/// B ← A⁻¹·B with A triangular.
fn solve<T: Scalar + Lapack>(a: View<'_, T>, triangle: UPLO, mut b: ViewMut<'_, T>) {
    if b.is_empty() {
        return;
    }
    let _single = SingleThread::enter();
    let mut x = packed(b.as_view());
    let (dim, layout) = (a.rows(), column_major(b.rows(), b.cols()));
    let solved = T::solve_triangular(
        column_major(dim, dim),
        layout,
        triangle,
        Diag::NonUnit,
        &packed(a),
        &mut x,
    );
    debug_assert!(solved.is_ok(), "the diagonal has no zero");
    unpack(&x, &mut b);
}

/// The layout of a packed matrix, whose extents fit LAPACK's integers as they fit memory.
fn column_major(rows: usize, cols: usize) -> MatrixLayout {
    MatrixLayout::F { col: cols as i32, lda: rows as i32 }
}

/// LAPACK counts pivots from one.
fn failed_pivot(error: Error) -> KernelError {
    let pivot = match error {
        Error::LapackComputationalFailure { return_code } => return_code as usize - 1,
        Error::LapackInvalidValue { .. } | Error::InvalidShape => 0,
    };
    KernelError::NotPositiveDefinite { pivot }
}

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
                let failure = Ndarray.cholesky(a.view_mut());
                assert_eq!(failure, Err(KernelError::NotPositiveDefinite { pivot }));
            }
        }
    }

    #[test]
    fn row_major_matrices_are_not_factored_transposed() {
        // Only the lower triangle is set: transposed, it would be the identity.
        let by_rows = [4.0, 0.0, 2.0, 5.0];
        let mut l = by_rows;
        Ndarray.cholesky(ViewMut::row_major(&mut l, 2, 2).unwrap()).unwrap();
        assert_eq!((l[0], l[2], l[3]), (2.0, 1.0, 2.0));
        let mut x = [2.0, 9.0];
        let lower = View::row_major(&l, 2, 2).unwrap();
        Ndarray.solve_lower(lower, ViewMut::col_major(&mut x, 2, 1).unwrap());
        assert_eq!(x, [1.0, 4.0]);
    }

    #[test]
    fn long_blocks_are_folded_in_parts() {
        let rows = 20_000;
        let (mut r, mut block) = (Matrix::<f64>::zeros(2, 2), Matrix::filled(rows, 2, 1.0));
        block.col_mut(1)[rows - 1] = 2.0;
        Ndarray.stack_qr(r.view_mut(), block.view_mut());
        assert!((r[(0, 0)].abs() - (rows as f64).sqrt()).abs() < 1e-9);
        assert!((r[(1, 1)].abs() - (1.0 - 1.0 / rows as f64).sqrt()).abs() < 1e-9);
        assert_eq!(r[(1, 0)], 0.0);
    }
}
