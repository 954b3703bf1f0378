//! `minrisk fit`: from a file to a certified model.

mod existence;
pub(crate) mod json;
mod report;
mod summary;
mod task;
mod text;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use minrisk::convex::Control;
use minrisk::inference::Covariance;
use minrisk::least_squares::{Ridge, summarise_stream};
use minrisk::polynomial::{PolynomialFeatures, PolynomialFit};
use minrisk::verify::{Verdict, verify, verify_polynomial};
use minrisk::{Backend, BackendKind, Dataset, Error, Fit, Matrix, Names, Status, dataset};

use crate::data::{self, Loaded, Training};
use crate::failure::{Failure, Outcome};
use crate::input::Kind;
use crate::model::{Model, Recipe};
use crate::picture::Scene;
use crate::{duration, output, progress};
pub(crate) use report::Report;
use summary::Summary;
pub(crate) use task::{Loss, Scale, SolverName, Task, Trained};

/// Unit products (rows × unknowns²) that an unasked check may take; `minrisk verify` takes any.
const QUICK_CHECK: f64 = 5e7;

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
    let report = if training.is_large() && task.is_closed_form() && task.degree.is_none() {
        fit_stream(&training, task, backend, notes)?
    } else {
        fit_memory(&training, task, backend, notes, options)?
    };
    if let Some(path) = &options.save {
        report.model.save(path)?;
    }
    let text = if options.json { json::object(&report)? } else { text::Text(&report).to_string() };
    output::print(text.trim_end())?;
    match report.shortfall() {
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
            observer: Some(progress::observer()),
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

/// Least squares and ridge on more numbers than memory should hold.
fn fit_stream(
    training: &Training,
    task: Task,
    backend: &dyn Backend<f64>,
    mut notes: Vec<String>,
) -> Outcome<Report> {
    let names = Names::new(training.encoder.names())?;
    let mut stream = training.stream()?;
    let fit = match task.scale {
        Scale::Total => {
            task.ridge(Ridge::total(task.l2)).fit_stream_on(backend, &mut stream, Some(&names))?
        }
        Scale::Mean => task.ridge(Ridge::per_sample(task.l2)).fit_stream_on(
            backend,
            &mut stream,
            Some(&names),
        )?,
    };
    let summary =
        summarise_stream(backend, &mut stream, &fit, Covariance::Classical)?.swap_remove(0);
    let rows = fit.certificate.least_squares().map_or(0, |certificate| certificate.rows);
    note_dropped(training, rows, &mut notes);
    let model = Model::new(training, &task, None, Trained { fit, polynomial: None });
    let summary = Summary::LeastSquares(summary);
    Ok(Report { model, task, summary, verdict: None, separable_class: None, notes })
}

fn fit_memory(
    training: &Training,
    mut task: Task,
    backend: &dyn Backend<f64>,
    mut notes: Vec<String>,
    options: &Options,
) -> Outcome<Report> {
    let loaded = training.load()?;
    note_dropped(training, loaded.rows(), &mut notes);
    let positive = options.risk.positive.as_deref();
    let (target, classes) = targets(training, &loaded, task.loss, positive)?;
    task.classes = classes.as_ref().map_or(1, Vec::len);
    let data = loaded.dataset(&target)?;
    let mut trained = task.train(backend, &data)?;
    let monomials = monomials(&loaded, task.degree)?;
    let fitted_data = match &monomials {
        None => loaded.dataset(&target)?,
        Some(monomials) => on_monomials(&data, monomials, &trained.fit)?,
    };
    let mut separable_class = None;
    if task.loss == Loss::Softmax && task.l2 == 0.0 {
        let found =
            existence::separable_class(backend, &fitted_data, task.classes, task.intercept)?;
        if let (Some(class), Some(classes)) = (found, &classes) {
            trained.fit.report.status = Status::NoMinimiser;
            separable_class = Some(classes[class].clone());
        }
    }
    let summary = Summary::of(&task, classes.as_deref(), backend, &fitted_data, &trained.fit)
        .map_err(|error| match error {
            Error::BadParameter { .. } => training.problem(format!(
                "squares of `{}` overflow a double: rescale the column",
                training.target().name,
            )),
            other => other.into(),
        })?;
    let work = data.rows() as f64 * ((fitted_data.cols() + 1) as f64).powi(2);
    let verdict = match trained.fit.report.status {
        Status::Stopped => None,
        _ if work > QUICK_CHECK => None,
        _ => Some(check(&data, &fitted_data, &trained)?),
    };
    if let Some(path) = &options.plot {
        let scene = Scene {
            loaded: &loaded,
            target: &target,
            target_name: &training.target().name,
            classes: classes.as_deref(),
            trained: &trained,
            task: &task,
            backend,
        };
        scene.write(path)?;
    }
    let recipe = Recipe { positive: positive.map(Into::into), classes };
    let model = Model::new(training, &task, Some(recipe), trained);
    Ok(Report { model, task, summary, verdict, separable_class, notes })
}

fn note_dropped(training: &Training, kept: usize, notes: &mut Vec<String>) {
    let dropped = training.rows() - kept.min(training.rows());
    if dropped > 0 && training.drops_missing() {
        notes.push(format!("{dropped} rows with missing values were left out"));
    }
}

/// The numbers that a loss is told, and the classes they stand for.
pub(crate) fn targets(
    training: &Training,
    loaded: &Loaded,
    loss: Loss,
    positive: Option<&str>,
) -> Outcome<(Vec<f64>, Option<Vec<String>>)> {
    if !loss.classifies() {
        if positive.is_some() {
            return Err(Failure::new("--positive is for classes: say --loss logistic or hinge"));
        }
        return Ok((loaded.y.clone(), None));
    }
    let classes = training.classes(loaded)?;
    if loss == Loss::Softmax {
        let codes = classes.labels.codes().iter().map(|&code| code as f64).collect();
        return Ok((codes, Some(classes.names)));
    }
    let classes = classes.with_positive(positive)?;
    if classes.names.len() > 2 {
        return Err(training.problem(format!(
            "the target `{}` has {} classes, and {loss} loss tells two apart: say --loss softmax, or name one by --positive",
            training.target().name,
            classes.names.len(),
        )));
    }
    Ok((classes.signs()?, Some(classes.ordered())))
}

/// The features as a polynomial sees them.
pub(crate) fn monomials(
    loaded: &Loaded,
    degree: Option<usize>,
) -> Result<Option<Matrix<f64>>, Error> {
    let design = loaded.design()?;
    degree.map(|degree| PolynomialFeatures::new(degree).transform(design)).transpose()
}

/// The data with its monomials in the place of its features.
pub(crate) fn on_monomials<'a>(
    data: &Dataset<'a, f64>,
    monomials: &'a Matrix<f64>,
    fit: &Fit<f64>,
) -> Result<Dataset<'a, f64>, Error> {
    let names: Vec<String> =
        (0..monomials.cols()).map(|j| Names::of(fit.model.names(), j)).collect();
    let on_monomials = dataset(monomials.view(), data.target_view())?.with_names(names)?;
    match (data.weights(), data.weight_kind()) {
        (None, _) => Ok(on_monomials),
        (Some(weights), minrisk::WeightKind::Frequencies) => on_monomials.with_frequencies(weights),
        (Some(weights), _) => on_monomials.with_precisions(weights),
    }
}

/// Re-checks a fit with code that shares nothing with the solvers.
pub(crate) fn check(
    data: &Dataset<'_, f64>,
    fitted_data: &Dataset<'_, f64>,
    trained: &Trained,
) -> Result<Verdict, Error> {
    let fit = &trained.fit;
    match &trained.polynomial {
        Some(model) if fit.certificate.least_squares().is_some() => {
            let (report, certificate) = (fit.report.clone(), fit.certificate.clone());
            verify_polynomial(data, &PolynomialFit { model: model.clone(), report, certificate })
        }
        _ => verify(fitted_data, fit),
    }
}
