//! Losses ℓ(z, y): how bad it is to say z where y was seen.
//!
//! A loss is a scalar function; it sees no matrix, no backend and no intercept. What a solver may use
//! of it is stated by capability traits, so that a solver that needs a derivative does not compile
//! with a loss that has none.

mod absolute;
mod squared;

use std::fmt::Debug;

pub use absolute::Absolute;
pub use squared::Squared;

use crate::{Block, Dataset, Error, Reduction, Rows, Scalar};

/// A loss of a prediction z against a target y.
pub trait Loss<T: Scalar>: Clone + Debug + Send + Sync {
    /// How it is called.
    const NAME: &'static str;
    /// Which targets it takes, in words.
    const DOMAIN: &'static str;

    /// ℓ(z, y).
    fn value(&self, z: T, y: T) -> T;

    /// Whether y is a target the loss is defined for.
    fn accepts(&self, y: T) -> bool;
}

/// A loss with a derivative that is Lipschitz in z.
#[diagnostic::on_unimplemented(
    message = "the loss `{Self}` has no Lipschitz derivative",
    note = "gradient methods need a smooth loss: Squared is one"
)]
pub trait Smooth<T: Scalar>: Loss<T> {
    /// ∂ℓ/∂z.
    fn derivative(&self, z: T, y: T) -> T;

    /// The least L with |ℓ′(z) − ℓ′(z′)| ≤ L·|z − z′|.
    fn smoothness(&self) -> T;
}

/// A loss with a second derivative.
#[diagnostic::on_unimplemented(
    message = "the loss `{Self}` has no second derivative",
    note = "Newton's method needs a twice smooth loss: Squared is one"
)]
pub trait TwiceSmooth<T: Scalar>: Smooth<T> {
    /// ∂²ℓ/∂z².
    fn second_derivative(&self, z: T, y: T) -> T;
}

/// Fails at the first target that the loss is not defined for.
pub fn check_targets<T: Scalar, L: Loss<T>>(loss: &L, data: &Dataset<'_, T>) -> Result<(), Error> {
    let y = data.target_view();
    for target in 0..y.cols() {
        if let Some(row) = y.col_iter(target).position(|&y| !loss.accepts(y)) {
            return Err(Error::TargetOutsideDomain {
                row,
                value: y[(row, target)].to_string(),
                loss: L::NAME,
                domain: L::DOMAIN,
            });
        }
    }
    Ok(())
}

/// The empirical risk of a model: Σ c_t ℓ(z_t, y_t) and Σ c_t, for each target.
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
    pub fn of<T: Scalar, L: Loss<T>>(
        model: &crate::LinearModel<T>,
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
        Rows::Memory(data).reduce(&RiskPass { model, loss })
    }
}

struct RiskPass<'a, T, L> {
    model: &'a crate::LinearModel<T>,
    loss: &'a L,
}

impl<T: Scalar, L: Loss<T>> Reduction<T> for RiskPass<'_, T, L> {
    type State = Risk;

    fn start(&self) -> Risk {
        Risk { total: vec![0.0; self.model.targets()], weight: 0.0 }
    }

    fn absorb(&self, risk: &mut Risk, block: &Block<'_, T>) {
        let weight = |i| block.weights.map_or(1.0, |c| c[(i, 0)].to_double());
        for (target, total) in risk.total.iter_mut().enumerate() {
            let predictions = self.model.predict_block(block.x, target);
            for (i, z) in predictions.into_iter().enumerate() {
                *total += weight(i) * self.loss.value(z, block.y[(i, target)]).to_double();
            }
        }
        risk.weight += (0..block.x.rows()).map(weight).sum::<f64>();
    }

    fn merge(&self, left: &mut Risk, right: Risk) {
        left.total.iter_mut().zip(right.total).for_each(|(a, b)| *a += b);
        left.weight += right.weight;
    }
}
