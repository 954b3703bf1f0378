//! Factors for each feature: Σ_j λ₁f_j|w_j| + λ₂g_j w_j².
//!
//! A factor of 0 leaves a feature unpenalised, one above 1 holds it back. Standardising the columns is
//! such a penalty too: with s_j the standard deviation of column j, f_j = s_j and g_j = s_j².

use super::{Penalty, SmoothPenalty};
use crate::Error;

/// f and g of Σ_j λ₁f_j|w_j| + λ₂g_j w_j².
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    l1: Vec<f64>,
    l2: Vec<f64>,
}

impl Factors {
    /// The same factor for both terms of a feature.
    pub fn new(factors: impl Into<Vec<f64>>) -> Result<Self, Error> {
        let factors = factors.into();
        Self::of_both(factors.clone(), factors)
    }

    /// Factors that undo a change of units: x_j measured in units of s_j.
    pub fn standardising(deviations: &[f64]) -> Result<Self, Error> {
        Self::of_both(deviations.to_vec(), deviations.iter().map(|s| s * s).collect())
    }

    fn of_both(l1: Vec<f64>, l2: Vec<f64>) -> Result<Self, Error> {
        for factor in l1.iter().chain(&l2) {
            if !(factor.is_finite() && *factor >= 0.0) {
                return Err(Error::BadParameter {
                    what: "a penalty factor",
                    value: factor.to_string(),
                    expected: "finite and not negative",
                });
            }
        }
        Ok(Self { l1, l2 })
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        self.l1.len()
    }

    /// Whether there is no feature at all.
    pub fn is_empty(&self) -> bool {
        self.l1.is_empty()
    }

    /// f_j and g_j; 1 for features that are not there.
    pub fn of(&self, j: usize) -> (f64, f64) {
        let factor = |factors: &[f64]| factors.get(j).copied().unwrap_or(1.0);
        (factor(&self.l1), factor(&self.l2))
    }

    /// The product of two sets of factors of the same length.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect();
        Self { l1: product(&self.l1, &other.l1), l2: product(&self.l2, &other.l2) }
    }
}

/// A penalty with a factor for each feature.
///
/// ```
/// use minrisk_core::penalty::{Factors, L1, Penalty, PerFeature};
/// let lasso = PerFeature::new(L1::total(2.0), Factors::new([1.0, 0.0])?);
/// assert_eq!(lasso.value(&[3.0, 100.0]), 6.0);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PerFeature<P> {
    penalty: P,
    factors: Factors,
}

impl<P: Penalty> PerFeature<P> {
    /// The penalty with factors; factors that it has already are multiplied in.
    pub fn new(penalty: P, factors: Factors) -> Self {
        let factors = match penalty.factors() {
            Some(inner) if inner.len() == factors.len() => factors.times(inner),
            _ => factors,
        };
        Self { penalty, factors }
    }
}

impl<P: Penalty> Penalty for PerFeature<P> {
    type Scale = P::Scale;

    fn l1(&self) -> f64 {
        self.penalty.l1()
    }

    fn l2(&self) -> f64 {
        self.penalty.l2()
    }

    fn factors(&self) -> Option<&Factors> {
        Some(&self.factors)
    }
}

impl<P: SmoothPenalty> SmoothPenalty for PerFeature<P> {}
