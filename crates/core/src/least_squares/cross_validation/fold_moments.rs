//! One pass for the moments of every fold.
//!
//! Gram matrices come in the precision of the data, as everywhere ([`super::super::moments`]). Cross
//! products Σ c x (y − s), s near the mean of y, are taken in the wide precision: where the target is
//! mostly noise they cancel, and with them would go the digits of the solutions.

use crate::kernels::{ResidualKernel, ResidualSums};
use crate::least_squares::moments::{Moments, MomentsPass};
use crate::wide::Number;
use crate::{Backend, Block, Dataset, Error, Reduction, Rows, Scalar, View};

/// The moments of some rows.
pub(super) struct FoldMoments<T: Scalar> {
    pub(super) moments: Moments<T>,
    /// For each target Σ c x r, Σ c r and Σ c r² with r = y − s.
    pub(super) cross: Vec<ResidualSums<T::Wide>>,
}

impl<T: Scalar> FoldMoments<T> {
    /// Σ c (x − μ)(r − ν) of a target, with an intercept; Σ c x r without.
    pub(super) fn centred_cross(&self, target: usize, centred: bool) -> Vec<f64> {
        let sums = &self.cross[target];
        let means = self.moments.x_mean.iter();
        let entry = |(&gradient, &mean): (&T::Wide, &T)| {
            let shift = if centred { sums.total * mean.into() } else { T::Wide::ZERO };
            (gradient - shift).to_double()
        };
        sums.gradient.iter().zip(means).map(entry).collect()
    }

    /// Σ c (r − ν)² of a target, with an intercept; Σ c r² without.
    pub(super) fn centred_squares(&self, target: usize, centred: bool) -> f64 {
        let sums = &self.cross[target];
        let mean = if centred { self.residual_mean(target) } else { 0.0 };
        (sums.squares - mean * mean * self.moments.weight).max(0.0)
    }

    /// ν: the mean of y − s.
    pub(super) fn residual_mean(&self, target: usize) -> f64 {
        self.cross[target].total.to_double() / self.moments.weight
    }
}

/// Takes the moments of every fold; targets are shifted by `shifts`.
pub(super) fn fold_moments<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    of_row: &[usize],
    count: usize,
    centred: bool,
    shifts: &[f64],
) -> Result<Vec<FoldMoments<T>>, Error> {
    let pass = FoldPass { backend, of_row, count, centred, shifts, cols: data.cols() };
    let state = Rows::from(data).reduce(&pass)?;
    Ok(state.into_iter().map(|fold| fold.sums).collect())
}

/// The moments of all folds but one, for each fold, by merging from both ends.
pub(super) fn training_moments<T: Scalar>(
    backend: &dyn Backend<T>,
    folds: &[FoldMoments<T>],
    centred: bool,
) -> Vec<FoldMoments<T>> {
    let cols = folds[0].moments.x_mean.len();
    let targets = folds[0].cross.len();
    let pass = MomentsPass { backend, cols, targets, centred };
    let nothing = || FoldMoments {
        moments: pass.start(),
        cross: (0..targets).map(|_| ResidualSums::zero(cols)).collect(),
    };
    let join = |left: &FoldMoments<T>, right: &FoldMoments<T>| {
        let mut joined = left.moments.without_scratch();
        pass.merge(&mut joined, right.moments.without_scratch());
        let mut cross = left.cross.clone();
        cross.iter_mut().zip(&right.cross).for_each(|(a, b)| a.add(b));
        FoldMoments { moments: joined, cross }
    };
    // suffixes[k] has the folds after k.
    let mut suffixes = vec![nothing()];
    for fold in folds[1..].iter().rev() {
        let last = suffixes.last().expect("starts with nothing");
        suffixes.push(join(fold, last));
    }
    suffixes.reverse();
    let mut before = nothing();
    let mut training = Vec::with_capacity(folds.len());
    for (fold, after) in folds.iter().zip(&suffixes) {
        training.push(join(&before, after));
        before = join(&before, fold);
    }
    training
}

struct FoldPass<'a, T: Scalar> {
    backend: &'a dyn Backend<T>,
    of_row: &'a [usize],
    count: usize,
    centred: bool,
    shifts: &'a [f64],
    cols: usize,
}

struct FoldState<T: Scalar> {
    sums: FoldMoments<T>,
    kernels: Vec<ResidualKernel<T, T::Wide>>,
}

impl<T: Scalar> FoldPass<'_, T> {
    fn moments_pass(&self) -> MomentsPass<'_, T> {
        let (backend, cols) = (self.backend, self.cols);
        MomentsPass { backend, cols, targets: self.shifts.len(), centred: self.centred }
    }
}

impl<T: Scalar> Reduction<T> for FoldPass<'_, T> {
    type State = Vec<FoldState<T>>;

    fn start(&self) -> Self::State {
        let zeros = vec![T::Wide::ZERO; self.cols];
        let kernel = |&shift: &f64| ResidualKernel::new(&zeros, T::Wide::from_double(shift));
        let begin = |_| FoldState {
            sums: FoldMoments {
                moments: self.moments_pass().start(),
                cross: self.shifts.iter().map(|_| ResidualSums::zero(self.cols)).collect(),
            },
            kernels: self.shifts.iter().map(kernel).collect(),
        };
        (0..self.count).map(begin).collect()
    }

    fn absorb(&self, state: &mut Self::State, block: &Block<'_, T>) {
        let of_row = &self.of_row[block.first_row..block.first_row + block.x.rows()];
        let mut gathered = Gathered::default();
        for (fold, state) in state.iter_mut().enumerate() {
            let rows: Vec<usize> = (0..of_row.len()).filter(|&i| of_row[i] == fold).collect();
            let Some((&first, &last)) = rows.first().zip(rows.last()) else { continue };
            let part = if last - first + 1 == rows.len() {
                Block {
                    first_row: block.first_row + first,
                    x: block.x.row_range(first..last + 1),
                    y: block.y.row_range(first..last + 1),
                    weights: block.weights.map(|c| c.row_range(first..last + 1)),
                    offsets: None,
                }
            } else {
                gathered.gather(block, &rows)
            };
            self.moments_pass().absorb(&mut state.sums.moments, &part);
            for (target, kernel) in state.kernels.iter_mut().enumerate() {
                kernel.absorb(&part, target, &mut state.sums.cross[target]);
            }
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        for (left, right) in left.iter_mut().zip(right) {
            self.moments_pass().merge(&mut left.sums.moments, right.sums.moments);
            let cross = left.sums.cross.iter_mut().zip(&right.sums.cross);
            cross.for_each(|(a, b)| a.add(b));
        }
    }
}

/// Room for the rows of a fold.
#[derive(Default)]
struct Gathered<T> {
    x: Vec<T>,
    y: Vec<T>,
    weights: Vec<T>,
}

impl<T: Scalar> Gathered<T> {
    /// A copy of some rows of a block, row after row.
    fn gather(&mut self, block: &Block<'_, T>, rows: &[usize]) -> Block<'_, T> {
        let copy = |into: &mut Vec<T>, from: View<'_, T>| {
            into.clear();
            for &i in rows {
                match from.row_slice(i) {
                    Some(row) => into.extend_from_slice(row),
                    None => into.extend((0..from.cols()).map(|j| from[(i, j)])),
                }
            }
        };
        copy(&mut self.x, block.x);
        copy(&mut self.y, block.y);
        if let Some(weights) = block.weights {
            copy(&mut self.weights, weights);
        }
        Block {
            first_row: block.first_row,
            x: by_rows(&self.x, rows.len(), block.x.cols()),
            y: by_rows(&self.y, rows.len(), block.y.cols()),
            weights: block.weights.map(|_| by_rows(&self.weights, rows.len(), 1)),
            offsets: None,
        }
    }
}

fn by_rows<T>(data: &[T], rows: usize, cols: usize) -> View<'_, T> {
    View::row_major(data, rows, cols).expect("the buffer was filled to this size")
}

/// A value near the mean of every target: close is enough.
pub(super) fn target_shifts<T: Scalar>(data: &Dataset<'_, T>, centred: bool) -> Vec<f64> {
    let y = data.target_view();
    let mean = |target: usize| {
        let sum: f64 = y.col_iter(target).map(|y| y.to_double()).sum();
        let mean = sum / y.rows() as f64;
        // Shifts are numbers of the type of the data, so that y − s is exact in the wide precision.
        if centred && mean.is_finite() { T::from_double(mean).to_double() } else { 0.0 }
    };
    (0..y.cols()).map(mean).collect()
}
