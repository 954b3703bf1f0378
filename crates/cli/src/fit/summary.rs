//! What a fit says about the data: standard errors and tests where there are any, and how well it fits.

use minrisk::inference::{self, Covariance, Estimates};
use minrisk::least_squares::summarise;
use minrisk::{Backend, Dataset, Error, Fit, Names};
use serde::Serialize;

use super::risk::{Risk, RiskSummary};
use super::task::Task;
use super::weights::Weights;

/// Unknowns above which the inverse of their Gram matrix is not computed for standard errors.
pub(super) const MOST_UNKNOWNS: usize = 5000;

/// A summary.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Summary {
    LeastSquares(inference::Summary),
    Risk(RiskSummary),
}

impl Summary {
    /// Summarises a fit to data, whose design must be the one that the coefficients belong to.
    pub(crate) fn of(
        task: &Task,
        classes: Option<&[String]>,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
        fit: &Fit<f64>,
    ) -> Result<Self, Error> {
        if fit.certificate.least_squares().is_some() {
            let wide = data.cols() >= data.rows() || data.cols() > MOST_UNKNOWNS;
            return Ok(Summary::LeastSquares(if wide {
                without_errors(data, fit)?
            } else {
                summarise(backend, data, fit, Covariance::Classical)?.swap_remove(0)
            }));
        }
        Risk { task, classes, backend, data, fit }.summary().map(Summary::Risk)
    }
}

/// A summary without standard errors, for fits that leave no degrees of freedom or have too many unknowns.
fn without_errors(data: &Dataset<'_, f64>, fit: &Fit<f64>) -> Result<inference::Summary, Error> {
    let model = &fit.model;
    let weights = Weights::of(data);
    let residuals = model.residuals(data)?;
    let y: Vec<f64> = data.target_view().col_iter(0).copied().collect();
    let level = if model.intercept().is_some() { weights.mean(&y) } else { 0.0 };
    let names = (0..model.features()).map(|j| Names::of(model.names(), j));
    let certificate = fit.certificate.least_squares();
    let digits = certificate.map(|certificate| {
        certificate.intercept_digits.iter().chain(&certificate.digits[0]).copied().collect()
    });
    let estimates = Estimates {
        names: model.intercept().map(|_| "(Intercept)".into()).into_iter().chain(names).collect(),
        coefficients: model.intercept().into_iter().chain(model.coefficients().to_vec()).collect(),
        standard_errors: vec![
            f64::NAN;
            model.features() + usize::from(model.intercept().is_some())
        ],
        digits: digits.unwrap_or_default(),
        residual_sum_of_squares: weights.sum(residuals.as_slice(), |r| r * r),
        total_sum_of_squares: weights.sum(&y, |y| (y - level).powi(2)),
        observations: weights.observations,
        parameters: (certificate.map_or(0, |c| c.rank) + usize::from(model.intercept().is_some()))
            as f64,
        has_intercept: model.intercept().is_some(),
        penalised: certificate.is_some_and(|c| c.penalty.is_positive()),
        ..Estimates::default()
    };
    estimates.summary()
}
