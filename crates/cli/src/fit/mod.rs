//! `minrisk fit`: from a file to a certified model.

mod frame;
pub(crate) mod json;
mod loss;
mod report;
mod risk;
mod summary;
mod task;
mod text;
mod train;
mod weights;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use minrisk::BackendKind;
use minrisk::convex::Control;

use crate::data::{self, Training};
use crate::failure::{Failure, Outcome};
use crate::input::Kind;
use crate::{duration, output};
pub(crate) use frame::{check, monomials, on_monomials, targets};
pub(crate) use loss::Loss;
pub(crate) use task::{Scale, SolverName, Task, Trained};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: data::Input,
    #[command(flatten)]
    risk: Risk,
    /// Fit a polynomial of this total degree in the features
    #[arg(long, value_name = "N")]
    degree: Option<usize>,
    /// The algorithm
    #[arg(long, value_enum, default_value_t = SolverName::Auto)]
    solver: SolverName,
    /// The most iterations [default: the solver's own limit]
    #[arg(long, value_name = "N")]
    max_iterations: Option<usize>,
    /// The most time for the solver, such as 10s, 500ms or 2min
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    budget: Option<Duration>,
    /// The linear-algebra library [default: the first of those compiled in]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// Where random orders start from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the model to a file, for `predict` and `verify`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draw the fit as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is minimised: F(w, b) = Σ c ℓ(w·x + b, y) + λ₁‖w‖₁ + λ₂‖w‖².
#[derive(Args)]
pub(crate) struct Risk {
    /// squared, absolute, quantile:q, huber:δ, logistic, softmax, hinge or squared-hinge
    /// [default: squared for numbers, logistic for two labels, softmax for more]
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<Loss>,
    /// Lasso penalty: adds L1·‖w‖₁ to the objective
    #[arg(long, value_name = "L1", default_value_t = 0.0, allow_negative_numbers = true)]
    l1: f64,
    /// Ridge penalty: adds L2·‖w‖² to the objective
    #[arg(long, value_name = "L2", default_value_t = 0.0, allow_negative_numbers = true)]
    l2: f64,
    /// Whether the penalties stand beside the sum of the losses or beside their mean
    #[arg(long, value_enum, default_value_t = Scale::Total)]
    scale: Scale,
    /// Fit through the origin
    #[arg(long)]
    no_intercept: bool,
    /// The label that counts as positive [default: the larger of two]
    #[arg(long, value_name = "LABEL")]
    positive: Option<String>,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let data = &options.data;
    let intercept = !options.risk.no_intercept;
    let training =
        Training::read(&data.file, &data.target, &data.choice, &data.format, intercept, None)?;
    let mut notes = Vec::new();
    let loss = choose_loss(&training, &options.risk, &mut notes)?;
    let task = options.task(loss);
    check_penalties(&task)?;
    let backend = options.backend.unwrap_or_default().backend();
    let streamed = training.is_large() && options.plot.is_none();
    let report = if streamed && task.is_closed_form() && task.degree.is_none() {
        train::stream(&training, task, backend, notes)?
    } else {
        train::memory(&training, task, backend, notes, options)?
    };
    let text = if options.json { json::object(&report)? } else { text::Text(&report).to_string() };
    let shortfall = report.shortfall();
    if let Some(path) = &options.save {
        report.model.save(path)?;
    }
    output::print(text.trim_end())?;
    match shortfall {
        None => Ok(()),
        Some(reason) => Err(Failure::short_of(reason)),
    }
}

impl Options {
    fn task(&self, loss: Loss) -> Task {
        let Risk { l1, l2, scale, no_intercept, .. } = self.risk;
        let control = Control {
            max_iterations: self.max_iterations,
            max_time: self.budget,
            trace: self.plot.is_some(),
            ..Control::default()
        };
        Task {
            loss,
            l1,
            l2,
            scale,
            intercept: !no_intercept,
            degree: self.degree,
            classes: 1,
            solver: self.solver,
            seed: self.seed,
            control,
        }
    }
}

/// The loss that was asked for, or the one that the target suggests.
pub(crate) fn choose_loss(
    training: &Training,
    risk: &Risk,
    notes: &mut Vec<String>,
) -> Outcome<Loss> {
    let target = training.target();
    let name = &target.name;
    match (&target.kind, risk.loss) {
        (Kind::Labels(_), Some(loss)) if !loss.classifies() => Err(training.problem(format!(
            "the target `{name}` holds labels, and {loss} loss needs numbers: leave --loss out, or choose another target"
        ))),
        (_, Some(loss)) => Ok(loss),
        (Kind::Numbers, None) if risk.positive.is_some() => Ok(Loss::Logistic),
        (Kind::Numbers, None) => {
            if training.has_two_values()? {
                notes.push(format!(
                    "`{name}` has two values and is regressed as the number it is; --loss logistic classifies it"
                ));
            }
            Ok(Loss::Squared)
        }
        (Kind::Labels(labels), None) if labels.len() <= 2 || risk.positive.is_some() => {
            Ok(Loss::Logistic)
        }
        (Kind::Labels(_), None) => Ok(Loss::Softmax),
        (Kind::Text, None) => Err(training.problem(format!(
            "the target `{name}` has more than 1000 different labels: choose another target"
        ))),
        (Kind::Empty, None) => Err(training.problem(format!("the target `{name}` has no values"))),
    }
}

fn check_penalties(task: &Task) -> Outcome {
    for (flag, value) in [("--l1", task.l1), ("--l2", task.l2)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Failure::new(format!(
                "the penalty {flag} is {value}: it must be finite and not negative"
            )));
        }
    }
    Ok(())
}
