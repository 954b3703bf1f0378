//! From a training set to a report: in memory, or row by row.

use minrisk::inference::Covariance;
use minrisk::least_squares::{Ridge, summarise_stream};
use minrisk::{Backend, Certificate, Error, Names, Status};

use super::Options;
use super::frame::{check, monomials, on_monomials, targets};
use super::report::Report;
use super::summary::Summary;
use super::task::{Scale, Task, Trained};
use crate::data::Training;
use crate::failure::Outcome;
use crate::model::{Model, Recipe};
use crate::picture::Scene;
use crate::progress::{self, Spinner};

/// Unit products (rows × unknowns²) that an unasked check may take; `minrisk verify` takes any.
const QUICK_CHECK: f64 = 5e7;

/// Least squares and ridge on more numbers than memory should hold.
pub(super) fn stream(
    training: &Training,
    task: Task,
    backend: &dyn Backend<f64>,
    mut notes: Vec<String>,
) -> Outcome<Report> {
    let names = Names::new(training.encoder.names())?;
    let _spinner = Spinner::start("solving");
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
    Ok(Report { model, task, summary, verdict: None, notes })
}

pub(super) fn memory(
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
    let trained = if task.is_closed_form() {
        let _spinner = Spinner::start("solving");
        task.train(backend, &data)?
    } else {
        task.control.observer = Some(progress::observer());
        let trained = task.train(backend, &data);
        progress::stop_observing();
        trained?
    };
    let monomials = monomials(&loaded, task.degree)?;
    let fitted_data = match &monomials {
        None => loaded.dataset(&target)?,
        Some(monomials) => on_monomials(&data, monomials, &trained.fit)?,
    };
    let summary = Summary::of(&task, classes.as_deref(), backend, &fitted_data, &trained.fit)
        .map_err(|error| match error {
            Error::BadParameter { .. } => training.problem(format!(
                "{error}; squares of these numbers overflow or vanish in doubles: rescale the columns"
            )),
            other => other.into(),
        })?;
    let work = data.rows() as f64 * ((fitted_data.cols() + 1) as f64).powi(2);
    let verdict = match trained.fit.report.status {
        Status::Stopped => None,
        _ if proves_nothing(&trained.fit.certificate) => None,
        _ if work > QUICK_CHECK => None,
        _ => {
            let _spinner = Spinner::start("checking");
            Some(check(&data, &fitted_data, &trained)?)
        }
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
    Ok(Report { model, task, summary, verdict, notes })
}

fn note_dropped(training: &Training, kept: usize, notes: &mut Vec<String>) {
    let dropped = training.rows() - kept.min(training.rows());
    if dropped > 0 && training.drops_missing() {
        notes.push(format!("{dropped} rows with missing values were left out"));
    }
}

/// Whether a certificate has no bound that could be checked.
fn proves_nothing(certificate: &Certificate) -> bool {
    certificate.convex().is_some_and(|certificate| !certificate.relative_gap.is_finite())
}
