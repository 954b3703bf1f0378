//! Rows that can be read only once: the moments in the wide precision.
//!
//! Without a second pass there is no residual to refine on, so the normal equations themselves are
//! kept in the wide precision: Z = [1, X, Y], ZᵀCZ accumulated with exact products, and solved by a
//! Cholesky factorisation in the same precision. That costs κ² of 32 digits instead of κ² of 16, so 16
//! digits remain up to κ ≈ 10⁷, and the certificate says what remains beyond.

use super::factor::times_power;
use super::minimum_norm::{cholesky, solve, square_root};
use super::moments::exact_weight;
use super::solution::{Accuracies, Solution};
use crate::kernels::{ResidualKernel, WideGram};
use crate::wide::{Dd, Number};
use crate::{Block, Error, Matrix, Reduction, Rows, Scalar};

/// Solves least squares or ridge from one pass.
pub(super) fn solve_in_one_pass<T: Scalar>(
    rows: &mut Rows<'_, T>,
    intercept: bool,
    alpha: &dyn Fn(Dd) -> T::Wide,
) -> Result<Solution<T>, Error> {
    let (cols, targets) = (rows.cols(), rows.targets());
    let state = rows.reduce(&WideMomentsPass { cols, targets })?;
    let weight = state.gram.at(0, 0);
    if weight.to_double() <= 0.0 {
        return Err(Error::AllWeightsZero);
    }
    let alpha = alpha(state.weight);
    // Unknowns: the intercept where there is one, then the columns; Z has the ones at 0 either way.
    let unknowns: Vec<usize> = (usize::from(!intercept)..=cols).collect();
    let entry = |a: usize, b: usize| {
        let penalty = if a == b && unknowns[a] > 0 { alpha } else { T::Wide::ZERO };
        state.gram.at(unknowns[a], unknowns[b]) + penalty
    };
    let size = unknowns.len();
    let exponents: Vec<i32> =
        (0..size).map(|k| entry(k, k).to_double().max(0.0).sqrt().exponent()).collect();
    let scaled =
        Matrix::from_fn(size, size, |a, b| times_power(entry(a, b), -exponents[a] - exponents[b]));
    let factor = cholesky(scaled);
    let pivots = (0..size).map(|k| factor[(k, k)].to_double());
    let smallest =
        pivots.fold(f64::INFINITY, |least, p| if p.is_nan() { 0.0 } else { least.min(p) });
    // A pivot at the rounding level of the sums says nothing about the data.
    let relative = size as f64 * ResidualKernel::<T, T::Wide>::relative_error();
    if smallest * smallest <= 16.0 * relative {
        return Err(Error::TooIllConditioned {
            method: "least squares in one pass",
            condition: 1.0 / smallest,
            limit: (16.0 * relative).sqrt().recip(),
        });
    }
    let norms = inverse_row_norms(&factor);
    let condition = norms.iter().copied().fold(1.0, f64::max) * (size as f64).sqrt();
    let mut solution = Solution {
        coefficients: Vec::new(),
        intercepts: Vec::new(),
        accuracies: Accuracies::default(),
        squares: Vec::new(),
        accurate: true,
        condition,
        rank: cols,
        dependencies: None,
        rows: state.rows,
        weight: state.weight,
        steps: 0,
        passes: 1,
        path: "wide normal equations in one pass",
    };
    for target in 0..targets {
        let y = cols + 1 + target;
        let right = |k: usize| times_power(state.gram.at(unknowns[k], y), -exponents[k]);
        let inner = solve(&factor, (0..size).map(right).collect());
        let target_norm = state.gram.at(y, y).to_double().max(0.0).sqrt();
        let magnitude = target_norm + inner.iter().map(|v| v.to_double().abs()).sum::<f64>();
        let error = 8.0 * relative * magnitude * norms.iter().sum::<f64>();
        let outer: Vec<T::Wide> =
            inner.iter().zip(&exponents).map(|(&v, &e)| times_power(v, -e)).collect();
        let bounds: Vec<f64> =
            norms.iter().zip(&exponents).map(|(s, &e)| times_power(s * error, -e)).collect();
        let explained = outer
            .iter()
            .zip(&unknowns)
            .fold(T::Wide::ZERO, |sum, (&w, &z)| sum + w * state.gram.at(z, y));
        let shrunk = outer.iter().zip(&unknowns).filter(|(_, z)| **z > 0);
        let penalty = shrunk.fold(T::Wide::ZERO, |sum, (&w, _)| sum + alpha * w * w);
        let squares = state.gram.at(y, y) - explained - penalty;
        solution.squares.push(squares.to_double().max(0.0));
        let offset = usize::from(intercept);
        if intercept {
            solution.intercepts.push(outer[0]);
            solution.accuracies.intercepts.push(bounds[0]);
        }
        let u = T::unit_roundoff();
        solution.accurate &= outer
            .iter()
            .zip(&bounds)
            .all(|(w, bound)| *bound <= u * w.to_double().abs() || *bound <= u * u * magnitude);
        if target_norm > 0.0 {
            let backward = (u * magnitude + error) / target_norm;
            solution.accuracies.backward = solution.accuracies.backward.max(backward);
        }
        solution.coefficients.push(outer[offset..].to_vec());
        solution.accuracies.coefficients.push(bounds[offset..].to_vec());
    }
    Ok(solution)
}

/// ‖e_kᵀL⁻ᵀ‖ = √(A⁻¹)_kk.
fn inverse_row_norms<W: Number>(factor: &Matrix<W>) -> Vec<f64> {
    let size = factor.rows();
    let norm = |k: usize| {
        let mut unit = vec![W::ZERO; size];
        unit[k] = W::ONE;
        square_root(solve(factor, unit)[k]).to_double()
    };
    (0..size).map(norm).collect()
}

struct WideMoments<T: Scalar> {
    rows: usize,
    weight: Dd,
    gram: WideGram<T>,
}

struct WideMomentsPass {
    cols: usize,
    targets: usize,
}

impl<T: Scalar> Reduction<T> for WideMomentsPass {
    type State = WideMoments<T>;

    fn start(&self) -> WideMoments<T> {
        WideMoments { rows: 0, weight: Dd::ZERO, gram: WideGram::new(1 + self.cols + self.targets) }
    }

    fn absorb(&self, state: &mut WideMoments<T>, block: &Block<'_, T>) {
        state.rows += match block.weights {
            None => block.x.rows(),
            Some(weights) => weights.col_iter(0).filter(|c| **c > T::zero()).count(),
        };
        state.weight += exact_weight(block);
        state.gram.absorb(block);
    }

    fn merge(&self, left: &mut WideMoments<T>, right: WideMoments<T>) {
        left.rows += right.rows;
        left.weight += right.weight;
        left.gram.merge(&right.gram);
    }
}
