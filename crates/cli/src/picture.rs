//! The picture that says most about a fit.
//!
//! | fit | picture |
//! |---|---|
//! | numbers on one feature | the line or curve with its 95 % band |
//! | two classes, one feature, logistic | the probability with the zone of doubt |
//! | two classes, two features | the boundary with its margin |
//! | iterative solver | the objective step by step |
//! | anything else | observed against fitted values |

use std::fs;
use std::path::Path;

use minrisk::inference::{Covariance, student_t_critical};
use minrisk::least_squares::{leverages, summarise};
use minrisk::plots::{
    Boundary, Labels, Line, PlotError, Sigmoid, boundary, learning, observed, regression, sigmoid,
};
use minrisk::polynomial::{PolynomialFeatures, PolynomialModel};
use minrisk::{Backend, Dataset, Error, Fit, Matrix, View, WeightKind, dataset};

use crate::data::Loaded;
use crate::failure::{Failure, Outcome};
use crate::fit::{Loss, Task, Trained};

/// Places in which a curve is drawn.
const STEPS: usize = 200;

/// The thresholds of the zone of doubt.
const UNSURE: (f64, f64) = (0.3, 0.7);

/// A fit and what it was fitted to.
pub(crate) struct Scene<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) target: &'a [f64],
    pub(crate) target_name: &'a str,
    pub(crate) classes: Option<&'a [String]>,
    pub(crate) trained: &'a Trained,
    pub(crate) task: &'a Task,
    pub(crate) backend: &'a dyn Backend<f64>,
}

/// Writes a picture to a file.
pub(crate) fn save(path: &Path, svg: Result<String, PlotError>) -> Outcome {
    let svg = svg.map_err(|error| Failure::in_file(path.display(), error))?;
    fs::write(path, svg).map_err(|error| Failure::in_file(path.display(), error))
}

impl Scene<'_> {
    /// Draws the picture that suits the fit.
    pub(crate) fn write(&self, path: &Path) -> Outcome {
        let straight = self.trained.polynomial.is_none();
        let svg = match (self.classes, self.loaded.features()) {
            (None, 1) => self.line()?,
            (Some(classes), 1) if straight && self.task.loss == Loss::Logistic => {
                self.probability(classes)
            }
            (Some(classes), 2) if straight && self.task.loss != Loss::Softmax => {
                let margin = (self.task.loss != Loss::Logistic).then_some(1.0);
                let positive: Vec<bool> = self.target.iter().map(|y| *y > 0.0).collect();
                halfspace(self.loaded, &positive, &self.trained.fit.model, margin, classes)
            }
            _ if self.trained.fit.report.trace.len() > 1 => self.steps(),
            _ => self.agreement()?,
        };
        save(path, svg)
    }

    fn line(&self) -> Outcome<Result<String, PlotError>> {
        let x = self.loaded.feature(0);
        let (points, band) = self.curve(&x)?;
        let data: Vec<(f64, f64)> = x.iter().copied().zip(self.target.iter().copied()).collect();
        let title = format!("{} on {}", self.target_name, self.loaded.names[0]);
        let labels = Labels::new(&title, &self.loaded.names[0], self.target_name);
        let line = Line::new(&points).with_band(&band, "95 % confidence");
        Ok(regression(&data, &line, &labels))
    }

    /// The fitted curve from the least to the largest x, and its band where there is one.
    pub(crate) fn curve(&self, x: &[f64]) -> Outcome<Curve> {
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Both ends exactly, whatever the rounding between them.
        let place =
            |k: usize| if k == STEPS { high } else { low + (high - low) * k as f64 / STEPS as f64 };
        let grid: Vec<f64> = (0..=STEPS).map(place).collect();
        let places = View::column_vector(&grid);
        let heights = match &self.trained.polynomial {
            Some(polynomial) => polynomial.predict(places)?,
            None => self.trained.fit.model.predict(places)?,
        };
        let points: Vec<(f64, f64)> =
            grid.iter().copied().zip(heights.as_slice().iter().copied()).collect();
        let widths = self.half_widths(x, &grid)?;
        let edges = points.iter().zip(widths.unwrap_or_default());
        let band = edges.map(|(&(x, y), width)| (x, y - width, y + width)).collect();
        Ok((points, band))
    }

    /// Half the width of the 95 % band in some places: t·σ̂·√(xᵀA⁻¹x), least squares only.
    ///
    /// The places join the data as rows of frequency zero, so that their leverages come for nothing.
    fn half_widths(&self, x: &[f64], grid: &[f64]) -> Outcome<Option<Vec<f64>>> {
        let certificate = self.trained.fit.certificate.least_squares();
        let data = self.loaded.dataset(self.target)?;
        let precise = data.weight_kind() == WeightKind::Precisions;
        if precise || certificate.is_none_or(|c| c.penalty.is_positive() || c.rank >= data.rows()) {
            return Ok(None);
        }
        let places: Vec<f64> = x.iter().chain(grid).copied().collect();
        let design = match &self.trained.polynomial {
            Some(polynomial) => powers(polynomial, &places)?,
            None => Matrix::from_fn(places.len(), 1, |i, _| places[i]),
        };
        let target: Vec<f64> =
            self.target.iter().copied().chain(grid.iter().map(|_| 0.0)).collect();
        let frequency = |t: usize| data.weights().map_or(1.0, |c| c[(t, 0)]);
        let frequencies: Vec<f64> =
            (0..x.len()).map(frequency).chain(grid.iter().map(|_| 0.0)).collect();
        let joined = joined(&design, &target, &frequencies, &self.trained.fit)?;
        let shares = leverages(self.backend, &joined, &self.trained.fit)?;
        let summary = summarise(self.backend, &joined, &self.trained.fit, Covariance::Classical)?;
        let statistics = &summary[0].statistics;
        let Some(deviation) = statistics.residual_standard_deviation else { return Ok(None) };
        let width = student_t_critical(0.95, statistics.degrees_of_freedom) * deviation;
        let half = |share: &f64| width * share.max(0.0).sqrt();
        let widths: Vec<f64> = shares[x.len()..].iter().map(half).collect();
        Ok(widths.iter().all(|w| w.is_finite()).then_some(widths))
    }

    fn probability(&self, classes: &[String]) -> Result<String, PlotError> {
        let model = &self.trained.fit.model;
        let positive: Vec<bool> = self.target.iter().map(|y| *y > 0.0).collect();
        let curve = Sigmoid {
            weight: model.coefficients()[0],
            intercept: model.intercept().unwrap_or(0.0),
            unsure: UNSURE,
        };
        let name = &self.loaded.names[0];
        let title = format!("{} on {name}", self.target_name);
        let height = format!("probability of {}", classes[1]);
        sigmoid(&self.loaded.feature(0), &positive, &curve, &Labels::new(&title, name, &height))
    }

    fn steps(&self) -> Result<String, PlotError> {
        let report = &self.trained.fit.report;
        let objectives: Vec<f64> = report.trace.iter().map(|step| step.objective).collect();
        let least = objectives.iter().copied().fold(f64::INFINITY, f64::min);
        let bound = self.trained.fit.certificate.convex().map(|c| c.lower_bound);
        // A bound that is of use; losses and penalties are nowhere below zero.
        let lower = bound.filter(|bound| (0.5 * least..=least).contains(bound)).unwrap_or(0.0);
        let title = format!("{}: {}", self.task.model_name(), report.solver);
        learning(
            &objectives,
            lower,
            &report.solver,
            &Labels::new(
                &title,
                "iteration",
                if lower > 0.0 { "objective − its lower bound" } else { "objective" },
            ),
        )
    }

    fn agreement(&self) -> Outcome<Result<String, PlotError>> {
        let design = self.loaded.design()?;
        let fitted = match &self.trained.polynomial {
            Some(polynomial) => polynomial.predict(design)?,
            None => self.trained.fit.model.predict(design)?,
        };
        let rows = fitted.as_slice().iter().copied().zip(self.target.iter().copied());
        let points: Vec<(f64, f64)> = rows.collect();
        let title = format!("{}: observed against fitted", self.target_name);
        Ok(observed(&points, &Labels::new(&title, "fitted", "observed")))
    }
}

/// The points of a curve, and its band as (x, low, high).
pub(crate) type Curve = (Vec<(f64, f64)>, Vec<(f64, f64, f64)>);

/// Two classes in two features with the boundary between them.
pub(crate) fn halfspace(
    loaded: &Loaded,
    positive: &[bool],
    model: &minrisk::LinearModel<f64>,
    margin: Option<f64>,
    classes: &[String],
) -> Result<String, PlotError> {
    let (x, y) = (loaded.feature(0), loaded.feature(1));
    let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
    let w = model.coefficients();
    let classifier = Boundary {
        weights: [w[0], w[1]],
        intercept: model.intercept().unwrap_or(0.0),
        margin,
        classes: [&classes[0], &classes[1]],
    };
    let title = format!("{} or {}", classes[1], classes[0]);
    let labels = Labels::new(&title, &loaded.names[0], &loaded.names[1]);
    boundary(&points, positive, &classifier, &labels)
}

/// The monomials of places on one axis, as the model's variables.
fn powers(polynomial: &PolynomialModel<f64>, places: &[f64]) -> Result<Matrix<f64>, Error> {
    let mapped = polynomial.rescale().apply(View::column_vector(places))?;
    PolynomialFeatures::new(polynomial.degree()).transform(mapped.view())
}

fn joined<'a>(
    design: &'a Matrix<f64>,
    target: &'a [f64],
    frequencies: &'a [f64],
    fit: &Fit<f64>,
) -> Result<Dataset<'a, f64>, Error> {
    let data = dataset(design.view(), target)?;
    let data = match fit.model.names() {
        Some(names) => data.with_names(names.as_slice().iter().cloned())?,
        None => data,
    };
    data.with_frequencies(View::column_vector(frequencies))
}
