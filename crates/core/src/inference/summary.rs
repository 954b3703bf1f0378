//! Tests, intervals and fit statistics from estimates and their standard errors.
//!
//! With n observations, p parameters (the intercept included), i = 1 with an intercept and 0 without:
//! ```text
//!   df = n − p                          σ̂² = RSS/df
//!   t = β/se                            P(|T| ≥ |t|), T Student's t with df degrees of freedom
//!   interval = β ± t_{level, df}·se
//!   R² = 1 − RSS/TSS                    adjusted R² = 1 − (RSS/df)/(TSS/(n − i))
//!   F = ((TSS − RSS)/(p − i)) / σ̂²      with p − i and df degrees of freedom
//!   ln L = ½(Σ ln c − n(ln 2π + 1 − ln n + ln RSS))
//!   AIC = −2 ln L + 2(p + 1)            BIC = −2 ln L + ln(n)(p + 1)
//! ```
//! TSS is centred with an intercept and uncentred without, as NIST and R have it; the sums carry the
//! sample weights. ln L is the Gaussian log-likelihood at its maximum σ² = RSS/n, and σ² counts as a
//! parameter: both as in R's `logLik`, `AIC` and `BIC` (other programs leave out the 1; differences
//! between models of the same data are the same). Robust standard errors are tested against t as well,
//! as in Stata and R's `coeftest`.
//!
//! For a penalised fit p is the effective number of parameters, and t, p, F and intervals are left out:
//! its coefficients are biased, so that these would not mean what their names say.

use std::fmt;

use super::distribution::{f_upper_tail, student_t_critical, student_t_two_sided};
use super::{Covariance, Estimates, Table};
use crate::Error;

/// Coefficients with their tests and intervals, and how well the model fits.
///
/// Prints as a [`Table`]; a precision sets the significant digits, as in `format!("{summary:.8}")`.
/// What is undefined is `None`: standard errors where no degrees of freedom are left, R² of a constant
/// target, the likelihood of a perfect fit. In a perfect fit t and F are infinite (an infinite t comes back
/// from JSON as `None`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// A line per coefficient, the intercept first where there is one.
    pub coefficients: Vec<CoefficientSummary>,
    /// How well the model fits.
    pub statistics: FitStatistics,
    /// Level of the confidence intervals, 0.95 unless set.
    pub level: f64,
    /// What kind of standard errors these are.
    pub covariance: Covariance,
    /// Whether the coefficients are penalised.
    pub penalised: bool,
}

/// One coefficient.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CoefficientSummary {
    /// Name of the feature, or `(Intercept)`.
    pub name: String,
    /// The coefficient.
    pub estimate: f64,
    /// Its standard error; `None` where it cannot be estimated.
    pub standard_error: Option<f64>,
    /// estimate / standard error.
    pub t: Option<f64>,
    /// Probability of a t at least as large if the true coefficient were zero.
    pub p: Option<f64>,
    /// Confidence interval.
    pub interval: Option<(f64, f64)>,
    /// Decimal digits of the estimate that are certified.
    pub digits: Option<f64>,
}

/// How well a model fits.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FitStatistics {
    /// Observations n.
    pub observations: f64,
    /// Parameters p, the intercept included; effective ones for a penalised fit.
    pub parameters: f64,
    /// Residual degrees of freedom n − p.
    pub degrees_of_freedom: f64,
    /// Whether there is an intercept, and R² is about the mean.
    pub has_intercept: bool,
    /// RSS.
    pub residual_sum_of_squares: f64,
    /// TSS, centred with an intercept.
    pub total_sum_of_squares: f64,
    /// σ̂.
    pub residual_standard_deviation: Option<f64>,
    /// R².
    pub r_squared: Option<f64>,
    /// Adjusted R².
    pub adjusted_r_squared: Option<f64>,
    /// Test of all coefficients but the intercept at once.
    pub f_test: Option<FTest>,
    /// Gaussian log-likelihood.
    pub log_likelihood: Option<f64>,
    /// Akaike's criterion.
    pub aic: Option<f64>,
    /// Schwarz's criterion.
    pub bic: Option<f64>,
}

/// An F statistic with its degrees of freedom and its p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FTest {
    /// F; infinite in a perfect fit.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "null_is_infinite"))]
    pub statistic: f64,
    /// Degrees of freedom of the model, p without the intercept.
    pub df1: f64,
    /// Residual degrees of freedom.
    pub df2: f64,
    /// Probability of an F at least as large if all true coefficients were zero.
    pub p: f64,
}

impl Summary {
    /// The summary of estimates, with intervals at the level 0.95.
    pub fn new(estimates: &Estimates) -> Result<Self, Error> {
        estimates.check()?;
        let df = estimates.degrees_of_freedom();
        let coefficient = |(j, name): (usize, &String)| {
            let estimate = estimates.coefficients[j];
            let standard_error = Some(estimates.standard_errors[j])
                .filter(|error| df > 0.0 && *error >= 0.0 && error.is_finite());
            let t = standard_error
                .filter(|_| !estimates.penalised)
                .map(|error| estimate / error)
                .filter(|t| !t.is_nan());
            CoefficientSummary {
                name: name.clone(),
                estimate,
                standard_error,
                t,
                p: t.map(|t| student_t_two_sided(t, df)),
                interval: None,
                digits: estimates.digits.get(j).copied().filter(|digits| !digits.is_nan()),
            }
        };
        let summary = Self {
            coefficients: estimates.names.iter().enumerate().map(coefficient).collect(),
            statistics: FitStatistics::new(estimates),
            level: 0.95,
            covariance: estimates.covariance,
            penalised: estimates.penalised,
        };
        summary.with_level(0.95)
    }

    /// The same summary with confidence intervals at another level, which must lie between 0 and 1.
    ///
    /// ```
    /// # use minrisk_core::inference::Estimates;
    /// # let estimates = Estimates {
    /// #     names: vec!["x".into()],
    /// #     coefficients: vec![2.0],
    /// #     standard_errors: vec![0.5],
    /// #     residual_sum_of_squares: 1.0,
    /// #     total_sum_of_squares: 5.0,
    /// #     observations: 5.0,
    /// #     parameters: 1.0,
    /// #     ..Estimates::default()
    /// # };
    /// let summary = estimates.summary()?.with_level(0.99)?;
    /// let (low, high) = summary.coefficients[0].interval.unwrap();
    /// assert!(low < 0.0 && high > 4.0);
    /// assert!(summary.with_level(99.0).is_err());
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn with_level(mut self, level: f64) -> Result<Self, Error> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::BadParameter {
                what: "the confidence level",
                value: level.to_string(),
                expected: "between 0 and 1, such as 0.95",
            });
        }
        self.level = level;
        let width = student_t_critical(level, self.statistics.degrees_of_freedom);
        for coefficient in &mut self.coefficients {
            let error = coefficient.standard_error.filter(|_| !self.penalised);
            coefficient.interval = error.map(|error| {
                (coefficient.estimate - width * error, coefficient.estimate + width * error)
            });
        }
        Ok(self)
    }

    /// The coefficient of a feature, by name.
    pub fn coefficient(&self, name: &str) -> Option<&CoefficientSummary> {
        self.coefficients.iter().find(|coefficient| coefficient.name == name)
    }

    /// The table to print, with its settings.
    ///
    /// ```
    /// # let estimates = minrisk_core::inference::Estimates::default();
    /// let summary = estimates.summary()?;
    /// println!("{}", summary.table().stars(false).significant_digits(8));
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn table(&self) -> Table<'_> {
        Table::new(self)
    }
}

/// The table with its default settings; `{:.8}` shows eight significant digits.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table();
        match f.precision() {
            Some(digits) => table.significant_digits(digits).fmt(f),
            None => table.fmt(f),
        }
    }
}

impl FitStatistics {
    fn new(estimates: &Estimates) -> Self {
        let Estimates { observations: n, parameters: p, has_intercept, .. } = *estimates;
        let rss = estimates.residual_sum_of_squares;
        let tss = estimates.total_sum_of_squares;
        let df = estimates.degrees_of_freedom();
        let intercept = if has_intercept { 1.0 } else { 0.0 };
        let variance = (df > 0.0).then_some(rss / df);
        let log_likelihood = (n > 0.0 && rss > 0.0).then(|| {
            let ln_2_pi = std::f64::consts::TAU.ln();
            0.5 * (estimates.log_weights - n * (ln_2_pi + 1.0 + (rss / n).ln()))
        });
        let criterion = |penalty: f64| log_likelihood.map(|l| -2.0 * l + penalty * (p + 1.0));
        Self {
            observations: n,
            parameters: p,
            degrees_of_freedom: df,
            has_intercept,
            residual_sum_of_squares: rss,
            total_sum_of_squares: tss,
            residual_standard_deviation: variance.map(f64::sqrt),
            r_squared: (tss > 0.0).then(|| 1.0 - rss / tss),
            adjusted_r_squared: (tss > 0.0 && df > 0.0)
                .then(|| 1.0 - rss / tss * ((n - intercept) / df)),
            f_test: FTest::new(estimates, variance, p - intercept, df),
            log_likelihood,
            aic: criterion(2.0),
            bic: criterion(n.ln()),
        }
    }
}

impl FTest {
    /// The classical F from the sums of squares, or the robust one handed over.
    fn new(estimates: &Estimates, variance: Option<f64>, df1: f64, df2: f64) -> Option<Self> {
        if estimates.penalised || df1 <= 0.0 {
            return None;
        }
        let variance = variance?;
        let statistic = if estimates.covariance.is_robust() {
            estimates.wald?
        } else {
            let explained = estimates.total_sum_of_squares - estimates.residual_sum_of_squares;
            explained.max(0.0) / df1 / variance
        };
        let p = f_upper_tail(statistic, df1, df2);
        (!p.is_nan()).then_some(Self { statistic, df1, df2, p })
    }
}

/// Formats without infinities, such as JSON, write them as null.
#[cfg(feature = "serde")]
fn null_is_infinite<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value: Option<f64> = serde::Deserialize::deserialize(deserializer)?;
    Ok(value.unwrap_or(f64::INFINITY))
}

#[cfg(test)]
mod tests;
