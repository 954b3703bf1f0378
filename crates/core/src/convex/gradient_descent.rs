//! Batch gradient descent, with corners as proximal gradient, with momentum as FISTA.
//!
//! θ ← prox_ηP(θ − η∇f(θ)), with η given, or 1/L with L = ℓ-smoothness·‖X̃‖² the smoothness constant of the risk
//! (by the power method), or by backtracking: η is halved until f falls below its quadratic bound. Accelerated:
//! the gradient is taken at θ + momentum (Beck and Teboulle 2009), restarted where the momentum points uphill
//! (O'Donoghue and Candès 2015). O(1/t) without and O(1/t²) with acceleration; linear where F is strongly convex.
//! A step that is too large makes the objective grow, and the run says so.

use super::finish::{Ending, Proof};
use super::problem::{Evaluation, Problem};
use super::products::{PredictionPass, TransposedPass};
use super::run::{Control, Run};
use super::schedule::Schedule;
use crate::loss::Smooth;
use crate::penalty::{Penalty, SmoothPenalty};
use crate::{Backend, Dataset, Erm, Error, Fit, Rows, Scalar, Solver, Status};

/// Steps unless the control says otherwise.
const LIMIT: usize = 10_000;
/// Rounds of the power method; the estimate is made safe by a few per cent.
const POWER_ROUNDS: usize = 30;
/// Halvings of one step at most.
const MAX_HALVINGS: usize = 60;

/// How long steps are.
#[derive(Clone, Debug, Default)]
pub enum StepRule {
    /// 1/L, from the smoothness constant of loss and data.
    #[default]
    Smoothness,
    /// Halved until the objective falls as it should.
    Backtracking,
    /// Given for each step.
    Given(Schedule),
}

/// Batch gradient descent on a smooth objective.
///
/// ```
/// use minrisk_core::convex::{GradientDescent, Schedule, StepRule};
/// let slow = GradientDescent { step: StepRule::Given(Schedule::constant(1e-3)), ..Default::default() };
/// ```
#[derive(Clone, Debug, Default)]
pub struct GradientDescent {
    /// How long steps are.
    pub step: StepRule,
    /// When to stop.
    pub control: Control,
}

/// Proximal gradient for penalties with corners, accelerated unless told otherwise.
#[derive(Clone, Debug)]
pub struct ProximalGradient {
    /// How long steps are.
    pub step: StepRule,
    /// Whether steps carry momentum.
    pub accelerated: bool,
    /// When to stop.
    pub control: Control,
}

impl Default for ProximalGradient {
    fn default() -> Self {
        Self { step: StepRule::default(), accelerated: true, control: Control::default() }
    }
}

impl<T: Scalar, L: Smooth, P: SmoothPenalty> Solver<T, L, P> for GradientDescent {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let problem = Problem::new(backend, problem, data)?;
        descend(&problem, &self.step, false, &self.control, "gradient descent")
    }
}

impl<T: Scalar, L: Smooth, P: Penalty> Solver<T, L, P> for ProximalGradient {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let problem = Problem::new(backend, problem, data)?;
        descend(&problem, &self.step, self.accelerated, &self.control, "proximal gradient")
    }
}

fn descend<T: Scalar, L: Smooth>(
    problem: &Problem<'_, T, L>,
    rule: &StepRule,
    accelerated: bool,
    control: &Control,
    name: &str,
) -> Result<Fit<T>, Error> {
    let mut run = Run::new(control, LIMIT);
    let mut passes = 0;
    let mut rate = match rule {
        StepRule::Smoothness => 1.0 / smoothness(problem, &mut passes)?,
        StepRule::Backtracking => 1.0 / (problem.weight * problem.loss.smoothness()).max(1e-300),
        StepRule::Given(_) => 0.0,
    };
    let mut theta = vec![0.0; problem.unknowns()];
    let mut best = (f64::INFINITY, theta.clone());
    let (mut ahead, mut momentum) = (theta.clone(), 1.0_f64);
    let mut at_ahead = problem.evaluate(&ahead)?;
    let status = loop {
        passes += 1;
        if let StepRule::Given(schedule) = rule {
            rate = schedule.rate(run.iterations, run.iterations);
        }
        let (next, evaluation) = match rule {
            StepRule::Backtracking => {
                backtrack(problem, &ahead, &at_ahead, &mut rate, &mut passes)?
            }
            _ => {
                let next = proximal_step(problem, &ahead, &at_ahead.gradient, rate);
                let evaluation = problem.evaluate(&next)?;
                (next, evaluation)
            }
        };
        let moved: f64 = next.iter().zip(&ahead).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        if evaluation.objective < best.0 {
            best = (evaluation.objective, next.clone());
        }
        // The gradient mapping: ‖θ − next‖/η is what a gradient is where there are corners.
        let norm = moved / rate.max(f64::MIN_POSITIVE);
        let gap = norm * norm * rate;
        match run.report(evaluation.objective, norm, rate, gap) {
            // The gap on the way is a guess; what is proven decides.
            Some(Status::Solved) if !proven(problem, &best.1, &run)? && run.tighten(0.1) => {}
            Some(status) => break status,
            None => {}
        }
        if accelerated {
            let uphill: f64 =
                (0..next.len()).map(|j| (ahead[j] - next[j]) * (next[j] - theta[j])).sum();
            let following =
                if uphill > 0.0 { 1.0 } else { 0.5 + (0.25 + momentum * momentum).sqrt() };
            let carry = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / following };
            ahead = next.iter().zip(&theta).map(|(a, b)| a + carry * (a - b)).collect();
            momentum = following;
            at_ahead = if carry == 0.0 { evaluation } else { problem.evaluate(&ahead)? };
        } else {
            (ahead, at_ahead) = (next.clone(), evaluation);
        }
        theta = next;
    };
    let (theta, solver) = (best.1, name.to_string());
    problem.finish(Ending { theta, status, solver, passes, proof: Proof::Derivatives }, run)
}

fn proven<T: Scalar, L: Smooth>(
    problem: &Problem<'_, T, L>,
    theta: &[f64],
    run: &Run<'_>,
) -> Result<bool, Error> {
    Ok(problem.certify(theta, None, None)?.relative_gap <= run.tolerance())
}

fn proximal_step<T: Scalar, L: Smooth>(
    problem: &Problem<'_, T, L>,
    from: &[f64],
    gradient: &[f64],
    rate: f64,
) -> Vec<f64> {
    let features = problem.features();
    let step = |(j, (theta, g)): (usize, (&f64, &f64))| {
        let moved = theta - rate * g;
        // λ₂ is in the gradient already; only the corner is left to the prox.
        if j < features {
            crate::penalty::soft_threshold(moved, rate * problem.terms.l1[j])
        } else {
            moved
        }
    };
    from.iter().zip(gradient).enumerate().map(step).collect()
}

/// A step whose smooth part stays below its quadratic bound; the rate may grow a little each time.
fn backtrack<T: Scalar, L: Smooth>(
    problem: &Problem<'_, T, L>,
    from: &[f64],
    at: &Evaluation,
    rate: &mut f64,
    passes: &mut usize,
) -> Result<(Vec<f64>, Evaluation), Error> {
    let corners = |theta: &[f64]| -> f64 {
        theta.iter().zip(&problem.terms.l1).map(|(w, l1)| l1 * w.abs()).sum()
    };
    let smooth = at.objective - corners(from);
    *rate *= 2.0;
    let mut last = None;
    for _ in 0..MAX_HALVINGS {
        let next = proximal_step(problem, from, &at.gradient, *rate);
        let evaluation = problem.evaluate(&next)?;
        *passes += 1;
        let (mut slope, mut square) = (0.0, 0.0);
        for j in 0..next.len() {
            let step = next[j] - from[j];
            slope += at.gradient[j] * step;
            square += step * step;
        }
        let bound = smooth + slope + square / (2.0 * *rate) + 1e-15 * smooth.abs();
        let fits = evaluation.objective - corners(&next) <= bound;
        last = Some((next, evaluation));
        if fits {
            break;
        }
        *rate *= 0.5;
    }
    Ok(last.expect("there was a trial"))
}

/// L = smoothness·λ_max(X̃ᵀCX̃) + 2·max λ₂, with 1 in every row for the intercept.
fn smoothness<T: Scalar, L: Smooth>(
    problem: &Problem<'_, T, L>,
    passes: &mut usize,
) -> Result<f64, Error> {
    let data = problem.data;
    let mut v: Vec<f64> = (0..problem.unknowns()).map(|j| 1.0 + 0.1 * (j % 7) as f64).collect();
    let mut largest = 0.0;
    for _ in 0..POWER_ROUNDS {
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm == 0.0 || !norm.is_finite() {
            break;
        }
        v.iter_mut().for_each(|v| *v /= norm);
        let (weights, intercept) = problem.split(&v);
        let (_, mut z) = Rows::Memory(data).reduce(&PredictionPass { weights, intercept })?;
        for (t, z) in z.iter_mut().enumerate() {
            let offset = data.offset_of(t);
            *z = (*z - offset) * data.weight_of(t);
        }
        let pass = TransposedPass { u: &z, cols: problem.features() };
        let (_, mut product) = Rows::Memory(data).reduce(&pass)?;
        product.extend(problem.intercept.then(|| z.iter().sum::<f64>()));
        *passes += 2;
        let estimate = product.iter().map(|v| v * v).sum::<f64>().sqrt();
        let settled = estimate - largest <= 1e-3 * estimate;
        largest = estimate;
        v = product;
        if settled {
            break;
        }
    }
    let ridge = problem.terms.l2.iter().copied().fold(0.0, f64::max);
    Ok((1.05 * largest * problem.loss.smoothness() + 2.0 * ridge).max(f64::MIN_POSITIVE))
}
