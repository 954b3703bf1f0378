//! Softmax (multinomial logistic) loss of K predictions: ℓ(z, y) = log Σ_k e^(z_k) − z_y.
//!
//! ∂ℓ/∂z_k = p_k − [k = y] with p_k = e^(z_k)/Σ e^(z_j); ∂²ℓ = diag(p) − ppᵀ. Conjugate: Σ_k q_k log q_k with
//! q = u + e_y on the simplex. Smooth with constant 1/2. Targets: the class as a whole number 0 … K − 1.

/// log Σ_k e^(z_k) − z_y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Softmax {
    /// K, the number of classes.
    pub classes: usize,
}

impl Softmax {
    /// Turns predictions into probabilities in place and returns log Σ_k e^(z_k).
    ///
    /// ```
    /// use minrisk_core::loss::Softmax;
    /// let mut z = [1000.0, 1000.0];
    /// let log_sum = Softmax::probabilities(&mut z);
    /// assert_eq!((z, log_sum), ([0.5, 0.5], 1000.0 + 2.0_f64.ln()));
    /// ```
    pub fn probabilities(z: &mut [f64]) -> f64 {
        let largest = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for value in z.iter_mut() {
            *value = crate::math::exp_of_negative(*value - largest);
            sum += *value;
        }
        z.iter_mut().for_each(|p| *p /= sum);
        largest + sum.ln()
    }
}
