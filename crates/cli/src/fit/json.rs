//! A fit as one JSON object, every number as the shortest decimal that reads back to itself.

use minrisk::{Certificate, LinearModel, Status};
use serde::Serialize;

use super::report::Report;
use super::summary::Summary;
use crate::failure::Outcome;
use crate::output;

#[derive(Serialize)]
struct Object<'r> {
    model: &'r str,
    backend: &'r str,
    solver: &'r str,
    loss: String,
    features: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<&'r [String]>,
    intercept: Value,
    coefficients: Value,
    status: Status,
    iterations: usize,
    objective: f64,
    summary: &'r Summary,
    certificate: &'r Certificate,
    /// Whether an independent check agrees; null where none was made.
    verified: Option<bool>,
    warnings: &'r [String],
}

/// One number or list for one target, a list of them for several.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    None,
    Number(f64),
    Numbers(Vec<f64>),
    Lists(Vec<Vec<f64>>),
}

impl Value {
    /// The intercepts of a model.
    pub(crate) fn intercepts(model: &LinearModel<f64>) -> Self {
        match (model.intercept(), model.targets()) {
            (None, _) => Value::None,
            (Some(intercept), 1) => Value::Number(intercept),
            (Some(_), targets) => {
                Value::Numbers((0..targets).filter_map(|k| model.intercept_of(k)).collect())
            }
        }
    }

    /// The coefficients of a model.
    pub(crate) fn coefficients(model: &LinearModel<f64>) -> Self {
        match model.targets() {
            1 => Value::Numbers(model.coefficients().to_vec()),
            targets => {
                Value::Lists((0..targets).map(|k| model.coefficients_of(k).to_vec()).collect())
            }
        }
    }
}

pub(super) fn object(report: &Report) -> Outcome<String> {
    let fit = &report.model.fit;
    output::json(&Object {
        model: &report.model.name,
        backend: &fit.report.backend,
        solver: &fit.report.solver,
        loss: report.task.loss.to_string(),
        features: report.features(),
        classes: report.model.classes(),
        intercept: Value::intercepts(&fit.model),
        coefficients: Value::coefficients(&fit.model),
        status: fit.report.status,
        iterations: fit.report.iterations,
        objective: fit.report.objective[0],
        summary: &report.summary,
        certificate: &fit.certificate,
        verified: report.verdict.as_ref().map(|verdict| verdict.holds),
        warnings: &report.notes,
    })
}
