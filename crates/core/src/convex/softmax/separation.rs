//! Softmax on classes that can be told apart has no minimiser, where weights pay no penalty.
//!
//! Whether there is one is [decided](crate::convex::separation) for the weights of all classes relative to the last one.

use super::newton::remove_means;
use super::problem::SoftmaxProblem;
use crate::certificate::SoftmaxSeparation;
use crate::convex::separation::{Endless, Minimiser, Question, decide};
use crate::{Design, Error, Scalar};

impl<T: Scalar> SoftmaxProblem<'_, T> {
    /// What is proven about the minimiser, from θ.
    pub(super) fn decide(&self, theta: &[f64], thorough: bool) -> Result<Minimiser, Error> {
        let labels = (0..self.data.rows()).map(|t| self.class_of(t)).collect();
        let last = &theta[(self.classes - 1) * self.unknowns()..];
        let blocks = theta.chunks(self.unknowns()).take(self.classes - 1);
        let relative = |of: &[f64]| of.iter().zip(last).map(|(v, last)| v - last).collect();
        let point = blocks.map(relative).collect();
        let Self { backend, data, ref terms, intercept, .. } = *self;
        decide(&Question::new(backend, data, terms, intercept, labels, point), thorough)
    }

    /// θ from blocks relative to the last class, the unknowns of sum zero over the classes.
    pub(super) fn centred(&self, blocks: Vec<Vec<f64>>) -> Vec<f64> {
        let mut theta = blocks.concat();
        theta.resize(self.classes * self.unknowns(), 0.0);
        remove_means(&mut theta, self.unknowns(), |_| true);
        theta
    }

    /// A direction as a certificate.
    pub(super) fn separation(&self, endless: Endless) -> SoftmaxSeparation {
        let mut theta = endless.blocks.concat();
        theta.resize(self.classes * self.unknowns(), 0.0);
        let (weights, intercepts) = self.by_class(&theta);
        let (terms, complete) = (self.terms.clone(), endless.complete);
        SoftmaxSeparation { terms, weights, intercepts, complete }
    }

    /// Whether the weights alone put every row on the side of its class, as far as doubles tell.
    pub(super) fn tells_apart(&self, theta: &[f64]) -> bool {
        let Design::Dense(x) = self.data.design();
        let score = |t: usize, k: usize| {
            let (weights, level) =
                theta[k * self.unknowns()..][..self.unknowns()].split_at(x.cols());
            let products = weights.iter().enumerate().map(|(j, w)| w * x[(t, j)].to_double());
            products.sum::<f64>() + level.iter().sum::<f64>()
        };
        let mut counted = (0..x.rows()).filter(|&t| self.data.weight_of(t) > 0.0);
        counted.all(|t| {
            let class = self.class_of(t);
            let own = score(t, class);
            (0..self.classes).all(|k| k == class || score(t, k) < own)
        })
    }
}
