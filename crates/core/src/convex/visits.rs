//! Rows one by one: the data as the stochastic and the dual coordinate methods see it.

use super::problem::Problem;
use super::vectors::dot;
use crate::by_rows::ByRows;
use crate::loss::Loss;
use crate::{Error, Scalar};

/// The rows as slices, with what belongs to each in doubles.
pub(super) struct Visits<'a, T> {
    rows: ByRows<'a, T>,
    pub(super) targets: Vec<f64>,
    pub(super) weights: Vec<f64>,
    offsets: Vec<f64>,
}

impl<'a, T: Scalar> Visits<'a, T> {
    /// The rows of a problem; copied where they are not contiguous.
    pub(super) fn of<L: Loss>(problem: &Problem<'a, T, L>) -> Result<Self, Error> {
        let data = problem.data;
        let crate::Design::Dense(x) = data.design();
        let column = |view: Option<crate::View<'_, T>>, missing: f64| match view {
            Some(view) => view.col_iter(0).map(|v| v.to_double()).collect(),
            None => vec![missing; data.rows()],
        };
        Ok(Self {
            rows: ByRows::new(x)?,
            targets: column(Some(data.target_view()), 0.0),
            weights: column(data.weights(), 1.0),
            offsets: column(data.offsets(), 0.0),
        })
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// x_t.
    #[inline(always)]
    pub(super) fn row(&self, t: usize) -> &[T] {
        match &self.rows {
            ByRows::Borrowed(view) => view.row_slice(t).expect("rows are contiguous"),
            ByRows::Copied { data, cols, .. } => &data[t * cols..(t + 1) * cols],
        }
    }

    /// o_t.
    #[inline(always)]
    pub(super) fn offset(&self, t: usize) -> f64 {
        self.offsets[t]
    }

    /// w·x_t + b + o_t.
    #[inline(always)]
    pub(super) fn prediction(&self, t: usize, weights: &[f64], level: f64) -> f64 {
        dot(self.row(t), weights) + level + self.offsets[t]
    }
}
