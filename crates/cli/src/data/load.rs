//! A training set in memory.

use minrisk::{Dataset, Error, View, dataset, view};

use super::{Training, Weights};
use crate::failure::{Failure, Outcome};

/// The numbers of a training set; labels of the target are codes.
pub(crate) struct Loaded {
    pub(crate) names: Vec<String>,
    /// The features, row after row.
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    weights: Option<Vec<f64>>,
    weights_are: Weights,
}

impl Training {
    /// Loads all rows, or those in which nothing is missing.
    pub(crate) fn load(&self) -> Outcome<Loaded> {
        let names = self.encoder.names();
        let rows = self.table.cells.rows();
        let mut loaded = Loaded {
            x: Vec::new(),
            y: Vec::with_capacity(rows),
            weights: self.weights.map(|_| Vec::with_capacity(rows)),
            weights_are: self.choice.weights_are,
            names,
        };
        let count = rows.checked_mul(loaded.names.len());
        if count.is_none_or(|count| loaded.x.try_reserve_exact(count).is_err()) {
            return Err(self.problem(format!(
                "{rows} rows of {} features do not fit in memory; only least squares and ridge are streamed",
                loaded.names.len(),
            )));
        }
        self.table.cells.for_each(|cells| {
            if !cells.iter().any(|value| value.is_nan()) {
                self.binding.encode(cells, &mut loaded.x);
                loaded.y.push(cells[self.target]);
                if let (Some(weights), Some(at)) = (&mut loaded.weights, self.weights) {
                    weights.push(cells[at]);
                }
            }
            Ok(())
        })?;
        if loaded.y.is_empty() {
            return Err(
                self.problem("every row has a missing value: leave columns out by --exclude")
            );
        }
        Ok(loaded)
    }
}

impl Loaded {
    pub(crate) fn rows(&self) -> usize {
        self.y.len()
    }

    pub(crate) fn features(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn design(&self) -> Result<View<'_, f64>, Error> {
        View::row_major(&self.x, self.rows(), self.features())
    }

    /// The features, weights and names with a target.
    pub(crate) fn dataset<'a>(&'a self, target: &'a [f64]) -> Result<Dataset<'a, f64>, Error> {
        let data = dataset(self.design()?, target)?.with_names(&self.names)?;
        match (&self.weights, self.weights_are) {
            (None, _) => Ok(data),
            (Some(weights), Weights::Precisions) => data.with_precisions(view(weights)),
            (Some(weights), Weights::Frequencies) => data.with_frequencies(view(weights)),
        }
    }

    /// The features by column.
    pub(crate) fn feature(&self, feature: usize) -> Vec<f64> {
        self.x.iter().skip(feature).step_by(self.features().max(1)).copied().collect()
    }

    /// Fails where there are weights, for what would leave them out without a word.
    pub(crate) fn refuse_weights(&self, method: &str) -> Outcome {
        match self.weights {
            None => Ok(()),
            Some(_) => {
                Err(Failure::new(format!("{method} takes no sample weights: leave --weights out")))
            }
        }
    }
}
