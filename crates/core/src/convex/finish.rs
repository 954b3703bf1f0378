//! From θ to a [`Fit`]: the model, the report, the certificate.

use super::problem::Problem;
use super::run::Run;
use super::separation::{Endless, Minimiser, Question, decide};
use crate::certificate::{Bound, ConvexCertificate};
use crate::loss::{AnyLoss, Loss};
use crate::{Certificate, Error, Fit, LinearModel, Report, Scalar, Separation, Status};

/// What a solver knows at the end.
pub(super) struct Ending {
    pub(super) theta: Vec<f64>,
    pub(super) status: Status,
    pub(super) solver: String,
    pub(super) passes: usize,
    pub(super) proof: Proof,
}

/// What the lower bound is made from.
pub(super) enum Proof {
    /// The derivatives of the loss at θ.
    Derivatives,
    /// A better dual point, one number for each row, where the solver has one.
    Dual(Option<Vec<f64>>),
    /// ½gᵀH⁻¹g, where it is known.
    Decrement(Option<f64>),
    /// Made already, for θ in the precision of the data; its passes are counted.
    Certificate(ConvexCertificate),
}

/// The relative gap that rounding coefficients to the data's precision may leave.
pub(super) fn gap_of_rounding<T: Scalar>() -> f64 {
    1e3 * T::unit_roundoff()
}

/// The part of the loss that rounding to doubles may add to a minimiser that is proven to be near.
pub(super) const MOST_LOST: f64 = 1e-9;

/// Passes over the data that a certificate takes.
pub(super) const PASSES: usize = 2;

impl Proof {
    /// Passes that are still to be made.
    fn passes(&self) -> usize {
        if matches!(self, Self::Certificate(_)) { 0 } else { PASSES }
    }

    /// ½gᵀH⁻¹g says nothing about a minimiser that is not known to be near.
    fn without_decrement(self) -> Self {
        match self {
            Self::Certificate(certificate) if certificate.bound == Bound::NewtonDecrement => {
                Self::Derivatives
            }
            Self::Decrement(_) => Self::Derivatives,
            other => other,
        }
    }
}

impl<T: Scalar, L: Loss> Problem<'_, T, L> {
    /// Rounds θ to the data's precision and certifies what is returned, or that there is nothing to return.
    pub(super) fn finish(&self, mut ending: Ending, run: Run<'_>) -> Result<Fit<T>, Error> {
        let thorough = run.is_to_decide(ending.status);
        let mut minimiser = match thorough.filter(|_| self.loss.known() == Some(AnyLoss::Logistic))
        {
            Some(thorough) => Some(decide(&Question::of_logistic(self, &ending.theta), thorough)?),
            None => None,
        };
        if let Some(Minimiser::At { blocks, objective, decrement }) = &mut minimiser {
            // Columns close to dependent may ask for weights that doubles have no digits for.
            let lost = self.evaluate(&blocks.concat())?.objective - *objective;
            if lost > MOST_LOST * objective.abs() {
                minimiser = Some(Minimiser::Unproven);
            } else {
                *decrement += lost.max(0.0);
            }
        }
        let exists = match minimiser {
            None | Some(Minimiser::Near) => true,
            Some(Minimiser::At { blocks, decrement, .. }) => {
                (ending.theta, ending.proof) = (blocks.concat(), Proof::Decrement(Some(decrement)));
                true
            }
            Some(Minimiser::Absent(endless)) => {
                return self.finish_separated(ending, endless, run);
            }
            Some(Minimiser::Unproven) => {
                ending.proof = ending.proof.without_decrement();
                false
            }
        };
        let Ending { theta, status, solver, passes, proof } = ending;
        let passes = passes + proof.passes();
        let certificate = match proof {
            Proof::Certificate(certificate) => certificate,
            Proof::Derivatives => self.certify_rounded(&theta, None)?,
            Proof::Dual(dual) => self.certify(&self.rounded(&theta), dual, None)?,
            Proof::Decrement(decrement) => self.certify_rounded(&theta, decrement)?,
        };
        let status = match run.judge(status, certificate.relative_gap, self.rounding()) {
            // What is not known to exist is not solved for, and what is not confirmed is not absent.
            Status::Solved if !exists => Status::LimitedAccuracy,
            Status::NoMinimiser => Status::LimitedAccuracy,
            other => other,
        };
        let objective = certificate.objective;
        let certificate = Certificate::Convex(Box::new(certificate));
        let report = self.report(status, solver, passes, objective, run);
        self.assemble(&theta, report, certificate)
    }

    /// θ in the precision of the data.
    pub(super) fn rounded(&self, theta: &[f64]) -> Vec<f64> {
        theta.iter().map(|&v| T::from_double(v).to_double()).collect()
    }

    /// The relative gap that rounding θ may leave, which is not the solver's doing.
    pub(super) fn rounding(&self) -> f64 {
        gap_of_rounding::<T>()
    }

    /// A fit that says that there is nothing to fit, with the direction of endless descent.
    fn finish_separated(
        &self,
        ending: Ending,
        Endless { blocks, complete }: Endless,
        run: Run<'_>,
    ) -> Result<Fit<T>, Error> {
        let Ending { theta, solver, passes, proof, .. } = ending;
        let passes = passes + proof.passes();
        let objective = self.evaluate(&theta)?.objective;
        let (mut weights, terms) = (blocks.concat(), self.terms.clone());
        let intercept = weights.split_off(self.features()).first().copied();
        let separation = Separation { terms, weights, intercept, complete };
        let certificate = Certificate::Separated(Box::new(separation));
        let report = self.report(Status::NoMinimiser, solver, passes, objective, run);
        self.assemble(&theta, report, certificate)
    }

    fn report(
        &self,
        status: Status,
        solver: String,
        passes: usize,
        objective: f64,
        run: Run<'_>,
    ) -> Report {
        Report {
            status,
            solver,
            backend: self.backend.name().to_string(),
            iterations: run.iterations.saturating_sub(1),
            passes,
            objective: vec![self.in_units(objective)],
            trace: run.trace,
        }
    }

    fn assemble(
        &self,
        theta: &[f64],
        report: Report,
        certificate: Certificate,
    ) -> Result<Fit<T>, Error> {
        let mut theta: Vec<T> = theta.iter().map(|&v| T::from_double(v)).collect();
        let intercepts = theta.split_off(self.features());
        let intercepts = (!intercepts.is_empty()).then_some(intercepts);
        let model = LinearModel::new(vec![theta], intercepts, self.data.names().cloned())?;
        Ok(Fit { model, report, certificate })
    }
}
