//! From θ to a [`Fit`]: the model, the report, the certificate.

use super::newton::{Closing, Method, SoftmaxNewton};
use super::problem::SoftmaxProblem;
use super::{separation, working_set};
use crate::convex::finish::gap_of_rounding;
use crate::convex::run::Run;
use crate::{Certificate, Error, Fit, LinearModel, Report, Scalar, Status};

/// What the solver knows at the end.
pub(super) struct Ending {
    pub(super) theta: Vec<f64>,
    pub(super) status: Status,
    pub(super) solver: &'static str,
    pub(super) passes: usize,
}

impl<T: Scalar> SoftmaxProblem<'_, T> {
    /// Rounds θ to the data's precision and certifies what is returned.
    pub(super) fn finish(&self, ending: Ending, run: Run<'_>) -> Result<Fit<T>, Error> {
        let Ending { mut theta, mut status, solver, mut passes } = ending;
        self.centre_intercepts(&mut theta);
        let theta = self.rounded(&theta);
        let (decrement, step) = self.closing(&theta)?;
        let (objective, certificate) = match separation::find(self, &theta, step.as_deref())? {
            Some(direction) => {
                status = Status::NoMinimiser;
                (self.evaluate(&theta)?.objective, Certificate::SoftmaxSeparated(direction))
            }
            None => {
                let certificate = self.certify(&theta, decrement)?;
                status = run.judge(status, certificate.relative_gap, gap_of_rounding::<T>());
                (certificate.objective, Certificate::Softmax(Box::new(certificate)))
            }
        };
        passes += 2;
        let report = Report {
            status,
            solver: solver.into(),
            backend: self.backend.name().to_string(),
            iterations: run.iterations.saturating_sub(1),
            passes,
            objective: vec![objective * self.unit],
            trace: run.trace,
        };
        let (weights, intercepts) = self.by_class(&theta);
        let exact = |v: &[f64]| v.iter().map(|&v| T::from_double(v)).collect::<Vec<T>>();
        let model = LinearModel::new(
            weights.iter().map(|weights| exact(weights)).collect(),
            intercepts.as_deref().map(exact),
            self.data.names().cloned(),
        )?;
        Ok(Fit { model, report, certificate })
    }

    /// ½gᵀH⁻¹g at θ and the step behind it, where some weights pay no penalty; where others pay λ₁ there is no one step.
    fn closing(&self, theta: &[f64]) -> Result<(Option<f64>, Option<Vec<f64>>), Error> {
        if !self.terms.has_free_weights() {
            return Ok((None, None));
        }
        if !self.terms.is_smooth() {
            return Ok((Some(working_set::decrement(self, theta)?), None));
        }
        let method = Method::of(self, self.features());
        let Closing { decrement, step } = SoftmaxNewton::new(self, method).closing(theta)?;
        Ok((Some(decrement), Some(step)))
    }

    /// Intercepts of sum zero, which predict the same.
    fn centre_intercepts(&self, theta: &mut [f64]) {
        if !self.intercept {
            return;
        }
        let (level, unknowns) = (self.features(), self.unknowns());
        let sum: f64 = theta.chunks(unknowns).map(|of_class| of_class[level]).sum();
        let mean = sum / self.classes as f64;
        theta.chunks_mut(unknowns).for_each(|of_class| of_class[level] -= mean);
    }

    /// Weights and intercepts of every class.
    pub(super) fn by_class(&self, theta: &[f64]) -> (Vec<Vec<f64>>, Option<Vec<f64>>) {
        let weights = self.weights(theta).map(<[f64]>::to_vec).collect();
        let level = self.features();
        let intercepts = || theta.chunks(self.unknowns()).map(|of_class| of_class[level]).collect();
        (weights, self.intercept.then(intercepts))
    }
}
