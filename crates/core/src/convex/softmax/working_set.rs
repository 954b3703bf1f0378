//! Corners: proximal Newton on the columns that matter.
//!
//! The problem is solved on the columns W that matter so far, with the weights of all classes for each; one pass over
//! all columns then shows which others violate |∂F/∂w_jk| ≤ λ₁ⱼ for some class, and the worst of them join W. W
//! starts with the columns that pay no λ₁, so that the first round is about them and the intercepts, and about doubles
//! in every round. Rounds are solved roughly until no column is missing. The end is a duality gap as asked for, or no
//! violation that doubles can tell. Where too many columns matter for a Hessian of them, all columns are solved for
//! [without one](super::matrix_free).

use super::finish::Ending;
use super::newton::{Method, SoftmaxNewton};
use super::problem::SoftmaxProblem;
use crate::convex::dual_point::Sums;
use crate::convex::run::Run;
use crate::convex::working_set::copy_columns;
use crate::penalty::Terms;
use crate::{Dataset, Error, Scalar, Status};

/// How the method is called.
const SOLVER: &str = "proximal Newton";
/// Columns that join at a time, at least.
const FIRST: usize = 32;
/// Rounds at most; each adds columns or ends.
const MAX_ROUNDS: usize = 200;
/// A round solves its columns to this share of the gap that it starts with.
const SHARE: f64 = 1e-2;
/// Violations, in units of λ₁, that are as small as doubles can tell.
const LEAST_VIOLATION: f64 = 1e-12;

/// Minimises over all columns by way of working sets, from θ.
pub(super) fn minimise<T: Scalar>(
    problem: &SoftmaxProblem<'_, T>,
    mut theta: Vec<f64>,
    run: &mut Run<'_>,
) -> Result<Ending, Error> {
    let l1 = &problem.terms.l1;
    let mut inside: Vec<usize> = (0..problem.features()).filter(|&j| l1[j] == 0.0).collect();
    let (mut passes, mut enough) = (0, 0.0);
    for _ in 0..MAX_ROUNDS {
        if Method::of(problem, inside.len()) == Method::MatrixFree {
            run.restart();
            let mut all = SoftmaxNewton::new(problem, Method::MatrixFree);
            let status = all.iterate(&mut theta, run, 0.0)?;
            let solver = "proximal Newton, by conjugate gradients";
            return Ok(Ending { theta, status, solver, passes: passes + all.passes });
        }
        if problem.intercept || !inside.is_empty() {
            // Objectives fall from round to round, but each round has the limit of steps for itself.
            run.restart();
            let status = on_columns(problem, &inside, &mut theta, |inner, theta| {
                let mut newton = SoftmaxNewton::new(inner, Method::Dense);
                let status = newton.iterate(theta, run, enough)?;
                passes += newton.passes;
                Ok(status)
            })?;
            if status != Status::Solved {
                return Ok(Ending { theta, status, solver: SOLVER, passes });
            }
        }
        let point = problem.dual_point(&theta, Sums::Plain)?;
        passes += 2;
        let gap = problem.gap_at(&point);
        let violators = violators(problem, &point.gradient, &inside);
        let complete = violators.is_empty() && enough == 0.0;
        if complete || gap <= run.tolerance() * point.objective.abs() {
            return Ok(Ending { theta, status: Status::Solved, solver: SOLVER, passes });
        }
        enough = if violators.is_empty() { 0.0 } else { SHARE * gap.min(point.objective) };
        let support = support(problem, &theta);
        let wanted = FIRST.max(support.len()).min(violators.len());
        if Method::of(problem, inside.len() + wanted) == Method::MatrixFree {
            inside = support;
        }
        inside.extend(violators.into_iter().take(wanted));
    }
    Ok(Ending { theta, status: Status::IterationLimit, solver: SOLVER, passes })
}

/// The Newton decrement over the columns that are free to move, where there are any.
pub(super) fn decrement<T: Scalar>(
    problem: &SoftmaxProblem<'_, T>,
    theta: &[f64],
) -> Result<f64, Error> {
    let columns = support(problem, theta);
    if Method::of(problem, columns.len()) == Method::MatrixFree {
        return SoftmaxNewton::new(problem, Method::MatrixFree).decrement(theta);
    }
    on_columns(problem, &columns, &mut theta.to_vec(), |inner, theta| {
        SoftmaxNewton::new(inner, Method::Dense).decrement(theta)
    })
}

/// The columns that have a weight, or pay no λ₁.
fn support<T: Scalar>(problem: &SoftmaxProblem<'_, T>, theta: &[f64]) -> Vec<usize> {
    let mut moves: Vec<bool> = problem.terms.l1.iter().map(|l1| *l1 == 0.0).collect();
    for weights in problem.weights(theta) {
        moves.iter_mut().zip(weights).for_each(|(moves, w)| *moves |= *w != 0.0);
    }
    (0..moves.len()).filter(|&j| moves[j]).collect()
}

/// The columns outside that would like to come in, the worst first.
fn violators<T: Scalar>(
    problem: &SoftmaxProblem<'_, T>,
    gradient: &[f64],
    inside: &[usize],
) -> Vec<usize> {
    let mut excess = vec![0.0_f64; problem.features()];
    for gradient in problem.weights(gradient) {
        for ((excess, g), l1) in excess.iter_mut().zip(gradient).zip(&problem.terms.l1) {
            *excess = excess.max(g.abs() / l1 - 1.0);
        }
    }
    inside.iter().for_each(|&j| excess[j] = 0.0);
    let wants = |&j: &usize| excess[j] > LEAST_VIOLATION;
    let mut violators: Vec<usize> = (0..excess.len()).filter(wants).collect();
    violators.sort_by(|&a, &b| excess[b].total_cmp(&excess[a]).then(a.cmp(&b)));
    violators
}

/// Works on a copy of some columns, the other weights held at zero.
fn on_columns<T: Scalar, R>(
    problem: &SoftmaxProblem<'_, T>,
    columns: &[usize],
    theta: &mut [f64],
    work: impl FnOnce(&SoftmaxProblem<'_, T>, &mut Vec<f64>) -> Result<R, Error>,
) -> Result<R, Error> {
    let crate::Design::Dense(x) = problem.data.design();
    let copy = copy_columns(x, columns)?;
    let data = problem.data.weigh_like(Dataset::new(copy.view(), problem.data.target_view())?)?;
    let take = |all: &[f64]| columns.iter().map(|&j| all[j]).collect::<Vec<f64>>();
    let terms = Terms { l1: take(&problem.terms.l1), l2: take(&problem.terms.l2) };
    let inner = problem.with_columns(&data, terms);
    let level = problem.features();
    let of_class = |theta: &[f64]| {
        let mut inner = take(theta);
        inner.extend(theta.get(level));
        inner
    };
    let mut inner_theta: Vec<f64> = theta.chunks(problem.unknowns()).flat_map(of_class).collect();
    let outcome = work(&inner, &mut inner_theta)?;
    let classes = theta.chunks_mut(problem.unknowns()).zip(inner_theta.chunks(inner.unknowns()));
    for (theta, inner) in classes {
        // Columns that were dropped have no weight.
        theta[..level].fill(0.0);
        columns.iter().zip(inner).for_each(|(&j, &w)| theta[j] = w);
        if problem.intercept {
            theta[level] = inner[columns.len()];
        }
    }
    Ok(outcome)
}
