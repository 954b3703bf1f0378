//! The minimum-norm solution of a design with dependent columns.
//!
//! Let X_D = X_I·C + 1·c₀ᵀ, with γ and b₀ the least-squares solution on the independent columns alone.
//! Every w with w_I + C·w_D = γ predicts the same; the one of least norm is
//!
//! w_D = (I + CᵀC)⁻¹Cᵀγ,  w_I = γ − C·w_D,  or  w_I = (I + CCᵀ)⁻¹γ,  w_D = Cᵀw_I,
//!
//! whichever matrix is smaller, and b = b₀ − c₀·w_D: the intercept is not penalised. Done in the wide
//! precision; the map from γ to w has norm at most 1, so error bounds carry over.

use super::rank::Dependencies;
use super::solution::Solution;
use crate::wide::Number;
use crate::{Matrix, Scalar};

/// The map from solutions on the independent columns to the minimum-norm solution on all.
pub(super) struct MinimumNorm<'d, T: Scalar> {
    dependencies: &'d Dependencies<T>,
    /// Lower Cholesky factor of I + CᵀC or of I + CCᵀ, whichever is smaller.
    factor: Matrix<T::Wide>,
    by_dependent: bool,
}

impl<'d, T: Scalar> MinimumNorm<'d, T> {
    pub(super) fn of(dependencies: &'d Dependencies<T>) -> Self {
        let relations = &dependencies.relations;
        let (independent, dependent) = (dependencies.independent.len(), relations.len());
        let by_dependent = dependent <= independent;
        let size = dependent.min(independent);
        let c = |i: usize, d: usize| relations[d].factors[i];
        let product = Matrix::from_fn(size, size, |a, b| {
            let identity = if a == b { T::Wide::ONE } else { T::Wide::ZERO };
            if by_dependent {
                (0..independent).fold(identity, |sum, i| sum + c(i, a) * c(i, b))
            } else {
                (0..dependent).fold(identity, |sum, d| sum + c(a, d) * c(b, d))
            }
        });
        Self { dependencies, factor: cholesky(product), by_dependent }
    }

    /// How far errors in the relations can move the solution, relative to its length.
    fn spread(&self) -> f64 {
        let relations = &self.dependencies.relations;
        let independent = (self.dependencies.independent.len() as f64).sqrt();
        4.0 * independent * relations.iter().map(|relation| relation.error).sum::<f64>()
    }

    /// Spreads every target's solution over the dependent columns.
    pub(super) fn apply(&self, solution: &mut Solution<T>) {
        for target in 0..solution.coefficients.len() {
            let gamma: Vec<T::Wide> = self
                .dependencies
                .independent
                .iter()
                .map(|&j| solution.coefficients[target][j])
                .collect();
            let (w_independent, w_dependent) = self.distribute(&gamma);
            // Relations that the data has only to within its rounding leave this much unexplained.
            let dependent = self.dependencies.relations.iter().zip(&w_dependent);
            let unexplained: f64 =
                dependent.map(|(relation, w)| relation.misfit * w.to_double().abs()).sum();
            let offset = usize::from(!solution.intercepts.is_empty());
            let own = &solution.accuracies.coefficients[target];
            let independent = self.dependencies.independent.iter().enumerate();
            let error = independent
                .map(|(k, &j)| own[j] + self.dependencies.row_norms[k + offset] * unexplained)
                .map(|e| e * e)
                .sum::<f64>()
                .sqrt();
            if let Some(intercept) = solution.accuracies.intercepts.get_mut(target) {
                *intercept += self.dependencies.row_norms[0] * unexplained;
            }
            let length = gamma.iter().map(|g| g.to_double().powi(2)).sum::<f64>().sqrt();
            let bound =
                error + (64.0 * gamma.len() as f64 * T::Wide::UNIT + self.spread()) * length;
            solution.accuracies.coefficients[target].fill(bound);
            for (&j, &w) in self.dependencies.independent.iter().zip(&w_independent) {
                solution.coefficients[target][j] = w;
            }
            for (relation, &w) in self.dependencies.relations.iter().zip(&w_dependent) {
                solution.coefficients[target][relation.column] = w;
                if let Some(intercept) = solution.intercepts.get_mut(target) {
                    *intercept -= relation.constant * w;
                    solution.accuracies.intercepts[target] +=
                        relation.constant.to_double().abs() * bound;
                }
            }
        }
    }

    fn distribute(&self, gamma: &[T::Wide]) -> (Vec<T::Wide>, Vec<T::Wide>) {
        let relations = &self.dependencies.relations;
        let transposed = |v: &[T::Wide]| -> Vec<T::Wide> {
            relations.iter().map(|relation| dot(&relation.factors, v)).collect()
        };
        if self.by_dependent {
            let w_dependent = solve(&self.factor, transposed(gamma));
            let w_independent = (0..gamma.len()).map(|i| {
                relations
                    .iter()
                    .zip(&w_dependent)
                    .fold(gamma[i], |sum, (relation, &w)| sum - relation.factors[i] * w)
            });
            (w_independent.collect(), w_dependent)
        } else {
            let w_independent = solve(&self.factor, gamma.to_vec());
            let w_dependent = transposed(&w_independent);
            (w_independent, w_dependent)
        }
    }
}

fn dot<W: Number>(a: &[W], b: &[W]) -> W {
    a.iter().zip(b).fold(W::ZERO, |sum, (&x, &y)| sum + x * y)
}

/// Lower Cholesky factor in wide numbers, which no backend works in; meant for small matrices. A
/// pivot that is not positive makes everything after it NaN or infinite.
pub(super) fn cholesky<W: Number>(mut a: Matrix<W>) -> Matrix<W> {
    let size = a.rows();
    for j in 0..size {
        let below = (0..j).fold(a[(j, j)], |sum, k| sum - a[(j, k)] * a[(j, k)]);
        let pivot = square_root(below);
        a[(j, j)] = pivot;
        for i in j + 1..size {
            let rest = (0..j).fold(a[(i, j)], |sum, k| sum - a[(i, k)] * a[(j, k)]);
            a[(i, j)] = rest / pivot;
        }
    }
    a
}

/// (LLᵀ)⁻¹b.
pub(super) fn solve<W: Number>(l: &Matrix<W>, mut b: Vec<W>) -> Vec<W> {
    for i in 0..b.len() {
        let rest = (0..i).fold(b[i], |sum, k| sum - l[(i, k)] * b[k]);
        b[i] = rest / l[(i, i)];
    }
    for i in (0..b.len()).rev() {
        let rest = (i + 1..b.len()).fold(b[i], |sum, k| sum - l[(k, i)] * b[k]);
        b[i] = rest / l[(i, i)];
    }
    b
}

/// √value by one Newton step from the double root, which doubles its digits.
pub(super) fn square_root<W: Number>(value: W) -> W {
    let root = W::from_double(value.to_double().sqrt());
    root + (value - root * root) / (root + root)
}
