//! Where coordinate descent crawls: the weights that are not zero, all at once.
//!
//! The [model](super::column_model) on its support S and the level is a quadratic with corners of its own, from the Gram
//! matrix X̃_SᵀDX̃_S, which the backend multiplies at the speed of its arithmetic: as dear as about |S|/12 rounds. It is
//! [minimised](super::quadratic) to the last digit, in which weights may become zero; none comes in.

use super::column_model::ColumnModel;
use super::columns::{BLOCK, Columns};
use super::extrapolation::Point;
use super::newton::minus_product;
use super::quadratic::Quadratic;
use super::vectors::add;
use crate::penalty::Terms;
use crate::wide::Number;
use crate::{Backend, Block, Dataset, Error, Matrix, Reduction, Rows};

impl<S: Number> ColumnModel<S> {
    /// Goes to the minimiser over the support, the other weights held at zero, if the model is lower there; whether it
    /// is. Violations below `tolerance`, in units of the slopes, are left.
    pub(super) fn leap(
        &mut self,
        backend: &dyn Backend<f64>,
        columns: &Columns<S>,
        tolerance: f64,
    ) -> Result<bool, Error> {
        let support: Vec<usize> =
            (0..self.weights.len()).filter(|&j| self.weights[j] != 0.0).collect();
        if support.is_empty() {
            return Ok(false);
        }
        let (slopes, sums) = self.slopes_and_sums(columns, &support);
        let hessian = self.hessian(backend, columns, &support, &sums)?;
        let take = |all: &[f64]| {
            let mut taken: Vec<f64> = support.iter().map(|&j| all[j]).collect();
            taken.resize(hessian.rows(), 0.0);
            taken
        };
        // The level is counted from where it is.
        let start = take(&self.weights);
        let terms = Terms { l1: take(&self.terms.l1), l2: take(&self.terms.l2) };
        let linear = minus_product(&slopes, &hessian, &start);
        let model = Quadratic { backend, hessian: &hessian, linear: &linear, terms: &terms };
        let mut target = start;
        model.minimise(&mut target, tolerance);
        let level = target.get(support.len()).copied().unwrap_or(0.0);
        let point = self.point_at(columns, &support, &target, level);
        Ok(self.go_if_lower(point))
    }

    /// The slopes of the support, and X̃_Sᵀh; of the level last.
    fn slopes_and_sums(&self, columns: &Columns<S>, support: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let (mut slopes, mut sums) = (Vec::new(), Vec::new());
        for members in support.chunk_by(|a, b| a / BLOCK == b / BLOCK) {
            let block = members[0] / BLOCK;
            let (in_block, of_curvature) =
                (self.slopes(columns, block), columns.dots(block, &self.h));
            slopes.extend(members.iter().map(|j| in_block[j % BLOCK]));
            sums.extend(members.iter().map(|j| of_curvature[j % BLOCK]));
        }
        if self.has_level {
            slopes.push(self.total);
            sums.push(self.curvature);
        }
        (slopes, sums)
    }

    /// The Hessian of the support and the level, both triangles.
    fn hessian(
        &self,
        backend: &dyn Backend<f64>,
        columns: &Columns<S>,
        support: &[usize],
        sums: &[f64],
    ) -> Result<Matrix<f64>, Error> {
        let design = columns.weighted(support, &self.h)?;
        let data = Dataset::new(design.view(), design.view().col_range(0..1))?;
        let gram = Rows::Memory(&data).reduce(&GramPass { backend, size: support.len() })?;
        let last = support.len();
        Ok(Matrix::from_fn(sums.len(), sums.len(), |i, j| match i.max(j) {
            low if low == last => sums[i.min(j)],
            low => gram[(low, i.min(j))],
        }))
    }

    /// The point with these weights on a support, and its level changed by so much.
    fn point_at(
        &self,
        columns: &Columns<S>,
        support: &[usize],
        target: &[f64],
        level: f64,
    ) -> Point<S> {
        let (mut weights, mut s, mut r) = (self.weights.clone(), self.s.clone(), self.r.clone());
        let mut remaining = level;
        let steps: Vec<(usize, f64)> =
            support.iter().copied().zip(target.iter().copied()).collect();
        for steps in steps.chunk_by(|a, b| a.0 / BLOCK == b.0 / BLOCK) {
            let mut change = [0.0; BLOCK];
            for &(j, target) in steps {
                change[j % BLOCK] = target - std::mem::replace(&mut weights[j], target);
            }
            let block = steps[0].0 / BLOCK;
            columns.shift(block, &change, std::mem::take(&mut remaining), &self.h, &mut s, &mut r);
        }
        Point { weights, level: self.level + level, s, r }
    }
}

/// XᵀX of a dataset as it is: the lower triangle.
struct GramPass<'a> {
    backend: &'a dyn Backend<f64>,
    size: usize,
}

impl Reduction<f64> for GramPass<'_> {
    type State = Matrix<f64>;

    fn start(&self) -> Matrix<f64> {
        Matrix::zeros(self.size, self.size)
    }

    fn absorb(&self, gram: &mut Matrix<f64>, block: &Block<'_, f64>) {
        self.backend.add_gram(block.x, gram.view_mut());
    }

    fn merge(&self, left: &mut Matrix<f64>, right: Matrix<f64>) {
        add(left.as_mut_slice(), right.as_slice());
    }
}
