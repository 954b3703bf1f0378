//! A backend in plain loops for the unit tests: the one kernel that halfspaces ask for.

use crate::{Backend, KernelError, Scalar, View, ViewMut};

#[derive(Debug)]
pub(crate) struct Plain;

impl<T: Scalar> Backend<T> for Plain {
    fn name(&self) -> &'static str {
        "plain loops"
    }

    fn doubles(&self) -> &dyn Backend<f64> {
        self
    }

    fn add_product(&self, a: View<'_, T>, b: View<'_, T>, mut c: ViewMut<'_, T>) {
        for i in 0..a.rows() {
            for j in 0..b.cols() {
                c[(i, j)] = (0..a.cols()).fold(c[(i, j)], |sum, k| sum + a[(i, k)] * b[(k, j)]);
            }
        }
    }

    fn cholesky(&self, _: ViewMut<'_, T>) -> Result<(), KernelError> {
        unreachable!("halfspaces need no factorisation")
    }

    fn stack_qr(&self, _: ViewMut<'_, T>, _: ViewMut<'_, T>) {
        unreachable!("halfspaces need no factorisation")
    }

    fn svd(
        &self,
        _: View<'_, T>,
        _: ViewMut<'_, T>,
        _: &mut [T],
        _: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        unreachable!("halfspaces need no factorisation")
    }

    fn symmetric_eigen(
        &self,
        _: View<'_, T>,
        _: &mut [T],
        _: ViewMut<'_, T>,
    ) -> Result<(), KernelError> {
        unreachable!("halfspaces need no factorisation")
    }

    fn solve_lower(&self, _: View<'_, T>, _: ViewMut<'_, T>) {
        unreachable!("halfspaces need no factorisation")
    }

    fn solve_upper(&self, _: View<'_, T>, _: ViewMut<'_, T>) {
        unreachable!("halfspaces need no factorisation")
    }
}
