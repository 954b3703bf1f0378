//! Penalties on the weights, with their scale in the type.
//!
//! The objective is F(w, b) = Σ_t c_t ℓ(z_t, y_t) + λ₁‖w‖₁ + λ₂‖w‖² in the [`Total`] scale, and has
//! Σ_t c_t ℓ / Σ_t c_t in place of the sum in the [`PerSample`] scale. No hidden halves, no hidden m.
//! The intercept is never penalised.
//!
//! | penalty | | traits |
//! |---|---|---|
//! | [`Unpenalised`] | 0 | [`SmoothPenalty`], [`Quadratic`] |
//! | [`L2`] | λ₂‖w‖² | [`SmoothPenalty`], [`Quadratic`] |
//! | [`L1`] | λ₁‖w‖₁ | |
//! | [`ElasticNet`] | λ₁‖w‖₁ + λ₂‖w‖² | |
//! | [`PerFeature`] | any of them with a factor for each feature | [`SmoothPenalty`] if it was |

mod elastic_net;
mod l1;
mod l2;
mod per_feature;
mod terms;

use std::fmt::Debug;

pub use elastic_net::ElasticNet;
pub use l1::L1;
pub use l2::L2;
pub use per_feature::{Factors, PerFeature};
pub use terms::Terms;
pub(crate) use terms::soft_threshold;

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

/// A penalty on the weights: Σ_j λ₁f_j|w_j| + λ₂g_j w_j², with factors f and g that are 1 as a rule.
pub trait Penalty: Clone + Debug + Send + Sync {
    /// The scale of the objective it belongs to.
    type Scale: Scale;

    /// λ₁.
    fn l1(&self) -> f64;

    /// λ₂.
    fn l2(&self) -> f64;

    /// Factors for each feature, where they are not all 1.
    fn factors(&self) -> Option<&Factors> {
        None
    }

    /// Its value at the weights w.
    fn value(&self, weights: &[f64]) -> f64 {
        let (l1, l2) = (self.l1(), self.l2());
        let term = |(j, w): (usize, &f64)| {
            let (f, g) = self.factors().map_or((1.0, 1.0), |factors| factors.of(j));
            // A factor of zero frees a weight, however large λ is.
            let first = if l1 * f > 0.0 { l1 * f * w.abs() } else { 0.0 };
            let second = if l2 * g > 0.0 { l2 * g * w * w } else { 0.0 };
            first + second
        };
        weights.iter().enumerate().map(term).sum()
    }
}

/// A penalty with a derivative: λ₁ = 0.
#[diagnostic::on_unimplemented(
    message = "the penalty `{Self}` has no derivative at zero",
    note = "this solver takes Unpenalised and L2; for L1 and ElasticNet there are CoordinateDescent \
            (squared loss), ProximalNewton (twice smooth losses) and ProximalGradient (smooth losses)"
)]
pub trait SmoothPenalty: Penalty {}

/// A penalty of the form λ₂‖w‖², λ₂ ≥ 0: what the closed forms of least squares can take.
#[diagnostic::on_unimplemented(
    message = "the penalty `{Self}` is not quadratic",
    note = "the closed form takes Unpenalised and L2"
)]
pub trait Quadratic: SmoothPenalty {
    /// λ₂.
    fn ridge(&self) -> f64 {
        self.l2()
    }
}

/// No penalty at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unpenalised;

impl Penalty for Unpenalised {
    type Scale = Total;

    fn l1(&self) -> f64 {
        0.0
    }

    fn l2(&self) -> f64 {
        0.0
    }
}

impl SmoothPenalty for Unpenalised {}
impl Quadratic for Unpenalised {}
