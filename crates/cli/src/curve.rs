//! `minrisk curve`: curves that are not linear in their parameters.
//!
//! | model | curve |
//! |---|---|
//! | bell | β exp(−(x − μ)²/σ) |
//! | bells:k | a sum of k bells |
//! | exp, exp:k | a sum of k exponentials a exp(−b x) |

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use minrisk::curve::{
    Baseline, Bells, Curve, CurveFit, CurveStatus, Exponentials, LevenbergMarquardt,
};
use minrisk::plots::{self, Labels, Line};
use minrisk::{Backend, BackendKind, Dataset, Error, View};
use serde_json::{Map, Value, json};

use crate::data::{Choice, Training};
use crate::failure::{Failure, Outcome};
use crate::input::{Format, Kind};
use crate::output::{self, aligned, shown};
use crate::picture;
use crate::progress::Spinner;

/// Terms of a curve at most.
const MOST_TERMS: usize = 100;

#[derive(Args)]
pub(crate) struct Options {
    /// A CSV or TSV file, plain or gzip; - for standard input
    file: PathBuf,
    /// The column along which the curve runs
    #[arg(long, value_name = "COL")]
    x: String,
    /// The column of its heights
    #[arg(long, value_name = "COL")]
    y: String,
    /// bell, bells:k, exp or exp:k
    #[arg(long, value_name = "MODEL")]
    model: Model,
    /// What bells or exponentials stand on
    #[arg(long, value_enum, default_value_t = Floor::None)]
    baseline: Floor,
    /// Where the search starts: parameters in order, separated by commas [default: what the data suggests]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    start: Option<Vec<f64>>,
    /// The column of sample weights
    #[arg(long, value_name = "COL")]
    weights: Option<String>,
    /// Leave out rows in which a value is missing
    #[arg(long)]
    drop_missing: bool,
    /// The linear-algebra library [default: the first of those compiled in]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// Draw the curve and its residuals as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    Bells(usize),
    Exponentials(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Floor {
    None,
    Constant,
    Linear,
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, count) = text.split_once(':').map_or((text, Some(1)), |(name, count)| {
            (name, count.parse().ok().filter(|count| (1..=MOST_TERMS).contains(count)))
        });
        match (name, count) {
            ("bell" | "bells", Some(count)) => Ok(Model::Bells(count)),
            ("exp", Some(count)) => Ok(Model::Exponentials(count)),
            _ => Err("there are bell, bells:k, exp and exp:k, with k from 1 to 100".into()),
        }
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let choice = Choice {
        features: Some(vec![options.x.clone()]),
        weights: options.weights.clone(),
        drop_missing: options.drop_missing,
        ..Choice::default()
    };
    let training = Training::read(&options.file, &options.y, &choice, &options.format, true, None)?;
    if training.target().kind != Kind::Numbers || !training.encoder.is_plain() {
        return Err(training.problem("a curve needs numbers in both of its columns"));
    }
    let loaded = training.load()?;
    let data = loaded.dataset(&loaded.y)?;
    let backend = options.backend.unwrap_or_default().backend();
    let study = Study { options, backend, data: &data, x: &loaded.x, y: &loaded.y };
    match options.model {
        Model::Bells(count) => {
            let baseline = match options.baseline {
                Floor::None => Baseline::None,
                Floor::Constant => Baseline::Constant,
                Floor::Linear => Baseline::Linear,
            };
            let bells = Bells::over(count, baseline);
            study.report(&bells, ["beta", "mu", "sigma"], count, |backend, data| {
                bells.fit_on(backend, data)
            })
        }
        Model::Exponentials(count) => {
            let terms = match options.baseline {
                Floor::None => Exponentials::new(count),
                Floor::Constant => Exponentials::new(count).with_constant(),
                Floor::Linear => {
                    return Err(Failure::new("exponentials stand on --baseline none or constant"));
                }
            };
            study.report(&terms, ["a", "b"], count, |backend, data| terms.fit_on(backend, data))
        }
    }
}

struct Study<'a> {
    options: &'a Options,
    backend: &'a dyn Backend<f64>,
    data: &'a Dataset<'a, f64>,
    x: &'a [f64],
    y: &'a [f64],
}

impl Study<'_> {
    fn report<C: Curve, const N: usize>(
        &self,
        curve: &C,
        symbols: [&str; N],
        count: usize,
        fit: impl FnOnce(&dyn Backend<f64>, &Dataset<'_, f64>) -> Result<CurveFit, Error>,
    ) -> Outcome {
        let _spinner = Spinner::start("fitting");
        let fit = match &self.options.start {
            None => fit(self.backend, self.data)?,
            Some(start) => {
                LevenbergMarquardt::default().fit(self.backend, curve, self.data, start)?
            }
        };
        let names = names(&symbols, count, curve.parameters());
        if let Some(path) = &self.options.plot {
            self.draw(path, curve, &fit)?;
        }
        if self.options.json {
            output::print(self.object(&fit, &names))?;
        } else {
            output::print(text(&fit, &names))?;
        }
        match fit.status {
            CurveStatus::Converged => Ok(()),
            CurveStatus::Stalled => Err(Failure::short_of(
                "the search came to a halt away from a minimum; the best point found is printed; try --start",
            )),
            _ => Err(Failure::short_of(
                "the limit of iterations was reached; the best point found is printed; try --start",
            )),
        }
    }

    fn object(&self, fit: &CurveFit, names: &[String]) -> Value {
        // What is not a number is null.
        let by_name = |values: &[f64]| -> Map<String, Value> {
            names.iter().cloned().zip(values.iter().map(|&v| json!(v))).collect()
        };
        json!({
            "model": format!("{:?}", self.options.model),
            "backend": fit.backend,
            "solver": "Levenberg–Marquardt",
            "parameters": by_name(&fit.parameters),
            "standard_errors": by_name(&fit.standard_errors),
            "digits": by_name(&fit.digits),
            "rss": fit.residual_sum_of_squares,
            "residual_deviation": fit.residual_deviation,
            "degrees_of_freedom": fit.degrees_of_freedom,
            "cosine": fit.cosine,
            "status": format!("{:?}", fit.status),
            "iterations": fit.iterations,
        })
    }

    fn draw<C: Curve>(&self, path: &std::path::Path, curve: &C, fit: &CurveFit) -> Outcome {
        let low = self.x.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let grid: Vec<f64> = (0..=400).map(|k| low + (high - low) * f64::from(k) / 400.0).collect();
        let heights = fit.predict(curve, View::column_vector(&grid))?;
        let line: Vec<(f64, f64)> = grid.into_iter().zip(heights).collect();
        let fitted = fit.predict(curve, View::column_vector(self.x))?;
        let residuals: Vec<f64> = self.y.iter().zip(fitted).map(|(y, f)| y - f).collect();
        let points: Vec<(f64, f64)> = self.x.iter().copied().zip(self.y.iter().copied()).collect();
        let title = format!("{} over {}", self.options.y, self.options.x);
        let labels = Labels::new(&title, &self.options.x, &self.options.y);
        picture::save(path, plots::curve(&points, &Line::new(&line), &residuals, &labels))
    }
}

/// The names of the parameters: symbols with the number of their term where there are several, then the
/// baseline.
fn names(symbols: &[&str], count: usize, parameters: usize) -> Vec<String> {
    let number = |term: usize| if count == 1 { String::new() } else { (term + 1).to_string() };
    let terms = (0..count).flat_map(|k| symbols.iter().map(move |s| (s, k)));
    let mut names: Vec<String> =
        terms.map(|(symbol, k)| format!("{symbol}{}", number(k))).collect();
    names
        .extend(["constant", "slope"].iter().take(parameters - names.len()).map(|s| s.to_string()));
    names
}

fn text(fit: &CurveFit, names: &[String]) -> String {
    let mut lines = vec![["", "Estimate", "Std. error", "digits"].map(String::from).to_vec()];
    for (k, name) in names.iter().enumerate() {
        let digits = format!("{:.1}", fit.digits[k]);
        lines.push(vec![
            name.clone(),
            shown(fit.parameters[k]),
            shown(fit.standard_errors[k]),
            digits,
        ]);
    }
    format!(
        "{}\nResidual sum of squares: {}\nResidual standard deviation: {} on {} degrees of freedom\n{} after {} iterations by Levenberg–Marquardt on {}; cosine of residual and tangent space {:.1e}",
        aligned(&lines),
        shown(fit.residual_sum_of_squares),
        shown(fit.residual_deviation),
        fit.degrees_of_freedom,
        match fit.status {
            CurveStatus::Converged => "Converged",
            CurveStatus::Stalled => "Came to a halt",
            _ => "Not converged",
        },
        fit.iterations,
        fit.backend,
        fit.cosine,
    )
}
