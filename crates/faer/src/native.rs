//! faer's own least squares: QR with column pivoting, as a faer user would call it.

use faer::prelude::SolveLstsq;
use faer::{Mat, MatRef};
use minrisk_core::loss::Squared;
use minrisk_core::native::solve_natively;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Dataset, Erm, Error, Fit, Matrix, Scalar, Solver};

/// `design.col_piv_qr().solve_lstsq(targets)`, unrefined.
///
/// Uses faer's global parallelism setting, as faer's users do. Takes no more unknowns than rows,
/// because faer does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Native;

impl<T: Scalar + faer::traits::RealField> Solver<T, Squared, Unpenalised> for Native {
    fn solve(
        &self,
        _backend: &dyn Backend<T>,
        problem: &Erm<Squared, Unpenalised>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        solve_natively("faer", "QR with column pivoting", problem, data, |design, targets| {
            if design.rows() < design.cols() {
                return Err(Error::Unsupported {
                    solver: "faer's least squares",
                    reason: "it has fewer rows than unknowns; use LeastSquares",
                });
            }
            let solution: Mat<T> = matrix(&design).col_piv_qr().solve_lstsq(matrix(&targets));
            let rows = design.cols();
            Ok(Matrix::from_fn(rows, targets.cols(), |i, k| solution[(i, k)]))
        })
    }
}

fn matrix<T: Scalar>(matrix: &Matrix<T>) -> MatRef<'_, T> {
    MatRef::from_column_major_slice(matrix.as_slice(), matrix.rows(), matrix.cols())
}
