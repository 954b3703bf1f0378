//! Many columns, few of them in the answer: working sets.
//!
//! The problem is solved on the columns W that matter so far; one pass over all columns then shows which
//! others violate |∂F/∂w_j| ≤ λ₁ⱼ, and the worst of them join W. W starts with the columns that violate it
//! most at the start and about doubles, so that a handful of rounds do. The columns of W are copied side by
//! side, and all passes of the inner solver are over that copy.

use super::newton::NewtonState;
use super::problem::Problem;
use super::run::Run;
use crate::loss::TwiceSmooth;
use crate::penalty::Terms;
use crate::{Dataset, Error, Matrix, Scalar, Status, View};

/// With no more columns than this, all of them are in.
pub(super) const ALL_IN: usize = 96;

/// Columns of the first working set at least.
const FIRST: usize = 64;

/// Rounds at most; each adds columns or ends.
const MAX_ROUNDS: usize = 200;

/// Minimises over all columns by way of working sets; the status, and θ in place.
pub(super) fn minimise<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    theta: &mut [f64],
    run: &mut Run<'_>,
    polish: bool,
) -> Result<Outcome, Error> {
    let features = problem.features();
    let mut inside = vec![false; features];
    let mut columns: Vec<usize> = Vec::new();
    let mut outcome = Outcome { status: Status::IterationLimit, passes: 0, decrement: None };
    for round in 0..MAX_ROUNDS {
        let evaluation = problem.evaluate(theta)?;
        outcome.passes += 1;
        let gradient = &evaluation.gradient;
        // g + 2λ₂w is in the gradient already, and w = 0 outside.
        let excess = |j: usize| gradient[j].abs() - problem.terms.l1[j];
        let scale = (0..features).map(|j| problem.terms.l1[j]).fold(0.0, f64::max);
        let mut violators: Vec<usize> = (0..features)
            .filter(|&j| !inside[j] && (excess(j) > 1e-12 * scale || problem.terms.l1[j] == 0.0))
            .collect();
        if round > 0 && violators.is_empty() {
            return Ok(outcome);
        }
        violators.sort_by(|&a, &b| excess(b).total_cmp(&excess(a)).then(a.cmp(&b)));
        let free = violators.iter().filter(|&&j| problem.terms.l1[j] == 0.0).count();
        let support = columns.iter().filter(|&&j| theta[j] != 0.0).count();
        let room = FIRST.max(support).max(free);
        for &j in violators.iter().take(room) {
            inside[j] = true;
        }
        inside.iter_mut().zip(theta.iter()).for_each(|(inside, w)| *inside |= *w != 0.0);
        columns = (0..features).filter(|&j| inside[j]).collect();
        let inner = solve_on(problem, &columns, theta, run, polish)?;
        outcome.passes += inner.passes;
        (outcome.status, outcome.decrement) = (inner.status, inner.decrement);
        if !matches!(inner.status, Status::Solved) {
            return Ok(outcome);
        }
    }
    Ok(outcome)
}

/// How a minimisation ended.
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) passes: usize,
    /// ½gᵀH⁻¹g at the end, where it is known.
    pub(super) decrement: Option<f64>,
}

/// Minimises over the columns of a working set, the other weights held at zero.
fn solve_on<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    columns: &[usize],
    theta: &mut [f64],
    run: &mut Run<'_>,
    polish: bool,
) -> Result<Outcome, Error> {
    let crate::Design::Dense(x) = problem.data.design();
    let copy = copy_columns(x, columns)?;
    let data = problem.data.weigh_like(Dataset::new(copy.view(), problem.data.target_view())?)?;
    let take = |all: &[f64]| columns.iter().map(|&j| all[j]).collect::<Vec<f64>>();
    let terms = Terms { l1: take(&problem.terms.l1), l2: take(&problem.terms.l2) };
    let inner = problem.with_columns(&data, terms);
    let mut start = take(theta);
    start.extend(problem.intercept.then(|| theta[problem.features()]));
    let (outcome, solution) = solve_dense(&inner, start, run, polish)?;
    for (&j, &w) in columns.iter().zip(&solution) {
        theta[j] = w;
    }
    if problem.intercept {
        theta[problem.features()] = solution[columns.len()];
    }
    Ok(outcome)
}

/// Minimises over all columns at once, and polishes the result where that is asked for.
pub(super) fn solve_dense<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    start: Vec<f64>,
    run: &mut Run<'_>,
    polish: bool,
) -> Result<(Outcome, Vec<f64>), Error> {
    let before = run.iterations;
    let mut newton = NewtonState::new(problem, start);
    let status = newton.iterate(run)?;
    let mut outcome = Outcome { status, passes: run.iterations - before, decrement: None };
    if polish && status == Status::Solved {
        // The weights on the support may want a sign that the model had wrong: then there is nothing
        // to polish yet, and the next round sees it.
        if let Some(polished) = newton.polish()? {
            outcome.passes += polished.passes;
            outcome.decrement = Some(polished.decrement);
        }
    }
    Ok((outcome, newton.theta))
}

fn copy_columns<T: Scalar>(x: View<'_, T>, columns: &[usize]) -> Result<Matrix<T>, Error> {
    let mut copy = Matrix::try_filled(x.rows(), columns.len(), T::zero())?;
    if x.col_stride() == 1 {
        // Along the rows of the source, so that each is read once.
        let rows = x.rows();
        for i in 0..rows {
            let row = x.row_slice(i).expect("contiguous rows");
            for (k, &j) in columns.iter().enumerate() {
                copy.as_mut_slice()[k * rows + i] = row[j];
            }
        }
    } else {
        for (k, &j) in columns.iter().enumerate() {
            copy.col_mut(k).iter_mut().zip(x.col_iter(j)).for_each(|(to, &from)| *to = from);
        }
    }
    Ok(copy)
}
