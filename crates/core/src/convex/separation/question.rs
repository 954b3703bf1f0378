//! What is asked: whether the loss of two classes or more has a minimiser in the weights that pay no penalty.
//!
//! Logistic regression is softmax of two classes. Adding a number to all predictions of a row changes nothing, so those
//! of the last class are taken to be zero; every other class has a *block* of unknowns. Logistic regression has one
//! block: rows of y = 1 are of its class, those of y = −1 of the last.

use crate::convex::problem::Problem;
use crate::convex::products::predictions;
use crate::loss::Loss;
use crate::penalty::Terms;
use crate::{Backend, Dataset, Error, Scalar};

/// Rows of some classes, and a point from which to look.
pub(in crate::convex) struct Question<'p, T: Scalar> {
    pub(super) backend: &'p dyn Backend<f64>,
    pub(super) data: &'p Dataset<'p, T>,
    pub(super) intercept: bool,
    /// Columns whose weights pay no penalty.
    pub(super) columns: Vec<usize>,
    /// The class of every row.
    pub(super) labels: Vec<usize>,
    /// Number of classes but the last.
    pub(super) blocks: usize,
    /// The point: the weights of each block, and its intercept where there is one.
    point: Vec<Vec<f64>>,
}

/// A direction along which the loss falls for ever.
pub(in crate::convex) struct Endless {
    /// Weights of each block, zero where they would pay a penalty, and its intercept where there is one.
    pub(in crate::convex) blocks: Vec<Vec<f64>>,
    /// Whether every row is on its right side, and none on the hyperplane.
    pub(in crate::convex) complete: bool,
}

impl<'p, T: Scalar> Question<'p, T> {
    /// Of one block for each entry of the point, whose weights are relative to the last class.
    pub(in crate::convex) fn new(
        backend: &'p dyn Backend<f64>,
        data: &'p Dataset<'p, T>,
        terms: &Terms,
        intercept: bool,
        labels: Vec<usize>,
        point: Vec<Vec<f64>>,
    ) -> Self {
        let (columns, blocks) = (terms.free(), point.len());
        Self { backend, data, intercept, columns, labels, blocks, point }
    }

    /// Of logistic regression at θ.
    pub(in crate::convex) fn of_logistic<L: Loss>(
        problem: &'p Problem<'p, T, L>,
        theta: &[f64],
    ) -> Self {
        let Problem { backend, data, ref terms, intercept, .. } = *problem;
        let y = data.target_view();
        let labels = y.col_iter(0).map(|y| usize::from(y.to_double() < 0.0)).collect();
        Self::new(backend, data, terms, intercept, labels, vec![theta.to_vec()])
    }

    /// Unknowns of a block: the columns, and one for the intercept.
    pub(super) fn width(&self) -> usize {
        self.columns.len() + usize::from(self.intercept)
    }

    /// Unknowns of all blocks.
    pub(super) fn unknowns(&self) -> usize {
        self.blocks * self.width()
    }

    /// Whether a row has a weight.
    pub(super) fn counts(&self, t: usize) -> bool {
        self.data.weight_of(t) > 0.0
    }

    /// Every class but that of a row.
    pub(super) fn others(&self, t: usize) -> impl Iterator<Item = usize> {
        let class = self.labels[t];
        (0..=self.blocks).filter(move |&k| k != class)
    }

    /// The free unknowns of the point, block by block.
    pub(super) fn free_part(&self) -> Vec<f64> {
        let level = self.data.cols();
        let of_block = |theta: &Vec<f64>| -> Vec<f64> {
            let weights = self.columns.iter().map(|&j| theta[j]);
            weights.chain(theta[level..].iter().copied()).collect()
        };
        self.point.iter().flat_map(of_block).collect()
    }

    /// Free unknowns as weights of all columns and intercepts, a block at a time.
    pub(super) fn spread(&self, free: &[f64]) -> Vec<Vec<f64>> {
        let of_block = |free: &[f64]| {
            let (weights, level) = free.split_at(self.columns.len());
            let mut theta = vec![0.0; self.data.cols()];
            self.columns.iter().zip(weights).for_each(|(&j, w)| theta[j] = *w);
            theta.extend(level);
            theta
        };
        free.chunks(self.width()).map(of_block).collect()
    }

    /// What the weights that pay a penalty and the offsets add to the predictions, the blocks of a row side by side.
    pub(super) fn base(&self) -> Result<Vec<f64>, Error> {
        let (rows, features) = (self.data.rows(), self.data.cols());
        let mut base = vec![0.0; rows * self.blocks];
        let bare = Dataset::new(self.data.design(), self.data.target_view())?;
        for (b, theta) in self.point.iter().enumerate() {
            let mut held = theta[..features].to_vec();
            self.columns.iter().for_each(|&j| held[j] = 0.0);
            if held.iter().any(|w| *w != 0.0) {
                let z = predictions(&bare, &held, 0.0)?;
                base.iter_mut().skip(b).step_by(self.blocks).zip(z).for_each(|(to, z)| *to = z);
            }
        }
        if let Some(offsets) = self.data.offsets() {
            let offset = |t: usize, k: usize| offsets[(t, k)].to_double();
            for (t, base) in base.chunks_mut(self.blocks.max(1)).enumerate() {
                // Logistic regression has offsets of its one prediction, softmax those of all classes.
                let last = if offsets.cols() > self.blocks { offset(t, self.blocks) } else { 0.0 };
                base.iter_mut().enumerate().for_each(|(b, to)| *to += offset(t, b) - last);
            }
        }
        Ok(base)
    }

    /// Intercepts of classes that no row counts for fall for ever, whatever the weights pay.
    pub(super) fn missing_classes(&self) -> Option<Endless> {
        let mut present = vec![false; self.blocks + 1];
        let counted = (0..self.labels.len()).filter(|&t| self.counts(t));
        counted.for_each(|t| present[self.labels[t]] = true);
        let number = present.iter().filter(|present| **present).count();
        if !self.intercept || number > self.blocks {
            return None;
        }
        let height = |k: usize| if present[k] { 0.0 } else { -1.0 };
        let of_block = |b: usize| {
            let mut theta = vec![0.0; self.data.cols()];
            theta.push(height(b) - height(self.blocks));
            theta
        };
        // Classes that have rows stay as they are among themselves.
        Some(Endless { blocks: (0..self.blocks).map(of_block).collect(), complete: number == 1 })
    }
}
