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

    /// Turns predictions into ∂ℓ/∂z in place and returns ℓ(z, class).
    ///
    /// Both keep their digits where the class is nearly certain: the derivative of its own prediction, p − 1, is
    /// minus the sum of the others, and the loss is a logarithm of 1 + what the others add.
    pub(crate) fn derivatives(z: &mut [f64], class: usize) -> f64 {
        let top = (1..z.len()).fold(0, |top, k| if z[k] > z[top] { k } else { top });
        let (largest, own) = (z[top], z[class]);
        let mut rest = 0.0;
        for (k, value) in z.iter_mut().enumerate() {
            *value = crate::math::exp_of_negative(*value - largest);
            rest += if k == top { 0.0 } else { *value };
        }
        z.iter_mut().for_each(|p| *p /= 1.0 + rest);
        z[class] = 0.0;
        z[class] = -z.iter().sum::<f64>();
        (largest - own) + rest.ln_1p()
    }

    /// ℓ*(u) for u as [`Softmax::derivatives`] gives it: u ≥ 0 but for the class itself, and Σ u = 0.
    pub(crate) fn conjugate(u: &[f64], class: usize) -> f64 {
        let term = |(k, &u): (usize, &f64)| match u {
            u if k == class => {
                let q = (1.0 + u).max(0.0);
                if q > 0.0 { q * u.ln_1p() } else { 0.0 }
            }
            u if u > 0.0 => u * u.ln(),
            _ => 0.0,
        };
        u.iter().enumerate().map(term).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_and_value_at_certainty() {
        let mut z = [40.0, 0.0, -1000.0];
        let loss = Softmax::derivatives(&mut z, 0);
        let small = (-40.0_f64).exp();
        assert!((loss - small).abs() <= 1e-14 * small);
        assert!((z[0] + small).abs() <= 1e-14 * small && z[0] == -z[1] && z[2] == 0.0);
    }

    /// ℓ(z) + ℓ*(u) = u·z at u = ∂ℓ/∂z.
    #[test]
    fn the_conjugate_is_one() {
        for class in 0..3 {
            let z = [0.3, -2.0, 5.0];
            let mut u = z;
            let loss = Softmax::derivatives(&mut u, class);
            let product: f64 = u.iter().zip(&z).map(|(u, z)| u * z).sum();
            assert!((loss + Softmax::conjugate(&u, class) - product).abs() < 1e-14);
        }
    }
}
