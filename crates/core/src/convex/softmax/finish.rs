//! From θ to a [`Fit`]: the model, the report, the certificate.

use super::newton::{Method, SoftmaxNewton};
use super::problem::SoftmaxProblem;
use super::working_set;
use crate::certificate::SoftmaxCertificate;
use crate::convex::finish::{MOST_LOST, gap_of_rounding};
use crate::convex::run::Run;
use crate::convex::separation::Minimiser;
use crate::{Certificate, Error, Fit, LinearModel, Report, Scalar, Status};

/// What the solver knows at the end.
pub(super) struct Ending {
    pub(super) theta: Vec<f64>,
    pub(super) status: Status,
    pub(super) solver: &'static str,
    pub(super) passes: usize,
}

impl<T: Scalar> SoftmaxProblem<'_, T> {
    /// Rounds θ to the data's precision and certifies what is returned, or that there is nothing to return.
    pub(super) fn finish(&self, ending: Ending, run: Run<'_>) -> Result<Fit<T>, Error> {
        let Ending { mut theta, mut status, solver, mut passes } = ending;
        let (mut endless, mut exists) = (None, true);
        if let Some(thorough) = run.is_to_decide(status) {
            match self.decide(&theta, thorough)? {
                Minimiser::Near => {}
                Minimiser::At { blocks, objective, .. } => {
                    let there = self.centred(blocks);
                    let lost = self.evaluate(&there)?.objective - objective;
                    // Columns close to dependent may ask for weights that doubles have no digits for.
                    exists = lost <= MOST_LOST * objective.abs();
                    if exists {
                        theta = there;
                    }
                }
                Minimiser::Absent(found) => endless = Some(found),
                Minimiser::Unproven => exists = false,
            }
        }
        self.centre_intercepts(&mut theta);
        let rounded = self.rounded(&theta);
        let (objective, certificate) = match endless {
            Some(endless) => {
                status = Status::NoMinimiser;
                let separation = Box::new(self.separation(endless));
                (self.evaluate(&rounded)?.objective, Certificate::SoftmaxSeparated(separation))
            }
            None => {
                // ½gᵀH⁻¹g says nothing about a minimiser that is not known to be near.
                let is_near = exists && status == Status::Solved;
                let decrement = if is_near { self.decrement(&rounded)? } else { None };
                let mut certificate = self.certify(&rounded, decrement)?;
                let judge = |gap: f64| run.judge(status, gap, gap_of_rounding::<T>());
                if judge(certificate.relative_gap) == Status::LimitedAccuracy
                    && self.terms.is_smooth()
                    && decrement.is_none()
                    && rounded != theta
                {
                    // A small λ₂ makes much of what rounding does to the derivatives.
                    let towards = self.certify_towards(&rounded, &theta, &certificate)?;
                    let solves = |certificate: &SoftmaxCertificate| {
                        judge(certificate.relative_gap) == Status::Solved
                    };
                    certificate = towards.filter(solves).unwrap_or(certificate);
                }
                status = match judge(certificate.relative_gap) {
                    Status::Solved if !exists => Status::LimitedAccuracy,
                    other => other,
                };
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
        let (weights, intercepts) = self.by_class(&rounded);
        let exact = |v: &[f64]| v.iter().map(|&v| T::from_double(v)).collect::<Vec<T>>();
        let model = LinearModel::new(
            weights.iter().map(|weights| exact(weights)).collect(),
            intercepts.as_deref().map(exact),
            self.data.names().cloned(),
        )?;
        Ok(Fit { model, report, certificate })
    }

    /// ½gᵀH⁻¹g at θ, where some weights pay no penalty.
    fn decrement(&self, theta: &[f64]) -> Result<Option<f64>, Error> {
        if !self.terms.has_free_weights() {
            return Ok(None);
        }
        if !self.terms.is_smooth() {
            return working_set::decrement(self, theta).map(Some);
        }
        let method = Method::of(self, self.features());
        SoftmaxNewton::new(self, method).decrement(theta).map(Some)
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
