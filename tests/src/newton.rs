//! Newton's method on a backend: several equations, minima, quadratic convergence, one step on least
//! squares.

use minrisk_core::curve::Real;
use minrisk_core::newton::{Automatic, Formula, Function, Newton, NewtonStatus, System};
use minrisk_core::{Backend, Matrix, Scalar};

use crate::Outcome;
use crate::check::ensure;
use crate::exact::{digits, least_squares};
use crate::random::Random;

/// x² + y² = 4, xy = 1: a root at ((√6 + √2)/2, (√6 − √2)/2).
struct CircleAndHyperbola;

impl System for CircleAndHyperbola {
    fn value<N: Real>(&self, x: &[N]) -> Vec<N> {
        vec![x[0] * x[0] + x[1] * x[1] - 4.0, x[0] * x[1] - 1.0]
    }
}

/// (1 − x)² + 100(y − x²)², minimal at (1, 1).
struct Rosenbrock;

impl Formula for Rosenbrock {
    fn value<N: Real>(&self, x: &[N]) -> N {
        let (a, b) = (-x[0] + 1.0, x[1] - x[0] * x[0]);
        a * a + b * b * 100.0
    }
}

/// Roots of several equations, quadratically.
pub fn roots_of_systems_are_found<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let newton = Newton::default();
    let found = newton.roots(backend, &Automatic(CircleAndHyperbola), &[3.0, 0.1])?;
    let (a, b) = (6.0_f64.sqrt() / 2.0, 2.0_f64.sqrt() / 2.0);
    for (value, expected) in found.point.iter().zip([a + b, a - b]) {
        ensure!((value - expected).abs() <= 1e-14, "a root at {:?}", found.point);
    }
    // The Jacobian is factored in the type of the data, which bounds the order for singles.
    if T::unit_roundoff() < 1e-10 {
        let orders = found.orders();
        let quadratic = orders.iter().filter(|order| (1.7..2.3).contains(*order)).count();
        ensure!(quadratic >= 2, "orders of convergence are {orders:?}");
    }
    ensure!(found.status == NewtonStatus::Converged, "{:?} after {:?}", found.status, found.trace);
    let singular = newton.roots(backend, &Automatic(CircleAndHyperbola), &[0.0, 0.0])?;
    ensure!(singular.status == NewtonStatus::Stalled, "a singular Jacobian: {singular:?}");
    Ok(())
}

/// A minimum at the end of a curved valley, and out of a region where the Hessian is indefinite.
pub fn minima_are_found<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    for start in [[-1.2, 1.0], [0.0, 5.0], [3.0, -3.0]] {
        let found = Newton::default().minimise(backend, &Automatic(Rosenbrock), &start)?;
        let near = found.point.iter().all(|x| (x - 1.0).abs() <= 1e-10);
        ensure!(near && found.status == NewtonStatus::Converged, "from {start:?}: {found:?}");
        let values: Vec<f64> = found.trace.iter().map(|step| step.value).collect();
        ensure!(values.is_sorted_by(|a, b| a >= b), "values rise: {values:?}");
    }
    Ok(())
}

/// ‖Xw − y‖² with gradient and Hessian by hand.
struct LeastSquares<'a> {
    x: &'a Matrix<f64>,
    y: &'a [f64],
}

impl LeastSquares<'_> {
    fn residuals(&self, w: &[f64]) -> Vec<f64> {
        let predict = |i: usize| (0..w.len()).map(|j| self.x[(i, j)] * w[j]).sum::<f64>();
        (0..self.y.len()).map(|i| predict(i) - self.y[i]).collect()
    }
}

impl Function for LeastSquares<'_> {
    fn value(&self, w: &[f64]) -> f64 {
        self.residuals(w).iter().map(|r| r * r).sum()
    }

    fn gradient(&self, w: &[f64]) -> Vec<f64> {
        let residuals = self.residuals(w);
        let slope = |x: &[f64]| x.iter().zip(&residuals).map(|(x, r)| 2.0 * x * r).sum();
        self.x.columns().map(slope).collect()
    }

    fn hessian(&self, w: &[f64]) -> Matrix<f64> {
        let entry = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| 2.0 * a * b).sum();
        Matrix::from_fn(w.len(), w.len(), |i, j| entry(self.x.col(i), self.x.col(j)))
    }
}

/// On least squares the first step is the solution, from anywhere.
pub fn one_newton_step_solves_least_squares<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(21);
    let x: Matrix<f64> = random.matrix(30, 4);
    let y: Vec<f64> = (0..30).map(|_| random.signed()).collect();
    let data = minrisk_core::Dataset::new(x.view(), minrisk_core::View::column_vector(&y))?;
    let truth = &least_squares(&data, false)[0].coefficients;
    let function = LeastSquares { x: &x, y: &y };
    for start in [[0.0; 4], [100.0, -3.0, 7.0, 1.0]] {
        let found = Newton { max_iterations: 1, ..Newton::default() };
        let found = found.minimise(backend, &function, &start)?;
        let least = -T::unit_roundoff().log10() - 5.0;
        for (value, exact) in found.point.iter().zip(truth) {
            let digits = digits(*value, exact);
            ensure!(digits >= least, "{digits} digits after one step from {start:?}, not {least}");
        }
    }
    Ok(())
}
