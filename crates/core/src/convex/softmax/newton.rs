//! Newton's method on the weights of all classes at once, with or without corners.
//!
//! In well-scaled coordinates v the loss is replaced by its quadratic model, with H = Σ c (diag p − ppᵀ) ⊗ x̃x̃ᵀ, and the
//! model with the penalty is minimised: from [H in memory](super::dense), or from
//! [its products with vectors](super::matrix_free) where H is too large or they are faster. The step is halved until
//! the objective falls as it should.
//!
//! Adding a number to the unknown j of all classes changes no prediction, so H has no curvature along that. Where
//! λ₁ⱼ = 0 the gradient has no part along it either: steps of sum zero over the classes are enough, and the unknowns
//! keep the sums of zero that they start with. Where λ₁ⱼ > 0 the penalty itself chooses among the equals.

use super::matrix_free::Bent;
use super::problem::{Evaluation, SoftmaxProblem};
use crate::convex::coordinates::Coordinates;
use crate::convex::newton::{Decrease, MAX_HALVINGS, falls, is_level};
use crate::convex::run::Run;
use crate::convex::vectors::dot;
use crate::penalty::Terms;
use crate::{Error, Scalar, Status};

/// The most unknowns of a Hessian in memory: their square is what it takes.
const MOST_DENSE: usize = 4_000;
/// A Hessian of so many unknowns is no matter.
const SMALL: usize = 500;
/// Products with the Hessian that conjugate gradients need for a step, about.
const PRODUCTS: f64 = 200.0;
/// What corners add to the price of a step from the Hessian in memory.
const CORNERS: f64 = 3.0;
/// Steps at the end that lower the violation of optimality, where there are corners.
const LAST_STEPS: usize = 3;
/// The progress at the end of an iteration, by which its last model is made.
const CLOSED: f64 = 1e-8;
/// Rows with at least this probability of their own class are clearly on its side.
const CLEAR: f64 = 0.9;

/// How the model is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// From the Hessian in memory.
    Dense,
    /// From its products with vectors.
    MatrixFree,
}

impl Method {
    /// The cheaper one that fits, where so many columns matter: a Hessian is one of these columns, products are with
    /// all of them.
    pub(super) fn of<T: Scalar>(problem: &SoftmaxProblem<'_, T>, columns: usize) -> Self {
        let unknowns = (columns + usize::from(problem.intercept)) * problem.classes;
        let (m, n) = (problem.data.rows() as f64, unknowns as f64);
        let corners = if problem.terms.is_smooth() { 1.0 } else { CORNERS };
        let dense = corners * n * n * (m / 2.0 + n / 3.0);
        let matrix_free = PRODUCTS * 4.0 * m * (problem.unknowns() * problem.classes) as f64;
        // Without a penalty the Hessian may be close to singular, where factors are safer.
        let faster = matrix_free < dense && unknowns > SMALL && !problem.terms.has_free_weights();
        if unknowns > MOST_DENSE || faster { Method::MatrixFree } else { Method::Dense }
    }
}

/// Newton's method for one problem.
pub(super) struct SoftmaxNewton<'p, T: Scalar> {
    pub(super) problem: &'p SoftmaxProblem<'p, T>,
    method: Method,
    pub(super) coordinates: Coordinates,
    /// The penalty in the coordinates, on the unknowns of one class after the other.
    pub(super) terms: Terms,
    pub(super) passes: usize,
}

/// A point and what is known there.
pub(super) struct Point {
    pub(super) v: Vec<f64>,
    pub(super) objective: f64,
    /// The gradient of the loss alone, in the coordinates.
    pub(super) gradient: Vec<f64>,
    /// ∂ℓ/∂z of every row, its classes side by side.
    pub(super) slopes: Vec<f64>,
}

/// The minimiser of the model at a point.
pub(super) struct Target {
    pub(super) v: Vec<f64>,
    pub(super) decrease: Decrease,
    /// How to get there where the way is not straight.
    pub(super) bent: Option<Bent>,
    /// What a gauge that is no part of F may hide of the decrease.
    pub(super) hidden: f64,
}

impl<'p, T: Scalar> SoftmaxNewton<'p, T> {
    pub(super) fn new(problem: &'p SoftmaxProblem<'p, T>, method: Method) -> Self {
        let coordinates = Coordinates::of(problem.data, problem.intercept);
        let of_class = coordinates.terms(&problem.terms);
        let terms = Terms {
            l1: of_class.l1.repeat(problem.classes),
            l2: of_class.l2.repeat(problem.classes),
        };
        Self { problem, method, coordinates, terms, passes: 0 }
    }

    /// Iterates from θ until the run ends, or a step has promised no more than `enough`, and leaves θ there.
    pub(super) fn iterate(
        &mut self,
        theta: &mut Vec<f64>,
        run: &mut Run<'_>,
        enough: f64,
    ) -> Result<Status, Error> {
        let mut point = self.at(self.inner(theta))?;
        let first = self.norm(&point);
        let mut length = 0.0;
        let status = loop {
            let norm = self.norm(&point);
            let target = self.target(&point, norm / first)?;
            let gap = target.gain();
            if let Some(status) = run.report(point.objective, norm, length, gap) {
                if status == Status::Solved {
                    point = self.settle(point, target, first)?;
                }
                break status;
            }
            match self.search(&point, &target)? {
                Some((fraction, next)) => (length, point) = (fraction, next),
                // Rounding hides any further decrease: this is the minimiser to working precision.
                None => {
                    point = self.settle(point, target, first)?;
                    break Status::Solved;
                }
            }
            if gap <= enough {
                break Status::Solved;
            }
            if self.problem.terms.is_zero() && self.separates(&point) {
                // The point itself is a direction of endless descent, which the end will find out.
                break Status::Solved;
            }
        };
        *theta = self.outer(&point.v);
        Ok(status)
    }

    /// The last steps, which gain less than the tolerance but square the violation of optimality. Bounds for corners
    /// are of first order in that.
    fn settle(&mut self, mut point: Point, mut target: Target, first: f64) -> Result<Point, Error> {
        let steps = if self.terms.is_smooth() { 1 } else { LAST_STEPS };
        for taken in 1..=steps {
            let (before, next) = (self.norm(&point), self.at(target.v)?);
            let after = self.norm(&next);
            if after < before {
                point = next;
            }
            if after >= before || taken == steps {
                break;
            }
            target = self.target(&point, after / first)?;
        }
        Ok(point)
    }

    /// Whether every row is clearly on the side of its class, by the weights and not by its offsets.
    fn separates(&self, point: &Point) -> bool {
        let SoftmaxProblem { data, classes, .. } = *self.problem;
        let own = |t: usize| point.slopes[t * classes + self.problem.class_of(t)];
        let counts = |t: &usize| data.weight_of(*t) > 0.0;
        let clear = (0..data.rows()).filter(counts).all(|t| own(t) >= CLEAR - 1.0);
        clear && self.problem.tells_apart(&self.outer(&point.v))
    }

    /// By how much the minimum of the model at θ is below F: ½gᵀH⁻¹g without corners.
    pub(super) fn decrement(&mut self, theta: &[f64]) -> Result<f64, Error> {
        let point = self.at(self.inner(theta))?;
        let target = self.target(&point, CLOSED)?;
        Ok(target.gain() + target.hidden)
    }

    /// θ in the coordinates.
    fn inner(&self, theta: &[f64]) -> Vec<f64> {
        theta.chunks(self.problem.unknowns()).flat_map(|of| self.coordinates.inner(of)).collect()
    }

    /// v, or a step of it, as θ.
    fn outer(&self, v: &[f64]) -> Vec<f64> {
        v.chunks(self.problem.unknowns()).flat_map(|of| self.coordinates.step(of)).collect()
    }

    /// F and its derivatives at v.
    fn at(&mut self, v: Vec<f64>) -> Result<Point, Error> {
        self.passes += 1;
        let Evaluation { objective, gradient, slopes } = self.problem.evaluate(&self.outer(&v))?;
        let by_class = gradient.chunks(self.problem.unknowns());
        let gradient = by_class.flat_map(|of| self.coordinates.gradient(of)).collect();
        Ok(Point { v, objective, gradient, slopes })
    }

    /// The largest violation of optimality, in the coordinates.
    fn norm(&self, point: &Point) -> f64 {
        let violation = |j: usize| self.terms.violation(j, point.v[j], point.gradient[j]);
        (0..point.v.len()).map(violation).fold(0.0, f64::max)
    }

    /// Goes towards the target until the objective falls enough; `None` where it does not.
    fn search(&mut self, point: &Point, target: &Target) -> Result<Option<(f64, Point)>, Error> {
        if target.gain().is_infinite() {
            return Ok(None);
        }
        let mut fraction = 1.0;
        for _ in 0..MAX_HALVINGS {
            let (trial, promised) = target.part(point, fraction);
            let next = self.at(trial)?;
            if falls(point.objective, next.objective, promised) {
                return Ok(Some((fraction, next)));
            }
            let promises_little = target.decrease.linear <= 1e-14 * point.objective.abs();
            if promises_little || is_level(point.objective, next.objective) {
                break;
            }
            fraction *= 0.5;
        }
        Ok(None)
    }

    /// The minimiser of the model with the penalty, the better the smaller the violation of optimality is relative to
    /// the first.
    fn target(&mut self, point: &Point, progress: f64) -> Result<Target, Error> {
        match self.method {
            Method::Dense => self.dense_target(point),
            Method::MatrixFree => self.matrix_free_target(point, progress),
        }
    }
}

impl Target {
    /// A step that solves the linear system of a model without corners.
    pub(super) fn along(point: &Point, step: &[f64], gradient: &[f64]) -> Self {
        let slope = dot(step, gradient);
        Self {
            v: point.v.iter().zip(step).map(|(v, s)| v + s).collect(),
            decrease: Decrease { linear: -slope, quadratic: -0.5 * slope },
            bent: None,
            hidden: 0.0,
        }
    }

    /// No step is known, nor what is left to gain.
    pub(super) fn nowhere(point: &Point) -> Self {
        let decrease = Decrease { linear: 0.0, quadratic: f64::INFINITY };
        Self { v: point.v.clone(), decrease, bent: None, hidden: 0.0 }
    }

    /// What is left to gain by the model; rounding may make it negative, but what is no number is not nothing.
    fn gain(&self) -> f64 {
        match self.decrease.quadratic {
            gain if gain < 0.0 => 0.0,
            gain if gain.is_nan() => f64::INFINITY,
            gain => gain,
        }
    }

    /// A fraction of the way, and the decrease that it promises to first order.
    fn part(&self, point: &Point, fraction: f64) -> (Vec<f64>, f64) {
        if let Some(bent) = &self.bent {
            return bent.part(&point.v, fraction);
        }
        let straight = |(v, t): (&f64, &f64)| v + fraction * (t - v);
        let trial = match fraction < 1.0 {
            true => point.v.iter().zip(&self.v).map(straight).collect(),
            // Zeros of the target are to be zeros.
            false => self.v.clone(),
        };
        (trial, fraction * self.decrease.linear)
    }
}

/// Takes from unknowns their means over the classes, for the unknowns of a class that `which` says.
pub(super) fn remove_means(vector: &mut [f64], unknowns: usize, which: impl Fn(usize) -> bool) {
    let classes = (vector.len() / unknowns) as f64;
    let mut means = vec![0.0; unknowns];
    for of_class in vector.chunks(unknowns) {
        means.iter_mut().zip(of_class).for_each(|(mean, v)| *mean += v / classes);
    }
    means.iter_mut().enumerate().filter(|(j, _)| !which(*j)).for_each(|(_, mean)| *mean = 0.0);
    for of_class in vector.chunks_mut(unknowns) {
        of_class.iter_mut().zip(&means).for_each(|(v, mean)| *v -= mean);
    }
}
