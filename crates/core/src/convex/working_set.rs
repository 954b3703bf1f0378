//! Many columns, few of them in the answer: working sets.
//!
//! The problem is solved on the columns W that matter so far; one pass over all columns then shows which
//! others violate |∂F/∂w_j| ≤ λ₁ⱼ, and the worst of them join W. W starts with the columns that violate it
//! most at the start and about doubles, so that a handful of rounds do. The columns of W are copied side by
//! side, and all passes of the inner solver are over that copy. Columns that [screening](super::screening) proves to be
//! out are left out of all later passes, which are over a copy of the others once those are half as many.

use super::newton::NewtonState;
use super::problem::Problem;
use super::run::Run;
use super::screening::ColumnNorms;
use crate::loss::TwiceSmooth;
use crate::penalty::Terms;
use crate::{Dataset, Error, Matrix, Scalar, Status, View};

/// With no more columns than this, all of them are in.
pub(super) const ALL_IN: usize = 96;

/// Columns of the first working set at least.
const FIRST: usize = 64;

/// Rounds before columns are screened, at this and every later power of two.
const SCREENED_FROM: usize = 8;

/// Rounds at most; each adds columns or ends.
const MAX_ROUNDS: usize = 200;

/// Minimises over all columns by way of working sets; the status, and θ in place.
pub(super) fn minimise<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    theta: &mut [f64],
    run: &mut Run<'_>,
    polish: bool,
) -> Result<Outcome, Error> {
    let inside = theta[..problem.features()].iter().map(|w| *w != 0.0).collect();
    let mut search = Search { run, polish, norms: None, rounds: 0 };
    search.over(problem, theta, inside)
}

/// What stays the same while columns come and go.
struct Search<'s, 'c> {
    run: &'s mut Run<'c>,
    polish: bool,
    /// Of the columns of the problem at hand.
    norms: Option<ColumnNorms>,
    rounds: usize,
}

impl Search<'_, '_> {
    /// Minimises over the columns of a problem, those `inside` in the working set already.
    fn over<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
        mut inside: Vec<bool>,
    ) -> Result<Outcome, Error> {
        let mut outcome = Outcome { status: Status::IterationLimit, passes: 0, decrement: None };
        while self.rounds < MAX_ROUNDS {
            let gradient = problem.evaluate(theta)?.gradient;
            outcome.passes += 1;
            let violators = violators(problem, &gradient, &inside);
            if self.rounds > 0 && violators.is_empty() {
                return Ok(outcome);
            }
            // Screening costs two passes: for problems that prove to be long.
            if self.rounds >= SCREENED_FROM
                && self.rounds.is_power_of_two()
                && let Some(columns) = self.survivors(problem, theta, &inside)?
            {
                let rest = self.over_columns(problem, theta, &inside, &columns)?;
                return Ok(Outcome { passes: outcome.passes + rest.passes, ..rest });
            }
            self.rounds += 1;
            admit(problem, &violators, theta, &mut inside);
            let columns = selected(&inside);
            let inner = on_columns(problem, &columns, theta, |inner, theta| {
                let (outcome, solution) =
                    solve_dense(inner, theta.to_vec(), self.run, self.polish)?;
                theta.copy_from_slice(&solution);
                Ok(outcome)
            })?;
            outcome.passes += inner.passes;
            (outcome.status, outcome.decrement) = (inner.status, inner.decrement);
            if outcome.status != Status::Solved {
                return Ok(outcome);
            }
        }
        Ok(outcome)
    }

    /// The columns that screening leaves, where they are few enough to be copied.
    fn survivors<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &[f64],
        inside: &[bool],
    ) -> Result<Option<Vec<usize>>, Error> {
        let point = problem.dual_point(theta, None)?;
        let norms = match self.norms.take() {
            Some(norms) => norms,
            None => ColumnNorms::of(problem)?,
        };
        let mut stays = inside.to_vec();
        norms.survivors(problem, &point).into_iter().for_each(|j| stays[j] = true);
        let columns = selected(&stays);
        let few = columns.len() <= problem.features() / 2;
        self.norms = Some(if few { norms.take(&columns) } else { norms });
        Ok(few.then_some(columns))
    }

    /// Goes on with some of the columns only.
    fn over_columns<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
        inside: &[bool],
        columns: &[usize],
    ) -> Result<Outcome, Error> {
        let inside = columns.iter().map(|&j| inside[j]).collect();
        on_columns(problem, columns, theta, |rest, theta| self.over(rest, theta, inside))
    }
}

fn selected(flags: &[bool]) -> Vec<usize> {
    (0..flags.len()).filter(|&j| flags[j]).collect()
}

/// The columns outside that would like to come in, the most eager first.
fn violators<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    gradient: &[f64],
    inside: &[bool],
) -> Vec<usize> {
    let terms = &problem.terms;
    let scale = terms.l1.iter().copied().fold(0.0, f64::max);
    // What λ₂ adds is in the gradient already, and zero outside.
    let excess = |j: usize| gradient[j].abs() - terms.l1[j];
    let wants = |&j: &usize| !inside[j] && (excess(j) > 1e-12 * scale || terms.l1[j] == 0.0);
    let mut violators: Vec<usize> = (0..problem.features()).filter(wants).collect();
    violators.sort_by(|&a, &b| excess(b).total_cmp(&excess(a)).then(a.cmp(&b)));
    violators
}

/// Lets the first violators in: as many as the support has columns, and all that pay no λ₁.
fn admit<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    violators: &[usize],
    theta: &[f64],
    inside: &mut [bool],
) {
    let free = violators.iter().filter(|&&j| problem.terms.l1[j] == 0.0).count();
    let support = theta[..problem.features()].iter().filter(|w| **w != 0.0).count();
    for &j in violators.iter().take(FIRST.max(support).max(free)) {
        inside[j] = true;
    }
}

/// How a minimisation ended.
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) passes: usize,
    /// ½gᵀH⁻¹g at the end, where it is known.
    pub(super) decrement: Option<f64>,
}

/// Works on a copy of some columns, the other weights held at zero.
fn on_columns<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    columns: &[usize],
    theta: &mut [f64],
    work: impl FnOnce(&Problem<'_, T, L>, &mut [f64]) -> Result<Outcome, Error>,
) -> Result<Outcome, Error> {
    let crate::Design::Dense(x) = problem.data.design();
    let copy = copy_columns(x, columns)?;
    let data = problem.data.weigh_like(Dataset::new(copy.view(), problem.data.target_view())?)?;
    let take = |all: &[f64]| columns.iter().map(|&j| all[j]).collect::<Vec<f64>>();
    let terms = Terms { l1: take(&problem.terms.l1), l2: take(&problem.terms.l2) };
    let inner = problem.with_columns(&data, terms);
    let mut inner_theta = take(theta);
    let level = problem.features();
    inner_theta.extend(problem.intercept.then(|| theta[level]));
    let outcome = work(&inner, &mut inner_theta)?;
    for (&j, &w) in columns.iter().zip(&inner_theta) {
        theta[j] = w;
    }
    if problem.intercept {
        theta[level] = inner_theta[columns.len()];
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
