//! Sample weights as sums over rows see them.

use minrisk::{Dataset, View, WeightKind};

/// Sample weights, 1 where there are none.
pub(super) struct Weights<'a> {
    view: Option<View<'a, f64>>,
    pub(super) total: f64,
    pub(super) observations: f64,
}

impl<'a> Weights<'a> {
    pub(super) fn of(data: &Dataset<'a, f64>) -> Self {
        let (view, rows) = (data.weights(), data.rows() as f64);
        let total = view.map_or(rows, |weights| weights.col_iter(0).sum());
        let counted = |weights: View<'_, f64>| weights.col_iter(0).filter(|c| **c > 0.0).count();
        let observations = match data.weight_kind() {
            WeightKind::Unweighted => rows,
            WeightKind::Frequencies => total,
            WeightKind::Precisions => view.map_or(rows, |weights| counted(weights) as f64),
        };
        Self { view, total, observations }
    }

    pub(super) fn of_row(&self, row: usize) -> f64 {
        self.view.map_or(1.0, |weights| weights[(row, 0)])
    }

    pub(super) fn sum(&self, values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
        values.iter().enumerate().map(|(t, &v)| self.of_row(t) * term(v)).sum()
    }

    pub(super) fn mean(&self, values: &[f64]) -> f64 {
        self.sum(values, |v| v) / self.total
    }
}
