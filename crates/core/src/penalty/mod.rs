//! Penalties on the weights, with their scale in the type.
//!
//! The objective is F(w, b) = Σ_t c_t ℓ(z_t, y_t) + λ₁‖w‖₁ + λ₂‖w‖² in the [`Total`] scale, and has
//! Σ_t c_t ℓ / Σ_t c_t in place of the sum in the [`PerSample`] scale. No hidden halves, no hidden m.
//! The intercept is never penalised.

mod l2;

use std::fmt::Debug;

pub use l2::L2;

use crate::wide::{Dd, Number};

/// How the risk is scaled before a penalty is added.
pub trait Scale: Clone + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The risk in this scale, from Σ c_t ℓ and Σ c_t.
    fn risk(sum: f64, total_weight: f64) -> f64;

    /// The factor that takes λ of this scale to the total scale, for a total weight Σ c_t.
    fn to_total(total_weight: Dd) -> Dd;
}

/// The risk is a sum: Σ c_t ℓ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total;

/// The risk is a mean: Σ c_t ℓ / Σ c_t.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerSample;

impl Scale for Total {
    fn risk(sum: f64, _total_weight: f64) -> f64 {
        sum
    }

    fn to_total(_total_weight: Dd) -> Dd {
        Dd::ONE
    }
}

impl Scale for PerSample {
    fn risk(sum: f64, total_weight: f64) -> f64 {
        sum / total_weight
    }

    fn to_total(total_weight: Dd) -> Dd {
        total_weight
    }
}

/// A penalty on the weights.
pub trait Penalty: Clone + Debug + Send + Sync {
    /// The scale of the objective it belongs to.
    type Scale: Scale;

    /// Its value at the weights w.
    fn value(&self, weights: &[f64]) -> f64;
}

/// A penalty of the form λ₂‖w‖², λ₂ ≥ 0: what the closed forms of least squares can take.
#[diagnostic::on_unimplemented(
    message = "the penalty `{Self}` is not quadratic",
    note = "the closed form takes Unpenalised and L2"
)]
pub trait Quadratic: Penalty {
    /// λ₂.
    fn ridge(&self) -> f64;
}

/// No penalty at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unpenalised;

impl Penalty for Unpenalised {
    type Scale = Total;

    fn value(&self, _weights: &[f64]) -> f64 {
        0.0
    }
}

impl Quadratic for Unpenalised {
    fn ridge(&self) -> f64 {
        0.0
    }
}
