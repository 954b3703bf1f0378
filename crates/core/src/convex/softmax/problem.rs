//! The softmax objective on given data, in the total scale.
//!
//! F(W, b) = Σ c_t ℓ(z_t, y_t) + Σ_jk λ₁ⱼ|w_jk| + λ₂ⱼw_jk², z_tk = w_k·x_t + b_k + o_tk. Solvers see one vector θ:
//! the unknowns w_k, b_k of one class after the other.

use super::passes::SlopePass;
use crate::convex::vectors::pairwise_sum;
use crate::penalty::{Penalty, Scale, Terms};
use crate::{Backend, Dataset, Error, Rows, Scalar};

/// The most numbers of one kind, for each row or each column and every class: 256 MB of them.
const MOST_NUMBERS: usize = 1 << 25;

/// Softmax loss and a penalty on data.
pub(super) struct SoftmaxProblem<'a, T: Scalar> {
    /// In doubles, whatever the precision of the data.
    pub(super) backend: &'a dyn Backend<f64>,
    pub(super) data: &'a Dataset<'a, T>,
    pub(super) classes: usize,
    /// The same for every class.
    pub(super) terms: Terms,
    pub(super) intercept: bool,
    /// Σ c_t.
    pub(super) weight: f64,
    /// What turns the total objective into the caller's.
    pub(super) unit: f64,
}

/// F at θ and what follows from the derivatives there.
pub(super) struct Evaluation {
    pub(super) objective: f64,
    /// The gradient of the loss alone.
    pub(super) gradient: Vec<f64>,
    /// ∂ℓ/∂z of every row, its classes side by side.
    pub(super) slopes: Vec<f64>,
}

impl<'a, T: Scalar> SoftmaxProblem<'a, T> {
    /// The problem of a penalty, its data checked.
    pub(super) fn new<P: Penalty>(
        backend: &'a dyn Backend<T>,
        penalty: &P,
        intercept: bool,
        data: &'a Dataset<'a, T>,
        classes: usize,
    ) -> Result<Self, Error> {
        check(data, intercept, classes)?;
        let weight = data.total_weight();
        let total = P::Scale::risk(weight.to_f64(), weight.to_f64());
        Ok(Self {
            backend: backend.doubles(),
            data,
            classes,
            terms: Terms::new(penalty, data.cols(), weight)?,
            intercept,
            weight: weight.to_f64(),
            unit: total / weight.to_f64(),
        })
    }

    /// The same loss on other columns, with the terms of those.
    pub(super) fn with_columns<'b>(
        &self,
        data: &'b Dataset<'b, T>,
        terms: Terms,
    ) -> SoftmaxProblem<'b, T>
    where
        'a: 'b,
    {
        let Self { backend, classes, intercept, weight, unit, .. } = *self;
        SoftmaxProblem { backend, data, classes, terms, intercept, weight, unit }
    }

    /// Number of features d.
    pub(super) fn features(&self) -> usize {
        self.data.cols()
    }

    /// Number of unknowns of a class: d, and one for its intercept.
    pub(super) fn unknowns(&self) -> usize {
        self.features() + usize::from(self.intercept)
    }

    /// The weights of every class.
    pub(super) fn weights<'v>(&self, theta: &'v [f64]) -> impl Iterator<Item = &'v [f64]> {
        let features = self.features();
        theta.chunks(self.unknowns()).map(move |theta| &theta[..features])
    }

    /// The class of a row.
    pub(super) fn class_of(&self, row: usize) -> usize {
        self.data.target_view()[(row, 0)].to_double() as usize
    }

    /// F, the gradient of the loss and the derivatives of the rows at θ, in one pass.
    pub(super) fn evaluate(&self, theta: &[f64]) -> Result<Evaluation, Error> {
        let pass = SlopePass { theta, unknowns: self.unknowns(), classes: self.classes };
        let sums = Rows::Memory(self.data).reduce(&pass)?;
        let penalty: f64 = self.weights(theta).map(|weights| self.terms.value(weights)).sum();
        Ok(Evaluation {
            objective: pairwise_sum(&sums.losses) + penalty,
            gradient: sums.gradient,
            slopes: sums.slopes,
        })
    }

    /// θ in the precision of the data.
    pub(super) fn rounded(&self, theta: &[f64]) -> Vec<f64> {
        theta.iter().map(|&v| T::from_double(v).to_double()).collect()
    }

    /// Σ c_t/K: the size of a curvature, for columns of unit deviation.
    pub(super) fn share(&self) -> f64 {
        self.weight / self.classes as f64
    }

    /// Σ c_t of the rows of each class.
    pub(super) fn class_weights(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        (0..self.data.rows()).for_each(|t| sums[self.class_of(t)] += self.data.weight_of(t));
        sums
    }
}

fn check<T: Scalar>(data: &Dataset<'_, T>, intercept: bool, classes: usize) -> Result<(), Error> {
    if data.targets() != 1 {
        let reason = "it takes one column of classes";
        return Err(Error::Unsupported { solver: "softmax regression", reason });
    }
    if data.cols() == 0 && !intercept {
        return Err(Error::NothingToFit);
    }
    let longest = data.rows().max(data.cols() + 1);
    if longest.checked_mul(classes).is_none_or(|numbers| numbers > MOST_NUMBERS) {
        let count = longest as u128 * classes as u128;
        return Err(Error::TooLarge { what: "the list of predictions or weights", count });
    }
    data.check_offsets(classes)?;
    let y = data.target_view();
    let in_range = |y: f64| y >= 0.0 && y < classes as f64 && y.fract() == 0.0;
    match y.col_iter(0).position(|y| !in_range(y.to_double())) {
        None => Ok(()),
        Some(row) => Err(Error::TargetOutsideDomain {
            row,
            value: y[(row, 0)].to_string(),
            loss: "softmax",
            domain: "0, 1, …, classes − 1",
        }),
    }
}
