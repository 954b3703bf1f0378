//! What there is to say about a fit, whether as text or as JSON.

use minrisk::loss::AnyLoss;
use minrisk::verify::Verdict;
use minrisk::{Bound, Certificate, Separation, Status};

use super::summary::Summary;
use super::task::Task;
use crate::model::Model;

/// A relative gap that says nothing about the minimum.
const WORTHLESS: f64 = 1e-3;

/// A fit with everything that the program knows about it.
pub(crate) struct Report {
    pub(crate) model: Model,
    pub(crate) task: Task,
    pub(super) summary: Summary,
    /// What an independent check of the fit found, where there was time for one.
    pub(crate) verdict: Option<Verdict>,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// Why this is not the answer that was asked for; `None` if it is.
    pub(crate) fn shortfall(&self) -> Option<String> {
        let iterations = self.model.fit.report.iterations;
        let again = "the best point found is printed";
        match self.model.fit.report.status {
            Status::NoMinimiser => Some(self.no_minimiser()),
            Status::IterationLimit => Some(format!(
                "the limit of {iterations} iterations was reached; {again}; raise --max-iterations or leave --solver out"
            )),
            Status::TimeLimit => Some(format!("the time was over; {again}; raise --budget")),
            Status::Stopped => Some(format!("stopped after {iterations} iterations; {again}")),
            Status::LimitedAccuracy if self.may_be_separable() => Some(format!(
                "the classes may be separable in part, which could neither be proven nor excluded; {again}; add a penalty, such as --l2 1"
            )),
            Status::LimitedAccuracy if self.proven_gap() > WORTHLESS => Some(format!(
                "the solver came to a halt before its objective was near the least one; {again}; rescale the columns"
            )),
            Status::Diverged => Some(format!("the solver diverged; {again}; leave --solver out")),
            _ => None,
        }
    }

    /// Whether a regression on classes has weights without a penalty, and no bound for all of them.
    fn may_be_separable(&self) -> bool {
        let (terms, bound) = match &self.model.fit.certificate {
            Certificate::Convex(of) if of.loss == Some(AnyLoss::Logistic) => (&of.terms, of.bound),
            Certificate::Softmax(of) => (&of.terms, of.bound),
            _ => return false,
        };
        let free = |(l1, l2): (&f64, &f64)| *l1 == 0.0 && *l2 == 0.0;
        bound != Bound::NewtonDecrement && terms.l1.iter().zip(&terms.l2).any(free)
    }

    /// How far the objective may be above the least one, relative to it.
    fn proven_gap(&self) -> f64 {
        let gap = match &self.model.fit.certificate {
            Certificate::Convex(certificate) => certificate.relative_gap,
            Certificate::Softmax(certificate) => certificate.relative_gap,
            _ => 0.0,
        };
        if gap.is_nan() { f64::INFINITY } else { gap }
    }

    /// Why the objective has no minimiser, and what to do about it.
    pub(crate) fn no_minimiser(&self) -> String {
        let names = self.features();
        let reason = match &self.model.fit.certificate {
            Certificate::Separated(separation) => {
                let kind = if separation.complete { "separable" } else { "separable in part" };
                format!("the classes are {kind} by {}", direction(separation, &names))
            }
            Certificate::SoftmaxSeparated(separation) if separation.complete => {
                "the classes are separable, along the direction in the certificate".into()
            }
            Certificate::SoftmaxSeparated(_) => {
                "the classes are separable in part, along the direction in the certificate".into()
            }
            _ => "the objective falls for ever".into(),
        };
        format!("no minimiser: {reason}; add a penalty, such as --l2 1")
    }

    /// The names of the coefficients, in order.
    pub(crate) fn features(&self) -> Vec<String> {
        let model = &self.model.fit.model;
        (0..model.features()).map(|j| minrisk::Names::of(model.names(), j)).collect()
    }
}

/// A halfspace as a formula, its largest terms first to be shown.
fn direction(separation: &Separation, names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut terms: Vec<(f64, &str)> =
        separation.weights.iter().copied().zip(names.iter().map(String::as_str)).collect();
    terms.retain(|(weight, _)| *weight != 0.0);
    let cut = terms.len() > SHOWN;
    if cut {
        terms.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        terms.truncate(SHOWN);
    }
    let mut formula = String::new();
    for (k, (weight, name)) in terms.iter().enumerate() {
        let sign = match (k, *weight < 0.0) {
            (0, false) => "",
            (0, true) => "−",
            (_, false) => " + ",
            (_, true) => " − ",
        };
        formula += &format!("{sign}{:.4}·{name}", weight.abs());
    }
    if cut {
        formula += " + …";
    }
    format!("{formula} > {:.4}", 0.0 - separation.intercept.unwrap_or(0.0))
}
