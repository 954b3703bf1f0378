//! Columns that cannot be in the answer: gap-safe screening (Fercoq, Gramfort, Salmon 2015; Ndiaye et al. 2017).
//!
//! The dual objective is 1/L-strongly concave in u, with L the smoothness of the loss and c_t the weights of the rows,
//! so the best dual point u* is near any feasible u: Σ c_t (u*_t − u_t)² ≤ 2L·gap. Hence
//!
//! |v*_j| ≤ |v_j| + ‖x_j‖·√(2L·gap),  v_j = Σ c_t u_t x_tj,  ‖x_j‖² = Σ c_t x_tj²,
//!
//! and where the right side is below λ₁ⱼ, w*_j = 0 for certain: the column need not be looked at again.

use super::dual_point::DualPoint;
use super::problem::Problem;
use crate::loss::TwiceSmooth;
use crate::simd::{Kernel, vectorised};
use crate::wide::ExactProduct;
use crate::{Block, Error, Reduction, Rows, Scalar};

/// ‖x_j‖ of every column.
pub(super) struct ColumnNorms(Vec<f64>);

impl ColumnNorms {
    pub(super) fn of<T: Scalar, L: TwiceSmooth>(
        problem: &Problem<'_, T, L>,
    ) -> Result<Self, Error> {
        let cols = problem.features();
        let squares = Rows::Memory(problem.data).reduce(&SquaresPass { cols })?;
        Ok(Self(squares.into_iter().map(f64::sqrt).collect()))
    }

    /// The norms of some of the columns.
    pub(super) fn take(&self, columns: &[usize]) -> Self {
        Self(columns.iter().map(|&j| self.0[j]).collect())
    }

    /// The columns that may be in the answer, judged from a dual point.
    pub(super) fn survivors<T: Scalar, L: TwiceSmooth>(
        &self,
        problem: &Problem<'_, T, L>,
        point: &DualPoint,
    ) -> Vec<usize> {
        let gap = problem.gap_at(point);
        let radius = (2.0 * problem.loss.smoothness() * gap.max(0.0)).sqrt();
        let stays = |&j: &usize| {
            let reach = point.shrink * point.products[j].abs() + self.0[j] * radius;
            // A gap that is no number proves nothing.
            let is_out = reach * (1.0 + 1e-12) < problem.terms.l1[j];
            !is_out
        };
        (0..problem.features()).filter(stays).collect()
    }
}

/// Σ c_t x_tj² of every column.
struct SquaresPass {
    cols: usize,
}

impl<T: Scalar> Reduction<T> for SquaresPass {
    type State = Vec<f64>;

    fn start(&self) -> Vec<f64> {
        vec![0.0; self.cols]
    }

    fn absorb(&self, squares: &mut Vec<f64>, block: &Block<'_, T>) {
        vectorised(Squares { squares, block });
    }

    fn merge(&self, left: &mut Vec<f64>, right: Vec<f64>) {
        left.iter_mut().zip(right).for_each(|(a, b)| *a += b);
    }
}

struct Squares<'k, 'b, T> {
    squares: &'k mut [f64],
    block: &'k Block<'b, T>,
}

impl<T: Scalar> Kernel for Squares<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let Self { squares, block } = self;
        let weight = |i: usize| block.weight_of(i);
        for i in 0..block.x.rows() {
            let c = weight(i);
            match block.x.row_slice(i) {
                Some(row) => squares
                    .iter_mut()
                    .zip(row)
                    .for_each(|(sum, x)| *sum += c * x.to_double() * x.to_double()),
                None => squares
                    .iter_mut()
                    .enumerate()
                    .for_each(|(j, sum)| *sum += c * block.x[(i, j)].to_double().powi(2)),
            }
        }
    }
}
