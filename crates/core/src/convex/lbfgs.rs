//! L-BFGS in a metric taken from the data.
//!
//! p = −Bg with B the limited-memory inverse Hessian of the last few steps (Liu and Nocedal 1989), started from
//! B₀ = (H̃ + 2Λ₂)⁻¹: H̃ is the Hessian of a sample of the rows where d is small beside m, so that the method
//! is nearly Newton's at the price of a gradient a step; else its diagonal. H̃ is taken anew while the
//! objective still falls fast, and the Hessian of all rows once it costs less than the steps that it is
//! likely to save. One pass over the data a step as a rule; with a diagonal, which takes many, over a copy in
//! [single precision](super::singles) until the objective on that is within reach of its minimum.

use std::collections::VecDeque;

use super::coordinates::Coordinates;
use super::factor::Factor;
use super::passes::CurvaturePass;
use super::problem::{Evaluation, Problem};
use super::run::Run;
use super::sample::{a_few, stride};
use super::separation::has_no_end;
use super::singles::Singles;
use super::vectors::{add_multiple, dot, largest, norm};
use crate::loss::TwiceSmooth;
use crate::{Dataset, Error, Rows, Scalar, Status};

/// Pairs kept: more save no steps.
const MEMORY: usize = 20;
/// The fraction of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step before the objective counts as flat.
const MAX_HALVINGS: usize = 40;
/// How often a metric is taken anew, and the fall of the objective in a step that makes it worth while.
const MAX_REFRESHES: usize = 3;
const FAST: f64 = 0.1;

/// Steps after which it is asked whether the iteration runs off, at this and every later power of two.
const FIRST_LOOK: usize = 16;

/// Steps between two looks at how fast a diagonal metric gets ahead.
const PATIENCE: usize = 10;
/// Columns for which a Hessian costs as much as one pass more.
const COLUMNS_PER_PASS: usize = 16;
/// The most columns for a full metric.
const MAX_FULL: usize = 2_000;

/// Rows that are looked at for the sizes of the columns, and the least square that a column of ordinary size has.
const SAMPLE: usize = 512;
const LEAST_SQUARE: f64 = 0.25;

/// The relative gap down to which a copy in single precision may serve.
const ROUGH: f64 = 1e-9;

/// What a loss that is flat in places is lifted by in the metric: enough where no row of the sample curves.
const LIFT: f64 = 0.1;

/// What the objective is above its minimum, at most or about.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Excess {
    /// ½gᵀBg, which is what the next step gains.
    Decrement,
    /// Σ g_j²/4λ₂ⱼ, which is what duality proves; the decrement where a weight has no λ₂.
    Proven,
}

/// Minimises a smooth objective from θ.
pub(super) fn minimise<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    theta: &mut Vec<f64>,
    run: &mut Run<'_>,
    excess: Excess,
) -> Result<Status, Error> {
    let coordinates = Coordinates::of(problem.data, problem.intercept);
    let features = problem.features();
    let mut metric = if affords_full_metric(problem.data.rows(), features) {
        Metric::full(problem, &coordinates, theta)?
    } else {
        Metric::diagonal(problem, &coordinates)
    };
    // A run that goes on is near its end.
    let is_long = !metric.is_full() && run.iterations == 0;
    let singles = if is_long { Singles::of(problem.data) } else { None };
    let copy = singles.as_ref().and_then(Singles::dataset);
    // What is read: the copy, or the data itself.
    let mut rough = copy.as_ref();
    let mut memory: VecDeque<Pair> = VecDeque::with_capacity(MEMORY);
    let mut current = evaluate(problem, rough, theta)?;
    let mut length = 0.0;
    let (mut steps, mut refreshes) = (0, 0);
    let mut looked = f64::INFINITY;
    loop {
        let gradient = coordinates.gradient(&current.gradient);
        let direction = descent(&memory, &metric, &gradient);
        let slope = dot(&gradient, &direction);
        let steepest = largest(&gradient);
        let decrement = -0.5 * slope;
        let gap = match excess {
            Excess::Proven => problem.duality_gap(&current.gradient).unwrap_or(decrement),
            Excess::Decrement => decrement,
        };
        let within_reach =
            gap <= run.target(current.objective).max(ROUGH * current.objective.abs());
        if rough.is_some() && within_reach {
            rough = None;
            current = problem.evaluate(theta)?;
            continue;
        }
        if let Some(status) = run.report(current.objective, steepest, length, gap) {
            return Ok(status);
        }
        let trial = |theta: &[f64]| evaluate(problem, rough, theta);
        let found = match slope < 0.0 {
            true => search(trial, theta, &current, &coordinates.step(&direction), slope)?,
            false => None,
        };
        let Some((fraction, next, evaluation)) = found else {
            if rough.take().is_none() {
                // No direction of descent is left at this precision.
                return Ok(Status::Solved);
            }
            current = problem.evaluate(theta)?;
            continue;
        };
        let change: Vec<f64> = direction.iter().map(|p| fraction * p).collect();
        let next_gradient = coordinates.gradient(&evaluation.gradient);
        let bend: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let curvature = dot(&change, &bend);
        if curvature > 1e-14 * norm(&bend) * norm(&change) {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back(Pair { change, bend, inverse: 1.0 / curvature });
        }
        let fall = current.objective - evaluation.objective;
        let falls_fast = fall > FAST * evaluation.objective.abs();
        (*theta, current, length) = (next, evaluation, fraction);
        steps += 1;
        if steps >= FIRST_LOOK && usize::is_power_of_two(steps) && has_no_end(problem, theta)? {
            return Ok(Status::NoMinimiser);
        }
        let due = if metric.is_full() {
            falls_fast && refreshes < MAX_REFRESHES
        } else if steps % PATIENCE == 0 {
            let before = std::mem::replace(&mut looked, gap);
            let ahead = steps_ahead(before, gap, run.target(current.objective));
            ahead > features as f64 / COLUMNS_PER_PASS as f64
        } else {
            false
        };
        if due && features <= MAX_FULL {
            metric = Metric::full(problem, &coordinates, theta)?;
            memory.clear();
            refreshes += 1;
        }
    }
}

/// The steps that are left if the gap goes on falling as in the last [`PATIENCE`] steps.
fn steps_ahead(before: f64, now: f64, target: f64) -> f64 {
    let rate = (before / now).ln() / PATIENCE as f64;
    let left = (now / target).ln();
    if rate > 0.0 { left / rate } else { f64::INFINITY }
}

impl<T: Scalar, L: TwiceSmooth> Problem<'_, T, L> {
    /// F(θ) less the dual objective at the derivatives of the loss, from the gradient at θ; `None` where a
    /// weight has no λ₂. What an intercept adds is of second order in its own partial derivative.
    fn duality_gap(&self, gradient: &[f64]) -> Option<f64> {
        let (weights, level) = self.split(gradient);
        let l2 = &self.terms.l2;
        let penalised = l2.iter().all(|&l2| l2 > 0.0);
        let terms = weights.iter().zip(l2).map(|(g, l2)| g * g / (4.0 * l2));
        penalised.then(|| terms.sum::<f64>() + level * level / self.weight)
    }
}

/// One step s, the change y of the gradient along it, and 1/(s·y).
struct Pair {
    change: Vec<f64>,
    bend: Vec<f64>,
    inverse: f64,
}

/// −Bg by the two loops of L-BFGS.
fn descent(memory: &VecDeque<Pair>, metric: &Metric<'_>, gradient: &[f64]) -> Vec<f64> {
    let mut q = gradient.to_vec();
    let mut factors = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let factor = pair.inverse * dot(&pair.change, &q);
        add_multiple(&mut q, -factor, &pair.bend);
        factors.push(factor);
    }
    metric.apply_inverse(&mut q);
    if !metric.is_full()
        && let Some(last) = memory.back()
    {
        // The usual scaling, in the metric: (s·y)/(y·B₀y).
        let mut bend = last.bend.clone();
        metric.apply_inverse(&mut bend);
        let scale = 1.0 / (last.inverse * dot(&last.bend, &bend));
        q.iter_mut().for_each(|v| *v *= scale);
    }
    for (pair, factor) in memory.iter().zip(factors.into_iter().rev()) {
        let other = pair.inverse * dot(&pair.bend, &q);
        add_multiple(&mut q, factor - other, &pair.change);
    }
    q.iter_mut().for_each(|v| *v = -*v);
    q
}

/// F and its gradient, or those on a copy of the data.
fn evaluate<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    rough: Option<&Dataset<'_, f32>>,
    theta: &[f64],
) -> Result<Evaluation, Error> {
    rough.map_or_else(|| problem.evaluate(theta), |copy| problem.evaluate_on(copy, theta))
}

/// Backtracks from the full step; `None` where the objective does not fall.
fn search(
    evaluate: impl Fn(&[f64]) -> Result<Evaluation, Error>,
    theta: &[f64],
    current: &Evaluation,
    step: &[f64],
    slope: f64,
) -> Result<Option<(f64, Vec<f64>, Evaluation)>, Error> {
    let mut fraction = 1.0;
    for _ in 0..MAX_HALVINGS {
        let trial: Vec<f64> = theta.iter().zip(step).map(|(t, s)| t + fraction * s).collect();
        let evaluation = evaluate(&trial)?;
        let change = evaluation.objective - current.objective;
        if change <= ARMIJO * fraction * slope {
            return Ok(Some((fraction, trial, evaluation)));
        }
        if fraction * slope.abs() <= 1e-15 * current.objective.abs() {
            return Ok(None);
        }
        // The minimiser of the parabola through what is known, kept away from both ends.
        let parabola = -0.5 * slope * fraction * fraction / (change - fraction * slope);
        fraction = if parabola.is_finite() {
            parabola.clamp(0.1 * fraction, 0.5 * fraction)
        } else {
            0.1 * fraction
        };
    }
    Ok(None)
}

/// What L-BFGS measures lengths by.
enum Metric<'a> {
    /// The Cholesky factor of H̃ + 2Λ₂.
    Full(Factor<'a>),
    /// The inverse of its diagonal.
    Diagonal(Vec<f64>),
}

impl<'a> Metric<'a> {
    /// The Hessian of a sample of the rows, of all where there are few.
    fn full<T: Scalar, L: TwiceSmooth>(
        problem: &Problem<'a, T, L>,
        coordinates: &Coordinates,
        theta: &[f64],
    ) -> Result<Self, Error> {
        let sample = problem.data.every(stride(problem.data.rows(), problem.features()))?;
        // The factor makes up for the rows left out.
        let factor = problem.weight / sample.total_weight().to_f64();
        let (weights, intercept) = problem.split(theta);
        let Problem { backend, loss, .. } = *problem;
        let pass = CurvaturePass { backend, loss, lift: LIFT, weights, intercept, coordinates };
        let mut hessian = Rows::Memory(&sample).reduce(&pass)?.hessian;
        let terms = coordinates.terms(&problem.terms);
        let size = hessian.rows();
        for j in 0..size {
            for i in j..size {
                let ridge = if i == j { 2.0 * terms.l2[j] } else { 0.0 };
                let value = factor * hessian[(i, j)] + ridge;
                // A little more on the diagonal keeps a sample without some column's values solvable.
                let more = if i == j { 1e-7 * value.abs() + f64::MIN_POSITIVE.sqrt() } else { 0.0 };
                hessian[(i, j)] = value + more;
            }
        }
        let factor = Factor::of(backend, hessian);
        Ok(factor.map_or_else(|| Self::diagonal(problem, coordinates), Self::Full))
    }

    /// The largest Hessian there can be, taken for uncorrelated columns.
    fn diagonal<T: Scalar, L: TwiceSmooth>(
        problem: &Problem<'a, T, L>,
        coordinates: &Coordinates,
    ) -> Self {
        let level = problem.weight * problem.loss.smoothness();
        let terms = coordinates.terms(&problem.terms);
        let squares = squares(problem, coordinates);
        let curvature = terms.l2.iter().zip(&squares).map(|(l2, square)| level * square + 2.0 * l2);
        Self::Diagonal(curvature.map(f64::recip).collect())
    }

    fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    fn apply_inverse(&self, v: &mut [f64]) {
        match self {
            Self::Diagonal(inverse) => v.iter_mut().zip(inverse).for_each(|(v, d)| *v *= d),
            Self::Full(factor) => v.copy_from_slice(&factor.solve(v)),
        }
    }
}

/// The mean squares of the unknowns' columns in the coordinates, from a few rows. The scales of the coordinates are
/// powers of two, so that columns alike may be a factor of four apart, which would cost half as many steps again.
fn squares<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    coordinates: &Coordinates,
) -> Vec<f64> {
    let crate::Design::Dense(x) = problem.data.design();
    let rows = a_few(x.rows(), SAMPLE);
    let mut squares = vec![0.0; problem.features()];
    for &t in &rows {
        for (j, square) in squares.iter_mut().enumerate() {
            let (shift, scale) = coordinates.standardisation(j);
            *square += ((x[(t, j)].to_double() - shift) * scale).powi(2);
        }
    }
    let mean = squares.iter().map(|square| (square / rows.len() as f64).max(LEAST_SQUARE));
    mean.chain(problem.intercept.then_some(1.0)).collect()
}

/// Whether the Hessian of a sample costs no more than a few passes.
fn affords_full_metric(rows: usize, features: usize) -> bool {
    features.saturating_mul(features) <= 10 * rows
}
