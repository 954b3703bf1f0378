//! The minimiser of Newton's model from the Hessian in memory.
//!
//! Without λ₁ it is −H⁻¹g by a Cholesky factor, with λ₁ the minimiser of a [quadratic with corners](Quadratic).
//! H has no curvature along a number added to the unknown j of all classes: a factor needs some there, the *gauge*
//! γ_j(Σ_k δ_jk)² of the step δ. It is zero for the steps that are wanted where λ₁ⱼ = 0; where λ₁ⱼ > 0 it is small
//! and leaves the penalty room to choose, and at the minimiser, where δ = 0, it has no say.

use super::newton::{Point, SoftmaxNewton, Target, remove_means};
use super::passes::HessianPass;
use crate::convex::factor::Factor;
use crate::convex::newton::{minus_product, model_decrease};
use crate::convex::quadratic::Quadratic;
use crate::{Error, Matrix, Rows, Scalar};

impl<T: Scalar> SoftmaxNewton<'_, T> {
    pub(super) fn dense_target(&mut self, point: &Point) -> Result<Target, Error> {
        self.passes += 1;
        let pass = HessianPass {
            backend: self.problem.backend,
            coordinates: &self.coordinates,
            slopes: &point.slopes,
            classes: self.problem.classes,
        };
        let mut hessian = Rows::Memory(self.problem.data).reduce(&pass)?.hessian;
        let unknowns = self.problem.unknowns();
        for k in 0..self.problem.classes {
            for l in 0..=k {
                for j in 0..unknowns {
                    hessian[(k * unknowns + j, l * unknowns + j)] += self.gauge(j);
                }
            }
        }
        if self.terms.is_smooth() {
            return Ok(self.smooth_target(point, hessian));
        }
        let size = hessian.rows();
        let full = Matrix::from_fn(size, size, |i, j| hessian[(i.max(j), i.min(j))]);
        drop(hessian);
        Ok(self.cornered_target(point, &full))
    }

    fn smooth_target(&self, point: &Point, mut hessian: Matrix<f64>) -> Target {
        let l2 = &self.terms.l2;
        for (j, l2) in l2.iter().enumerate() {
            hessian[(j, j)] += 2.0 * l2;
        }
        let ridge = point.v.iter().zip(l2).map(|(v, l2)| 2.0 * l2 * v);
        let gradient: Vec<f64> = point.gradient.iter().zip(ridge).map(|(g, r)| g + r).collect();
        let Some(factor) = Factor::lifted(self.problem.backend, &hessian) else {
            // Numbers of the Hessian overflow.
            return Target::nowhere(point);
        };
        let mut step: Vec<f64> = factor.solve(&gradient).iter().map(|s| -s).collect();
        // They are zero but for rounding, which λ₂ would take many steps to remove.
        remove_means(&mut step, self.problem.unknowns(), |_| true);
        Target::along(point, &step, &gradient)
    }

    fn cornered_target(&self, point: &Point, hessian: &Matrix<f64>) -> Target {
        let linear = minus_product(&point.gradient, hessian, &point.v);
        let (backend, terms) = (self.problem.backend, &self.terms);
        let model = Quadratic { backend, hessian, linear: &linear, terms };
        let sizes = point.gradient.iter().zip(&terms.l1).map(|(g, l1)| g.abs() + l1);
        let mut v = point.v.clone();
        let at_target = model.minimise(&mut v, 1e-15 * sizes.fold(0.0, f64::max));
        let decrease = model_decrease(&point.v, &v, &point.gradient, &at_target, terms);
        let hidden = self.hidden_by_gauge(&point.v, &v);
        Target { v, decrease, bent: None, hidden }
    }

    /// The gauge has the slope γ_j Σ_k δ_jk where λ₁ⱼ > 0: over a way as long as the weights it hides this decrease.
    fn hidden_by_gauge(&self, from: &[f64], to: &[f64]) -> f64 {
        let unknowns = self.problem.unknowns();
        let of_unknown = |j: usize| {
            let weights = || (j..from.len()).step_by(unknowns);
            let shift: f64 = weights().map(|i| to[i] - from[i]).sum();
            self.gauge(j) * shift.abs() * weights().map(|i| to[i].abs()).sum::<f64>()
        };
        (0..unknowns).filter(|&j| self.terms.l1[j] > 0.0).map(of_unknown).sum()
    }

    /// γ_j of an unknown of a class.
    fn gauge(&self, j: usize) -> f64 {
        let share = self.problem.share();
        if self.terms.l1[j] == 0.0 { share } else { share * f64::EPSILON.sqrt() }
    }
}
