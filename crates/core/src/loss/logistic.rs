//! Logistic loss: ℓ = log(1 + e^(−yz)), the negative log-likelihood of P(y | z) = 1/(1 + e^(−yz)).
//!
//! With a = yz, e = e^(−|a|) and p = 1/(1 + e^a): ℓ = max(−a, 0) + log(1 + e), ℓ′ = −y·p, ℓ″ = p(1 − p) = e/(1 + e)².
//! Conjugate, with t = −yu in [0, 1]: ℓ*(u) = t log t + (1 − t) log(1 − t). Nothing here overflows, and p keeps
//! its digits in both tails. 1-Lipschitz, smooth with constant 1/4. Targets: −1 or +1.

use super::{AnyLoss, Loss, SIGNS, Smooth, TwiceSmooth, is_sign};
use crate::math::{exp_of_negative, log_one_plus};

/// log(1 + e^(−yz)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logistic;

impl Logistic {
    /// The probability of the class +1 at z: 1/(1 + e^(−z)), with all its digits in both tails.
    ///
    /// ```
    /// use minrisk_core::loss::Logistic;
    /// assert_eq!(Logistic::probability(0.0), 0.5);
    /// assert!((Logistic::probability(-700.0) / (-700.0_f64).exp() - 1.0).abs() < 1e-15);
    /// ```
    #[inline(always)]
    pub fn probability(z: f64) -> f64 {
        let e = exp_of_negative(-z.abs());
        (if z >= 0.0 { 1.0 } else { e }) / (1.0 + e)
    }
}

impl Loss for Logistic {
    const NAME: &'static str = "logistic";
    const DOMAIN: &'static str = SIGNS;

    #[inline(always)]
    fn value(&self, z: f64, y: f64) -> f64 {
        let a = y * z;
        log_one_plus(exp_of_negative(-a.abs())) + if a < 0.0 { -a } else { 0.0 }
    }

    #[inline(always)]
    fn derivative(&self, z: f64, y: f64) -> f64 {
        -y * Self::probability(-y * z)
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        let t = -y * u;
        // 1 − t has no digits of a small t.
        let rest = if t < 1.0 { (1.0 - t) * (-t).ln_1p() } else { 0.0 };
        let own = if t > 0.0 { t * t.ln() } else { 0.0 };
        if (0.0..=1.0).contains(&t) { own + rest } else { f64::INFINITY }
    }

    fn lipschitz(&self) -> f64 {
        1.0
    }

    fn accepts(&self, y: f64) -> bool {
        is_sign(y)
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(AnyLoss::Logistic)
    }

    #[inline(always)]
    fn value_and_derivative(&self, z: f64, y: f64) -> (f64, f64) {
        let (value, derivative, _) = self.all_derivatives(z, y);
        (value, derivative)
    }
}

impl Smooth for Logistic {
    fn smoothness(&self) -> f64 {
        0.25
    }
}

impl TwiceSmooth for Logistic {
    #[inline(always)]
    fn second_derivative(&self, z: f64, y: f64) -> f64 {
        self.all_derivatives(z, y).2
    }

    #[inline(always)]
    fn all_derivatives(&self, z: f64, y: f64) -> (f64, f64, f64) {
        let a = y * z;
        let e = exp_of_negative(-a.abs());
        let inverse = 1.0 / (1.0 + e);
        let (excess, share) = if a < 0.0 { (-a, 1.0) } else { (0.0, e) };
        (log_one_plus(e) + excess, -y * share * inverse, e * inverse * inverse)
    }
}
