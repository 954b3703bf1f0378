//! How good predictions are.
//!
//! | score | formula | better |
//! |---|---|---|
//! | R² | 1 − Σ c(y − z)² / Σ c(y − ȳ)² | larger |
//! | mean squared error | Σ c(y − z)² / Σ c | smaller |
//! | log-loss | −Σ c log P(y) / Σ c, z = P(+1) | smaller |
//! | accuracy | Σ c·[sgn z = y] / Σ c | larger |
//! | zero-one | 1 − accuracy | smaller |
//!
//! Targets of the last three are −1 and +1 (or 0 and 1); sgn(z) is +1 for z > 0 and −1 otherwise, so a
//! probability must be shifted by ½ first. Several targets are averaged.

use crate::{Error, Scalar, View};

/// A measure of predictions against targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Score {
    /// The share of the variance that is explained; 1 at best, below 0 where the mean does better.
    RSquared,
    /// The mean of the squared residuals.
    MeanSquaredError,
    /// The mean negative logarithm of the probability given to the label that occurred.
    LogLoss,
    /// The share of labels that are right.
    Accuracy,
    /// The share of labels that are wrong.
    ZeroOne,
}

impl Score {
    /// Whether larger values are better.
    pub fn higher_is_better(self) -> bool {
        matches!(self, Score::RSquared | Score::Accuracy)
    }

    /// The score of predictions, one column for each target.
    ///
    /// ```
    /// use minrisk_core::View;
    /// use minrisk_core::selection::Score;
    /// let (y, z) = ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]);
    /// let score = Score::RSquared.of(View::column_vector(&y), View::column_vector(&z), None)?;
    /// assert_eq!(score, 0.5);
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn of<T: Scalar>(
        self,
        targets: View<'_, T>,
        predictions: View<'_, T>,
        weights: Option<View<'_, T>>,
    ) -> Result<f64, Error> {
        let mismatch = |what, expected, found| Error::LengthMismatch {
            what,
            per: "row and target",
            expected,
            found,
        };
        let shape = (targets.rows(), targets.cols());
        if (predictions.rows(), predictions.cols()) != shape {
            let found = predictions.rows() * predictions.cols();
            return Err(mismatch("the list of predictions", shape.0 * shape.1, found));
        }
        if let Some(weights) = weights
            && weights.rows() != shape.0
        {
            return Err(mismatch("the sample weights", shape.0, weights.rows()));
        }
        if targets.is_empty() {
            return Err(Error::NoRows);
        }
        let mut sum = 0.0;
        for target in 0..shape.1 {
            let rows = (0..shape.0).map(|i| Row {
                y: targets[(i, target)].to_double(),
                z: predictions[(i, target)].to_double(),
                weight: weights.map_or(1.0, |c| c[(i, 0)].to_double()),
            });
            sum += self.of_rows(rows)?;
        }
        Ok(sum / shape.1 as f64)
    }

    fn of_rows(self, rows: impl Iterator<Item = Row> + Clone) -> Result<f64, Error> {
        let total: f64 = rows.clone().map(|row| row.weight).sum();
        if total <= 0.0 {
            return Err(Error::AllWeightsZero);
        }
        let squares = || rows.clone().map(|row| row.weight * (row.y - row.z).powi(2)).sum::<f64>();
        match self {
            Score::RSquared => {
                let mean = rows.clone().map(|row| row.weight * row.y).sum::<f64>() / total;
                let around: f64 = rows.clone().map(|row| row.weight * (row.y - mean).powi(2)).sum();
                Ok(r_squared(squares(), around))
            }
            Score::MeanSquaredError => Ok(squares() / total),
            Score::LogLoss => {
                let mut sum = 0.0;
                for (i, row) in rows.enumerate() {
                    if !(0.0..=1.0).contains(&row.z) {
                        return Err(Error::BadParameter {
                            what: "a predicted probability",
                            value: format!("{} in row {i}", row.z),
                            expected: "between 0 and 1",
                        });
                    }
                    let probability = if label(i, row.y)? { row.z } else { 1.0 - row.z };
                    sum -= row.weight * probability.ln();
                }
                Ok(sum / total)
            }
            Score::Accuracy | Score::ZeroOne => {
                let mut right = 0.0;
                for (i, row) in rows.enumerate() {
                    let agree = label(i, row.y)? == (row.z > 0.0);
                    right += if agree { row.weight } else { 0.0 };
                }
                let accuracy = right / total;
                Ok(if self == Score::Accuracy { accuracy } else { 1.0 - accuracy })
            }
        }
    }
}

/// 1 − RSS/TSS; a constant target is explained wholly or not at all.
pub(crate) fn r_squared(residual: f64, around_mean: f64) -> f64 {
    match (residual > 0.0, around_mean > 0.0) {
        (_, true) => 1.0 - residual / around_mean,
        (false, false) => 1.0,
        (true, false) => 0.0,
    }
}

#[derive(Clone, Copy)]
struct Row {
    y: f64,
    z: f64,
    weight: f64,
}

/// Whether a label is the positive one.
fn label(row: usize, y: f64) -> Result<bool, Error> {
    match y {
        1.0 => Ok(true),
        0.0 | -1.0 => Ok(false),
        _ => Err(Error::TargetOutsideDomain {
            row,
            value: y.to_string(),
            loss: "zero-one",
            domain: "−1 and +1, or 0 and 1",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(kind: Score, y: &[f64], z: &[f64], weights: Option<&[f64]>) -> Result<f64, Error> {
        let weights = weights.map(View::column_vector);
        kind.of(View::column_vector(y), View::column_vector(z), weights)
    }

    #[test]
    fn scores_by_hand() {
        let (y, z) = ([1.0, -1.0, 1.0, -1.0], [0.5, -0.5, 0.0, 2.0]);
        assert_eq!(score(Score::Accuracy, &y, &z, None), Ok(0.5));
        assert_eq!(score(Score::ZeroOne, &y, &z, Some(&[1.0, 1.0, 0.0, 2.0])), Ok(0.5));
        assert_eq!(
            score(Score::MeanSquaredError, &y, &z, None),
            Ok((0.25 + 0.25 + 1.0 + 9.0) / 4.0)
        );
        let probabilities = [0.5, 0.25, 1.0, 0.0];
        let expected = (2.0_f64.ln() - 0.75_f64.ln()) / 4.0;
        assert_eq!(score(Score::LogLoss, &y, &probabilities, None), Ok(expected));
        assert_eq!(score(Score::LogLoss, &[1.0], &[0.0], None), Ok(f64::INFINITY));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(score(Score::Accuracy, &[0.5], &[1.0], None).is_err());
        assert!(score(Score::LogLoss, &[1.0], &[1.5], None).is_err());
        assert!(score(Score::RSquared, &[1.0], &[1.0, 2.0], None).is_err());
        assert_eq!(score(Score::RSquared, &[], &[], None), Err(Error::NoRows));
    }

    #[test]
    fn constant_targets_are_explained_or_not() {
        assert_eq!(score(Score::RSquared, &[2.0, 2.0], &[2.0, 2.0], None), Ok(1.0));
        assert_eq!(score(Score::RSquared, &[2.0, 2.0], &[2.0, 2.5], None), Ok(0.0));
    }
}
