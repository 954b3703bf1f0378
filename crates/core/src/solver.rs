//! Solvers: an algorithm that finds the minimiser of a problem on a backend.

use crate::{Backend, Dataset, Erm, Error, Fit, Scalar};

/// An algorithm for problems with loss `L` and penalty `P` on data of type `T`.
///
/// Which losses and penalties an algorithm takes is written in its `impl`, so that what does not fit
/// does not compile.
pub trait Solver<T: Scalar, L, P> {
    /// Minimises the objective. Not converging is a status of the fit, not an error.
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error>;
}
