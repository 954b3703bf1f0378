//! `minrisk select`: the degree of a polynomial, or a penalty, by cross-validation.
//!
//! Candidates are scored on rows that their fits have not seen. The best mean score wins; the simplest
//! candidate within one standard error of it is named as well. The winner is then fitted to all rows.

mod candidates;
mod study;

use std::path::PathBuf;

use clap::Args;
use minrisk::BackendKind;
use serde::Serialize;

use crate::data::{self, Training};
use crate::failure::{Failure, Outcome};
use crate::fit::{Loss, Scale};
use crate::input::Kind;
use crate::output::{self, aligned, shown};
use candidates::{Degrees, Penalties};
use study::{Study, Winner};

#[derive(Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(crate) struct Options {
    #[command(flatten)]
    data: data::Input,
    /// Polynomial degrees to choose from, such as 1..12
    #[arg(long, value_name = "A..B", group = "what")]
    degree: Option<Degrees>,
    /// Ridge penalties to choose from, such as 1e-4..1e4
    #[arg(long, value_name = "A..B", group = "what")]
    l2: Option<Penalties>,
    /// Lasso penalties to choose from, such as 0.1..100, or `path`: from where all weights are zero downwards
    #[arg(long, value_name = "A..B|path", group = "what")]
    l1: Option<Penalties>,
    /// squared for numbers or logistic for two classes [default: what the target suggests]
    #[arg(long, value_name = "LOSS")]
    loss: Option<Loss>,
    /// Number of folds
    #[arg(long, value_name = "K", default_value_t = 5)]
    folds: usize,
    /// Number of penalties between the ends of a range
    #[arg(long, value_name = "N", default_value_t = 50)]
    count: usize,
    /// Whether penalties stand beside the sum of the losses or beside their mean
    #[arg(long, value_enum, default_value_t = Scale::Total)]
    scale: Scale,
    /// Fit through the origin
    #[arg(long)]
    no_intercept: bool,
    /// The label that counts as positive [default: the larger of two]
    #[arg(long, value_name = "LABEL")]
    positive: Option<String>,
    /// The linear-algebra library [default: the first of those compiled in]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// Where the dealing of rows to folds starts from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Draw the scores as SVG, with the fit or with the path of the coefficients
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Object<'s> {
    parameter: &'static str,
    score: &'static str,
    folds: usize,
    backend: &'s str,
    candidates: &'s [f64],
    scores: Vec<f64>,
    standard_errors: Vec<Option<f64>>,
    /// The candidate with the best mean score.
    best: f64,
    /// The simplest candidate within one standard error of it.
    one_standard_error: f64,
    #[serde(flatten)]
    winner: &'s Winner,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let data = &options.data;
    let training = Training::read(
        &data.file,
        &data.target,
        &data.choice,
        &data.format,
        !options.no_intercept,
        None,
    )?;
    let loss = match (&training.target().kind, options.loss) {
        (_, Some(loss @ (Loss::Squared | Loss::Logistic))) => loss,
        (_, Some(loss)) => {
            return Err(Failure::new(format!(
                "select knows squared and logistic loss, not {loss}"
            )));
        }
        (Kind::Numbers, None) => Loss::Squared,
        (_, None) => Loss::Logistic,
    };
    let loaded = training.load()?;
    let (target, classes) =
        crate::fit::targets(&training, &loaded, loss, options.positive.as_deref())?;
    let study = Study::new(options, &loaded, &target, classes.as_deref(), loss)?;
    let chosen = study.run()?;
    if let Some(path) = &options.plot {
        study.draw(path, &chosen, &training.target().name)?;
    }
    let winner = study.winner(&chosen)?;
    let (scores, errors) = (chosen.means(), chosen.errors());
    let best = chosen.best_parameter();
    let simplest = chosen.simplest_parameter();
    if options.json {
        let object = Object {
            parameter: study.parameter(),
            score: study.score_name(),
            folds: options.folds,
            backend: options.backend.unwrap_or_default().name(),
            candidates: &chosen.parameters,
            scores,
            standard_errors: errors.iter().map(|e| e.is_finite().then_some(*e)).collect(),
            best,
            one_standard_error: simplest,
            winner: &winner,
        };
        return output::print(output::json(&object)?);
    }
    let mut lines =
        vec![vec![study.parameter().into(), study.score_name().into(), "Std. error".into()]];
    for (k, parameter) in chosen.parameters.iter().enumerate() {
        let mut line = vec![shown(*parameter), shown(scores[k]), shown(errors[k])];
        line.extend((*parameter == best).then(|| "← best".into()));
        line.extend(
            (*parameter == simplest && simplest != best)
                .then(|| "← simplest within one standard error".into()),
        );
        lines.push(line);
    }
    output::print(format!(
        "{} by {} folds of {} rows\n\n{}\nFitted to all rows with {} {}:\n\n{}",
        study.parameter(),
        options.folds,
        loaded.rows(),
        aligned(&lines),
        study.parameter(),
        shown(best),
        winner.table(),
    ))
}
