//! Checks of least-squares and ridge solvers, one subject a file.
//!
//! A solver is judged by the exact rational solution of the numbers it was given, by certified data,
//! and by its own certificate, which may claim less than what is there but never more.

mod certificate;
mod families;
mod input;
mod invariance;
mod judge;
mod nist;
mod rank;
mod ridge;
mod scales;
mod threads;
mod weights;

use minrisk_core::loss::Squared;
use minrisk_core::penalty::{L2, PerSample, Total, Unpenalised};
use minrisk_core::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver};

pub use certificate::*;
pub use families::*;
pub use input::*;
pub use invariance::*;
pub(crate) use judge::judge_by_truth;
pub use judge::{Demand, judge};
pub use nist::*;
pub use rank::*;
pub use ridge::*;
pub use scales::*;
pub use threads::*;
pub use weights::*;

/// A solver for least squares.
pub type LeastSquaresSolver<'a, T> = dyn Solver<T, Squared, Unpenalised> + Sync + 'a;

/// A solver for ridge regression in both scales of its penalty.
pub trait RidgeSolver<T: Scalar>:
    Solver<T, Squared, L2<Total>> + Solver<T, Squared, L2<PerSample>>
{
}

impl<T: Scalar, S> RidgeSolver<T> for S where
    S: Solver<T, Squared, L2<Total>> + Solver<T, Squared, L2<PerSample>>
{
}

/// Fits least squares, with or without intercept.
pub(crate) fn fit<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
    data: &Dataset<'_, T>,
    intercept: bool,
) -> Result<Fit<T>, Error> {
    solver.solve(backend, &Erm { loss: Squared, penalty: Unpenalised, intercept }, data)
}

/// Condition numbers from 1 to the largest that leaves all digits within reach: 10¹³ for doubles,
/// and as far from 1/u in other types.
fn conditions<T: Scalar>() -> Vec<f64> {
    let most = 1e13 * 2.0_f64.powi(-53) / T::unit_roundoff();
    [0.0, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0].iter().map(|power| most.powf(*power)).collect()
}
