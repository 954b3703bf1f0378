//! `minrisk fit`: least squares and ridge on a CSV file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use minrisk::inference::{Covariance, Summary};
use minrisk::least_squares::{ClosedForm, Method, summarise};
use minrisk::loss::Squared;
use minrisk::penalty::{L2, Quadratic, Unpenalised};
use minrisk::verify::{Verdict, verify};
use minrisk::{Backend, BackendKind, Dataset, Erm, Error, Fit, Solver, View, dataset, view};

use crate::failure::Outcome;
use crate::table::{Selection, Table};
use crate::text::Text;
use crate::{json, output};

#[derive(Args)]
pub(crate) struct Options {
    /// The CSV file; its first line names the columns
    file: PathBuf,
    /// The column to predict
    #[arg(long, value_name = "COL")]
    target: String,
    /// The columns to predict from, separated by commas [default: all others]
    #[arg(long, value_name = "COLS", value_delimiter = ',', conflicts_with = "exclude")]
    features: Option<Vec<String>>,
    /// Columns to leave out, separated by commas
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    exclude: Vec<String>,
    /// Ridge penalty: adds L2·‖w‖² to the objective
    #[arg(long, value_name = "L2", default_value_t = 0.0, allow_negative_numbers = true)]
    l2: f64,
    /// Whether the penalty stands beside the sum of the squared errors or beside their mean
    #[arg(long, value_enum, default_value_t = Scale::Total)]
    scale: Scale,
    /// Fit through the origin
    #[arg(long)]
    no_intercept: bool,
    /// The column of sample weights
    #[arg(long, value_name = "COL")]
    weights: Option<String>,
    /// What the sample weights are: inverse variances, or how often each row was seen
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Weights::Precisions)]
    weights_are: Weights,
    /// The linear-algebra library [default: the first of those compiled in]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// The factorisation to start from
    #[arg(long, value_enum, default_value_t = Factorisation::Auto)]
    method: Factorisation,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scale {
    Total,
    Mean,
}

#[derive(Clone, Copy, ValueEnum)]
enum Weights {
    Precisions,
    Frequencies,
}

#[derive(Clone, Copy, ValueEnum)]
enum Factorisation {
    Auto,
    Normal,
    Qr,
    Svd,
}

/// A fit with what the program knows about it.
pub(crate) struct Fitted<'t> {
    pub(crate) model: &'static str,
    pub(crate) target: &'t str,
    pub(crate) features: &'t [String],
    pub(crate) fit: Fit<f64>,
    pub(crate) summary: Summary,
    /// What an independent check of the fit found.
    pub(crate) verdict: Verdict,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let table = Table::read(
        &options.file,
        &Selection {
            target: &options.target,
            features: options.features.as_deref(),
            exclude: &options.exclude,
            weights: options.weights.as_deref(),
        },
    )?;
    let data = training_set(&table, options.weights_are)?;
    let backend = options.backend.unwrap_or_default().backend();
    let fit = match options.scale {
        _ if options.l2 == 0.0 => solve(backend, options, Unpenalised, &data),
        Scale::Total => solve(backend, options, L2::total(options.l2), &data),
        Scale::Mean => solve(backend, options, L2::per_sample(options.l2), &data),
    }?;
    let fitted = Fitted {
        model: if options.l2 == 0.0 { "least squares" } else { "ridge" },
        target: &options.target,
        features: &table.features,
        summary: summarise(backend, &data, &fit, Covariance::Classical)?.swap_remove(0),
        verdict: verify(&data, &fit)?,
        fit,
    };
    if options.json { output::print(json::object(&fitted)?) } else { output::print(Text(&fitted)) }
}

/// The table as the library sees it.
fn training_set(table: &Table, weights_are: Weights) -> Result<Dataset<'_, f64>, Error> {
    let x = View::row_major(&table.x, table.y.len(), table.features.len())?;
    let data = dataset(x, &table.y)?.with_names(&table.features)?;
    match (&table.weights, weights_are) {
        (None, _) => Ok(data),
        (Some(weights), Weights::Precisions) => data.with_precisions(view(weights)),
        (Some(weights), Weights::Frequencies) => data.with_frequencies(view(weights)),
    }
}

fn solve(
    backend: &dyn Backend<f64>,
    options: &Options,
    penalty: impl Quadratic,
    data: &Dataset<'_, f64>,
) -> Result<Fit<f64>, Error> {
    let method = match options.method {
        Factorisation::Auto => Method::Auto,
        Factorisation::Normal => Method::NormalEquations,
        Factorisation::Qr => Method::Qr,
        Factorisation::Svd => Method::Svd,
    };
    let problem = Erm { loss: Squared, penalty, intercept: !options.no_intercept };
    ClosedForm { method }.solve(backend, &problem, data)
}
