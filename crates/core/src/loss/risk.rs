//! The empirical risk of a given model: Σ c_t ℓ(z_t, y_t).

use super::{Loss, check_targets};
use crate::{Block, Dataset, Error, LinearModel, Reduction, Rows, Scalar};

/// Σ c_t ℓ(z_t, y_t) and Σ c_t, for each target.
#[derive(Clone, Debug, PartialEq)]
pub struct Risk {
    /// Σ c_t ℓ(z_t, y_t), one per target.
    pub total: Vec<f64>,
    /// Σ c_t: the number of rows where there are no weights.
    pub weight: f64,
}

impl Risk {
    /// The mean loss of each target.
    pub fn mean(&self) -> Vec<f64> {
        self.total.iter().map(|total| total / self.weight).collect()
    }

    /// The risk of a model on data, under any loss.
    ///
    /// ```
    /// use minrisk_core::{Dataset, LinearModel, View};
    /// use minrisk_core::loss::{Absolute, Risk};
    /// let (x, y) = ([1.0, 2.0, 4.0], [2.0, 5.0, 8.0]);
    /// let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
    /// let doubling = LinearModel::from_coefficients(vec![2.0], Some(0.0))?;
    /// assert_eq!(Risk::of(&doubling, &Absolute, &data)?.total, [1.0]);
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn of<T: Scalar, L: Loss>(
        model: &LinearModel<T>,
        loss: &L,
        data: &Dataset<'_, T>,
    ) -> Result<Self, Error> {
        check_targets(loss, data)?;
        model.check_design(data.cols(), data.names())?;
        if model.targets() != data.targets() {
            return Err(Error::LengthMismatch {
                what: "the list of targets",
                per: "target of the model",
                expected: model.targets(),
                found: data.targets(),
            });
        }
        data.check_offsets(1)?;
        Rows::Memory(data).reduce(&RiskPass { model, loss })
    }
}

struct RiskPass<'a, T, L> {
    model: &'a LinearModel<T>,
    loss: &'a L,
}

impl<T: Scalar, L: Loss> Reduction<T> for RiskPass<'_, T, L> {
    type State = Risk;

    fn start(&self) -> Risk {
        Risk { total: vec![0.0; self.model.targets()], weight: 0.0 }
    }

    fn absorb(&self, risk: &mut Risk, block: &Block<'_, T>) {
        let weight = |i| block.weight_of(i);
        for (target, total) in risk.total.iter_mut().enumerate() {
            let predictions = self.model.predict_block(block.x, target);
            for (i, z) in predictions.into_iter().enumerate() {
                let offset = block.offset_of(i);
                let (z, y) = (z.to_double() + offset, block.y[(i, target)].to_double());
                *total += weight(i) * self.loss.value(z, y);
            }
        }
        risk.weight += (0..block.x.rows()).map(weight).sum::<f64>();
    }

    fn merge(&self, left: &mut Risk, right: Risk) {
        left.total.iter_mut().zip(right.total).for_each(|(a, b)| *a += b);
        left.weight += right.weight;
    }
}
