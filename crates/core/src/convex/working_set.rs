//! Many columns, few of them in the answer: working sets.
//!
//! The problem is solved on the columns W that matter so far; one pass over all columns then shows which
//! others violate |∂F/∂w_j| ≤ λ₁ⱼ, and the worst of them join W. W starts with the columns that violate it
//! most at the start and about doubles, so that a handful of rounds do. Early rounds are solved roughly, by
//! [coordinate descent over the rows](super::column_descent). Where that crawls, and for the last digits, the support alone is
//! solved for, from its Gram matrix. Columns that [screening](super::screening) proves to be out are left out of
//! all later passes, which are over a copy of the others once those are half as many.

use super::column_descent::{ColumnDescent, Descent, Standing};
use super::dual_point::Sums;
use super::newton::NewtonState;
use super::problem::Problem;
use super::run::Run;
use super::screening::ColumnNorms;
use crate::loss::TwiceSmooth;
use crate::penalty::Terms;
use crate::{Dataset, Error, Matrix, Scalar, Status, View};

/// With no more columns than this, all of them are in.
pub(super) const ALL_IN: usize = 96;

/// Columns of the first working set: where the loss is quadratic at least so many, and one for every so many rows, so
/// that what long columns cost is the look at all of them between the rounds; else no more than a quarter of all, since
/// each of them costs a curvature at every step.
const FIRST: usize = 64;
const LEAST: usize = 16;
const ROWS_PER_COLUMN: usize = 8;

/// Rounds before columns are screened, at this and every later power of two.
const SCREENED_FROM: usize = 8;

/// Rounds at most; each adds columns or ends.
const MAX_ROUNDS: usize = 200;

/// A round solves its columns to this share of the violations that it starts with.
const SHARE: f64 = 0.1;

/// Violations, in units of λ₁, that are as small as doubles can tell.
const LEAST_VIOLATION: f64 = 1e-12;

/// Violations to which columns are solved before their support is solved for to the last digit.
const BEFORE_DIGITS: f64 = 1e-5;

/// What is asked of a minimiser.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Aim {
    /// All digits.
    Digits,
    /// About this relative gap.
    Gap(f64),
}

/// Minimises over all columns by way of working sets; θ in place.
pub(super) fn minimise<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    theta: &mut [f64],
    run: &mut Run<'_>,
    aim: Aim,
) -> Result<Outcome, Error> {
    // Objectives of all columns and of some are reported in turn.
    run.without_patience();
    let mut search = Search { run, aim, norms: None, rounds: 0, passes: 0, decrement: None };
    let status = search.over(problem, theta)?;
    Ok(Outcome { status, passes: search.passes, decrement: search.decrement })
}

/// What stays the same while columns come and go.
struct Search<'s, 'c> {
    run: &'s mut Run<'c>,
    aim: Aim,
    /// Of the columns of the problem at hand.
    norms: Option<ColumnNorms>,
    rounds: usize,
    passes: usize,
    /// ½gᵀH⁻¹g at the end, where it is known.
    decrement: Option<f64>,
}

impl Search<'_, '_> {
    /// Minimises over the columns of a problem.
    fn over<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
    ) -> Result<Status, Error> {
        let mut inside = nonzero(problem, theta);
        if problem.intercept && selected(&inside).is_empty() {
            // The best intercept first: which columns matter is seen from there.
            let status = self.solve_at_once(problem, theta, &[], false)?;
            if status != Status::Solved {
                return Ok(status);
            }
        }
        let mut descent = ColumnDescent::new(problem, theta)?;
        while self.rounds < MAX_ROUNDS {
            let Standing { violations, gap } = descent.standing()?;
            self.passes += 1;
            let worst = violations.iter().copied().fold(0.0, f64::max);
            theta.copy_from_slice(&descent.theta());
            let enough = match self.aim {
                Aim::Digits => worst <= BEFORE_DIGITS,
                Aim::Gap(asked) => gap <= asked || worst <= LEAST_VIOLATION,
            };
            if enough {
                return self.conclude(problem, theta);
            }
            let violators = violators(&violations, &inside);
            // Once all columns are in that want to be, there is no reason to look around before the end.
            let share = match (violators.is_empty(), self.aim) {
                (false, _) => SHARE,
                (true, Aim::Digits) => SHARE * BEFORE_DIGITS / worst,
                (true, Aim::Gap(asked)) => (0.5 * asked / gap).min(SHARE),
            };
            // Screening costs two passes: for problems that prove to be long.
            if self.rounds >= SCREENED_FROM
                && self.rounds.is_power_of_two()
                && let Some(columns) = self.survivors(problem, theta, &inside)?
            {
                self.rounds += 1;
                return on_columns(problem, &columns, theta, |rest, theta| self.over(rest, theta));
            }
            self.rounds += 1;
            let mut chosen = admitted(problem, &violators, theta);
            // Neighbours are alike as a rule, and are best minimised over together.
            chosen.sort_unstable();
            chosen.iter().for_each(|&j| inside[j] = true);
            descent.append(&chosen)?;
            if chosen.is_empty() {
                descent.gather_support();
            }
            let end = descent.descend((share * worst).max(LEAST_VIOLATION), self.run);
            theta.copy_from_slice(&descent.theta());
            match end {
                Descent::Reached => {}
                Descent::Ended(status) => return Ok(status),
                Descent::Exhausted => return self.conclude(problem, theta),
                Descent::Slow => {
                    let support = selected(&nonzero(problem, theta));
                    let status = self.solve_at_once(problem, theta, &support, false)?;
                    if status != Status::Solved {
                        return Ok(status);
                    }
                    descent.offer(theta);
                }
            }
        }
        theta.copy_from_slice(&descent.theta());
        Ok(Status::IterationLimit)
    }

    /// What is left to do once the columns are solved for.
    fn conclude<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
    ) -> Result<Status, Error> {
        match self.aim {
            Aim::Digits => self.last_digits(problem, theta),
            Aim::Gap(_) => Ok(Status::Solved),
        }
    }

    /// Solves for the support with gradients in double-double, and with it for every column that then would like
    /// to be in it.
    fn last_digits<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
    ) -> Result<Status, Error> {
        let l1 = &problem.terms.l1;
        let least = LEAST_VIOLATION * l1.iter().copied().fold(0.0, f64::max);
        let mut inside: Vec<bool> =
            (0..l1.len()).map(|j| theta[j] != 0.0 || l1[j] == 0.0).collect();
        while self.rounds < MAX_ROUNDS {
            self.rounds += 1;
            let status = self.solve_at_once(problem, theta, &selected(&inside), true)?;
            if status != Status::Solved {
                return Ok(status);
            }
            // What λ₂ adds is in the gradient already, and zero outside.
            let gradient = problem.evaluate(theta)?.gradient;
            self.passes += 1;
            let before = selected(&inside).len();
            inside
                .iter_mut()
                .enumerate()
                .for_each(|(j, inside)| *inside |= gradient[j].abs() - l1[j] > least);
            if selected(&inside).len() == before {
                return Ok(Status::Solved);
            }
        }
        Ok(Status::IterationLimit)
    }

    /// Minimises over some of the columns from their Gram matrix, the others held at zero.
    fn solve_at_once<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
        columns: &[usize],
        polish: bool,
    ) -> Result<Status, Error> {
        let outcome = on_columns(problem, columns, theta, |inner, theta| {
            let (outcome, solution) = solve_dense(inner, theta.to_vec(), self.run, polish)?;
            theta.copy_from_slice(&solution);
            Ok(outcome)
        })?;
        self.passes += outcome.passes;
        self.decrement = outcome.decrement;
        Ok(outcome.status)
    }

    /// The columns that screening leaves, where they are few enough to be copied.
    fn survivors<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &[f64],
        inside: &[bool],
    ) -> Result<Option<Vec<usize>>, Error> {
        let point = problem.dual_point(theta, None, Sums::Plain)?;
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
}

/// Which columns have a weight.
fn nonzero<T: Scalar, L: TwiceSmooth>(problem: &Problem<'_, T, L>, theta: &[f64]) -> Vec<bool> {
    theta[..problem.features()].iter().map(|w| *w != 0.0).collect()
}

fn selected(flags: &[bool]) -> Vec<usize> {
    (0..flags.len()).filter(|&j| flags[j]).collect()
}

/// The columns outside that would like to come in, the worst first.
fn violators(violations: &[f64], inside: &[bool]) -> Vec<usize> {
    let wants = |&j: &usize| !inside[j] && violations[j] > LEAST_VIOLATION;
    let mut violators: Vec<usize> = (0..inside.len()).filter(wants).collect();
    violators.sort_by(|&a, &b| violations[b].total_cmp(&violations[a]).then(a.cmp(&b)));
    violators
}

/// The violators that are let in: as many as the support has columns, and all that pay no λ₁.
fn admitted<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    violators: &[usize],
    theta: &[f64],
) -> Vec<usize> {
    let free = violators.iter().filter(|&&j| problem.terms.l1[j] == 0.0).count();
    let support = selected(&nonzero(problem, theta)).len();
    let first = match L::QUADRATIC {
        true => FIRST.max(problem.data.rows() / ROWS_PER_COLUMN),
        false => FIRST.min(problem.features() / 4).max(LEAST),
    };
    violators.iter().copied().take(first.max(2 * support).max(free)).collect()
}

/// How a minimisation ended.
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) passes: usize,
    /// ½gᵀH⁻¹g at the end, where it is known.
    pub(super) decrement: Option<f64>,
}

/// Works on a copy of some columns, the other weights held at zero.
fn on_columns<T: Scalar, L: TwiceSmooth, R>(
    problem: &Problem<'_, T, L>,
    columns: &[usize],
    theta: &mut [f64],
    work: impl FnOnce(&Problem<'_, T, L>, &mut [f64]) -> Result<R, Error>,
) -> Result<R, Error> {
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

/// A copy of some columns, in the order named.
pub(super) fn copy_columns<T: Scalar>(
    x: View<'_, T>,
    columns: &[usize],
) -> Result<Matrix<T>, Error> {
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
