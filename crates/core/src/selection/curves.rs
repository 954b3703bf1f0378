//! Learning and validation curves: scores on the rows learned from and on those kept back.

use rayon::prelude::*;

use super::cross_validate::score_on;
use super::{Folds, Predictor, Score, ScoreCurve, Scores, Subset};
use crate::random::Random;
use crate::{Dataset, Error, Scalar};

/// Scores over the number of rows learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningCurve {
    /// What was measured.
    pub score: Score,
    /// Rows learned from.
    pub rows: Vec<usize>,
    /// Scores on the rows learned from.
    pub train: Vec<Scores>,
    /// Scores on the rows kept back.
    pub test: Vec<Scores>,
}

/// Scores over a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidationCurve<P> {
    /// What was measured.
    pub score: Score,
    /// The values of the parameter.
    pub parameters: Vec<P>,
    /// Scores on the rows learned from.
    pub train: Vec<Scores>,
    /// Scores on the rows kept back.
    pub test: Vec<Scores>,
}

impl LearningCurve {
    /// The curve as numbers to plot, over the rows learned from.
    pub fn curve(&self) -> ScoreCurve {
        let rows = self.rows.iter().map(|&rows| rows as f64).collect();
        ScoreCurve::of("rows learned from", rows, self.score)
            .with_line("learned from", &self.train)
            .with_line("kept back", &self.test)
    }
}

impl<P> ValidationCurve<P> {
    /// The curve as numbers to plot, over a named axis; `place` says where a parameter lies on it.
    pub fn curve(&self, axis: &str, place: impl Fn(&P) -> f64) -> ScoreCurve {
        ScoreCurve::of(axis, self.parameters.iter().map(place).collect(), self.score)
            .with_line("learned from", &self.train)
            .with_line("kept back", &self.test)
    }
}

/// Fits on growing numbers of training rows, drawn by a seed, in every fold.
///
/// Sizes beyond the training rows of a fold are an error.
pub fn learning_curve<T: Scalar, M: Predictor<T>>(
    data: &Dataset<'_, T>,
    folds: &Folds,
    score: Score,
    sizes: &[usize],
    seed: u64,
    fit: impl Fn(&Dataset<'_, T>) -> Result<M, Error> + Sync,
) -> Result<LearningCurve, Error> {
    let run = |&size: &usize| {
        both_scores(data, folds, score, &fit, |train| {
            if !(1..=train.len()).contains(&size) {
                return Err(Error::BadParameter {
                    what: "the number of rows to learn from",
                    value: size.to_string(),
                    expected: "at least 1 and at most the training rows of every fold",
                });
            }
            let chosen = Random::order(train.len(), seed).into_iter().take(size);
            Ok(chosen.map(|at| train[at]).collect())
        })
    };
    let scores = sizes.iter().map(run).collect::<Result<Vec<_>, Error>>()?;
    let (train, test) = scores.into_iter().unzip();
    Ok(LearningCurve { score, rows: sizes.to_vec(), train, test })
}

/// Fits with every value of a parameter in every fold.
pub fn validation_curve<T: Scalar, M: Predictor<T>, P: Sync>(
    data: &Dataset<'_, T>,
    folds: &Folds,
    score: Score,
    parameters: impl IntoIterator<Item = P>,
    fit: impl Fn(&P, &Dataset<'_, T>) -> Result<M, Error> + Sync,
) -> Result<ValidationCurve<P>, Error> {
    let parameters: Vec<P> = parameters.into_iter().collect();
    let run = |parameter: &P| {
        let fit = |train: &Dataset<'_, T>| fit(parameter, train);
        both_scores(data, folds, score, &fit, |train| Ok(train.to_vec()))
    };
    let scores = parameters.iter().map(run).collect::<Result<Vec<_>, Error>>()?;
    let (train, test) = scores.into_iter().unzip();
    Ok(ValidationCurve { score, parameters, train, test })
}

/// Scores on what was learned from and on what was kept back, for each fold.
fn both_scores<T: Scalar, M: Predictor<T>>(
    data: &Dataset<'_, T>,
    folds: &Folds,
    score: Score,
    fit: &(impl Fn(&Dataset<'_, T>) -> Result<M, Error> + Sync),
    choose: impl Fn(&[usize]) -> Result<Vec<usize>, Error> + Sync,
) -> Result<(Scores, Scores), Error> {
    folds.check(data.rows())?;
    let run = |fold: usize| -> Result<(f64, f64), Error> {
        let split = folds.split(fold);
        let rows = choose(&split.train)?;
        let model = fit(&Subset::of(data, &rows)?.dataset()?)?;
        Ok((score_on(data, &rows, score, &model)?, score_on(data, &split.test, score, &model)?))
    };
    let scores: Vec<Result<(f64, f64), Error>> =
        (0..folds.count()).into_par_iter().map(run).collect();
    let (train, test) = scores.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    Ok((Scores { folds: train }, Scores { folds: test }))
}
