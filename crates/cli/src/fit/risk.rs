//! The summary of a fit that is not least squares.
//!
//! Logistic regression without a penalty is maximum likelihood; its standard errors are those of the Fisher
//! information XᵀWX, W = diag(c·p(1 − p)). At the minimiser it is also the weighted least-squares fit of the
//! working response z + (y − p)/(p(1 − p)) with the weights W, so the summary of that fit has them, up to its
//! residual deviation.

use minrisk::inference::{self, Covariance, normal_two_sided};
use minrisk::least_squares::{LeastSquares, summarise};
use minrisk::loss::{Logistic, Loss as _, Softmax};
use minrisk::{Backend, Certificate, Dataset, Error, Fit, Matrix, Names, Status, View, dataset};
use serde::Serialize;

use super::loss::Loss;
use super::summary::MOST_UNKNOWNS;
use super::task::Task;
use super::weights::Weights;

/// The summary of a fit that is not least squares.
#[derive(Serialize)]
pub(crate) struct RiskSummary {
    pub(crate) coefficients: Vec<Coefficient>,
    pub(crate) statistics: Statistics,
}

/// One coefficient.
#[derive(Serialize)]
pub(crate) struct Coefficient {
    pub(crate) name: String,
    /// The class it belongs to, where each has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) class: Option<String>,
    pub(crate) estimate: f64,
    pub(crate) standard_error: Option<f64>,
    pub(crate) z: Option<f64>,
    pub(crate) p: Option<f64>,
}

/// How well the model fits; what does not apply is null.
#[derive(Default, Serialize)]
pub(crate) struct Statistics {
    pub(crate) observations: f64,
    /// Weights that are not zero, intercepts not counted.
    pub(crate) nonzero: usize,
    pub(crate) log_likelihood: Option<f64>,
    /// That of the shares of the classes alone.
    pub(crate) null_log_likelihood: Option<f64>,
    pub(crate) aic: Option<f64>,
    pub(crate) bic: Option<f64>,
    pub(crate) accuracy: Option<f64>,
    pub(crate) mistakes: Option<usize>,
    pub(crate) r_squared: Option<f64>,
    pub(crate) mean_absolute_error: Option<f64>,
}

/// What the summary of a convex fit is made from.
pub(super) struct Risk<'a> {
    pub(super) task: &'a Task,
    pub(super) classes: Option<&'a [String]>,
    pub(super) backend: &'a dyn Backend<f64>,
    pub(super) data: &'a Dataset<'a, f64>,
    pub(super) fit: &'a Fit<f64>,
}

impl Risk<'_> {
    pub(super) fn summary(&self) -> Result<RiskSummary, Error> {
        let scores = self.fit.model.predict(self.data.design())?;
        let errors = match self.task.loss {
            Loss::Logistic if self.is_likelihood() => self.fisher_errors(scores.as_slice())?,
            _ => None,
        };
        let statistics = if self.task.loss.classifies() {
            self.classification(&scores)
        } else {
            self.regression(scores.as_slice())
        };
        Ok(RiskSummary { coefficients: self.coefficients(errors.as_deref()), statistics })
    }

    fn is_likelihood(&self) -> bool {
        let likelihood = matches!(self.task.loss, Loss::Logistic | Loss::Softmax);
        likelihood && self.task.l1 == 0.0 && self.task.l2 == 0.0
    }

    fn coefficients(&self, errors: Option<&[f64]>) -> Vec<Coefficient> {
        let model = &self.fit.model;
        let mut all = Vec::new();
        for target in 0..model.targets() {
            let class = (model.targets() > 1)
                .then(|| self.classes.and_then(|classes| classes.get(target).cloned()))
                .flatten();
            let intercept = model.intercept_of(target).map(|b| ("(Intercept)".to_string(), b));
            let weights = model.coefficients_of(target).iter().enumerate();
            let weights = weights.map(|(j, &w)| (Names::of(model.names(), j), w));
            for (k, (name, estimate)) in intercept.into_iter().chain(weights).enumerate() {
                let standard_error = errors.map(|errors| errors[k]).filter(|e| e.is_finite());
                let z = standard_error.filter(|e| *e > 0.0).map(|error| estimate / error);
                let p = z.map(normal_two_sided);
                all.push(Coefficient {
                    name,
                    class: class.clone(),
                    estimate,
                    standard_error,
                    z,
                    p,
                });
            }
        }
        all
    }

    /// √diag((XᵀWX)⁻¹), the intercept first.
    fn fisher_errors(&self, scores: &[f64]) -> Result<Option<Vec<f64>>, Error> {
        if !matches!(self.fit.certificate, Certificate::Convex(_))
            || self.data.cols() > MOST_UNKNOWNS
            || self.data.cols() >= self.data.rows()
        {
            return Ok(None);
        }
        let weights = Weights::of(self.data);
        let (mut response, mut information) = (Vec::new(), Vec::new());
        for (t, &z) in scores.iter().enumerate() {
            let y = self.data.target_view()[(t, 0)];
            // y(1 − P(y)) is 1 − p for y = +1 and −p for y = −1.
            let (p, surprise) = (Logistic::probability(z), Logistic::probability(-y * z));
            let variance = p * Logistic::probability(-z);
            information.push(weights.of_row(t) * variance);
            response.push(if variance > 0.0 { z + y * surprise / variance } else { z });
        }
        let x = self.data.design();
        let Some(x) = x.dense() else { return Ok(None) };
        let working = dataset(x, &response)?.with_precisions(View::column_vector(&information))?;
        let least_squares = LeastSquares::new();
        let least_squares =
            if self.task.intercept { least_squares } else { least_squares.without_intercept() };
        let fit = least_squares.fit_on(self.backend, &working)?;
        let summary =
            summarise(self.backend, &working, &fit, Covariance::Classical)?.swap_remove(0);
        let Some(deviation) = summary.statistics.residual_standard_deviation else {
            return Ok(None);
        };
        let error = |c: &inference::CoefficientSummary| {
            c.standard_error.map_or(f64::NAN, |e| e / deviation)
        };
        Ok(Some(summary.coefficients.iter().map(error).collect()))
    }

    fn classification(&self, scores: &Matrix<f64>) -> Statistics {
        let weights = Weights::of(self.data);
        let y = self.data.target_view();
        let softmax = self.task.loss == Loss::Softmax;
        let class =
            |t: usize| if softmax { y[(t, 0)] as usize } else { usize::from(y[(t, 0)] > 0.0) };
        let predicted = |t: usize| match softmax {
            true => (1..scores.cols())
                .fold(0, |b, k| if scores[(t, k)] > scores[(t, b)] { k } else { b }),
            false => usize::from(scores[(t, 0)] > 0.0),
        };
        let counted: Vec<usize> = (0..y.rows()).filter(|&t| weights.of_row(t) > 0.0).collect();
        let wrong: Vec<usize> =
            counted.iter().copied().filter(|&t| predicted(t) != class(t)).collect();
        let share = wrong.iter().map(|&t| weights.of_row(t)).sum::<f64>() / weights.total;
        let mut statistics = Statistics {
            observations: weights.observations,
            nonzero: self.nonzero(),
            accuracy: Some(1.0 - share),
            mistakes: Some(wrong.len()),
            ..Statistics::default()
        };
        if matches!(self.task.loss, Loss::Logistic | Loss::Softmax) {
            let log_probability = |t: usize| {
                if !softmax {
                    return -Logistic.value(scores[(t, 0)], y[(t, 0)]);
                }
                let mut row: Vec<f64> = (0..scores.cols()).map(|k| scores[(t, k)]).collect();
                let own = row[class(t)];
                own - Softmax::probabilities(&mut row)
            };
            let likelihood: f64 =
                counted.iter().map(|&t| weights.of_row(t) * log_probability(t)).sum();
            let mut shares = vec![0.0; self.task.classes.max(2)];
            counted.iter().for_each(|&t| shares[class(t)] += weights.of_row(t));
            let entropy = |n: &f64| if *n > 0.0 { n * (n / weights.total).ln() } else { 0.0 };
            statistics.log_likelihood = Some(likelihood);
            statistics.null_log_likelihood = Some(shares.iter().map(entropy).sum());
            if self.is_likelihood() && self.fit.report.status != Status::NoMinimiser {
                let free = self.fit.model.targets() - usize::from(softmax);
                let parameters =
                    free * (self.fit.model.features() + usize::from(self.task.intercept));
                statistics.aic = Some(2.0 * parameters as f64 - 2.0 * likelihood);
                statistics.bic =
                    Some(weights.observations.ln() * parameters as f64 - 2.0 * likelihood);
            }
        }
        statistics
    }

    fn regression(&self, scores: &[f64]) -> Statistics {
        let weights = Weights::of(self.data);
        let y: Vec<f64> = self.data.target_view().col_iter(0).copied().collect();
        let residuals: Vec<f64> = y.iter().zip(scores).map(|(y, z)| y - z).collect();
        let level = if self.task.intercept { weights.mean(&y) } else { 0.0 };
        let total = weights.sum(&y, |y| (y - level).powi(2));
        let left = weights.sum(&residuals, |r| r * r);
        Statistics {
            observations: weights.observations,
            nonzero: self.nonzero(),
            r_squared: (total > 0.0).then(|| 1.0 - left / total),
            mean_absolute_error: Some(weights.sum(&residuals, f64::abs) / weights.total),
            ..Statistics::default()
        }
    }

    fn nonzero(&self) -> usize {
        let model = &self.fit.model;
        let of = |target| model.coefficients_of(target).iter().filter(|w| **w != 0.0).count();
        (0..model.targets()).map(of).sum()
    }
}
