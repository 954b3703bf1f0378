//! nalgebra's own least squares: the singular value decomposition, as a nalgebra user would call it.

use minrisk_core::loss::Squared;
use minrisk_core::native::solve_natively;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Dataset, Erm, Error, Fit, KernelError, Matrix, Scalar, Solver};
use nalgebra::{DMatrix, RealField, SVD};

/// `SVD::try_new(design).solve(targets, ε·max(m, d)·σ₁)`, unrefined.
///
/// The iteration limit is the one liberty taken: `svd()` has none and may never return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Native;

impl<T: Scalar + RealField> Solver<T, Squared, Unpenalised> for Native {
    fn solve(
        &self,
        _backend: &dyn Backend<T>,
        problem: &Erm<Squared, Unpenalised>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        solve_natively("nalgebra", "SVD", problem, data, |design, targets| {
            let x = DMatrix::from_column_slice(design.rows(), design.cols(), design.as_slice());
            let y = DMatrix::from_column_slice(targets.rows(), targets.cols(), targets.as_slice());
            let epsilon = <T as num_traits::Float>::epsilon();
            let svd =
                SVD::try_new(x, true, true, epsilon, 10_000).ok_or(KernelError::NoConvergence)?;
            let size = T::from_double(design.rows().max(design.cols()) as f64);
            let cutoff = epsilon * size * svd.singular_values[0];
            let solution = svd.solve(&y, cutoff).map_err(|_| KernelError::NoConvergence)?;
            Ok(Matrix::from_fn(design.cols(), targets.cols(), |i, k| solution[(i, k)]))
        })
    }
}
