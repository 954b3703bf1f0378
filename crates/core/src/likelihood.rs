//! Maximum likelihood: Gaussians, and the likelihood of fitted models.
//!
//! The log-likelihood of a sample under N(μ, σ²) is
//!
//! ℓ = −(n/2)·log(2πσ²) − Σ (x_t − μ)²/(2σ²),
//!
//! largest at μ = x̄ and σ² = Σ(x_t − x̄)²/n. Least squares maximises it over the coefficients, with
//! σ² = RSS/n; logistic regression maximises ℓ = −Σ log(1 + exp(−y_t z_t)).
//!
//! AIC = 2k − 2ℓ (Akaike 1974), BIC = k·log n − 2ℓ (Schwarz 1978), k the number of parameters, σ
//! counted among them.

use std::f64::consts::PI;

use crate::loss::{Risk, Squared};
use crate::wide::Number;
use crate::{Dataset, Error, LinearModel, Scalar, WeightKind};

/// A normal distribution.
///
/// ```
/// use minrisk_core::likelihood::Gaussian;
/// let sample = [9.0, 9.5, 11.0];
/// let fitted = Gaussian::maximum_likelihood(&sample)?;
/// assert!((fitted.mean() - 29.5 / 3.0).abs() < 1e-15);
/// assert!((fitted.variance() - 13.0 / 18.0).abs() < 1e-15);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Gaussian {
    mean: f64,
    variance: f64,
}

impl Gaussian {
    /// N(mean, variance).
    pub fn new(mean: f64, variance: f64) -> Result<Self, Error> {
        if !mean.is_finite() {
            return Err(Error::BadParameter {
                what: "the mean",
                value: mean.to_string(),
                expected: "finite",
            });
        }
        if !(variance.is_finite() && variance >= 0.0) {
            return Err(Error::BadParameter {
                what: "the variance",
                value: variance.to_string(),
                expected: "finite and not negative",
            });
        }
        Ok(Self { mean, variance })
    }

    /// The most likely Gaussian: σ² is the mean squared deviation, with n in the denominator.
    pub fn maximum_likelihood<T: Scalar>(sample: &[T]) -> Result<Self, Error> {
        let (mean, squares) = mean_and_squares(sample)?;
        Self::new(mean, squares / sample.len() as f64)
    }

    /// The Gaussian with the unbiased estimate of the variance, n − 1 in the denominator.
    pub fn unbiased<T: Scalar>(sample: &[T]) -> Result<Self, Error> {
        let (mean, squares) = mean_and_squares(sample)?;
        if sample.len() < 2 {
            return Err(Error::BadParameter {
                what: "the size of the sample",
                value: sample.len().to_string(),
                expected: "at least 2 for an unbiased variance",
            });
        }
        Self::new(mean, squares / (sample.len() - 1) as f64)
    }

    /// μ.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// σ².
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// σ.
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// The density at a point.
    pub fn density(&self, x: f64) -> f64 {
        (-(x - self.mean).powi(2) / (2.0 * self.variance)).exp() / (2.0 * PI * self.variance).sqrt()
    }

    /// ℓ of a sample; infinite where σ = 0 and every value is μ.
    pub fn log_likelihood<T: Scalar>(&self, sample: &[T]) -> f64 {
        let deviations = sample.iter().map(|x| (x.to_double() - self.mean).powi(2));
        let squares: f64 = deviations.sum();
        gaussian_log_likelihood(sample.len() as f64, self.variance, squares)
    }

    /// The index of the candidate under which a sample is most likely, the first of equals; with the
    /// log-likelihood of each.
    pub fn most_likely<T: Scalar>(candidates: &[Self], sample: &[T]) -> Option<(usize, Vec<f64>)> {
        let values: Vec<f64> =
            candidates.iter().map(|candidate| candidate.log_likelihood(sample)).collect();
        let better = |best: Option<usize>, k: usize| match best {
            Some(best) if values[best] >= values[k] => Some(best),
            _ => Some(k),
        };
        let best = (0..values.len()).fold(None, better)?;
        Some((best, values))
    }
}

/// The log-likelihood of a model on data, and what criteria make of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Likelihood {
    /// ℓ.
    pub log_likelihood: f64,
    /// Number of parameters, σ counted among them.
    pub parameters: f64,
    /// Number of observations.
    pub observations: f64,
}

impl Likelihood {
    /// The Gaussian likelihood of a linear model of one target, σ² = RSS/n, with sample weights as
    /// frequencies or as precisions.
    pub fn gaussian<T: Scalar>(
        model: &LinearModel<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Self, Error> {
        let risk = Risk::of(model, &Squared, data)?;
        let (observations, log_weights) = observations(data);
        let coefficients = model.features() + usize::from(model.intercept().is_some());
        let mut likelihood = Self::from_squares(risk.total[0], observations, coefficients);
        likelihood.log_likelihood += log_weights / 2.0;
        Ok(likelihood)
    }

    /// The Gaussian likelihood of any model, such as a fitted curve, from its residual sum of squares
    /// and the number of its coefficients; σ is counted besides.
    ///
    /// ```
    /// use minrisk_core::likelihood::Likelihood;
    /// let (small, large) =
    ///     (Likelihood::from_squares(10.0, 50.0, 2), Likelihood::from_squares(9.9, 50.0, 5));
    /// assert!(small.aic() < large.aic() && small.bic() < large.bic());
    /// ```
    pub fn from_squares(squares: f64, observations: f64, coefficients: usize) -> Self {
        let variance = squares / observations;
        Self {
            log_likelihood: gaussian_log_likelihood(observations, variance, squares),
            parameters: coefficients as f64 + 1.0,
            observations,
        }
    }

    /// The likelihood of labels −1 and +1 (or 0 and 1) under a logistic model: minus the sum of the
    /// logistic losses, which logistic regression makes as large as it can.
    pub fn logistic<T: Scalar>(
        model: &LinearModel<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Self, Error> {
        let predictions = model.predict(data.design())?;
        let mut log_likelihood = 0.0;
        for row in 0..data.rows() {
            let y = data.target_view()[(row, 0)].to_double();
            let sign = match y {
                1.0 => 1.0,
                0.0 | -1.0 => -1.0,
                _ => {
                    return Err(Error::TargetOutsideDomain {
                        row,
                        value: y.to_string(),
                        loss: "logistic",
                        domain: "−1 and +1, or 0 and 1",
                    });
                }
            };
            let weight = data.weight_of(row);
            log_likelihood -= weight * softplus(-sign * predictions[(row, 0)].to_double());
        }
        let (observations, _) = observations(data);
        let coefficients = model.features() + usize::from(model.intercept().is_some());
        Ok(Self { log_likelihood, parameters: coefficients as f64, observations })
    }

    /// 2k − 2ℓ.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters - 2.0 * self.log_likelihood
    }

    /// k·log n − 2ℓ.
    pub fn bic(&self) -> f64 {
        self.parameters * self.observations.ln() - 2.0 * self.log_likelihood
    }
}

/// −(n/2)·log(2πσ²) − S/(2σ²).
fn gaussian_log_likelihood(observations: f64, variance: f64, squares: f64) -> f64 {
    let spread = if squares == 0.0 { 0.0 } else { squares / (2.0 * variance) };
    -0.5 * observations * (2.0 * PI * variance).ln() - spread
}

/// log(1 + exp(z)) without overflow.
fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// Observations, and Σ log c for precisions.
fn observations<T: Scalar>(data: &Dataset<'_, T>) -> (f64, f64) {
    let Some(weights) = data.weights() else { return (data.rows() as f64, 0.0) };
    let positive = || weights.col_iter(0).map(|c| c.to_double()).filter(|c| *c > 0.0);
    match data.weight_kind() {
        WeightKind::Frequencies => (positive().sum(), 0.0),
        _ => (positive().count() as f64, positive().map(f64::ln).sum()),
    }
}

fn mean_and_squares<T: Scalar>(sample: &[T]) -> Result<(f64, f64), Error> {
    if sample.is_empty() {
        return Err(Error::NoRows);
    }
    if let Some(row) = sample.iter().position(|x| !x.is_finite()) {
        let value = sample[row].to_string();
        return Err(Error::TargetNotFinite { row, target: 0, value });
    }
    let count = T::Wide::from_double(sample.len() as f64);
    let mean = sample.iter().fold(T::Wide::ZERO, |sum, &x| sum + x.into()) / count;
    let squares = sample.iter().fold(T::Wide::ZERO, |sum, &x| {
        let deviation = T::Wide::from(x) - mean;
        sum + deviation * deviation
    });
    Ok((mean.to_double(), squares.to_double()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;
    use proptest::prelude::*;

    #[test]
    fn the_sample_of_the_notes() {
        let sample = [9.0, 9.5, 11.0];
        let candidates = [(10.0, 2.25), (10.0, 9.0), (10.0, 0.25), (8.0, 2.25)]
            .map(|(mean, variance)| Gaussian::new(mean, variance).unwrap());
        let (best, values) = Gaussian::most_likely(&candidates, &sample).unwrap();
        assert_eq!(best, 0);
        let fitted = Gaussian::maximum_likelihood(&sample).unwrap();
        assert!(values.iter().all(|value| *value < fitted.log_likelihood(&sample)));
        let unbiased = Gaussian::unbiased(&sample).unwrap();
        assert!((unbiased.variance() - 13.0 / 12.0).abs() < 1e-15);
        // ℓ at the maximum is −(n/2)(log(2πσ²) + 1).
        let expected = -1.5 * ((2.0 * PI * 13.0 / 18.0).ln() + 1.0);
        assert!((fitted.log_likelihood(&sample) - expected).abs() < 1e-14);
    }

    #[test]
    fn bad_samples_are_refused() {
        assert_eq!(Gaussian::maximum_likelihood::<f64>(&[]), Err(Error::NoRows));
        assert!(Gaussian::unbiased(&[1.0]).is_err());
        assert!(Gaussian::maximum_likelihood(&[1.0, f64::NAN]).is_err());
        assert!(Gaussian::new(0.0, -1.0).is_err());
        assert_eq!(
            Gaussian::maximum_likelihood(&[2.0]).unwrap().log_likelihood(&[2.0]),
            f64::INFINITY
        );
    }

    #[test]
    fn frequencies_are_repetitions() {
        let model = LinearModel::from_coefficients(vec![1.0], Some(0.25)).unwrap();
        let (x, y, c) = ([1.0, 2.0, 4.0], [1.0, -1.0, 1.0], [2.0, 1.0, 1.0]);
        let weighted = Dataset::new(View::column_vector(&x), View::column_vector(&y)).unwrap();
        let weighted = weighted.with_frequencies(View::column_vector(&c)).unwrap();
        let (x, y) = ([1.0, 1.0, 2.0, 4.0], [1.0, 1.0, -1.0, 1.0]);
        let repeated = Dataset::new(View::column_vector(&x), View::column_vector(&y)).unwrap();
        assert_eq!(
            Likelihood::gaussian(&model, &weighted).unwrap(),
            Likelihood::gaussian(&model, &repeated).unwrap()
        );
        let logistic = Likelihood::logistic(&model, &weighted).unwrap();
        assert_eq!(logistic, Likelihood::logistic(&model, &repeated).unwrap());
        let z = [1.25_f64, 1.25, -2.25, 4.25];
        let by_hand: f64 = z.iter().map(|z| -(1.0 + (-z).exp()).ln()).sum();
        assert!((logistic.log_likelihood - by_hand).abs() < 1e-14);
        assert!((logistic.aic() - (4.0 - 2.0 * by_hand)).abs() < 1e-13);
        assert!((logistic.bic() - (2.0 * 4.0_f64.ln() - 2.0 * by_hand)).abs() < 1e-13);
    }

    proptest! {
        #[test]
        fn nothing_is_likelier_than_the_maximum(
            sample in prop::collection::vec(-10.0..10.0_f64, 2..30),
            (shift, stretch) in (-1.0..1.0_f64, 0.2..5.0_f64),
        ) {
            let fitted = Gaussian::maximum_likelihood(&sample).unwrap();
            prop_assume!(fitted.variance() > 1e-6);
            let other = Gaussian::new(fitted.mean() + shift, fitted.variance() * stretch).unwrap();
            let best = fitted.log_likelihood(&sample);
            prop_assert!(other.log_likelihood(&sample) <= best + 1e-9 * best.abs());
        }
    }
}
