//! The covariance of the estimates: classical, or robust against unequal variances.
//!
//! With A = XᵀCX (C the sample weights), the classical covariance is σ̂²A⁻¹, which supposes that every
//! row has noise of the same variance (σ²/c for precisions). Without that, the sandwich
//! ```text
//!   A⁻¹ (Σ_t ω_t x_t x_tᵀ) A⁻¹
//! ```
//! is consistent, where ω_t estimates the variance of row t from its residual e and its leverage
//! h = xᵀA⁻¹x (n observations, p parameters):
//!
//! | kind | ω | note |
//! |---|---|---|
//! | HC0 | e² | White (1980); too small in small samples |
//! | HC1 | e² n/(n − p) | what Stata calls robust |
//! | HC2 | e²/(1 − h) | unbiased if the variances are equal after all |
//! | HC3 | e²/(1 − h)² | close to the jackknife; the choice for n < 250 |
//!
//! With precisions c the formulas are those of the rows √c·x with residuals √c·e and leverages
//! c·xᵀA⁻¹x. A row of frequency c stands for c rows, each of leverage xᵀA⁻¹x.
//!
//! Reference: Long and Ervin (2000), *Using heteroscedasticity consistent standard errors in the linear
//! regression model*.

use std::fmt;

/// How standard errors are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Covariance {
    /// σ̂²(XᵀCX)⁻¹: the noise of all rows has the same variance.
    #[default]
    Classical,
    /// White's sandwich: squared residuals as they are.
    Hc0,
    /// HC0 times n/(n − p).
    Hc1,
    /// Squared residuals over 1 − h.
    Hc2,
    /// Squared residuals over (1 − h)².
    Hc3,
}

impl Covariance {
    /// ω, the estimated variance of one observation, from its residual, its leverage, and the numbers
    /// of observations and of parameters.
    ///
    /// The classical σ̂² is the mean of HC1's ω over the rows; the classical kind has the same ω.
    /// HC2 and HC3 are undefined (NaN) at leverage 1: such a row fits itself, whatever its target, so
    /// that its residual says nothing about its variance. HC1 is undefined for n ≤ p.
    ///
    /// ```
    /// use minrisk_core::inference::Covariance;
    /// assert_eq!(Covariance::Hc0.variance(3.0, 0.5, 10.0, 2.0), 9.0);
    /// assert_eq!(Covariance::Hc1.variance(3.0, 0.5, 10.0, 2.0), 11.25);
    /// assert_eq!(Covariance::Hc2.variance(3.0, 0.5, 10.0, 2.0), 18.0);
    /// assert_eq!(Covariance::Hc3.variance(3.0, 0.5, 10.0, 2.0), 36.0);
    /// ```
    pub fn variance(self, residual: f64, leverage: f64, observations: f64, parameters: f64) -> f64 {
        let square = residual * residual;
        let free = 1.0 - leverage;
        let defined = |condition: bool, value: f64| if condition { value } else { f64::NAN };
        match self {
            Covariance::Hc0 => square,
            Covariance::Classical | Covariance::Hc1 => {
                let df = observations - parameters;
                defined(df > 0.0, square * (observations / df))
            }
            Covariance::Hc2 => defined(free > 0.0, square / free),
            Covariance::Hc3 => defined(free > 0.0, square / free / free),
        }
    }

    /// Whether a row of leverage 1 leaves it undefined.
    pub(super) fn breaks_at_leverage_one(self) -> bool {
        matches!(self, Covariance::Hc2 | Covariance::Hc3)
    }

    /// Whether standard errors hold up without equal variances.
    pub fn is_robust(self) -> bool {
        self != Covariance::Classical
    }
}

/// `classical`, `HC0` to `HC3`.
impl fmt::Display for Covariance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Covariance::Classical => "classical",
            Covariance::Hc0 => "HC0",
            Covariance::Hc1 => "HC1",
            Covariance::Hc2 => "HC2",
            Covariance::Hc3 => "HC3",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_are_ordered_for_a_positive_leverage() {
        let omega = |kind: Covariance| kind.variance(2.0, 0.2, 100.0, 3.0);
        assert!(omega(Covariance::Hc0) < omega(Covariance::Hc1));
        assert!(omega(Covariance::Hc1) < omega(Covariance::Hc2));
        assert!(omega(Covariance::Hc2) < omega(Covariance::Hc3));
        assert_eq!(omega(Covariance::Hc3), 4.0 / 0.8 / 0.8);
    }

    #[test]
    fn undefined_variances_are_nan() {
        assert!(Covariance::Hc2.variance(0.0, 1.0, 10.0, 2.0).is_nan());
        assert!(Covariance::Hc3.variance(0.0, 1.0, 10.0, 2.0).is_nan());
        assert!(Covariance::Hc1.variance(0.0, 1.0, 2.0, 2.0).is_nan());
        assert_eq!(Covariance::Hc0.variance(0.0, 1.0, 2.0, 2.0), 0.0);
    }
}
