//! One fold held out: what its moments say about weights that were fitted to the others.
//!
//! Held-out sums of squares come from the moments of the fold that was left out,
//!
//! Σ c (r − w·x − b)² = S_rr − 2 w·c + wᵀGw + n(ν − μ·w − b)²,
//!
//! so no prediction is made.

use super::fold_moments::FoldMoments;
use super::spectrum::dot;
use crate::Scalar;
use crate::wide::Number;

/// Digits below which a fold is fitted from its rows.
pub(super) fn required_digits<T: Scalar>() -> f64 {
    if T::unit_roundoff() < 1e-10 { 12.0 } else { 3.5 }
}

/// A held-out sum of squares below this share of its terms has cancelled.
const CANCELLED: f64 = 1e-6;

/// The moments of the rows to learn from and of those kept back; targets are shifted.
#[derive(Clone, Copy)]
pub(super) struct HeldOut<'a, T: Scalar> {
    pub(super) train: &'a FoldMoments<T>,
    pub(super) test: &'a FoldMoments<T>,
    /// Whether there is an intercept.
    pub(super) centred: bool,
}

impl<T: Scalar> HeldOut<'_, T> {
    /// b less the shift of the target: ν − μ·w over the training rows.
    pub(super) fn intercept(&self, target: usize, weights: &[f64]) -> f64 {
        if !self.centred {
            return 0.0;
        }
        self.train.residual_mean(target) - means(self.train, weights)
    }

    /// What rounding can do to the centred cross products, column by column: their own, and that of the
    /// means.
    pub(super) fn cross_errors(&self, target: usize) -> Vec<f64> {
        let sums = &self.train.cross[target];
        let total = if self.centred { sums.total.to_double().abs() } else { 0.0 };
        let columns = sums.gradient.iter().zip(&self.train.moments.x_mean);
        let error = |(cross, mean): (&T::Wide, &T)| {
            let terms = cross.to_double().abs() + total * mean.to_double().abs();
            16.0 * T::unit_roundoff() * terms
        };
        columns.map(error).collect()
    }

    /// The sum of squares on the fold that was left out, and that around its mean; `None` where the
    /// first has cancelled.
    pub(super) fn squares(&self, target: usize, w: &[f64]) -> Option<(f64, f64)> {
        let cross = self.test.centred_cross(target, self.centred);
        let around = self.test.centred_squares(target, self.centred);
        let gram = &self.test.moments.gram;
        // wᵀGw from the lower triangle.
        let mut quadratic = 0.0;
        for (j, &wj) in w.iter().enumerate().filter(|(_, wj)| **wj != 0.0) {
            let column = &gram.col(j)[j..];
            let below: f64 =
                column[1..].iter().zip(&w[j + 1..]).map(|(g, w)| g.to_double() * w).sum();
            quadratic += wj * (column[0].to_double() * wj + 2.0 * below);
        }
        let squares = around - 2.0 * dot(&cross, w) + quadratic;
        let squares = if self.centred {
            let off =
                self.test.residual_mean(target) - means(self.test, w) - self.intercept(target, w);
            squares + self.test.moments.weight * off * off
        } else {
            squares
        };
        let total = if self.centred {
            around
        } else {
            let mean = self.test.residual_mean(target);
            around - mean * mean * self.test.moments.weight
        };
        (squares > CANCELLED * (around + quadratic)).then_some((squares, total))
    }
}

/// μ·w.
fn means<T: Scalar>(moments: &FoldMoments<T>, weights: &[f64]) -> f64 {
    let means = moments.moments.x_mean.iter().zip(weights);
    means.map(|(mean, w)| mean.to_double() * w).sum()
}
