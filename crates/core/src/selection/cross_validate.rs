//! Cross-validation of anything that can be fitted to a dataset.

use rayon::prelude::*;

use super::{Folds, Score, Subset};
use crate::polynomial::{PolynomialFit, PolynomialModel};
use crate::{Dataset, Design, Error, Fit, LinearModel, Matrix, Scalar};

/// What cross-validation asks of a fitted model.
pub trait Predictor<T: Scalar> {
    /// Predictions for the rows of a dataset, one column for each target.
    fn predictions(&self, data: &Dataset<'_, T>) -> Result<Matrix<T>, Error>;
}

impl<T: Scalar> Predictor<T> for LinearModel<T> {
    fn predictions(&self, data: &Dataset<'_, T>) -> Result<Matrix<T>, Error> {
        match data.names() {
            Some(names) => self.predict_named(data.design(), names),
            None => self.predict(data.design()),
        }
    }
}

impl<T: Scalar> Predictor<T> for Fit<T> {
    fn predictions(&self, data: &Dataset<'_, T>) -> Result<Matrix<T>, Error> {
        self.model.predictions(data)
    }
}

impl<T: Scalar> Predictor<T> for PolynomialModel<T> {
    fn predictions(&self, data: &Dataset<'_, T>) -> Result<Matrix<T>, Error> {
        let Design::Dense(x) = data.design();
        self.predict(x)
    }
}

impl<T: Scalar> Predictor<T> for PolynomialFit<T> {
    fn predictions(&self, data: &Dataset<'_, T>) -> Result<Matrix<T>, Error> {
        self.model.predictions(data)
    }
}

/// The scores of the folds.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scores {
    /// One score for each fold, in order.
    pub folds: Vec<f64>,
}

impl Scores {
    /// The mean over the folds.
    pub fn mean(&self) -> f64 {
        self.folds.iter().sum::<f64>() / self.folds.len() as f64
    }

    /// The standard error of the mean, s/√k; NaN for a single fold.
    pub fn standard_error(&self) -> f64 {
        let (mean, count) = (self.mean(), self.folds.len() as f64);
        let squares: f64 = self.folds.iter().map(|score| (score - mean).powi(2)).sum();
        (squares / (count - 1.0) / count).sqrt()
    }
}

/// Fits on all folds but one and scores on that one, for each fold.
///
/// The error is that of the first fold that fails.
pub fn cross_validate<T: Scalar, M: Predictor<T>>(
    data: &Dataset<'_, T>,
    folds: &Folds,
    score: Score,
    fit: impl Fn(&Dataset<'_, T>) -> Result<M, Error> + Sync,
) -> Result<Scores, Error> {
    folds.check(data.rows())?;
    let run = |fold: usize| {
        let split = folds.split(fold);
        let train = Subset::of(data, &split.train)?;
        let model = fit(&train.dataset()?)?;
        score_on(data, &split.test, score, &model)
    };
    let scores: Vec<Result<f64, Error>> = (0..folds.count()).into_par_iter().map(run).collect();
    Ok(Scores { folds: scores.into_iter().collect::<Result<_, _>>()? })
}

/// The score of a model on some rows.
pub(super) fn score_on<T: Scalar, M: Predictor<T>>(
    data: &Dataset<'_, T>,
    rows: &[usize],
    score: Score,
    model: &M,
) -> Result<f64, Error> {
    let subset = Subset::of(data, rows)?;
    let data = subset.dataset()?;
    let predictions = model.predictions(&data)?;
    score.of(data.target_view(), predictions.view(), data.weights())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;

    #[test]
    fn each_fold_is_scored_by_a_model_of_the_others() {
        let x = [0.0; 6];
        let y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let data = Dataset::new(View::column_vector(&x), View::column_vector(&y)).unwrap();
        let folds = Folds::contiguous(6, 3).unwrap();
        let mean_model = |train: &Dataset<'_, f64>| {
            let y = train.target_view();
            let mean = y.col_iter(0).sum::<f64>() / y.rows() as f64;
            LinearModel::from_coefficients(vec![0.0], Some(mean))
        };
        let scores = cross_validate(&data, &folds, Score::MeanSquaredError, mean_model).unwrap();
        // Means of the others are 4.5, 3.5 and 2.5.
        assert_eq!(scores.folds, [9.25, 0.25, 9.25]);
        assert_eq!(scores.mean(), 6.25);
        assert_eq!(scores.standard_error(), 3.0);
    }
}
