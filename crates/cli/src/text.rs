//! A fit as a person reads it: the coefficients, what is proven about them, how they were found.

use std::fmt::{self, Display};

use minrisk::LeastSquaresCertificate;

use crate::fit::Fitted;

/// A fit, to be printed.
pub(crate) struct Text<'f>(pub(crate) &'f Fitted<'f>);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fitted { target, features, fit, summary, verdict, .. } = self.0;
        writeln!(f, "{target} on {}\n\n{summary}\n", listed(features))?;
        if let Some(certificate) = fit.certificate.least_squares() {
            for sentence in in_words(certificate, features.len()) {
                writeln!(f, "{sentence}")?;
            }
        }
        if verdict.holds {
            writeln!(f, "An independent check agrees.")?;
        }
        for finding in verdict.findings.iter().filter(|finding| !finding.holds) {
            writeln!(f, "An independent check DISAGREES: {}. Please report it.", finding.text)?;
        }
        let report = &fit.report;
        write!(
            f,
            "Solved by {} on {}: {}, {} over the data.",
            report.solver,
            report.backend,
            counted(report.iterations, "refinement"),
            counted(report.passes, "pass"),
        )
    }
}

/// The certificate in words.
fn in_words(certificate: &LeastSquaresCertificate, features: usize) -> Vec<String> {
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
        let relations: Vec<String> =
            certificate.relations.iter().map(ToString::to_string).collect();
        sentences.push(format!(
            "Some columns follow from others: {}. Leave them out by --exclude to have unique coefficients.",
            relations.join("; "),
        ));
    }
    sentences
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

fn counted(count: usize, noun: &str) -> String {
    let plural = match noun {
        _ if count == 1 => "",
        "pass" => "es",
        _ => "s",
    };
    format!("{count} {noun}{plural}")
}
