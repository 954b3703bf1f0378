//! From θ to a [`Fit`]: the model, the report, the certificate.

use super::problem::Problem;
use super::run::Run;
use crate::loss::Loss;
use crate::{Certificate, Error, Fit, LinearModel, Report, Scalar, Status};

/// What a solver knows at the end.
pub(super) struct Ending {
    pub(super) theta: Vec<f64>,
    pub(super) status: Status,
    pub(super) solver: String,
    pub(super) passes: usize,
    /// A dual point, one number for each row.
    pub(super) dual: Option<Vec<f64>>,
    /// ½gᵀH⁻¹g.
    pub(super) decrement: Option<f64>,
}

impl<T: Scalar, L: Loss> Problem<'_, T, L> {
    /// Rounds θ to the data's precision and certifies what is returned.
    pub(super) fn finish(&self, ending: Ending, run: Run<'_>) -> Result<Fit<T>, Error> {
        let Ending { theta, mut status, solver, passes, dual, decrement } = ending;
        let rounded: Vec<T> = theta.iter().map(|&v| T::from_double(v)).collect();
        let theta: Vec<f64> = rounded.iter().map(|v| v.to_double()).collect();
        let certificate = self.certify(&theta, dual, decrement)?;
        // What rounding the coefficients to the data's precision costs is not the solver's doing.
        let tolerance = run.tolerance().max(1e3 * T::unit_roundoff());
        // What is proven decides, not what the iteration thought of itself; a gap that is not a number
        // is no better than a large one.
        let proven = certificate.relative_gap <= tolerance.max(1e-10);
        status = match status {
            Status::Solved if !proven => Status::LimitedAccuracy,
            Status::IterationLimit if certificate.relative_gap <= run.tolerance() => Status::Solved,
            other => other,
        };
        let (weights, rest) = rounded.split_at(self.features());
        let intercepts = rest.first().map(|&b| vec![b]);
        let names = self.data.names().cloned();
        Ok(Fit {
            model: LinearModel::new(vec![weights.to_vec()], intercepts, names)?,
            report: Report {
                status,
                solver,
                backend: self.backend.name().to_string(),
                iterations: run.iterations.saturating_sub(1),
                passes: passes + 2,
                objective: vec![self.in_units(certificate.objective)],
                trace: run.trace,
            },
            certificate: Certificate::Convex(Box::new(certificate)),
        })
    }
}
