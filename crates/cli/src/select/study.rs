//! Candidates, their scores on held-out rows, and the fit of the winner.

use std::path::Path;

use minrisk::convex::{Control, lambda_max};
use minrisk::loss::{Logistic, Squared};
use minrisk::plots::{self, Labels, Line, Validation};
use minrisk::selection::{Folds, Grid, Predictor, Score};
use minrisk::{Backend, Certificate, Dataset, Error, Matrix, Names, Report, Status};
use serde::Serialize;

use super::Options;
use super::candidates::{Penalties, descending};
use crate::data::Loaded;
use crate::failure::{Failure, Outcome};
use crate::fit::json::Value;
use crate::fit::{Loss, Scale, SolverName, Task, Trained};
use crate::output::{aligned, shown};
use crate::picture::{self, Scene};
use crate::progress::Spinner;

/// How far below its start a path goes.
const PATH_RATIO: f64 = 1e-3;

/// A question of selection.
pub(super) struct Study<'a> {
    options: &'a Options,
    loaded: &'a Loaded,
    target: &'a [f64],
    classes: Option<&'a [String]>,
    loss: Loss,
    backend: &'a dyn Backend<f64>,
}

/// Candidates, simplest first, with their scores.
pub(super) struct Chosen {
    pub(super) parameters: Vec<f64>,
    grid: Grid<f64>,
}

/// The winner fitted to all rows.
#[derive(Serialize)]
pub(super) struct Winner {
    model: String,
    features: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<String>>,
    intercept: Value,
    coefficients: Value,
    status: Status,
    objective: f64,
    certificate: Certificate,
    #[serde(skip)]
    trained: Trained,
}

impl Chosen {
    pub(super) fn means(&self) -> Vec<f64> {
        self.grid.scores.iter().map(|scores| scores.mean()).collect()
    }

    pub(super) fn errors(&self) -> Vec<f64> {
        self.grid.scores.iter().map(|scores| scores.standard_error()).collect()
    }

    pub(super) fn best_parameter(&self) -> f64 {
        *self.grid.best_candidate()
    }

    pub(super) fn simplest_parameter(&self) -> f64 {
        *self.grid.simplest_candidate()
    }
}

impl<'a> Study<'a> {
    pub(super) fn new(
        options: &'a Options,
        loaded: &'a Loaded,
        target: &'a [f64],
        classes: Option<&'a [String]>,
        loss: Loss,
    ) -> Outcome<Self> {
        let backend = options.backend.unwrap_or_default().backend();
        if options.folds < 2 || options.folds > loaded.rows() {
            return Err(Failure::new(format!(
                "--folds {} cannot be: there must be at least 2 and at most as many as the {} rows",
                options.folds,
                loaded.rows(),
            )));
        }
        Ok(Self { options, loaded, target, classes, loss, backend })
    }

    /// What is chosen.
    pub(super) fn parameter(&self) -> &'static str {
        match (&self.options.degree, &self.options.l2) {
            (Some(_), _) => "degree",
            (_, Some(_)) => "l2",
            _ => "l1",
        }
    }

    fn score(&self) -> Score {
        match self.loss {
            Loss::Logistic => Score::LogLoss,
            _ => Score::RSquared,
        }
    }

    pub(super) fn score_name(&self) -> &'static str {
        match self.loss {
            Loss::Logistic => "log-loss",
            _ => "R²",
        }
    }

    /// Scores every candidate on the same folds.
    pub(super) fn run(&self) -> Outcome<Chosen> {
        let data = self.loaded.dataset(self.target)?;
        let parameters = self.candidates(&data)?;
        let rows = self.loaded.rows();
        let folds = match self.classes {
            Some(_) => {
                Folds::stratified(data.target_view(), self.options.folds, self.options.seed)?
            }
            None => Folds::shuffled(rows, self.options.folds, self.options.seed)?,
        };
        let _spinner = Spinner::start("cross-validating");
        let grid =
            Grid::search(&data, &folds, self.score(), parameters.clone(), |parameter, train| {
                let trained = self.task(*parameter).train(self.backend, train)?;
                Ok(Candidate { trained, loss: self.loss })
            })?;
        Ok(Chosen { parameters, grid })
    }

    /// The candidates, simplest first.
    fn candidates(&self, data: &Dataset<'_, f64>) -> Outcome<Vec<f64>> {
        if let Some(degrees) = self.options.degree {
            return Ok((degrees.low..=degrees.high).map(|degree| degree as f64).collect());
        }
        let count = self.options.count.clamp(1, 10_000);
        match self.options.l2.or(self.options.l1) {
            Some(Penalties::Range(low, high)) => Ok(descending(low, high, count)),
            _ if self.options.l2.is_some() => {
                Err(Failure::new("--l2 has no path: give a range such as 1e-4..1e4"))
            }
            _ => {
                let largest = self.largest_l1(data)?;
                Ok(descending(PATH_RATIO * largest, largest, count))
            }
        }
    }

    /// The least λ₁ for which all weights are zero, in the scale of the objective.
    fn largest_l1(&self, data: &Dataset<'_, f64>) -> Outcome<f64> {
        let intercept = !self.options.no_intercept;
        let total = match self.loss {
            Loss::Logistic => lambda_max(self.backend, &Logistic, intercept, data)?,
            _ => lambda_max(self.backend, &Squared, intercept, data)?,
        };
        let weight = data.weights().map_or(data.rows() as f64, |c| c.col_iter(0).sum());
        let largest = match self.options.scale {
            Scale::Total => total,
            Scale::Mean => total / weight,
        };
        if largest > 0.0 {
            return Ok(largest);
        }
        Err(Failure::new("no feature has anything to do with the target: there is no path"))
    }

    fn task(&self, parameter: f64) -> Task {
        let what = self.parameter();
        let of = |name: &str| if what == name { parameter } else { 0.0 };
        Task {
            loss: self.loss,
            l1: of("l1"),
            l2: of("l2"),
            scale: self.options.scale,
            intercept: !self.options.no_intercept,
            degree: (what == "degree").then_some(parameter as usize),
            classes: self.classes.map_or(1, <[String]>::len),
            solver: SolverName::Auto,
            seed: self.options.seed,
            control: Control::default(),
        }
    }

    /// Fits the best candidate to all rows.
    pub(super) fn winner(&self, chosen: &Chosen) -> Outcome<Winner> {
        let data = self.loaded.dataset(self.target)?;
        let task = self.task(chosen.best_parameter());
        let trained = task.train(self.backend, &data)?;
        let model = &trained.fit.model;
        let Report { status, ref objective, .. } = trained.fit.report;
        Ok(Winner {
            model: task.model_name(),
            features: (0..model.features()).map(|j| Names::of(model.names(), j)).collect(),
            classes: self.classes.map(<[String]>::to_vec),
            intercept: Value::intercepts(model),
            coefficients: Value::coefficients(model),
            status,
            objective: objective[0],
            certificate: trained.fit.certificate.clone(),
            trained,
        })
    }

    pub(super) fn draw(&self, path: &Path, chosen: &Chosen, target_name: &str) -> Outcome {
        let (scores, errors) = (chosen.means(), chosen.errors());
        let validation = Validation {
            parameters: &chosen.parameters,
            scores: &scores,
            errors: &errors,
            best: chosen.grid.best(),
            simplest: chosen.grid.one_standard_error(),
            logarithmic: self.options.degree.is_none(),
        };
        let score = format!("{} on held-out rows", self.score_name());
        let title = format!("{} by cross-validation", self.parameter());
        let labels = Labels::new(&title, self.parameter(), &score);
        if self.options.l1.is_some() {
            return self.draw_path(path, chosen);
        }
        if self.options.degree.is_none() || self.loaded.features() != 1 || self.classes.is_some() {
            return picture::save(path, plots::validation(&validation, &labels));
        }
        let trained = self.winner(chosen)?.trained;
        let task = self.task(chosen.best_parameter());
        let (loaded, target, backend) = (self.loaded, self.target, self.backend);
        let scene = Scene {
            loaded,
            target,
            target_name,
            classes: None,
            trained: &trained,
            task: &task,
            backend,
        };
        let x = loaded.feature(0);
        let (curve, band) = scene.curve(&x)?;
        let points: Vec<(f64, f64)> = x.iter().copied().zip(target.iter().copied()).collect();
        let fit_title = format!("polynomial of degree {}", chosen.best_parameter());
        let fit_labels = Labels::new(&fit_title, &loaded.names[0], target_name);
        let line = Line::new(&curve).with_band(&band, "95 % confidence");
        picture::save(path, plots::polynomial(&points, &line, &fit_labels, &validation, &labels))
    }

    fn draw_path(&self, path: &Path, chosen: &Chosen) -> Outcome {
        let data = self.loaded.dataset(self.target)?;
        let fits = chosen.parameters.iter().map(|&l1| self.task(l1).solve(self.backend, &data));
        let fits = fits.collect::<Result<Vec<_>, Error>>()?;
        let coefficients: Vec<Vec<f64>> =
            fits.iter().map(|fit| fit.model.coefficients().to_vec()).collect();
        let drawn = plots::Path {
            penalties: &chosen.parameters,
            coefficients: &coefficients,
            names: &self.loaded.names,
            chosen: Some(chosen.best_parameter()),
        };
        picture::save(
            path,
            plots::path(&drawn, &Labels::new("The lasso path", "λ₁", "coefficient")),
        )
    }
}

impl Winner {
    /// The coefficients to be read.
    pub(super) fn table(&self) -> String {
        let model = &self.trained.fit.model;
        let mut lines = Vec::new();
        lines.extend(model.intercept().map(|b| vec!["(Intercept)".into(), shown(b)]));
        let weights = self.features.iter().zip(model.coefficients());
        lines.extend(weights.map(|(name, w)| vec![name.clone(), shown(*w)]));
        aligned(&lines).trim_end().into()
    }
}

/// A fit as cross-validation sees it: predictions, or probabilities for classes.
struct Candidate {
    trained: Trained,
    loss: Loss,
}

impl Predictor<f64> for Candidate {
    fn predictions(&self, data: &Dataset<'_, f64>) -> Result<Matrix<f64>, Error> {
        let z = match &self.trained.polynomial {
            Some(polynomial) => polynomial.predictions(data)?,
            None => self.trained.fit.predictions(data)?,
        };
        Ok(match self.loss {
            Loss::Logistic => {
                Matrix::from_fn(z.rows(), z.cols(), |i, k| Logistic::probability(z[(i, k)]))
            }
            _ => z,
        })
    }
}
