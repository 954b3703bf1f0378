//! The hat matrix, a row at a time: leverages and the middle of the robust sandwich.
//!
//! With A = RᵀR, z_t = R⁻ᵀx_t has ‖z_t‖² = x_tᵀA⁻¹x_t, the leverage of row t, and the sandwich
//! A⁻¹(Σ ω_t x_t x_tᵀ)A⁻¹ is R⁻¹(Σ ω_t z_t z_tᵀ)R⁻ᵀ: one triangular solve for a block of rows.

use super::factor::Factor;
use super::triangle::FactorBlock;
use crate::inference::Covariance;
use crate::kernels::ResidualKernel;
use crate::wide::Number;
use crate::{Backend, Block, Matrix, Reduction, Scalar, WeightKind};

/// z_t for the rows of a block, one column each, weights left out.
fn whitened<T: Scalar>(
    backend: &dyn Backend<T>,
    factor: &Factor<T>,
    columns: &[usize],
    block: &Block<'_, T>,
) -> Matrix<T> {
    let mut buffer = FactorBlock::default();
    let unweighted = Block { weights: None, ..*block };
    let packed = buffer.pack(&factor.coordinates, &unweighted, columns);
    let mut whitened = Matrix::from_view(packed.as_view().transpose());
    backend.solve_lower(factor.r().transpose(), whitened.view_mut());
    whitened
}

fn square<T: Scalar>(z: &[T]) -> f64 {
    z.iter().map(|v| v.to_double().powi(2)).sum()
}

/// x_tᵀA⁻¹x_t of every row.
pub(super) struct LeveragePass<'a, T: Scalar> {
    pub(super) backend: &'a dyn Backend<T>,
    pub(super) factor: &'a Factor<T>,
    pub(super) columns: &'a [usize],
}

impl<T: Scalar> Reduction<T> for LeveragePass<'_, T> {
    type State = Vec<f64>;

    fn start(&self) -> Vec<f64> {
        Vec::new()
    }

    fn absorb(&self, state: &mut Vec<f64>, block: &Block<'_, T>) {
        let whitened = whitened(self.backend, self.factor, self.columns, block);
        state.extend(whitened.columns().map(square));
    }

    fn merge(&self, left: &mut Vec<f64>, right: Vec<f64>) {
        left.extend(right);
    }
}

/// Σ c_t ω_t z_t z_tᵀ, lower triangle.
pub(super) struct SandwichPass<'a, T: Scalar> {
    pub(super) backend: &'a dyn Backend<T>,
    pub(super) factor: &'a Factor<T>,
    pub(super) columns: &'a [usize],
    pub(super) covariance: Covariance,
    pub(super) weight_kind: WeightKind,
    pub(super) target: usize,
    /// All coefficients of the target and its intercept.
    pub(super) coefficients: Vec<T::Wide>,
    pub(super) intercept: T::Wide,
    pub(super) observations: f64,
    pub(super) parameters: f64,
}

impl<T: Scalar> Reduction<T> for SandwichPass<'_, T> {
    type State = Matrix<T>;

    fn start(&self) -> Matrix<T> {
        Matrix::zeros(self.factor.len(), self.factor.len())
    }

    fn absorb(&self, state: &mut Matrix<T>, block: &Block<'_, T>) {
        let mut whitened = whitened(self.backend, self.factor, self.columns, block);
        let mut kernel = ResidualKernel::<T, T::Wide>::new(&self.coefficients, self.intercept);
        let residuals = kernel.residuals(block, self.target);
        for (i, residual) in residuals.into_iter().enumerate() {
            let weight = block.weight_of(i);
            let z = whitened.col_mut(i);
            // A row of precision c is the row √c·x; one of frequency c is c rows.
            let own = if self.weight_kind == WeightKind::Precisions { weight } else { 1.0 };
            let variance = self.covariance.variance(
                residual.to_double() * own.sqrt(),
                square(z) * own,
                self.observations,
                self.parameters,
            );
            let root = if weight == 0.0 { 0.0 } else { (weight * variance).sqrt() };
            z.iter_mut().for_each(|v| *v = T::from_double(v.to_double() * root));
        }
        self.backend.add_gram(whitened.view().transpose(), state.view_mut());
    }

    fn merge(&self, left: &mut Matrix<T>, right: Matrix<T>) {
        left.as_mut_slice().iter_mut().zip(right.as_slice()).for_each(|(a, &b)| *a += b);
    }
}
