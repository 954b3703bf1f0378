//! The objective on given data: F(w, b) = Σ c_t ℓ(w·x_t + b + o_t, y_t) + Σ λ₁ⱼ|w_j| + λ₂ⱼw_j².
//!
//! Solvers see one vector θ = (w, b), with b last where there is an intercept, and the total scale.

use super::passes::LossPass;
use crate::loss::{Loss, check_targets};
use crate::penalty::{Penalty, Scale, Terms};
use crate::wide::Dd;
use crate::{Backend, Dataset, Erm, Error, Rows, Scalar};

/// A loss and a penalty on data, in the total scale.
pub(crate) struct Problem<'a, T: Scalar, L> {
    /// In doubles, whatever the precision of the data: curvature needs them.
    pub(crate) backend: &'a dyn Backend<f64>,
    pub(crate) data: &'a Dataset<'a, T>,
    pub(crate) loss: &'a L,
    pub(crate) terms: Terms,
    pub(crate) intercept: bool,
    /// Σ c_t.
    pub(crate) weight: f64,
    /// What turns the total objective into the caller's.
    pub(crate) unit: f64,
}

/// F and its gradient, the corners of λ₁ left out of the gradient.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    pub(crate) objective: f64,
    pub(crate) gradient: Vec<f64>,
}

impl<'a, T: Scalar, L: Loss> Problem<'a, T, L> {
    /// The problem of an [`Erm`], its data checked against its loss.
    pub(crate) fn new<P: Penalty>(
        backend: &'a dyn Backend<T>,
        erm: &'a Erm<L, P>,
        data: &'a Dataset<'a, T>,
    ) -> Result<Self, Error> {
        check_targets(&erm.loss, data)?;
        data.check_offsets(1)?;
        if data.targets() != 1 {
            return Err(Error::Unsupported {
                solver: "an iterative solver",
                reason: "it fits one target at a time; give the targets one by one",
            });
        }
        let weight = data.total_weight();
        let total = P::Scale::risk(weight.to_f64(), weight.to_f64());
        Ok(Self {
            backend: backend.doubles(),
            data,
            loss: &erm.loss,
            terms: Terms::new(&erm.penalty, data.cols(), weight)?,
            intercept: erm.intercept,
            weight: weight.to_f64(),
            unit: total / weight.to_f64(),
        })
    }

    /// The same loss on other columns, with the terms of those.
    pub(crate) fn with_columns<'b>(
        &self,
        data: &'b Dataset<'b, T>,
        terms: Terms,
    ) -> Problem<'b, T, L>
    where
        'a: 'b,
    {
        let Self { backend, loss, intercept, weight, unit, .. } = *self;
        Problem { backend, data, loss, terms, intercept, weight, unit }
    }

    /// The same loss and data with another penalty of the same scale.
    pub(crate) fn with_penalty<P: Penalty>(&self, penalty: &P) -> Result<Self, Error> {
        let Self { backend, data, loss, intercept, weight, unit, .. } = *self;
        let terms = Terms::new(penalty, data.cols(), data.total_weight())?;
        Ok(Self { backend, data, loss, terms, intercept, weight, unit })
    }

    /// Number of features d.
    pub(crate) fn features(&self) -> usize {
        self.data.cols()
    }

    /// Number of unknowns: d, and one for the intercept.
    pub(crate) fn unknowns(&self) -> usize {
        self.features() + usize::from(self.intercept)
    }

    /// w and b of θ.
    pub(crate) fn split<'v, N: Copy + Default>(&self, theta: &'v [N]) -> (&'v [N], N) {
        let (weights, rest) = theta.split_at(self.features());
        (weights, rest.first().copied().unwrap_or_default())
    }

    /// F and its gradient at θ, in one pass.
    pub(crate) fn evaluate(&self, theta: &[f64]) -> Result<Evaluation, Error> {
        self.evaluate_on(self.data, theta)
    }

    /// The same on a copy of the data in another precision.
    pub(crate) fn evaluate_on<U: Scalar>(
        &self,
        data: &Dataset<'_, U>,
        theta: &[f64],
    ) -> Result<Evaluation, Error> {
        let (weights, intercept) = self.split(theta);
        let pass = LossPass { loss: self.loss, weights, intercept };
        let sums = Rows::Memory(data).reduce(&pass)?;
        let mut gradient = sums.gradient;
        if self.intercept {
            gradient.push(sums.total);
        }
        for (j, w) in weights.iter().enumerate() {
            gradient[j] += 2.0 * self.terms.l2[j] * w;
        }
        Ok(Evaluation { objective: sums.value + self.terms.value(weights), gradient })
    }

    /// The objective in the caller's scale, from the total one.
    pub(crate) fn in_units(&self, objective: f64) -> f64 {
        objective * self.unit
    }
}

impl<T: Scalar> Dataset<'_, T> {
    /// Σ c_t, the number of rows where there are no weights.
    pub(crate) fn total_weight(&self) -> Dd {
        match self.weights() {
            None => Dd::from(self.rows() as f64),
            Some(weights) => {
                weights.col_iter(0).fold(Dd::from(0.0), |sum, c| sum + Dd::from(c.to_double()))
            }
        }
    }
}
