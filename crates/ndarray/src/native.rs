//! LAPACK's own least squares through ndarray-linalg: `gelsd`, divide and conquer on the SVD.

use minrisk_core::loss::Squared;
use minrisk_core::native::solve_natively;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Dataset, Erm, Error, Fit, KernelError, Matrix, Scalar, Solver};
use ndarray::{Array1, Array2, ShapeBuilder};
use ndarray_linalg::error::LinalgError;
use ndarray_linalg::{Lapack, LeastSquaresSvd};

/// `design.least_squares(&targets)`, unrefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Native;

impl<T: Scalar + Lapack> Solver<T, Squared, Unpenalised> for Native {
    fn solve(
        &self,
        _backend: &dyn Backend<T>,
        problem: &Erm<Squared, Unpenalised>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        solve_natively("ndarray", "LAPACK gelsd", problem, data, |design, targets| {
            let failed = |_: LinalgError| KernelError::NoConvergence;
            let shape = |m: &Matrix<T>| (m.rows(), m.cols()).f();
            let x = Array2::from_shape_vec(shape(&design), design.as_slice().to_vec())
                .map_err(|_| KernelError::NoConvergence)?;
            let mut solution = Matrix::zeros(design.cols(), targets.cols());
            for (k, target) in targets.columns().enumerate() {
                let y = Array1::from_vec(target.to_vec());
                let solved = x.least_squares(&y).map_err(failed)?.solution;
                solution.col_mut(k).copy_from_slice(&solved.to_vec());
            }
            Ok(solution)
        })
    }
}
