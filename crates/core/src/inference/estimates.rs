//! What a solver hands over for inference: plain numbers, one target at a time.

use super::{Covariance, Summary};
use crate::Error;

/// Estimates with their standard errors and sums of squares: the input of a [`Summary`].
///
/// Fields that do not apply keep their defaults:
/// ```
/// use minrisk_core::inference::Estimates;
/// // Stopping distances of 50 cars on their speeds (R's `cars`).
/// let estimates = Estimates {
///     names: vec!["(Intercept)".into(), "speed".into()],
///     coefficients: vec![-17.57909489051095, 3.932408759124088],
///     standard_errors: vec![6.758440169379236, 0.4155127766571223],
///     residual_sum_of_squares: 11353.52105109489,
///     total_sum_of_squares: 32538.98,
///     observations: 50.0,
///     parameters: 2.0,
///     has_intercept: true,
///     ..Estimates::default()
/// };
/// let summary = estimates.summary()?;
/// assert!((summary.statistics.aic.unwrap() - 419.1568630273532).abs() < 1e-9);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimates {
    /// A name per coefficient, `(Intercept)` first where there is one.
    pub names: Vec<String>,
    /// The coefficients.
    pub coefficients: Vec<f64>,
    /// Their standard errors, σ̂√diag((XᵀCX)⁻¹) or the robust ones; NaN for a coefficient that cannot
    /// be estimated, because its column depends on others, or where nothing is known.
    pub standard_errors: Vec<f64>,
    /// Decimal digits that hold in each coefficient, as its certificate says; NaN where nothing is
    /// known. An empty list stands for nothing known at all.
    pub digits: Vec<f64>,
    /// Σ c(y − z)², c the sample weights.
    pub residual_sum_of_squares: f64,
    /// Σ c(y − ȳ)² with an intercept, Σ cy² without: as NIST and R do.
    pub total_sum_of_squares: f64,
    /// Observations n: rows, the sum of the frequencies, or rows with positive precision.
    pub observations: f64,
    /// Parameters p: the rank with the intercept; for ridge the effective number, the trace of the
    /// hat matrix.
    pub parameters: f64,
    /// Whether the model has an intercept.
    pub has_intercept: bool,
    /// Σ ln c over the rows with positive precision c; 0 unless the weights are precisions.
    pub log_weights: f64,
    /// What kind of standard errors these are.
    pub covariance: Covariance,
    /// With robust standard errors, the Wald statistic βᵀV⁻¹β/k of the k coefficients other than the
    /// intercept, which then takes the place of the classical F.
    pub wald: Option<f64>,
    /// Whether the coefficients are penalised, and hence biased: no tests or intervals are made.
    pub penalised: bool,
}

impl Estimates {
    /// Tests, 95 % confidence intervals and fit statistics.
    pub fn summary(&self) -> Result<Summary, Error> {
        Summary::new(self)
    }

    /// Residual degrees of freedom n − p, at least 0.
    pub fn degrees_of_freedom(&self) -> f64 {
        (self.observations - self.parameters).max(0.0)
    }

    /// Fails where lengths differ or numbers make no sense.
    pub(super) fn check(&self) -> Result<(), Error> {
        let expected = self.coefficients.len();
        let digits = if self.digits.is_empty() { expected } else { self.digits.len() };
        for (what, found) in [
            ("the list of coefficient names", self.names.len()),
            ("the list of standard errors", self.standard_errors.len()),
            ("the list of digits", digits),
        ] {
            if found != expected {
                return Err(Error::LengthMismatch { what, per: "coefficient", expected, found });
            }
        }
        for (what, value) in [
            ("the residual sum of squares", self.residual_sum_of_squares),
            ("the total sum of squares", self.total_sum_of_squares),
            ("the number of observations", self.observations),
            ("the number of parameters", self.parameters),
        ] {
            if !(0.0..f64::INFINITY).contains(&value) {
                let expected = "finite and not negative";
                return Err(Error::BadParameter { what, value: value.to_string(), expected });
            }
        }
        Ok(())
    }
}
