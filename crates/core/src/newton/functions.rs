//! Functions with their derivatives, by hand or by dual numbers.

use num_dual::{Dual64, HyperDual64};

use crate::Matrix;
use crate::curve::Real;

/// A function of several variables with gradient and Hessian.
pub trait Function {
    /// f(x).
    fn value(&self, x: &[f64]) -> f64;
    /// ∇f(x).
    fn gradient(&self, x: &[f64]) -> Vec<f64>;
    /// ∇²f(x); the lower triangle is read.
    fn hessian(&self, x: &[f64]) -> Matrix<f64>;
}

/// Equations F(x) = 0, as many as unknowns, with their Jacobian.
pub trait Equations {
    /// F(x).
    fn value(&self, x: &[f64]) -> Vec<f64>;
    /// J with J_ij = ∂F_i/∂x_j.
    fn jacobian(&self, x: &[f64]) -> Matrix<f64>;
}

/// A function written once, generic over the number type.
pub trait Formula {
    /// f(x).
    fn value<N: Real>(&self, x: &[N]) -> N;
}

/// Equations written once, generic over the number type.
pub trait System {
    /// F(x).
    fn value<N: Real>(&self, x: &[N]) -> Vec<N>;
}

/// Exact derivatives of a [`Formula`] or a [`System`] by dual numbers.
///
/// ```
/// use minrisk_core::curve::Real;
/// use minrisk_core::newton::{Automatic, Formula, Function};
///
/// struct Bowl;
/// impl Formula for Bowl {
///     fn value<N: Real>(&self, x: &[N]) -> N {
///         x[0] * x[0] * 3.0 + x[0] * x[1]
///     }
/// }
///
/// let bowl = Automatic(Bowl);
/// assert_eq!(bowl.gradient(&[1.0, 2.0]), [8.0, 1.0]);
/// assert_eq!(bowl.hessian(&[1.0, 2.0]).as_slice(), [6.0, 1.0, 1.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Automatic<F>(pub F);

impl<F: Formula> Function for Automatic<F> {
    fn value(&self, x: &[f64]) -> f64 {
        self.0.value(x)
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut point = lift(x);
        let slope = |k: usize| {
            point[k].eps = 1.0;
            let slope = self.0.value(&point).eps;
            point[k].eps = 0.0;
            slope
        };
        (0..x.len()).map(slope).collect()
    }

    fn hessian(&self, x: &[f64]) -> Matrix<f64> {
        let mut point: Vec<HyperDual64> = x.iter().map(|&x| HyperDual64::from_re(x)).collect();
        let mut hessian = Matrix::zeros(x.len(), x.len());
        for i in 0..x.len() {
            for j in 0..=i {
                point[i].eps1 = 1.0;
                point[j].eps2 = 1.0;
                let second = self.0.value(&point).eps1eps2;
                hessian[(i, j)] = second;
                hessian[(j, i)] = second;
                point[i].eps1 = 0.0;
                point[j].eps2 = 0.0;
            }
        }
        hessian
    }
}

impl<F: System> Equations for Automatic<F> {
    fn value(&self, x: &[f64]) -> Vec<f64> {
        self.0.value(x)
    }

    fn jacobian(&self, x: &[f64]) -> Matrix<f64> {
        let mut point = lift(x);
        let mut columns = Vec::with_capacity(x.len());
        for k in 0..x.len() {
            point[k].eps = 1.0;
            columns.push(self.0.value(&point));
            point[k].eps = 0.0;
        }
        let rows = columns.first().map_or(0, Vec::len);
        let entry = |i: usize, j: usize| columns[j].get(i).map_or(f64::NAN, |value| value.eps);
        Matrix::from_fn(rows, x.len(), entry)
    }
}

fn lift(x: &[f64]) -> Vec<Dual64> {
    x.iter().map(|&x| Dual64::from_re(x)).collect()
}
