//! About what rounding in double precision may have added to a lower bound, from a sample of the rows.
//!
//! With n_t the magnitude of the terms that make z_t: sums along the rows miss by Σ c_t(|ℓ′_t| + 2εn_t)·εn_t; the u_t, unless
//! they are given, by ε·n_t. So v_j = Σ c_t u_t x_tj is off by about δ_j = ε·‖x_j‖·√Σ c_t²(|u_t| + 2n_t)², beside which v_j itself
//! may be nothing. A corner missed by δ_j costs as much as shrinking u by the share s = δ_j/(λ₁ⱼ + δ_j): sΣ λ₁|w| to first
//! order, and s²F beyond; where λ₂ⱼ bounds v_j, being off costs δ_j²/4λ₂ⱼ beyond what the sums along the rows account
//! for.

use super::sample::a_few;
use crate::penalty::Terms;
use crate::{Dataset, Scalar, View};

/// Rows from which rounding is estimated.
const SAMPLE: usize = 128;

/// A sample of the rows, to estimate from.
pub(super) struct Rounding<'a, T> {
    x: View<'a, T>,
    sample: Vec<usize>,
    /// Rows for each row of the sample.
    rest: f64,
}

impl<'a, T: Scalar> Rounding<'a, T> {
    pub(super) fn on(data: &Dataset<'a, T>) -> Self {
        let crate::Design::Dense(x) = data.design();
        let sample = a_few(data.rows(), SAMPLE);
        let rest = data.rows() as f64 / sample.len().max(1) as f64;
        Self { x, sample, rest }
    }

    /// ‖x_j‖, about.
    pub(super) fn length(&self, j: usize) -> f64 {
        let squares = self.sample.iter().map(|&t| self.x[(t, j)].to_double().powi(2));
        (squares.sum::<f64>() * self.rest).sqrt()
    }

    /// √Σ c_t x_tj², about.
    fn weighted_length(&self, j: usize, weight: impl Fn(usize) -> f64) -> f64 {
        let square = |&t: &usize| weight(t) * self.x[(t, j)].to_double().powi(2);
        (self.sample.iter().map(square).sum::<f64>() * self.rest).sqrt()
    }

    /// The largest violation of optimality, relative to the terms that each is the sum of, for a gradient of the loss whose
    /// rows have Σ c_t u_t² as given.
    pub(super) fn optimality(
        &self,
        (weights, gradient): (&[f64], &[f64]),
        terms: &Terms,
        weight: impl Fn(usize) -> f64,
        square_of_u: f64,
    ) -> f64 {
        let relative = |j: usize| {
            let violation = terms.violation(j, weights[j], gradient[j]);
            if violation == 0.0 {
                return 0.0;
            }
            let size = square_of_u.sqrt() * self.weighted_length(j, &weight);
            violation / (size + terms.share(j, weights[j])).max(f64::MIN_POSITIVE)
        };
        (0..weights.len()).map(relative).fold(0.0, f64::max)
    }

    /// What may have been added by a predictor with these weights, at which the objective is `value`. For every row of the sample: `level(t)`, the size of
    /// what z_t has beside Xw; c_t; and `slope(t)`, |ℓ′_t|. Whether the u_t are given, or are the derivatives.
    pub(super) fn doubt(
        &self,
        (weights, value): (&[f64], f64),
        terms: &Terms,
        level: impl Fn(usize) -> f64,
        weight: impl Fn(usize) -> f64,
        slope: impl Fn(usize) -> f64,
        is_given: bool,
    ) -> Doubt {
        let support: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] != 0.0).collect();
        let (mut along_rows, mut squares, mut squares_of_u) = (0.0, 0.0, 0.0);
        for &t in &self.sample {
            let products = support.iter().map(|&j| (self.x[(t, j)].to_double() * weights[j]).abs());
            let (size, c) = (products.sum::<f64>() + level(t), weight(t));
            let (u, moved) = (c * slope(t), 2.0 * c * size);
            along_rows += (u + f64::EPSILON * moved) * size;
            squares += (if is_given { u } else { u + moved }).powi(2);
            squares_of_u += u * u;
        }
        let objective = f64::EPSILON * along_rows * self.rest;
        let cost = |squares: f64| self.cost_of_missing(squares, (weights, value), terms);
        Doubt { objective, bound: objective + cost(squares), of_rounded: cost(squares_of_u) }
    }

    /// What it costs that the v_j are off by ε·‖x_j‖·√Σ squares.
    fn cost_of_missing(&self, squares: f64, (weights, value): (&[f64], f64), terms: &Terms) -> f64 {
        let miss = f64::EPSILON * (squares * self.rest).sqrt();
        let (mut corner, mut bent) = (0.0_f64, 0.0);
        for (j, (&l1, &l2)) in terms.l1.iter().zip(&terms.l2).enumerate() {
            if l2 > 0.0 {
                bent += (miss * self.length(j)).powi(2) / (4.0 * l2);
            } else if l1 > 0.0 {
                corner = corner.max(miss * self.length(j) / l1);
            }
        }
        let paid: f64 = terms.l1.iter().zip(weights).map(|(l1, w)| l1 * w.abs()).sum();
        let share = if corner.is_finite() { corner / (1.0 + corner) } else { 1.0 };
        share * paid + share * share * value.abs() + bent
    }
}

/// What rounding may have added.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubt {
    /// To the objective, or taken off it.
    pub(super) objective: f64,
    /// To the lower bound.
    pub(super) bound: f64,
    /// To the lower bound where all sums are exact, and the u_t rounded derivatives.
    pub(super) of_rounded: f64,
}
