//! A fit as one JSON object, every number as the shortest decimal that reads back to itself.

use minrisk::inference::Summary;
use minrisk::{Certificate, Status};
use serde::Serialize;

use crate::failure::{Failure, Outcome};
use crate::fit::Fitted;

#[derive(Serialize)]
struct Object<'f> {
    model: &'f str,
    backend: &'f str,
    solver: &'f str,
    features: &'f [String],
    intercept: Option<f64>,
    coefficients: &'f [f64],
    status: Status,
    iterations: usize,
    objective: f64,
    summary: &'f Summary,
    certificate: &'f Certificate,
    verified: bool,
}

pub(crate) fn object(fitted: &Fitted<'_>) -> Outcome<String> {
    let fit = &fitted.fit;
    let object = Object {
        model: fitted.model,
        backend: &fit.report.backend,
        solver: &fit.report.solver,
        features: fitted.features,
        intercept: fit.model.intercept(),
        coefficients: fit.model.coefficients(),
        status: fit.report.status,
        iterations: fit.report.iterations,
        objective: fit.report.objective[0],
        summary: &fitted.summary,
        certificate: &fit.certificate,
        verified: fitted.verdict.holds,
    };
    serde_json::to_string(&object).map_err(|error| Failure::new(error.to_string()))
}
