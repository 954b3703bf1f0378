//! `minrisk separate`: a halfspace with as few mistakes as can be had, and a proof of how few that is.
//!
//! Whether any halfspace is right on every row is decided exactly, whatever the method: by the halfspace
//! itself, or by weights a ≥ 0 with Σ a_t y_t (x_t, 1) = 0 (Gordan), which rule it out.

mod multiclass;
mod two;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use minrisk::halfspace::{BigRational, Budget, Separability, Separator};
use minrisk::{BackendKind, LinearModel};
use num_traits::ToPrimitive;
use serde::Serialize;

use crate::data::{self, Training};
use crate::failure::{Failure, Outcome};
use crate::fit::json::Value;
use crate::output::{aligned, counted, shown};
use crate::{duration, output, progress};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: data::Input,
    /// The algorithm; auto is the widest margin where there is one, else the fewest mistakes
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    method: Method,
    /// Ask whether a halfspace makes at most this many mistakes
    #[arg(long, value_name = "K", conflicts_with = "method")]
    max_mistakes: Option<u64>,
    /// The most time, such as 10s, 500ms or 2min
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "60s")]
    budget: Duration,
    /// Halfspaces through the origin only
    #[arg(long)]
    no_intercept: bool,
    /// The label that counts as positive [default: the larger of two]
    #[arg(long, value_name = "LABEL")]
    positive: Option<String>,
    /// The linear-algebra library [default: the first of those compiled in]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// Where random orders start from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Draw two features with the boundary as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Options {
    /// A budget with the time given, which Ctrl-C ends.
    fn within(&self, budget: Budget) -> Budget {
        budget.with_time(self.budget).with_stop(progress::stop())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    Auto,
    Perceptron,
    Pocket,
    Lp,
    Exact,
    Multiclass,
}

/// What was found.
struct Found {
    method: String,
    model: LinearModel<f64>,
    /// Whether any halfspace is right on every row; `None` if time ran out first.
    separable: Option<bool>,
    margin: Option<f64>,
    mistakes: f64,
    lower_bound: f64,
    certificate: Certificate,
    /// With --max-mistakes, whether so few can be had.
    achievable: Option<Option<bool>>,
    /// Why this is not the answer that was asked for.
    shortfall: Option<String>,
}

impl Found {
    fn is_optimal(&self) -> bool {
        self.mistakes <= self.lower_bound
    }
}

/// The proof of separability or of its opposite; rows are counted from 0.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Certificate {
    /// The halfspace of least norm at unit margin is a combination of these rows.
    Separator(Combination),
    /// Weights of sum 1 with which the rows y_t (x_t, 1) add up to zero.
    Gordan(Combination),
    /// Nothing is proven.
    Undecided,
}

/// Rows with positive weights of sum 1.
#[derive(Serialize)]
struct Combination {
    rows: Vec<usize>,
    weights: Vec<f64>,
    /// The same weights as fractions.
    exact_weights: Vec<String>,
    /// With more than two classes, the class that each row is held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Vec<String>>,
}

impl Combination {
    fn new(rows: &[usize], weights: &[BigRational]) -> Self {
        // Weights are between 0 and 1.
        let number = |weight: &BigRational| weight.to_f64().unwrap_or(0.0);
        Self {
            rows: rows.to_vec(),
            weights: weights.iter().map(number).collect(),
            exact_weights: weights.iter().map(ToString::to_string).collect(),
            against: None,
        }
    }
}

impl Certificate {
    fn of(outcome: &Separability<f64>) -> Self {
        match outcome {
            Separability::Separable(separator) => {
                let Separator { support, multipliers, .. } = separator.as_ref();
                Certificate::Separator(Combination::new(support, multipliers))
            }
            Separability::NotSeparable(gordan) => {
                Certificate::Gordan(Combination::new(&gordan.rows, &gordan.weights))
            }
            _ => Certificate::Undecided,
        }
    }
}

#[derive(Serialize)]
struct Object<'f> {
    method: &'f str,
    backend: &'f str,
    features: &'f [String],
    classes: &'f [String],
    separable: Option<bool>,
    intercept: Value,
    coefficients: Value,
    margin: Option<f64>,
    mistakes: Count,
    lower_bound: Count,
    optimal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    achievable: Option<Option<bool>>,
    certificate: &'f Certificate,
}

/// A number of mistakes, or their weight: whole where it is.
#[derive(Serialize)]
#[serde(untagged)]
enum Count {
    Whole(u64),
    Weight(f64),
}

impl Count {
    fn of(weight: f64) -> Self {
        let whole = weight.fract() == 0.0 && (0.0..9e15).contains(&weight);
        if whole { Count::Whole(weight as u64) } else { Count::Weight(weight) }
    }
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
    let loaded = training.load()?;
    let classes = training.classes(&loaded)?.with_positive(options.positive.as_deref())?;
    let several = classes.names.len() > 2;
    let backend = options.backend.unwrap_or_default().backend();
    let found = match options.method {
        Method::Multiclass => multiclass::separate(&loaded, &classes, backend, options)?,
        Method::Auto if several && options.max_mistakes.is_none() => {
            multiclass::separate(&loaded, &classes, backend, options)?
        }
        _ if several => {
            return Err(training.problem(format!(
                "the target `{}` has {} classes: say --method multiclass, or name one by --positive",
                training.target().name,
                classes.names.len(),
            )));
        }
        _ => two::separate(&loaded, &classes, backend, options)?,
    };
    if let Some(path) = &options.plot {
        two::draw(path, &loaded, &classes, &found)?;
    }
    let names = classes.ordered();
    if options.json {
        let object = Object {
            method: &found.method,
            backend: backend.name(),
            features: &loaded.names,
            classes: &names,
            separable: found.separable,
            intercept: Value::intercepts(&found.model),
            coefficients: Value::coefficients(&found.model),
            margin: found.margin,
            mistakes: Count::of(found.mistakes),
            lower_bound: Count::of(found.lower_bound),
            optimal: found.is_optimal(),
            achievable: found.achievable,
            certificate: &found.certificate,
        };
        output::print(output::json(&object)?)?;
    } else {
        output::print(text(&found, &loaded.names, &names, loaded.rows()))?;
    }
    match found.shortfall {
        None => Ok(()),
        Some(reason) => Err(Failure::short_of(reason)),
    }
}

fn text(found: &Found, features: &[String], classes: &[String], rows: usize) -> String {
    let mut lines = vec![vec![String::new()]];
    let targets = found.model.targets();
    match targets {
        1 => lines[0].push("Weight".into()),
        _ => lines[0].extend(classes.iter().cloned()),
    }
    let line = |name: &str, value: &dyn Fn(usize) -> f64| {
        std::iter::once(name.to_string()).chain((0..targets).map(|k| shown(value(k)))).collect()
    };
    if found.model.intercept().is_some() {
        lines.push(line("(Intercept)", &|k| found.model.intercept_of(k).unwrap_or(0.0)));
    }
    for (j, name) in features.iter().enumerate() {
        lines.push(line(name, &|k| found.model.coefficients_of(k)[j]));
    }
    let mut text = match classes {
        [negative, positive] => format!("Positive is {positive}, negative {negative}\n\n"),
        _ => String::new(),
    };
    text += &aligned(&lines);
    text += &match (found.separable, &found.certificate) {
        (Some(true), _) => {
            "\nSeparable: this is proven, a halfspace is right on every row.".to_string()
        }
        (Some(false), Certificate::Gordan(Combination { rows, .. })) => format!(
            "\nNot separable: weights of {} add them up to zero, which no halfspace allows.",
            counted(rows.len(), "row"),
        ),
        (Some(false), _) => "\nNot separable.".into(),
        (None, _) => "\nWhether it is separable is not decided.".into(),
    };
    let (mistakes, bound) = (found.mistakes, found.lower_bound);
    text += &format!("\nMistakes: {mistakes} of {rows} rows; ");
    text += &match found.is_optimal() {
        true => "no halfspace makes fewer, which is proven.".to_string(),
        false => format!("no halfspace makes fewer than {bound}, which is proven."),
    };
    if let Some(margin) = found.margin {
        text += &format!("\nGeometric margin: {}", shown(margin));
    }
    if let Some(achievable) = found.achievable {
        text += match achievable {
            Some(true) => "\nSo few mistakes can be had.",
            Some(false) => "\nSo few mistakes cannot be had.",
            None => "\nWhether so few mistakes can be had is not decided.",
        };
    }
    text + &format!("\nFound by {}.", found.method)
}
