//! Newton's method on the weights of all classes at once, with or without corners.
//!
//! In well-scaled coordinates v the loss is replaced by its quadratic model, with H = Σ c (diag p − ppᵀ) ⊗ x̃x̃ᵀ, and the
//! model with the penalty is minimised: by a factor of H where there is no λ₁, by
//! [coordinate descent on H](Quadratic) where there is, and by [conjugate gradients](super::conjugate_gradients) where H
//! is too large or they are faster. The step is halved until the objective falls as it should.
//!
//! Adding a number to the unknown j of all classes changes no prediction, so H has no curvature along that. Where
//! λ₁ⱼ = 0 the gradient has no part along it either: steps of sum zero over the classes are enough, and the unknowns
//! keep the sums of zero that they start with. Where λ₁ⱼ > 0 the penalty itself chooses among the equals. A factor
//! of H needs some curvature there: the *gauge* γ_j(Σ_k δ_jk)² of the step δ, small where the penalty needs room.

use super::conjugate_gradients::{ConjugateGradients, Preconditioned};
use super::passes::{DiagonalPass, HessianPass, ProductPass};
use super::problem::{Evaluation, SoftmaxProblem};
use super::separation;
use crate::convex::coordinates::Coordinates;
use crate::convex::factor::Factor;
use crate::convex::newton::{ARMIJO, Decrease, MAX_HALVINGS, minus_product, model_decrease};
use crate::convex::quadratic::Quadratic;
use crate::convex::run::Run;
use crate::convex::vectors::{dot, largest};
use crate::penalty::Terms;
use crate::{Error, KernelError, Matrix, Rows, Scalar, Status};

/// The most unknowns of a Hessian in memory: their square is what it takes.
pub(super) const MOST_DENSE: usize = 4_000;
/// Products with the Hessian that conjugate gradients need for a step, about.
const PRODUCTS: f64 = 200.0;
/// Conjugate gradients reduce the gradient by this factor at first, at least, …
const FIRST_FORCING: f64 = 0.1;
/// … and by no more than this at last.
const LAST_FORCING: f64 = 1e-8;

/// Steps at the end that lower the violation of optimality, where there are corners.
const LAST_STEPS: usize = 3;
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
    /// The cheaper one that fits, for penalties without corners.
    pub(super) fn of<T: Scalar>(problem: &SoftmaxProblem<'_, T>) -> Self {
        let (rows, unknowns) = (problem.data.rows(), problem.unknowns() * problem.classes);
        let (m, n) = (rows as f64, unknowns as f64);
        let dense = n * n * (m / 2.0 + n / 3.0);
        let matrix_free = PRODUCTS * 4.0 * m * n;
        // Without a penalty the Hessian may be close to singular, where factors are safer.
        let faster = matrix_free < dense && !problem.terms.has_free_weights();
        if unknowns > MOST_DENSE || faster { Method::MatrixFree } else { Method::Dense }
    }
}

/// Newton's method for one problem.
pub(super) struct SoftmaxNewton<'p, T: Scalar> {
    problem: &'p SoftmaxProblem<'p, T>,
    method: Method,
    coordinates: Coordinates<T>,
    /// The penalty in the coordinates, on the unknowns of one class after the other.
    terms: Terms,
    /// The size of the first gradient, by which that of later ones is judged.
    first_norm: Option<f64>,
    pub(super) passes: usize,
}

/// A point and what is known there.
struct Point {
    v: Vec<f64>,
    objective: f64,
    /// The gradient of the loss alone, in the coordinates.
    gradient: Vec<f64>,
    slopes: Vec<f64>,
}

/// The minimiser of the model at a point.
struct Target {
    v: Vec<f64>,
    decrease: Decrease,
}

/// What the model says at a point where the iteration has ended.
pub(super) struct Closing {
    /// By how much the model's minimum is below F: ½gᵀH⁻¹g without corners.
    pub(super) decrement: f64,
    /// The step that would come next, in θ.
    pub(super) step: Vec<f64>,
}

impl<'p, T: Scalar> SoftmaxNewton<'p, T> {
    pub(super) fn new(problem: &'p SoftmaxProblem<'p, T>, method: Method) -> Self {
        let coordinates = Coordinates::of(problem.data, problem.intercept);
        let of_class = coordinates.terms(&problem.terms);
        let terms = Terms {
            l1: of_class.l1.repeat(problem.classes),
            l2: of_class.l2.repeat(problem.classes),
        };
        Self { problem, method, coordinates, terms, first_norm: None, passes: 0 }
    }

    /// Iterates from θ until the run ends, or a step has promised no more than `enough`, and leaves θ there.
    pub(super) fn iterate(
        &mut self,
        theta: &mut Vec<f64>,
        run: &mut Run<'_>,
        enough: f64,
    ) -> Result<Status, Error> {
        let mut point = self.at(self.inner(theta))?;
        let mut length = 0.0;
        let status = loop {
            let target = self.target(&point)?;
            let gap = target.decrease.quadratic.max(0.0);
            if let Some(status) = run.report(point.objective, self.norm(&point), length, gap) {
                if status == Status::Solved {
                    point = self.settle(point, target)?;
                }
                break status;
            }
            match self.search(&point, &target)? {
                Some((fraction, next)) => (length, point) = (fraction, next),
                // Rounding hides any further decrease: this is the minimiser to working precision.
                None => {
                    point = self.settle(point, target)?;
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
    fn settle(&mut self, mut point: Point, mut target: Target) -> Result<Point, Error> {
        let steps = if self.terms.is_smooth() { 1 } else { LAST_STEPS };
        for left in (0..steps).rev() {
            let next = self.at(target.v)?;
            if !(self.norm(&next) < self.norm(&point)) {
                break;
            }
            point = next;
            if left == 0 {
                break;
            }
            target = self.target(&point)?;
        }
        Ok(point)
    }

    /// Whether every row is clearly on the side of its class, by the weights and not by its offsets.
    fn separates(&self, point: &Point) -> bool {
        let SoftmaxProblem { data, classes, .. } = *self.problem;
        let own = |t: usize| point.slopes[t * classes + self.problem.class_of(t)];
        let counts = |t: &usize| data.weight_of(*t) > 0.0;
        let clear = (0..data.rows()).filter(counts).all(|t| own(t) >= CLEAR - 1.0);
        clear && separation::along(self.problem, &self.outer(&point.v), true).is_some()
    }

    /// What the model says at θ.
    pub(super) fn closing(&mut self, theta: &[f64]) -> Result<Closing, Error> {
        let point = self.at(self.inner(theta))?;
        let target = self.target(&point)?;
        let step: Vec<f64> = target.v.iter().zip(&point.v).map(|(t, v)| t - v).collect();
        Ok(Closing { decrement: target.decrease.quadratic.max(0.0), step: self.outer(&step) })
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
        let promised = target.decrease.linear;
        let mut fraction = 1.0;
        for _ in 0..MAX_HALVINGS {
            let trial = point.v.iter().zip(&target.v);
            let next = match fraction < 1.0 {
                true => self.at(trial.map(|(v, t)| v + fraction * (t - v)).collect())?,
                false => self.at(target.v.clone())?,
            };
            if next.objective <= point.objective - ARMIJO * fraction * promised {
                return Ok(Some((fraction, next)));
            }
            if promised <= 1e-14 * point.objective.abs() {
                break;
            }
            fraction *= 0.5;
        }
        Ok(None)
    }

    /// The minimiser of the model with the penalty.
    fn target(&mut self, point: &Point) -> Result<Target, Error> {
        if self.method == Method::MatrixFree {
            return self.matrix_free_target(point);
        }
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
                    hessian[(k * unknowns + j, l * unknowns + j)] += T::from_double(self.gauge(j));
                }
            }
        }
        if self.terms.is_smooth() {
            return self.smooth_target(point, hessian);
        }
        let size = hessian.rows();
        let full = Matrix::from_fn(size, size, |i, j| hessian[(i.max(j), i.min(j))].to_double());
        drop(hessian);
        Ok(self.cornered_target(point, &full))
    }

    fn smooth_target(&self, point: &Point, mut hessian: Matrix<T>) -> Result<Target, Error> {
        for (j, l2) in self.terms.l2.iter().enumerate() {
            hessian[(j, j)] += T::from_double(2.0 * l2);
        }
        let gradient = self.smooth_gradient(point);
        let factor = Factor::lifted(self.problem.backend, &hessian);
        let factor = factor.ok_or(KernelError::NotPositiveDefinite { pivot: 0 })?;
        let mut step: Vec<f64> = factor.solve(&gradient).iter().map(|s| -s).collect();
        remove_sums(&mut step, self.problem.unknowns());
        Ok(Target::along(point, &step, &gradient))
    }

    fn cornered_target(&self, point: &Point, hessian: &Matrix<f64>) -> Target {
        let linear = minus_product(&point.gradient, hessian, &point.v);
        let (backend, terms) = (self.problem.backend, &self.terms);
        let model = Quadratic { backend, hessian, linear: &linear, terms };
        let sizes = point.gradient.iter().zip(&terms.l1).map(|(g, l1)| g.abs() + l1);
        let mut v = point.v.clone();
        let at_target = model.minimise(&mut v, 1e-15 * sizes.fold(0.0, f64::max));
        let decrease = model_decrease(&point.v, &v, &point.gradient, &at_target, terms);
        Target { v, decrease }
    }

    fn matrix_free_target(&mut self, point: &Point) -> Result<Target, Error> {
        let SoftmaxProblem { backend, data, classes, .. } = *self.problem;
        let (coordinates, slopes) = (&self.coordinates, &point.slopes[..]);
        let pass = DiagonalPass { backend, coordinates, slopes, classes };
        let sums = Rows::Memory(data).reduce(&pass)?.sums;
        let diagonal = |(j, h): (usize, &T)| {
            let value = h.to_double() + 2.0 * self.terms.l2[j];
            if value > 0.0 { value } else { 1.0 }
        };
        let diagonal: Vec<f64> = sums.as_slice().iter().enumerate().map(diagonal).collect();
        let gradient = self.smooth_gradient(point);
        let unknowns = self.problem.unknowns();
        let system = ConjugateGradients { diagonal: &diagonal, unknowns };
        let norm = system.norm(&gradient);
        let first = *self.first_norm.get_or_insert(norm);
        // Roughly at first, and ever better: the convergence of Newton's method is better than linear.
        let last = LAST_FORCING.max(1e2 * T::unit_roundoff());
        let forcing = (norm / first).sqrt().clamp(last, FIRST_FORCING);
        let side: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let solved = system.solve(&side, forcing, |v| self.product(point, v))?;
        let Preconditioned { solution, products } = solved;
        self.passes += 1 + products;
        Ok(Target::along(point, &solution, &gradient))
    }

    /// (H + 2Λ₂)·vector.
    fn product(&self, point: &Point, vector: &[f64]) -> Result<Vec<f64>, Error> {
        let SoftmaxProblem { backend, data, classes, .. } = *self.problem;
        let unknowns = self.problem.unknowns();
        // Brought to unit size, exactly, so that no number is too small for the data's precision.
        let size = f64::power_of_two(largest(vector).exponent());
        let scaled = Matrix::from_fn(unknowns, classes, |j, k| {
            T::from_double(vector[k * unknowns + j] / size)
        });
        let (coordinates, slopes) = (&self.coordinates, &point.slopes[..]);
        let pass = ProductPass { backend, coordinates, slopes, vector: &scaled };
        let sums = Rows::Memory(data).reduce(&pass)?.sums;
        let mut product: Vec<f64> = sums.as_slice().iter().map(|s| s.to_double() * size).collect();
        for (j, value) in product.iter_mut().enumerate() {
            *value += 2.0 * self.terms.l2[j] * vector[j];
        }
        Ok(product)
    }

    /// The gradient of F, where it has one.
    fn smooth_gradient(&self, point: &Point) -> Vec<f64> {
        let unknowns = 0..point.v.len();
        unknowns.map(|j| point.gradient[j] + 2.0 * self.terms.l2[j] * point.v[j]).collect()
    }

    /// γ_j of an unknown of a class: of the size of the curvature, or small where the penalty has its say.
    fn gauge(&self, j: usize) -> f64 {
        let share = self.problem.weight / self.problem.classes as f64;
        if self.terms.l1[j] == 0.0 { share } else { share * T::unit_roundoff().sqrt() }
    }
}

/// Takes from the unknowns of a step their means over the classes, which change no prediction.
pub(super) fn remove_sums(step: &mut [f64], unknowns: usize) {
    let classes = (step.len() / unknowns) as f64;
    let mut means = vec![0.0; unknowns];
    for of_class in step.chunks(unknowns) {
        means.iter_mut().zip(of_class).for_each(|(mean, s)| *mean += s / classes);
    }
    for of_class in step.chunks_mut(unknowns) {
        of_class.iter_mut().zip(&means).for_each(|(s, mean)| *s -= mean);
    }
}

impl Target {
    /// A step that solves the linear system of a model without corners.
    fn along(point: &Point, step: &[f64], gradient: &[f64]) -> Self {
        let slope = dot(step, gradient);
        Self {
            v: point.v.iter().zip(step).map(|(v, s)| v + s).collect(),
            decrease: Decrease { linear: -slope, quadratic: -0.5 * slope },
        }
    }
}
