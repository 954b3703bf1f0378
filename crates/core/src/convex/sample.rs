//! A start from a sample of the rows.
//!
//! The minimiser on n of m rows, the penalty reduced to their share, has an excess risk of about d/2n for each row
//! (d/2n·m in all), which is what the first half of all steps over all rows would be spent on. On a sample
//! those steps cost n/m of a pass each.

use super::problem::Problem;
use super::run::{Control, Run};
use super::smooth::descend;
use super::working_set::{ALL_IN, Aim};
use crate::loss::{Loss, TwiceSmooth};
use crate::penalty::Terms;
use crate::{Dataset, Error, Scalar};

/// Rows of a sample for each column, at least; and at least so many in all.
const ROWS_PER_COLUMN: usize = 20;
const LEAST_ROWS: usize = 2048;
/// The share of the rows that a sample takes where that is more.
const SHARE: usize = 16;
/// The most rows for each column: more make no better start.
const MOST_ROWS_PER_COLUMN: usize = 200;
/// A sample of more than a quarter of the rows saves nothing.
const LEAST_STRIDE: usize = 4;
/// Steps on the sample: enough to get near, not for data whose sample is separable to run off.
const MAX_STEPS: usize = 12;
/// The relative gap to which the sample is worth solving.
const GAP: f64 = 1e-4;

/// Every how many rows a sample takes one.
pub(super) fn stride(rows: usize, columns: usize) -> usize {
    let wanted = (rows / SHARE).min(MOST_ROWS_PER_COLUMN * columns);
    (rows / wanted.max(ROWS_PER_COLUMN * columns).max(LEAST_ROWS)).max(1)
}

/// Rows that are neighbours in a look at a few rows: a contiguous column is then read by whole lines of the cache.
const NEIGHBOURS: usize = 8;

/// About so many rows from all over the data, in groups of neighbours; all rows where there are no more.
pub(super) fn a_few(rows: usize, wanted: usize) -> Vec<usize> {
    if rows <= wanted.max(2 * NEIGHBOURS) {
        return (0..rows).collect();
    }
    let groups = (wanted / NEIGHBOURS).max(2);
    let first = |group: usize| group * (rows - NEIGHBOURS) / (groups - 1);
    (0..groups).flat_map(|group| first(group)..first(group) + NEIGHBOURS).collect()
}

/// The point to start from: the minimiser on a sample where that is cheap and better than zero.
pub(super) fn start<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
) -> Result<Vec<f64>, Error> {
    let zero = vec![0.0; problem.unknowns()];
    let stride = stride(problem.data.rows(), problem.features());
    // Working sets start from few columns, which is as good.
    let by_working_sets = !problem.terms.is_smooth() && problem.features() > ALL_IN;
    if L::QUADRATIC || stride < LEAST_STRIDE || by_working_sets {
        return Ok(zero);
    }
    let data = problem.data.every(stride)?;
    let sample = problem.on_sample(&data);
    let control = Control { max_iterations: Some(MAX_STEPS), ..Control::to_gap(GAP) };
    let (_, theta) =
        descend(&sample, zero.clone(), &mut Run::new(&control, MAX_STEPS), Aim::Gap(GAP))?;
    // On other rows of the same size: a sample that misleads is not followed.
    let others = problem.data.every_from(stride, stride / 2)?;
    let others = sample.with_columns(&others, sample.terms.clone());
    let better = others.evaluate(&theta)?.objective < others.evaluate(&zero)?.objective;
    Ok(if better { theta } else { zero })
}

impl<'a, T: Scalar, L: Loss> Problem<'a, T, L> {
    /// The problem on some of its rows, the penalty reduced to their share.
    pub(super) fn on_sample<'b>(&self, sample: &'b Dataset<'b, T>) -> Problem<'b, T, L>
    where
        'a: 'b,
    {
        let share = sample.total_weight().to_f64() / self.weight;
        let reduced = |lambda: &[f64]| lambda.iter().map(|l| l * share).collect();
        let Terms { l1, l2 } = &self.terms;
        self.with_columns(sample, Terms { l1: reduced(l1), l2: reduced(l2) })
    }
}

impl<'a, T: Scalar> Dataset<'a, T> {
    /// Every `step`-th row.
    pub(super) fn every(&self, step: usize) -> Result<Dataset<'a, T>, Error> {
        self.every_from(step, 0)
    }

    /// Every `step`-th row from the one numbered `first`.
    fn every_from(&self, step: usize, first: usize) -> Result<Dataset<'a, T>, Error> {
        let rows = self.rows();
        let take = |view: crate::View<'a, T>| view.row_range(first..rows).every(step);
        let crate::Design::Dense(x) = self.design();
        let sample = Dataset::new(take(x), take(self.target_view()))?;
        let sample = match self.weights().map(take) {
            // A sample whose weights are all zero says nothing; its rows count once each then.
            Some(weights) if weights.col_iter(0).any(|c| *c > T::zero()) => {
                sample.with_precisions(weights)?
            }
            _ => sample,
        };
        match self.offsets() {
            Some(offsets) => sample.with_offsets(take(offsets)),
            None => Ok(sample),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_rows_are_in_order_and_reach_both_ends() {
        for (rows, wanted) in
            [(0, 9), (1, 1), (17, 16), (100, 8), (1000, 512), (1001, 1000), (100_000, 128)]
        {
            let few = a_few(rows, wanted);
            assert!(few.windows(2).all(|pair| pair[0] < pair[1]), "{rows} {wanted}");
            assert!(few.len() <= wanted.max(2 * NEIGHBOURS), "{rows} {wanted}");
            assert_eq!(few.first(), (0..rows).next().as_ref(), "{rows} {wanted}");
            assert_eq!(few.last(), (0..rows).last().as_ref(), "{rows} {wanted}");
        }
    }
}
