//! The perceptron's mistake bound (Novikoff 1962), for any start and rate.
//!
//! Let u have y_t u·x_t ≥ 1 on every row, ‖x_t‖ ≤ R. After M updates of rate η from w₀ the weights
//! obey w·u ≥ w₀·u + ηM and ‖w‖² ≤ ‖w₀‖² + η²R²M, hence
//!
//! ηM ≤ ‖u‖ √(‖w₀‖² + η²R²M) − w₀·u,
//!
//! which is M ≤ (R‖u‖)² for w₀ = 0. The least ‖u‖ is B. Rows and weights are the homogeneous ones,
//! the intercept a coordinate like any other. The u used here is an exactly verified separator, so the
//! bound is proven whether or not it is the least.

use super::Budget;
use super::examples::Examples;
use super::geometry::norm;
use super::separability::{Separation, Separator};
use crate::{Backend, Dataset, Error, Scalar};

/// How many updates a perceptron can make on separable data.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MistakeBound {
    /// R = max_t ‖x_t‖, the intercept's coordinate counted.
    pub radius: f64,
    /// B = min{‖u‖ : y_t u·x_t ≥ 1}.
    pub b: f64,
    /// The most updates M.
    pub updates: f64,
}

impl MistakeBound {
    /// The bound for a start w₀ and a rate η, `None` where no separator was found within the time and
    /// memory of a budget.
    pub fn on<T: Scalar>(
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        intercept: bool,
        start: &[f64],
        rate: f64,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let separation = Separation::new();
        let budget = budget.for_steps(separation.budget.steps);
        let separation = Separation { intercept, budget };
        let outcome = separation.decide_on(backend, data)?;
        let examples = Examples::new(data, intercept)?;
        let bound = |separator: &Separator<T>| Self::new(&examples, separator, start, rate);
        Ok(outcome.separator().map(bound))
    }

    fn new<T: Scalar>(
        examples: &Examples<'_, T>,
        separator: &Separator<T>,
        start: &[f64],
        rate: f64,
    ) -> Self {
        let radius = radius(examples);
        let u = separator.unit_margin();
        let b = norm(u.iter().copied());
        let along: f64 = start.iter().zip(&u).map(|(w, u)| w * u).sum();
        let length = norm(start.iter().copied());
        // The larger root M of (ηM + w₀·u)² = B²(‖w₀‖² + η²R²M), rounded up by more than the
        // rounding of these few operations.
        let (p, s) = (along / rate, b * length / rate);
        let half = (b * radius) * (b * radius) / 2.0 - p;
        let updates = half + (half * half - p * p + s * s).max(0.0).sqrt();
        Self { radius, b, updates: updates * (1.0 + 64.0 * f64::EPSILON) }
    }

    /// Whether a run with so many updates kept to the bound.
    pub fn holds_for(&self, updates: u64) -> bool {
        updates as f64 <= self.updates
    }
}

fn radius<T: Scalar>(examples: &Examples<'_, T>) -> f64 {
    let constant = if examples.intercept { 1.0 } else { 0.0 };
    let row = |t: usize| (0..examples.x.cols()).map(move |j| examples.x[(t, j)].to_double());
    (0..examples.rows()).map(|t| norm(row(t).chain([constant]))).fold(0.0, f64::max)
}
