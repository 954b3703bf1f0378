//! A damped step: minimise ‖q − Rδ‖² + λ‖Dδ‖² over the triangle of a linearisation.
//!
//! Solved by a QR factorisation of the triangle stacked on √λ·D, in units in which the columns have
//! length at most one, so that any type of data can hold it.

use super::linearise::Linearisation;
use crate::{Backend, Matrix, Scalar};

/// A step and what came with it.
pub(super) struct DampedStep<'a> {
    /// δ in the caller's units.
    pub(super) delta: Vec<f64>,
    /// The fall of the sum of squares that the linearisation predicts.
    pub(super) gain: f64,
    /// ‖Dδ‖.
    pub(super) length: f64,
    /// The triangle of the stacked system, in units of D.
    factor: Matrix<f64>,
    lengths: &'a [f64],
}

impl<'a> DampedStep<'a> {
    /// The step over the columns from `from` on, D being their `lengths`; `None` where the system is
    /// singular.
    pub(super) fn new<T: Scalar>(
        backend: &dyn Backend<T>,
        at: &Linearisation,
        from: usize,
        lengths: &'a [f64],
        damping: f64,
    ) -> Option<Self> {
        let triangle = &at.triangle;
        let last = triangle.cols() - 1;
        let size = last - from;
        let q = &triangle.col(last)[from..last];
        let norm = unit(q.iter().map(|q| q * q).sum::<f64>().sqrt());
        let entry = |i: usize, j: usize| {
            if j == size { q[i] / norm } else { triangle[(from + i, from + j)] / unit(lengths[j]) }
        };
        let mut stacked = Matrix::from_fn(size + 1, size + 1, |i, j| {
            if i <= j && i < size { T::from_double(entry(i, j)) } else { T::zero() }
        });
        let root = T::from_double(damping.sqrt());
        let mut diagonal =
            Matrix::from_fn(size, size + 1, |i, j| if i == j { root } else { T::zero() });
        backend.stack_qr(stacked.view_mut(), diagonal.view_mut());
        let factor = Matrix::from_fn(size + 1, size + 1, |i, j| stacked[(i, j)].to_double());
        let scaled = solve_upper(&factor, size, factor.col(size)[..size].to_vec())?;
        let image = |i: usize| (i..size).map(|j| entry(i, j) * scaled[j]).sum::<f64>();
        let moved: f64 = (0..size).map(|i| image(i).powi(2)).sum();
        let square: f64 = scaled.iter().map(|s| s * s).sum();
        let gain = (moved + 2.0 * damping * square) * norm * norm;
        let delta: Vec<f64> =
            scaled.iter().zip(lengths).map(|(s, &d)| s * norm / unit(d)).collect();
        let finite = delta.iter().all(|d| d.is_finite()) && gain.is_finite();
        finite.then(|| Self { delta, gain, length: square.sqrt() * norm, factor, lengths })
    }

    /// Half the acceleration of the geodesic that starts along δ: a = −½(RᵀR + λD²)⁻¹JᵀC f″, from
    /// JᵀC f″ with f″ the second derivative of the curve along δ; with its length ‖Da‖.
    pub(super) fn acceleration(&self, gradient: &[f64]) -> Option<(Vec<f64>, f64)> {
        let size = self.lengths.len();
        let right = gradient.iter().zip(self.lengths).map(|(g, &d)| -0.5 * g / unit(d)).collect();
        let scaled = solve_upper(&self.factor, size, solve_lower(&self.factor, size, right)?)?;
        let length = scaled.iter().map(|s| s * s).sum::<f64>().sqrt();
        let turn = scaled.iter().zip(self.lengths).map(|(s, &d)| s / unit(d)).collect();
        Some((turn, length))
    }
}

/// A length to divide by: columns of zeros are left as they are.
fn unit(length: f64) -> f64 {
    if length > 0.0 { length } else { 1.0 }
}

/// R⁻¹z for the leading triangle; `None` where R is singular.
pub(super) fn solve_upper(r: &Matrix<f64>, size: usize, mut z: Vec<f64>) -> Option<Vec<f64>> {
    for i in (0..size).rev() {
        let rest: f64 = (i + 1..size).map(|j| r[(i, j)] * z[j]).sum();
        z[i] = (z[i] - rest) / r[(i, i)];
    }
    z.iter().all(|z| z.is_finite()).then_some(z)
}

/// R⁻ᵀz for the leading triangle; `None` where R is singular.
fn solve_lower(r: &Matrix<f64>, size: usize, mut z: Vec<f64>) -> Option<Vec<f64>> {
    for i in 0..size {
        let rest: f64 = (0..i).map(|j| r[(j, i)] * z[j]).sum();
        z[i] = (z[i] - rest) / r[(i, i)];
    }
    z.iter().all(|z| z.is_finite()).then_some(z)
}
