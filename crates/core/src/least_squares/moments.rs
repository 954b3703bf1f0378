//! One pass for the moments: how many, where the middle is, and the Gram matrix around it.
//!
//! With an intercept every block is centred on its own mean before its Gram matrix is taken, and two
//! sets of rows are merged by
//!
//! G = G_a + G_b + (n_a·n_b / (n_a + n_b))·(μ_a − μ_b)(μ_a − μ_b)ᵀ
//!
//! (Chan, Golub, LeVeque 1979), so centring costs no pass of its own and no digits. Without an
//! intercept nothing is centred. These moments only precondition a refinement and start it: they may
//! be rounded, the answer may not.

use crate::kernels::{Packed, Transform, column_means};
use crate::wide::{Dd, Number};
use crate::{Backend, Block, Matrix, Reduction, Scalar, View};

/// Relative error of an entry of a Gram matrix, in units of roundoff.
pub(crate) const GRAM_ERROR: f64 = 16.0;

/// Moments of a set of rows.
pub(super) struct Moments<T: Scalar> {
    /// Rows whose weight is not zero.
    pub(super) rows: usize,
    /// Σ c_t.
    pub(super) weight: f64,
    /// The same to twice the digits.
    pub(super) exact_weight: Dd,
    /// Σ log c_t over rows with weight.
    pub(super) log_weight: f64,
    /// Column means of the design; zero without an intercept.
    pub(super) x_mean: Vec<T>,
    /// Means of the targets; zero without an intercept.
    pub(super) y_mean: Vec<T>,
    /// Lower triangle of Σ c_t (x_t − μ)(x_t − μ)ᵀ.
    pub(super) gram: Matrix<T>,
    /// Σ c_t (x_t − μ)(y_t − ν)ᵀ, d × k.
    pub(super) cross: Matrix<T>,
    /// Σ c_t (y_t − ν)² of each target.
    pub(super) y_squares: Vec<f64>,
    scratch: Scratch<T>,
}

#[derive(Default)]
struct Scratch<T: Scalar> {
    x: Packed<T>,
    y: Packed<T>,
    x_mean: Vec<T>,
    y_mean: Vec<T>,
}

impl<T: Scalar> Moments<T> {
    /// A copy of the numbers, without the room to work in.
    pub(super) fn without_scratch(&self) -> Self {
        Self {
            x_mean: self.x_mean.clone(),
            y_mean: self.y_mean.clone(),
            gram: self.gram.clone(),
            cross: self.cross.clone(),
            y_squares: self.y_squares.clone(),
            scratch: Scratch::default(),
            ..*self
        }
    }

    /// ‖x_j‖² in the weighted norm, around zero.
    pub(super) fn raw_square(&self, j: usize) -> f64 {
        self.gram[(j, j)].to_double() + self.weight * self.x_mean[j].to_double().powi(2)
    }

    /// ‖y‖² of a target in the weighted norm, around zero.
    pub(super) fn raw_target_square(&self, target: usize) -> f64 {
        self.y_squares[target] + self.weight * self.y_mean[target].to_double().powi(2)
    }
}

/// The pass that takes moments.
pub(super) struct MomentsPass<'a, T: Scalar> {
    pub(super) backend: &'a dyn Backend<T>,
    pub(super) cols: usize,
    pub(super) targets: usize,
    pub(super) centred: bool,
}

impl<T: Scalar> Reduction<T> for MomentsPass<'_, T> {
    type State = Moments<T>;

    fn start(&self) -> Moments<T> {
        Moments {
            rows: 0,
            weight: 0.0,
            exact_weight: Dd::ZERO,
            log_weight: 0.0,
            x_mean: vec![T::zero(); self.cols],
            y_mean: vec![T::zero(); self.targets],
            gram: Matrix::zeros(self.cols, self.cols),
            cross: Matrix::zeros(self.cols, self.targets),
            y_squares: vec![0.0; self.targets],
            scratch: Scratch::default(),
        }
    }

    fn absorb(&self, state: &mut Moments<T>, block: &Block<'_, T>) {
        let (rows, weight, log_weight) = count(block);
        if rows == 0 {
            return;
        }
        let Scratch { x: packed_x, y: packed_y, x_mean, y_mean } = &mut state.scratch;
        let (x, y) = if self.centred {
            column_means(block.x, block.weights, x_mean);
            column_means(block.y, block.weights, y_mean);
            let centre = |means| Transform { shifts: Some(means), ..Transform::default() };
            (
                packed_x.pack(block.x, block.weights, &centre(x_mean)),
                packed_y.pack(block.y, block.weights, &centre(y_mean)),
            )
        } else if block.weights.is_some() {
            let keep = Transform::default();
            (
                packed_x.pack(block.x, block.weights, &keep),
                packed_y.pack(block.y, block.weights, &keep),
            )
        } else {
            (block.x, block.y)
        };
        self.backend.add_gram(x, state.gram.view_mut());
        self.backend.add_product(x.transpose(), y, state.cross.view_mut());
        add_squares(y, &mut state.y_squares);
        if self.centred {
            let (x_mean, y_mean) = (std::mem::take(x_mean), std::mem::take(y_mean));
            merge_centres(state, weight, &x_mean, &y_mean);
            state.scratch.x_mean = x_mean;
            state.scratch.y_mean = y_mean;
        }
        state.rows += rows;
        state.exact_weight += exact_weight(block);
        state.weight = state.exact_weight.to_f64();
        state.log_weight += log_weight;
    }

    fn merge(&self, left: &mut Moments<T>, right: Moments<T>) {
        if right.rows == 0 {
            return;
        }
        add(left.gram.as_mut_slice(), right.gram.as_slice());
        add(left.cross.as_mut_slice(), right.cross.as_slice());
        left.y_squares.iter_mut().zip(&right.y_squares).for_each(|(a, b)| *a += b);
        if self.centred {
            merge_centres(left, right.weight, &right.x_mean, &right.y_mean);
        }
        left.rows += right.rows;
        left.exact_weight += right.exact_weight;
        left.weight = left.exact_weight.to_f64();
        left.log_weight += right.log_weight;
    }
}

/// Moves the centre of `state` to that of the union with rows of weight `weight` around other means,
/// whose sums of squares have been added already.
fn merge_centres<T: Scalar>(state: &mut Moments<T>, weight: f64, x_mean: &[T], y_mean: &[T]) {
    let total = state.weight + weight;
    let share = T::from_double(weight / total);
    let factor = T::from_double(state.weight * weight / total);
    let x_step: Vec<T> = x_mean.iter().zip(&state.x_mean).map(|(&b, &a)| b - a).collect();
    let y_step: Vec<T> = y_mean.iter().zip(&state.y_mean).map(|(&b, &a)| b - a).collect();
    for (j, &step) in x_step.iter().enumerate() {
        let scaled = factor * step;
        let below = &mut state.gram.col_mut(j)[j..];
        below.iter_mut().zip(&x_step[j..]).for_each(|(g, &other)| *g += scaled * other);
    }
    for (target, &step) in y_step.iter().enumerate() {
        let scaled = factor * step;
        let column = state.cross.col_mut(target);
        column.iter_mut().zip(&x_step).for_each(|(c, &other)| *c += scaled * other);
        state.y_squares[target] += (scaled * step).to_double();
    }
    state.x_mean.iter_mut().zip(&x_step).for_each(|(mean, &step)| *mean += share * step);
    state.y_mean.iter_mut().zip(&y_step).for_each(|(mean, &step)| *mean += share * step);
}

fn count<T: Scalar>(block: &Block<'_, T>) -> (usize, f64, f64) {
    match block.weights {
        None => (block.x.rows(), block.x.rows() as f64, 0.0),
        Some(weights) => {
            let positive = weights.col_iter(0).map(|c| c.to_double()).filter(|c| *c > 0.0);
            positive.fold((0, 0.0, 0.0), |(n, sum, logs), c| (n + 1, sum + c, logs + c.ln()))
        }
    }
}

/// Σ c_t of some rows.
pub(super) fn exact_weight<T: Scalar>(block: &Block<'_, T>) -> Dd {
    match block.weights {
        None => Dd::from(block.x.rows() as f64),
        Some(weights) => total_weight(weights),
    }
}

/// Σ c_t of a column of weights.
pub(super) fn total_weight<T: Scalar>(weights: View<'_, T>) -> Dd {
    weights.col_iter(0).fold(Dd::ZERO, |sum, c| sum + Dd::from(c.to_double()))
}

fn add<T: Scalar>(into: &mut [T], from: &[T]) {
    into.iter_mut().zip(from).for_each(|(a, &b)| *a += b);
}

fn add_squares<T: Scalar>(y: View<'_, T>, squares: &mut [f64]) {
    for (target, sum) in squares.iter_mut().enumerate() {
        *sum += y.col_iter(target).map(|v| v.to_double().powi(2)).sum::<f64>();
    }
}
