//! A choice among candidates by cross-validation.

use super::{Folds, Predictor, Score, Scores, cross_validate};
use crate::{Dataset, Error, Scalar};

/// Candidates with their scores.
///
/// Candidates stand in the order of growing complexity (degrees ascending, penalties descending), which
/// is what the one-standard-error rule goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid<P> {
    /// The candidates, simplest first.
    pub candidates: Vec<P>,
    /// Their scores.
    pub scores: Vec<Scores>,
    /// What was measured.
    pub score: Score,
}

impl<P: Sync> Grid<P> {
    /// Cross-validates every candidate, simplest first, on the same folds.
    pub fn search<T: Scalar, M: Predictor<T>>(
        data: &Dataset<'_, T>,
        folds: &Folds,
        score: Score,
        candidates: impl IntoIterator<Item = P>,
        fit: impl Fn(&P, &Dataset<'_, T>) -> Result<M, Error> + Sync,
    ) -> Result<Self, Error> {
        let candidates: Vec<P> = candidates.into_iter().collect();
        let run = |candidate: &P| cross_validate(data, folds, score, |train| fit(candidate, train));
        let scores = candidates.iter().map(run).collect::<Result<Vec<_>, _>>()?;
        Self::of(candidates, scores, score)
    }
}

impl<P> Grid<P> {
    /// Candidates, simplest first, whose scores are known already.
    pub fn of(candidates: Vec<P>, scores: Vec<Scores>, score: Score) -> Result<Self, Error> {
        if candidates.is_empty() || candidates.len() != scores.len() {
            return Err(Error::LengthMismatch {
                what: "the list of scores",
                per: "candidate, of which there must be one",
                expected: candidates.len().max(1),
                found: scores.len(),
            });
        }
        Ok(Self { candidates, scores, score })
    }

    /// The index of the best mean score, the simplest of equals. Scores that are NaN are the worst.
    pub fn best(&self) -> usize {
        let indices = 0..self.scores.len();
        indices.fold(0, |best, k| if self.value(k) > self.value(best) { k } else { best })
    }

    /// The index of the simplest candidate whose mean score is within one standard error of the best
    /// (Breiman, Friedman, Olshen, Stone 1984).
    pub fn one_standard_error(&self) -> usize {
        let best = self.best();
        let error = self.scores[best].standard_error();
        let margin = if error.is_nan() { 0.0 } else { error };
        let good_enough = |k: &usize| self.value(*k) >= self.value(best) - margin;
        (0..best).find(good_enough).unwrap_or(best)
    }

    /// The best candidate.
    pub fn best_candidate(&self) -> &P {
        &self.candidates[self.best()]
    }

    /// The candidate that the one-standard-error rule picks.
    pub fn simplest_candidate(&self) -> &P {
        &self.candidates[self.one_standard_error()]
    }

    /// The mean score with its sign such that larger is better.
    fn value(&self, k: usize) -> f64 {
        let mean = self.scores[k].mean();
        let value = if self.score.higher_is_better() { mean } else { -mean };
        if value.is_nan() { f64::NEG_INFINITY } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(score: Score, folds: &[[f64; 2]]) -> Grid<usize> {
        let scores = folds.iter().map(|folds| Scores { folds: folds.to_vec() }).collect();
        Grid::of((0..folds.len()).collect(), scores, score).unwrap()
    }

    #[test]
    fn the_best_and_the_simplest_good_one() {
        // Means 0.5, 0.85, 0.9, 0.88; the standard error of the best is 0.1.
        let folds = [[0.5, 0.5], [0.85, 0.85], [0.8, 1.0], [0.88, 0.88]];
        let found = grid(Score::RSquared, &folds);
        assert_eq!((found.best(), found.one_standard_error()), (2, 1));
        let found = grid(Score::MeanSquaredError, &folds);
        assert_eq!((found.best(), found.one_standard_error()), (0, 0));
    }

    #[test]
    fn scores_that_are_no_numbers_lose() {
        let found = grid(Score::RSquared, &[[f64::NAN, 1.0], [-5.0, -5.0]]);
        assert_eq!((found.best(), found.one_standard_error()), (1, 1));
        assert!(Grid::<usize>::of(vec![], vec![], Score::RSquared).is_err());
    }
}
