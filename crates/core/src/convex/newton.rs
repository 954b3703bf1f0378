//! Newton's method, with or without corners: θ ← argmin of the quadratic model plus the penalty.
//!
//! At θ the loss is replaced by F(θ) + g·δ + ½δᵀHδ, H = XᵀDX with D = diag(c ℓ″); the model is minimised
//! exactly ([`Quadratic`](super::quadratic::Quadratic)), and the step is halved until the objective falls
//! as it should (Lee, Sun, Saunders, "Proximal Newton-type methods", 2014). Without λ₁ this is Newton's
//! method, IRLS for logistic regression; on squared loss one step is exact. One pass over the data a step,
//! O(md² + d³).
//!
//! Huber's loss and the squared hinge have ℓ″ = 0 in places, and where all rows are there H says nothing. So
//! D = diag(c (ℓ″ + τ(ϰ − ℓ″))) for them, ϰ the curvature of a majorant: with τ = 1 a full step always descends,
//! and every full step that is taken leaves a tenth of τ.

use super::coordinates::Coordinates;
use super::passes::CurvaturePass;
use super::problem::Problem;
use super::quadratic::Quadratic;
use super::run::Run;
use crate::loss::TwiceSmooth;
use crate::penalty::Terms;
use crate::{Error, Matrix, Rows, Scalar, Status};

/// The fraction of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;

/// A fraction of the objective that is rounding; and one that it may be, where rows cancel.
const ROUNDING: f64 = 1e-15;
const NEAR: f64 = 1e-12;

/// Halvings of a step before the objective counts as flat.
pub(super) const MAX_HALVINGS: usize = 40;

/// A full step that is taken leaves this much of the lift.
const TRUST: f64 = 0.1;
/// A step that has to be shortened lifts the next model by this factor, to this at least.
const DISTRUST: f64 = 4.0;
const LEAST_DISTRUST: f64 = 1e-3;

/// Where Newton's method stands: the point, and the model there.
pub(super) struct NewtonState<'p, T: Scalar, L> {
    pub(super) problem: &'p Problem<'p, T, L>,
    pub(super) coordinates: Coordinates,
    pub(super) theta: Vec<f64>,
    /// The Hessian of the loss in the coordinates, both triangles, where it was last computed.
    pub(super) hessian: Matrix<f64>,
    /// τ: how far ℓ″ is lifted to the curvature of a majorant.
    lift: f64,
}

impl<'p, T: Scalar, L: TwiceSmooth> NewtonState<'p, T, L> {
    pub(super) fn new(problem: &'p Problem<'p, T, L>, theta: Vec<f64>) -> Self {
        let coordinates = Coordinates::of(problem.data, problem.intercept);
        let lift = if L::FLAT_IN_PLACES { 1.0 } else { 0.0 };
        Self { problem, coordinates, theta, hessian: Matrix::zeros(0, 0), lift }
    }

    /// The τ that leaves a singular Hessian just solvable.
    fn least_lift() -> f64 {
        if L::FLAT_IN_PLACES { f64::EPSILON.powf(0.75) } else { 0.0 }
    }

    /// Iterates until the run ends.
    pub(super) fn iterate(&mut self, run: &mut Run<'_>) -> Result<Status, Error> {
        let terms = self.coordinates.terms(&self.problem.terms);
        let (mut objective, mut gradient) = self.model()?;
        let mut length = 0.0;
        loop {
            let inner = self.coordinates.inner(&self.theta);
            let linear = minus_product(&gradient, &self.hessian, &inner);
            let model = Quadratic {
                backend: self.problem.backend,
                hessian: &self.hessian,
                linear: &linear,
                terms: &terms,
            };
            let scale =
                gradient.iter().zip(&terms.l1).map(|(g, l1)| g.abs() + l1).fold(0.0, f64::max);
            let mut target = inner.clone();
            let at_target = model.minimise(&mut target, 1e-15 * scale);
            let decrease = model_decrease(&inner, &target, &gradient, &at_target, &terms);
            let norm = self.norm(&inner, &gradient, &terms);
            let goal = self.outer(&inner, &target);
            if self.lift > Self::least_lift() && decrease.quadratic <= run.target(objective) {
                // A lifted model promises little; the last word has the loss itself.
                self.lift = Self::least_lift();
                (objective, gradient) = self.model()?;
                continue;
            }
            if let Some(status) = run.report(objective, norm, length, decrease.quadratic.max(0.0)) {
                if status == Status::Solved {
                    // The step is known and gains less than the tolerance: it squares the violation.
                    self.theta = goal;
                }
                return Ok(status);
            }
            if L::QUADRATIC {
                self.theta = goal;
                let objective = objective - decrease.quadratic;
                return Ok(run.report(objective, 0.0, 1.0, 0.0).unwrap_or(Status::Solved));
            }
            // The full step is tried with its model, because as a rule it is taken.
            let start = std::mem::replace(&mut self.theta, goal);
            let lift = self.lift;
            self.lift = (TRUST * lift).max(Self::least_lift());
            let (full, full_gradient) = self.model()?;
            let after = self.norm(&self.coordinates.inner(&self.theta), &full_gradient, &terms);
            // Where objectives no longer tell, the violation of optimality does.
            let nears = after <= 0.5 * norm && full - objective <= NEAR * objective.abs();
            if falls(objective, full, decrease.linear) || nears {
                (length, objective, gradient) = (1.0, full, full_gradient);
            } else if let Some(fraction) = self.backtrack(&start, objective, decrease.linear)? {
                length = fraction;
                if L::FLAT_IN_PLACES {
                    self.lift = (DISTRUST * lift).clamp(LEAST_DISTRUST, 1.0);
                }
                (objective, gradient) = self.model()?;
            } else {
                // Rounding hides any further decrease: this is the minimiser to working precision.
                if full > objective {
                    self.theta = start;
                }
                return Ok(Status::Solved);
            }
        }
    }

    /// F at θ, and the gradient of the loss alone in the coordinates; the Hessian is kept.
    pub(super) fn model(&mut self) -> Result<(f64, Vec<f64>), Error> {
        let problem = self.problem;
        let (weights, intercept) = problem.split(&self.theta);
        let pass = CurvaturePass {
            backend: problem.backend,
            loss: problem.loss,
            lift: self.lift,
            weights,
            intercept,
            coordinates: &self.coordinates,
        };
        let sums = Rows::Memory(problem.data).reduce(&pass)?;
        let objective = sums.loss.value + problem.terms.value(weights);
        let mut gradient = sums.loss.gradient;
        gradient.extend(problem.intercept.then_some(sums.loss.total));
        let lower = |i: usize, j: usize| sums.hessian[(i.max(j), i.min(j))];
        let size = sums.hessian.rows();
        self.hessian = Matrix::from_fn(size, size, lower);
        Ok((objective, self.coordinates.gradient(&gradient)))
    }

    /// The target in θ; weights that are zero in the coordinates are zero there.
    fn outer(&self, inner: &[f64], target: &[f64]) -> Vec<f64> {
        let step: Vec<f64> = target.iter().zip(inner).map(|(t, v)| t - v).collect();
        let mut outer = self.coordinates.step(&step);
        let features = self.problem.features();
        for (j, outer) in outer.iter_mut().enumerate() {
            *outer += self.theta[j];
            if j < features {
                *outer = target[j] * self.coordinates.scale(j);
            }
        }
        outer
    }

    /// Halves the step from `start` to θ until the objective falls enough; `None` where it does not.
    fn backtrack(
        &mut self,
        start: &[f64],
        objective: f64,
        promised: f64,
    ) -> Result<Option<f64>, Error> {
        if promised <= 1e-14 * objective.abs() {
            return Ok(None);
        }
        let goal = self.theta.clone();
        let mut fraction = 1.0;
        for _ in 0..MAX_HALVINGS {
            fraction *= 0.5;
            let trial: Vec<f64> =
                start.iter().zip(&goal).map(|(a, b)| a + fraction * (b - a)).collect();
            let there = self.problem.evaluate(&trial)?.objective;
            if falls(objective, there, fraction * promised) {
                self.theta = trial;
                return Ok(Some(fraction));
            }
            if is_level(objective, there) {
                break;
            }
        }
        Ok(None)
    }

    /// The largest violation of optimality, in the coordinates.
    fn norm(&self, inner: &[f64], gradient: &[f64], terms: &Terms) -> f64 {
        let violations = (0..inner.len()).map(|j| terms.violation(j, inner[j], gradient[j]));
        violations.fold(0.0, f64::max)
    }
}

/// Whether a step has brought its share of what it promised, and anything at all where that is less than rounding.
pub(super) fn falls(from: f64, to: f64, promised: f64) -> bool {
    from - to >= ARMIJO * promised && from > to
}

/// Whether nothing but rounding is between two objectives, so that a shorter step would tell no more.
pub(super) fn is_level(from: f64, to: f64) -> bool {
    (from - to).abs() <= ROUNDING * from.abs()
}

/// g − Hv: the linear term of the model written around zero.
pub(super) fn minus_product(gradient: &[f64], hessian: &Matrix<f64>, v: &[f64]) -> Vec<f64> {
    let mut linear = gradient.to_vec();
    for (j, value) in v.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        linear.iter_mut().zip(hessian.col(j)).for_each(|(c, h)| *c -= value * h);
    }
    linear
}

/// How much lower the model says its minimiser is.
pub(super) struct Decrease {
    /// To first order in the loss: what the line search measures against.
    pub(super) linear: f64,
    /// To second order: what is left to gain.
    pub(super) quadratic: f64,
}

pub(super) fn model_decrease(
    from: &[f64],
    to: &[f64],
    gradient: &[f64],
    gradient_at_target: &[f64],
    terms: &Terms,
) -> Decrease {
    let (mut slope, mut curvature) = (0.0, 0.0);
    for j in 0..from.len() {
        let step = to[j] - from[j];
        slope += gradient[j] * step;
        curvature += (gradient_at_target[j] - gradient[j]) * step;
    }
    let penalty = terms.value(to) - terms.value(from);
    Decrease { linear: -(slope + penalty), quadratic: -(slope + penalty + 0.5 * curvature) }
}

impl Coordinates {
    /// The penalty on v: λ₁ⱼs_j and λ₂ⱼs_j², and nothing on the intercept.
    pub(super) fn terms(&self, terms: &Terms) -> Terms {
        let features = terms.l1.len();
        let mut l1: Vec<f64> = (0..features).map(|j| terms.l1[j] * self.scale(j)).collect();
        let mut l2: Vec<f64> = (0..features).map(|j| terms.l2[j] * self.scale(j).powi(2)).collect();
        l1.resize(self.unknowns(), 0.0);
        l2.resize(self.unknowns(), 0.0);
        Terms { l1, l2 }
    }
}
