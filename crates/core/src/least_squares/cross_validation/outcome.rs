//! What is known of a fold, one entry for each penalty.

use crate::selection::{Score, Scores};
use crate::{Dataset, Error, LinearModel, Scalar};

pub(super) struct FoldOutcome<T> {
    pub(super) errors: Vec<f64>,
    pub(super) r_squared: Vec<f64>,
    pub(super) digits: Vec<f64>,
    pub(super) models: Vec<LinearModel<T>>,
    /// Penalties that were fitted from the rows.
    pub(super) refits: usize,
}

impl<T: Scalar> FoldOutcome<T> {
    /// Nothing yet.
    pub(super) fn empty(size: usize) -> Result<Self, Error> {
        let nothing = LinearModel::from_coefficients(Vec::new(), None)?;
        Ok(Self {
            errors: vec![f64::NAN; size],
            r_squared: vec![f64::NAN; size],
            digits: vec![0.0; size],
            models: vec![nothing; size],
            refits: 0,
        })
    }

    /// Takes in a model that was fitted from the rows, and predicts those that were left out.
    pub(super) fn take_refit(
        &mut self,
        k: usize,
        model: LinearModel<T>,
        digits: f64,
        test: &Dataset<'_, T>,
    ) -> Result<(), Error> {
        let predictions = model.predict(test.design())?;
        let score = |score: Score| score.of(test.target_view(), predictions.view(), test.weights());
        self.errors[k] = score(Score::MeanSquaredError)?;
        self.r_squared[k] = score(Score::RSquared)?;
        self.digits[k] = digits;
        self.models[k] = model;
        self.refits += 1;
        Ok(())
    }
}

/// A value of every fold, penalty by penalty.
pub(super) fn scores<T>(
    outcomes: &[FoldOutcome<T>],
    value: impl Fn(&FoldOutcome<T>) -> &[f64],
) -> Vec<Scores> {
    let count = outcomes.first().map_or(0, |outcome| value(outcome).len());
    let of =
        |k: usize| Scores { folds: outcomes.iter().map(|outcome| value(outcome)[k]).collect() };
    (0..count).map(of).collect()
}
