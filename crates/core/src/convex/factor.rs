//! H = LLᵀ for the d × d systems of the solvers, in doubles.

use crate::{Backend, Matrix};

/// The most that a diagonal is lifted, relative to itself.
const MAX_LIFT: f64 = 1.0;

/// The Cholesky factor of a symmetric matrix.
pub(super) struct Factor<'a> {
    backend: &'a dyn Backend<f64>,
    lower: Matrix<f64>,
}

impl<'a> Factor<'a> {
    /// Of a matrix whose lower triangle is given; `None` unless it is positive definite.
    pub(super) fn of(backend: &'a dyn Backend<f64>, mut matrix: Matrix<f64>) -> Option<Self> {
        backend.cholesky(matrix.view_mut()).ok()?;
        Some(Self { backend, lower: matrix })
    }

    /// The same with the diagonal lifted until there is a factor, at first by a few units of rounding;
    /// `None` where even doubling it does not help. An unknown without any curvature stays where it is.
    pub(super) fn lifted(backend: &'a dyn Backend<f64>, matrix: &Matrix<f64>) -> Option<Self> {
        let mut lift = 0.0;
        while lift <= MAX_LIFT {
            let mut trial = matrix.clone();
            for j in 0..trial.rows() {
                let diagonal = matrix[(j, j)] * (1.0 + lift);
                trial[(j, j)] = if diagonal == 0.0 { 1.0 } else { diagonal };
            }
            if let Some(factor) = Self::of(backend, trial) {
                return Some(factor);
            }
            lift = (lift * 100.0).max(32.0 * f64::EPSILON);
        }
        None
    }

    /// Of the rows and columns of a support, with `ridge` added to the diagonal.
    pub(super) fn of_support(
        backend: &'a dyn Backend<f64>,
        hessian: &Matrix<f64>,
        support: &[usize],
        ridge: impl Fn(usize) -> f64,
    ) -> Option<Self> {
        let matrix = Matrix::from_fn(support.len(), support.len(), |a, b| {
            let more = if a == b { ridge(support[a]) } else { 0.0 };
            hessian[(support[a], support[b])] + more
        });
        Self::of(backend, matrix)
    }

    /// The least share of a diagonal element that the columns before do not account for: rounding, where columns depend
    /// on each other.
    pub(super) fn least_share(&self, diagonal: impl Iterator<Item = f64>) -> f64 {
        let pivots = (0..self.lower.rows()).map(|j| self.lower[(j, j)].powi(2));
        pivots.zip(diagonal).map(|(pivot, h)| pivot / h).fold(f64::INFINITY, f64::min)
    }

    /// H⁻¹·side.
    pub(super) fn solve(&self, side: &[f64]) -> Vec<f64> {
        let mut solution = Matrix::from_fn(side.len(), 1, |i, _| side[i]);
        self.backend.solve_lower(self.lower.view(), solution.view_mut());
        self.backend.solve_upper(self.lower.view().transpose(), solution.view_mut());
        solution.as_slice().to_vec()
    }
}
