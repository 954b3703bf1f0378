//! Several classes with labels: a predictor for each, that speaks in labels and probabilities.

use crate::loss::Softmax;
use crate::{Design, Error, Fit, Matrix, Scalar};

/// A fitted predictor of one of several labels.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftmaxClassifier<T, C> {
    /// One target for each class, in the order of the labels.
    pub fit: Fit<T>,
    pub(super) classes: Vec<C>,
}

impl<T: Scalar, C: Clone> SoftmaxClassifier<T, C> {
    /// The labels, sorted.
    pub fn classes(&self) -> &[C] {
        &self.classes
    }

    /// The probability of every class (columns) for every row.
    pub fn probabilities<'a>(
        &self,
        design: impl Into<Design<'a, T>>,
    ) -> Result<Matrix<f64>, Error> {
        let scores = self.fit.model.predict(design)?;
        let mut probabilities = Matrix::zeros(scores.rows(), scores.cols());
        let mut row = vec![0.0; scores.cols()];
        for i in 0..scores.rows() {
            row.iter_mut().enumerate().for_each(|(k, z)| *z = scores[(i, k)].to_double());
            Softmax::probabilities(&mut row);
            row.iter().enumerate().for_each(|(k, &p)| probabilities[(i, k)] = p);
        }
        Ok(probabilities)
    }

    /// The most probable label of every row; the first wins a tie.
    pub fn predict<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Vec<C>, Error> {
        let scores = self.fit.model.predict(design)?;
        let best = |i: usize| {
            let better =
                |best: usize, k: usize| if scores[(i, k)] > scores[(i, best)] { k } else { best };
            (1..scores.cols()).fold(0, better)
        };
        Ok((0..scores.rows()).map(|i| self.classes[best(i)].clone()).collect())
    }
}
