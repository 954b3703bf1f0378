//! Passes over the data as the benchmarks run them.

use minrisk_core::{Backend, Block, Matrix, Reduction};

/// The Gram matrix of so many columns through the engine.
pub struct GramPass(pub &'static dyn Backend<f64>, pub usize);

impl Reduction<f64> for GramPass {
    type State = Matrix<f64>;

    fn start(&self) -> Matrix<f64> {
        Matrix::zeros(self.1, self.1)
    }

    fn absorb(&self, gram: &mut Matrix<f64>, block: &Block<'_, f64>) {
        self.0.add_gram(block.x, gram.view_mut());
    }

    fn merge(&self, left: &mut Matrix<f64>, right: Matrix<f64>) {
        left.as_mut_slice().iter_mut().zip(right.as_slice()).for_each(|(a, b)| *a += b);
    }
}
