//! The minimiser of Newton's model from products with the Hessian, by conjugate gradients.
//!
//! With λ₁ the step stays in one orthant: an unknown keeps its sign, one at zero takes the sign that −g calls for, or is
//! held there where |g_jk| ≤ λ₁ⱼ. In the orthant the penalty is smooth; the way to the target is bent, unknowns that
//! would leave the orthant stop at zero (Andrew and Gao, "Scalable training of L1-regularized log-linear models", 2007;
//! Byrd, Chin, Nocedal and Oztoprak, "A family of second-order methods for convex ℓ1-regularized optimization",
//! 2016). A number added to the weights of a column in all classes changes no prediction, so at the end of the way
//! their median is taken from them, which lowers Σ_k |w_jk| most and costs nothing where λ₂ⱼ = 0.

use super::conjugate_gradients::{ConjugateGradients, Solution};
use super::newton::{Point, SoftmaxNewton, Target, remove_means};
use super::passes::{DiagonalPass, ProductPass};
use super::problem::SoftmaxProblem;
use crate::convex::coordinates::Coordinates;
use crate::convex::newton::Decrease;
use crate::convex::vectors::dot;
use crate::penalty::Terms;
use crate::{Error, Matrix, Rows, Scalar};

/// Conjugate gradients reduce the gradient by this factor at first, at least, …
const FIRST_FORCING: f64 = 0.1;
/// … and by no more than this at last.
const LAST_FORCING: f64 = 1e-8;
/// Gradients of this size, relative to the first, are rounding.
const ROUNDING: f64 = 1e-15;
/// The damping of unknowns that pay λ₁ alone, relative to the curvature, at most.
const MOST_DAMPING: f64 = 1e-2;

/// A way that bends where an unknown comes to zero.
pub(super) struct Bent {
    step: Vec<f64>,
    /// The gradient of F in the orthant.
    gradient: Vec<f64>,
    orthant: Orthant,
    /// Unknowns of a class that pay λ₁ alone.
    cornered: Vec<usize>,
    unknowns: usize,
}

/// The sign that every unknown keeps during a step, zero for those that are held; `None` where there is no corner.
struct Orthant(Vec<Option<f64>>);

impl Orthant {
    fn at(point: &Point, terms: &Terms) -> Self {
        let sign = |j: usize| match (point.v[j], point.gradient[j]) {
            _ if terms.l1[j] == 0.0 => None,
            (v, _) if v != 0.0 => Some(v.signum()),
            (_, g) if g.abs() > terms.l1[j] => Some(-g.signum()),
            _ => Some(0.0),
        };
        Self((0..point.v.len()).map(sign).collect())
    }

    fn is_held(&self, j: usize) -> bool {
        self.0[j] == Some(0.0)
    }

    /// The gradient of F among the unknowns that may move.
    fn gradient(&self, point: &Point, terms: &Terms) -> Vec<f64> {
        let derivative = |(j, sign): (usize, &Option<f64>)| match sign {
            Some(0.0) => 0.0,
            _ => {
                let corner = terms.l1[j] * sign.unwrap_or(0.0);
                point.gradient[j] + 2.0 * terms.l2[j] * point.v[j] + corner
            }
        };
        self.0.iter().enumerate().map(derivative).collect()
    }

    /// Stops at zero what has left the orthant.
    fn clip(&self, v: &mut [f64]) {
        for (v, sign) in v.iter_mut().zip(&self.0) {
            if sign.is_some_and(|sign| *v * sign <= 0.0) {
                *v = 0.0;
            }
        }
    }
}

impl Bent {
    /// A fraction of the way, and the decrease that it promises to first order.
    pub(super) fn part(&self, from: &[f64], fraction: f64) -> (Vec<f64>, f64) {
        let mut v: Vec<f64> = from.iter().zip(&self.step).map(|(v, s)| v + fraction * s).collect();
        self.orthant.clip(&mut v);
        let moved: Vec<f64> = v.iter().zip(from).map(|(v, from)| v - from).collect();
        for &j in &self.cornered {
            let mut of_classes: Vec<f64> =
                v.iter().skip(j).step_by(self.unknowns).copied().collect();
            let middle = (of_classes.len() - 1) / 2;
            let (_, &mut median, _) = of_classes.select_nth_unstable_by(middle, f64::total_cmp);
            v.iter_mut().skip(j).step_by(self.unknowns).for_each(|v| *v -= median);
        }
        (v, -dot(&moved, &self.gradient))
    }
}

impl<T: Scalar> SoftmaxNewton<'_, T> {
    pub(super) fn matrix_free_target(
        &mut self,
        point: &Point,
        progress: f64,
    ) -> Result<Target, Error> {
        let unknowns = self.problem.unknowns();
        let orthant = Orthant::at(point, &self.terms);
        let gradient = orthant.gradient(point, &self.terms);
        // Roughly at first, and ever better: the convergence of Newton's method is better than linear. Gradients that
        // are rounding alone are not looked into.
        let last = LAST_FORCING.max(1e2 * T::unit_roundoff());
        let forcing = progress.sqrt().clamp(last, FIRST_FORCING).max(ROUNDING / progress);
        let curvature = self.curvature(point, &orthant, progress);
        let diagonal = curvature.diagonal()?;
        let project = |vector: &mut [f64]| {
            let held = vector.iter_mut().enumerate().filter(|(j, _)| orthant.is_held(*j));
            held.for_each(|(_, v)| *v = 0.0);
            remove_means(vector, unknowns, |j| self.terms.l1[j] == 0.0);
        };
        let system = ConjugateGradients { diagonal: &diagonal, project: &project };
        let side: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let Solution { step, products } = system.solve(&side, forcing, |v| curvature.times(v))?;
        self.passes += 1 + products;
        if self.terms.is_smooth() {
            return Ok(Target::along(point, &step, &gradient));
        }
        let slope = dot(&step, &gradient);
        let bent = Bent { step, gradient, orthant, cornered: self.cornered().collect(), unknowns };
        Ok(Target {
            v: bent.part(&point.v, 1.0).0,
            decrease: Decrease { linear: -slope, quadratic: -0.5 * slope },
            bent: Some(bent),
            hidden: 0.0,
        })
    }

    /// Unknowns of a class that pay λ₁ alone.
    fn cornered(&self) -> impl Iterator<Item = usize> {
        let pays = |j: &usize| self.terms.l1[*j] > 0.0 && self.terms.l2[*j] == 0.0;
        (0..self.problem.unknowns()).filter(pays)
    }

    /// The curvature of the model, `progress` being the size of the gradient relative to the first.
    fn curvature<'c>(
        &'c self,
        point: &'c Point,
        orthant: &Orthant,
        progress: f64,
    ) -> Curvature<'c, T> {
        let unknowns = self.problem.unknowns();
        let mut ridge: Vec<f64> = self.terms.l2.iter().map(|l2| 2.0 * l2).collect();
        let damping = progress.min(MOST_DAMPING) * self.problem.share();
        for j in self.cornered() {
            ridge.iter_mut().skip(j).step_by(unknowns).for_each(|ridge| *ridge += damping);
        }
        let moves = |j: usize| (j..ridge.len()).step_by(unknowns).all(|j| !orthant.is_held(j));
        let loose = self.cornered().filter(|&j| moves(j)).collect();
        let (problem, coordinates) = (self.problem, &self.coordinates);
        Curvature { problem, coordinates, slopes: &point.slopes, ridge, loose }
    }
}

/// H + 2Λ₂, and what makes it definite where λ₁ stands alone: a damping that goes with the gradient, for there may be
/// more unknowns on the move than the rows can tell apart, and a gauge for the common shift of a column that no class
/// holds.
struct Curvature<'c, T: Scalar> {
    problem: &'c SoftmaxProblem<'c, T>,
    coordinates: &'c Coordinates,
    slopes: &'c [f64],
    ridge: Vec<f64>,
    /// Unknowns of a class with a gauge.
    loose: Vec<usize>,
}

impl<T: Scalar> Curvature<'_, T> {
    fn diagonal(&self) -> Result<Vec<f64>, Error> {
        let SoftmaxProblem { backend, data, classes, .. } = *self.problem;
        let Self { coordinates, slopes, .. } = *self;
        let pass = DiagonalPass { backend, coordinates, slopes, classes };
        let sums = Rows::Memory(data).reduce(&pass)?.sums;
        let of_loss = sums.as_slice().iter().copied();
        let mut diagonal: Vec<f64> = of_loss.zip(&self.ridge).map(|(h, ridge)| h + ridge).collect();
        for &j in &self.loose {
            let of_classes = diagonal.iter_mut().skip(j).step_by(self.problem.unknowns());
            of_classes.for_each(|d| *d += self.problem.share());
        }
        // An unknown without any curvature stays where it is.
        diagonal.iter_mut().filter(|d| **d <= 0.0).for_each(|d| *d = 1.0);
        Ok(diagonal)
    }

    fn times(&self, vector: &[f64]) -> Result<Vec<f64>, Error> {
        let SoftmaxProblem { backend, data, classes, .. } = *self.problem;
        let Self { coordinates, slopes, .. } = *self;
        let unknowns = self.problem.unknowns();
        let by_class = Matrix::from_fn(unknowns, classes, |j, k| vector[k * unknowns + j]);
        let pass = ProductPass { backend, coordinates, slopes, vector: &by_class };
        let sums = Rows::Memory(data).reduce(&pass)?.sums;
        let of_loss = sums.as_slice().iter().copied();
        let ridge = vector.iter().zip(&self.ridge).map(|(v, ridge)| ridge * v);
        let mut product: Vec<f64> = of_loss.zip(ridge).map(|(h, r)| h + r).collect();
        for &j in &self.loose {
            let sum: f64 = vector.iter().skip(j).step_by(unknowns).sum();
            let of_classes = product.iter_mut().skip(j).step_by(unknowns);
            of_classes.for_each(|p| *p += self.problem.share() * sum);
        }
        Ok(product)
    }
}
