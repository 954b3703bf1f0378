//! Roots of one equation and of several.

use num_dual::Dual64;

use super::{
    Equations, MOST_HALVINGS, Newton, NewtonResult, NewtonStatus, NewtonStep, moved, negligible,
    norm,
};
use crate::{Backend, Error, Matrix, Scalar};

impl Newton {
    /// A root of a function of one variable, its derivative by dual numbers.
    ///
    /// ```
    /// use minrisk_core::newton::Newton;
    /// let root = Newton::default().root(|x| x * x - 2.0, 1.0)?;
    /// assert_eq!(root.point, [2.0_f64.sqrt()]);
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn root(
        &self,
        function: impl Fn(Dual64) -> Dual64,
        start: f64,
    ) -> Result<NewtonResult, Error> {
        self.root_with(
            |x| {
                let at = function(Dual64::from_re(x).derivative());
                (at.re, at.eps)
            },
            start,
        )
    }

    /// A root of a function of one variable that returns its value and its derivative.
    pub fn root_with(
        &self,
        function: impl Fn(f64) -> (f64, f64),
        start: f64,
    ) -> Result<NewtonResult, Error> {
        let value = |x: &[f64]| vec![function(x[0]).0];
        let step = |x: &[f64], value: &[f64]| Some(vec![-value[0] / function(x[0]).1]);
        self.search(value, step, vec![start])
    }

    /// A root of several equations in as many unknowns.
    pub fn roots<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        equations: &impl Equations,
        start: &[f64],
    ) -> Result<NewtonResult, Error> {
        let found = equations.value(start).len();
        let expected = start.len();
        if found != expected {
            return Err(Error::LengthMismatch {
                what: "the list of equations",
                per: "unknown",
                expected,
                found,
            });
        }
        let step = |x: &[f64], value: &[f64]| solve(backend, &equations.jacobian(x), value);
        self.search(|x| equations.value(x), step, start.to_vec())
    }

    /// Steps from `step` (which solves J·δ = −F) until they are negligible.
    fn search(
        &self,
        value: impl Fn(&[f64]) -> Vec<f64>,
        step: impl Fn(&[f64], &[f64]) -> Option<Vec<f64>>,
        start: Vec<f64>,
    ) -> Result<NewtonResult, Error> {
        let mut point = start;
        let mut here = value(&point);
        if point.is_empty() || !norm(&here).is_finite() || here.iter().any(|v| v.is_nan()) {
            return Err(Error::BadParameter {
                what: "the function at the starting point",
                value: "not finite".into(),
                expected: "finite; start elsewhere",
            });
        }
        let mut trace = Vec::new();
        let mut status = NewtonStatus::IterationLimit;
        for _ in 0..self.max_iterations {
            let size = norm(&here);
            if size == 0.0 {
                status = NewtonStatus::Converged;
                break;
            }
            let whole = step(&point, &here).filter(|step| step.iter().all(|s| s.is_finite()));
            let Some(whole) = whole else {
                status = NewtonStatus::Stalled;
                break;
            };
            let shares = (0..MOST_HALVINGS).map(|k| 0.5_f64.powi(k as i32));
            let accepted = shares.into_iter().find_map(|share| {
                let next = moved(&point, &whole, share);
                let there = value(&next);
                let falls = norm(&there) < size && !there.iter().any(|v| v.is_nan());
                falls.then_some((share, next, there))
            });
            let small = negligible(&point, &whole, self.tolerance);
            let Some((share, next, there)) = accepted else {
                // At a root to the last digit nothing falls any more; elsewhere that is a failure.
                let rounding = negligible(&point, &whole, 16.0 * f64::EPSILON);
                status =
                    if small || rounding { NewtonStatus::Converged } else { NewtonStatus::Stalled };
                break;
            };
            let length = norm(&whole) * share;
            trace.push(NewtonStep { point, value: size, step: length, share });
            (point, here) = (next, there);
            if small && share == 1.0 {
                status = NewtonStatus::Converged;
                break;
            }
        }
        Ok(NewtonResult { value: norm(&here), point, status, trace })
    }
}

/// −J⁻¹F by QR on the backend, in rows scaled to unit size; `None` where J is singular.
fn solve<T: Scalar>(
    backend: &dyn Backend<T>,
    jacobian: &Matrix<f64>,
    value: &[f64],
) -> Option<Vec<f64>> {
    let size = value.len();
    if (jacobian.rows(), jacobian.cols()) != (size, size)
        || !jacobian.as_slice().iter().all(|v| v.is_finite())
    {
        return None;
    }
    let unit = |v: f64| if v > 0.0 { v } else { 1.0 };
    let columns: Vec<f64> = (0..size).map(|j| unit(norm(jacobian.col(j)))).collect();
    let right = unit(norm(value));
    let mut block = Matrix::from_fn(size, size + 1, |i, j| {
        let entry = if j == size { -value[i] / right } else { jacobian[(i, j)] / columns[j] };
        T::from_double(entry)
    });
    let mut r = Matrix::zeros(size + 1, size + 1);
    backend.stack_qr(r.view_mut(), block.view_mut());
    let mut step = vec![0.0; size];
    for i in (0..size).rev() {
        let rest: f64 = (i + 1..size).map(|j| r[(i, j)].to_double() * step[j]).sum();
        step[i] = (r[(i, size)].to_double() - rest) / r[(i, i)].to_double();
    }
    let step: Vec<f64> = step.iter().zip(&columns).map(|(s, d)| s * right / d).collect();
    step.iter().all(|s| s.is_finite()).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadratic_convergence_shows_in_the_trace() {
        let found = Newton::default().root(|x| x * x * x - x * 2.0 - 5.0, 2.0).unwrap();
        assert_eq!(found.status, NewtonStatus::Converged);
        // Newton's own example of 1669.
        assert!((found.point[0] - 2.094551481542327).abs() < 1e-15);
        let orders = found.orders();
        assert!(orders.iter().take(2).all(|order| (1.7..2.3).contains(order)), "{orders:?}");
    }

    #[test]
    fn a_double_root_is_found_slowly() {
        let found = Newton::default().root(|x| (x - 1.0) * (x - 1.0), 3.0).unwrap();
        assert!((found.point[0] - 1.0).abs() < 1e-7);
        let orders = found.orders();
        assert!((orders[3] - 1.0).abs() < 0.1, "{orders:?}");
    }

    #[test]
    fn where_whole_steps_diverge_halved_ones_do_not() {
        // atan has Newton's method diverge from beyond 1.39.
        let found = Newton::default().root(|x| num_dual::DualNum::atan(&x), 10.0).unwrap();
        assert_eq!(found.status, NewtonStatus::Converged);
        assert!(found.point[0].abs() < 1e-12);
    }

    #[test]
    fn no_root_is_reported_and_not_looped_on() {
        let found = Newton::default().root(|x| x * x + 1.0, 3.0).unwrap();
        assert_ne!(found.status, NewtonStatus::Converged);
        assert!(found.value >= 1.0);
        assert!(Newton::default().root(|x| x, f64::NAN).is_err());
    }
}
