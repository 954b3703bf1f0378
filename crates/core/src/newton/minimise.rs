//! Minima: steps from the Hessian, which is made positive definite where it is not.

use super::{
    Function, MOST_HALVINGS, Newton, NewtonResult, NewtonStatus, NewtonStep, moved, negligible,
    norm,
};
use crate::{Backend, Error, Matrix, Scalar};

/// The share of the promised fall that a step must deliver (Armijo 1966).
const ENOUGH: f64 = 1e-4;

impl Newton {
    /// A local minimum of a function, from a starting point.
    pub fn minimise<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        function: &impl Function,
        start: &[f64],
    ) -> Result<NewtonResult, Error> {
        let mut point = start.to_vec();
        let mut value = function.value(&point);
        if point.is_empty() || !value.is_finite() {
            return Err(Error::BadParameter {
                what: "the function at the starting point",
                value: value.to_string(),
                expected: "finite; start elsewhere",
            });
        }
        let mut trace = Vec::new();
        let mut status = NewtonStatus::IterationLimit;
        let mut slope = f64::INFINITY;
        for _ in 0..self.max_iterations {
            let gradient = function.gradient(&point);
            let (previous, length) = (slope, norm(&gradient));
            slope = length;
            if slope == 0.0 {
                status = NewtonStatus::Converged;
                break;
            }
            let Some(whole) = descent(backend, &function.hessian(&point), &gradient) else {
                status = NewtonStatus::Stalled;
                break;
            };
            let promised = -whole.iter().zip(&gradient).map(|(s, g)| s * g).sum::<f64>();
            // A fall too small to be seen in f: whole steps, as long as they shrink the gradient.
            let unseen = promised <= 64.0 * f64::EPSILON * value.abs();
            if unseen && slope > 0.5 * previous {
                status = NewtonStatus::Converged;
                break;
            }
            let shares = (0..MOST_HALVINGS).map(|k| 0.5_f64.powi(k as i32));
            let accepted = shares.into_iter().find_map(|share| {
                let next = moved(&point, &whole, share);
                let there = function.value(&next);
                let falls = there <= value - ENOUGH * share * promised;
                (falls || unseen && there.is_finite()).then_some((share, next, there))
            });
            let Some((share, next, there)) = accepted else {
                status = NewtonStatus::Stalled;
                break;
            };
            let small = negligible(&point, &whole, self.tolerance);
            trace.push(NewtonStep { point, value, step: norm(&whole) * share, share });
            (point, value) = (next, there);
            if small && share == 1.0 {
                status = NewtonStatus::Converged;
                break;
            }
        }
        Ok(NewtonResult { point, value, status, trace })
    }
}

/// −(H + τ·diag)⁻¹g by Cholesky on the backend, τ the first of 0, 10⁻³, 10⁻², … that makes the scaled
/// Hessian positive definite.
fn descent<T: Scalar>(
    backend: &dyn Backend<T>,
    hessian: &Matrix<f64>,
    gradient: &[f64],
) -> Option<Vec<f64>> {
    let size = gradient.len();
    let fits = (hessian.rows(), hessian.cols()) == (size, size);
    if !fits || !hessian.as_slice().iter().chain(gradient).all(|v| v.is_finite()) {
        return None;
    }
    let largest = (0..size).map(|j| hessian[(j, j)].abs()).fold(0.0, f64::max);
    // Units in which the diagonal is one, so that τ and the type T suit any problem.
    let scale = |j: usize| {
        let diagonal = hessian[(j, j)].abs();
        let diagonal = if diagonal > f64::EPSILON * largest { diagonal } else { largest };
        if diagonal > 0.0 { diagonal.sqrt() } else { 1.0 }
    };
    let scales: Vec<f64> = (0..size).map(scale).collect();
    let scaled: Vec<f64> = gradient.iter().zip(&scales).map(|(g, s)| -g / s).collect();
    let right = norm(&scaled);
    let mut shift = 0.0;
    while shift < 1e12 {
        let mut factor = Matrix::from_fn(size, size, |i, j| {
            let entry = hessian[(i.max(j), i.min(j))] / scales[i] / scales[j];
            T::from_double(if i == j { entry + shift } else { entry })
        });
        if backend.cholesky(factor.view_mut()).is_ok() {
            let mut step = Matrix::from_fn(size, 1, |i, _| T::from_double(scaled[i] / right));
            backend.solve_lower(factor.view(), step.view_mut());
            backend.solve_upper(factor.view().transpose(), step.view_mut());
            let back = |(s, &v): (&f64, &T)| v.to_double() * right / s;
            let step: Vec<f64> = scales.iter().zip(step.as_slice()).map(back).collect();
            return step.iter().all(|s| s.is_finite()).then_some(step);
        }
        shift = if shift == 0.0 { 1e-3 } else { 10.0 * shift };
    }
    None
}
