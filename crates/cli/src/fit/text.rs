//! A fit as a person reads it: the coefficients, what is proven about them, how they were found.

use std::fmt::{self, Display};

use minrisk::{Bound, Certificate, LeastSquaresCertificate};

use super::report::Report;
use super::risk::{Coefficient, RiskSummary, Statistics};
use super::summary::Summary;
use crate::output::{aligned, counted, shown};

/// Coefficients printed; JSON has all of them.
const MOST_LINES: usize = 200;

/// A fit, to be printed.
pub(super) struct Text<'r>(pub(super) &'r Report);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.0;
        let model = &report.model;
        writeln!(f, "{} on {}\n", model.target, listed(&report.features()))?;
        match &report.summary {
            Summary::LeastSquares(summary) if summary.coefficients.len() > MOST_LINES => {
                let mut short = summary.clone();
                short.coefficients.truncate(MOST_LINES);
                let more = summary.coefficients.len() - MOST_LINES;
                writeln!(f, "{short}\n\n({more} more coefficients in --json and --save)\n")?;
            }
            Summary::LeastSquares(summary) => writeln!(f, "{summary}\n")?,
            Summary::Risk(summary) => self.risk(f, summary)?,
        }
        for sentence in self.references().into_iter().chain(self.certificate()) {
            writeln!(f, "{sentence}")?;
        }
        match &report.verdict {
            Some(verdict) if verdict.holds => writeln!(f, "An independent check agrees.")?,
            Some(verdict) => {
                for finding in verdict.findings.iter().filter(|finding| !finding.holds) {
                    writeln!(
                        f,
                        "An independent check DISAGREES: {}. Please report it.",
                        finding.text
                    )?;
                }
            }
            None => {
                writeln!(f, "For an independent check --save the model and `minrisk verify` it.")?
            }
        }
        let fit = &model.fit.report;
        let steps = match model.fit.certificate {
            Certificate::LeastSquares(_) => "refinement",
            _ => "iteration",
        };
        writeln!(
            f,
            "Solved by {} on {}: {}, {} over the data.",
            fit.solver,
            fit.backend,
            counted(fit.iterations, steps),
            counted(fit.passes, "pass"),
        )?;
        report.notes.iter().try_for_each(|note| writeln!(f, "Note: {note}."))
    }
}

impl Text<'_> {
    fn risk(&self, f: &mut fmt::Formatter<'_>, summary: &RiskSummary) -> fmt::Result {
        let report = self.0;
        let observations = summary.statistics.observations;
        writeln!(f, "{}: {observations} observations", capitalised(&report.model.name))?;
        if let Some([negative, positive]) = report.model.classes().filter(|c| c.len() == 2) {
            writeln!(f, "Positive is {positive}, negative {negative}")?;
        }
        writeln!(f, "\n{}", coefficient_table(&summary.coefficients))?;
        statistics(f, &summary.statistics)?;
        writeln!(f, "Objective: {}\n", shown(report.model.fit.report.objective[0]))
    }

    /// The labels that others are compared with.
    fn references(&self) -> Vec<String> {
        let variables = self.0.model.encoder.variables.iter();
        let reference = |variable: &crate::data::Variable| {
            let reference = variable.levels.as_ref()?.reference.as_ref()?;
            Some(format!("`{}` is compared with its reference level `{reference}`.", variable.name))
        };
        variables.filter_map(reference).collect()
    }

    /// The certificate in words.
    fn certificate(&self) -> Vec<String> {
        let fit = &self.0.model.fit;
        match &fit.certificate {
            Certificate::LeastSquares(certificate) => {
                least_squares(certificate, fit.model.features())
            }
            Certificate::Convex(certificate) => {
                let gap = certificate.objective - certificate.lower_bound;
                vec![least_possible(certificate.bound, gap, certificate.relative_gap)]
            }
            Certificate::Softmax(certificate) => {
                let gap = certificate.objective - certificate.lower_bound;
                vec![least_possible(certificate.bound, gap, certificate.relative_gap)]
            }
            Certificate::Separated(_) | Certificate::SoftmaxSeparated(_) => {
                vec![format!("{}.", capitalised(&self.0.no_minimiser()))]
            }
            _ => vec!["Nothing is proven about this fit.".into()],
        }
    }
}

fn least_possible(bound: Bound, gap: f64, relative_gap: f64) -> String {
    let proof = match bound {
        Bound::Duality => "Duality gap",
        Bound::NearlyFeasible => "Duality gap, up to the rounding of a dual point,",
        _ => "Newton decrement",
    };
    let (gap, digits) = (gap.max(0.0), digits_of(relative_gap));
    format!("{proof} {gap:.1e}: the objective is the least possible to {digits} digits.")
}

fn least_squares(certificate: &LeastSquaresCertificate, features: usize) -> Vec<String> {
    let solution = if certificate.rank < features && !certificate.penalty.is_positive() {
        "the exact solution of least norm"
    } else {
        "the exact solution"
    };
    let digits = certificate.worst_digits().floor();
    let accuracy = if certificate.correctly_rounded {
        format!("Every coefficient is that of {solution} for these numbers, correctly rounded.")
    } else {
        format!("Every coefficient agrees with {solution} for these numbers to {digits} digits.")
    };
    let condition = match certificate.condition {
        small if small < 1e4 => format!("{small:.1}"),
        large => format!("{large:.1e}"),
    };
    let rank = certificate.rank;
    let design = format!("The design has condition {condition} and rank {rank} of {features}.");
    let mut sentences = vec![accuracy, design];
    if !certificate.relations.is_empty() {
        const SHOWN: usize = 10;
        let shown = certificate.relations.iter().take(SHOWN).map(ToString::to_string);
        let relations: Vec<String> = shown.collect();
        let more = certificate.relations.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        sentences.push(format!(
            "Some columns follow from others: {}{more}. Leave them out by --exclude to have unique coefficients.",
            relations.join("; "),
        ));
    }
    sentences
}

fn coefficient_table(coefficients: &[Coefficient]) -> String {
    let tested = coefficients.iter().any(|c| c.standard_error.is_some());
    let by_class = coefficients.iter().any(|c| c.class.is_some());
    let mut header = vec![String::new()];
    header.extend(by_class.then(|| "Class".into()));
    header.push("Estimate".into());
    if tested {
        header.extend(["Std. error", "z value", "Pr(>|z|)"].map(String::from));
    }
    let mut lines = vec![header];
    for c in coefficients.iter().take(MOST_LINES) {
        let mut line = vec![c.name.chars().take(40).collect::<String>()];
        line.extend(c.class.clone());
        line.push(shown(c.estimate));
        if tested {
            let cell = |value: Option<f64>| value.map_or("–".into(), shown);
            line.push(cell(c.standard_error));
            line.push(c.z.map_or("–".into(), |z| format!("{z:.3}")));
            line.push(c.p.map_or("–".into(), |p| {
                if p < 1e-4 { format!("{p:.2e}") } else { format!("{p:.4}") }
            }));
        }
        lines.push(line);
    }
    let mut table = aligned(&lines);
    if coefficients.len() > MOST_LINES {
        table += &format!("({} more in --json and --save)\n", coefficients.len() - MOST_LINES);
    }
    table
}

fn statistics(f: &mut fmt::Formatter<'_>, statistics: &Statistics) -> fmt::Result {
    let mut line = |label: &str, value: Option<f64>| match value {
        Some(value) => writeln!(f, "{label}: {}", shown(value)),
        None => Ok(()),
    };
    line("Log-likelihood", statistics.log_likelihood)?;
    line("Log-likelihood of the class shares alone", statistics.null_log_likelihood)?;
    line("AIC", statistics.aic)?;
    line("BIC", statistics.bic)?;
    line("R²", statistics.r_squared)?;
    line("Mean absolute error", statistics.mean_absolute_error)?;
    if let (Some(accuracy), Some(mistakes)) = (statistics.accuracy, statistics.mistakes) {
        writeln!(
            f,
            "Accuracy on these rows: {} ({})",
            shown(accuracy),
            counted(mistakes, "mistake")
        )?;
    }
    writeln!(f, "Weights that are not zero: {}", statistics.nonzero)
}

/// Decimal digits of an objective with a relative gap, as many as doubles have at most.
fn digits_of(relative_gap: f64) -> String {
    if relative_gap.is_nan() {
        return "no".into();
    }
    let digits = -relative_gap.max(1e-16).log10();
    format!("{:.0}", digits.floor().max(0.0))
}

/// The features by name, as far as they fit on a line.
fn listed(features: &[String]) -> String {
    let names = features.join(", ");
    match features.len() {
        0 => "a constant".into(),
        _ if names.chars().count() <= 80 => names,
        many => format!("{many} features"),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + characters.as_str()
}
