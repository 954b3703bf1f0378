//! Rows one by one: the data as the stochastic and the dual coordinate methods see it.

use super::problem::Problem;
use super::vectors::dot;
use crate::by_rows::ByRows;
use crate::loss::Loss;
use crate::simd::prefetch;
use crate::{Error, Scalar};

/// How many visits ahead a row is [asked for](Visits::prefetch): which row is next does not depend on the weights.
pub(super) const AHEAD: usize = 16;

/// The rows as slices, with what belongs to each in doubles.
pub(super) struct Visits<'a, T> {
    rows: ByRows<'a, T>,
    /// Side by side: a row that is visited out of order costs one look here.
    pub(super) about: Vec<About>,
}

/// y_t, c_t and o_t.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    pub(super) target: f64,
    pub(super) weight: f64,
    pub(super) offset: f64,
}

impl<'a, T: Scalar> Visits<'a, T> {
    /// The rows of a problem; copied where they are not contiguous.
    pub(super) fn of<L: Loss>(problem: &Problem<'a, T, L>) -> Result<Self, Error> {
        let data = problem.data;
        let crate::Design::Dense(x) = data.design();
        let targets = data.target_view();
        let about = |t: usize| About {
            target: targets[(t, 0)].to_double(),
            weight: data.weight_of(t),
            offset: data.offset_of(t),
        };
        Ok(Self { rows: ByRows::new(x)?, about: (0..data.rows()).map(about).collect() })
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.about.len()
    }

    /// Asks for a row that will be visited soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, t: usize) {
        prefetch(self.row(t));
        prefetch(&self.about[t..=t]);
    }

    /// x_t.
    #[inline(always)]
    pub(super) fn row(&self, t: usize) -> &[T] {
        match &self.rows {
            ByRows::Borrowed(view) => view.row_slice(t).expect("rows are contiguous"),
            ByRows::Copied { data, cols, .. } => &data[t * cols..(t + 1) * cols],
        }
    }

    /// w·x_t + b + o_t.
    #[inline(always)]
    pub(super) fn prediction(&self, t: usize, weights: &[f64], level: f64) -> f64 {
        dot(self.row(t), weights) + level + self.about[t].offset
    }
}
