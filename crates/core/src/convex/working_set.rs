//! Many columns, few of them in the answer: working sets.
//!
//! The problem is solved on the columns W that matter so far; one pass over all columns then shows which
//! others violate |∂F/∂w_j| ≤ λ₁ⱼ, and the worst of them join W. W starts with the columns that violate it
//! most at the start and about doubles, so that a handful of rounds do. Early rounds are solved roughly, by
//! [coordinate descent over the rows](super::column_descent). For the last digits the support alone is solved for, from
//! its Gram matrix. Columns that [screening](super::screening) proves to be out are left out of
//! all later passes, which are over a copy of the others once those are half as many.

use super::column_descent::{ColumnDescent, Descent, Standing};
use super::dual_point::Sums;
use super::finish::PASSES;
use super::newton::NewtonState;
use super::problem::Problem;
use super::run::Run;
use super::screening::ColumnNorms;
use crate::certificate::ConvexCertificate;
use crate::loss::TwiceSmooth;
use crate::penalty::Terms;
use crate::wide::Number;
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

/// Sizes that are neither too large nor too small for single precision.
const MODERATE: f64 = 1e12;
/// The most that an objective may rise, relative to it, while copies of columns stand for the columns;
const RISE: f64 = 1e-6;
/// and the most that a descent may leave of the gap.
const LEAST_GAIN: f64 = 0.5;
/// How often a descent that is stuck is helped.
const MOST_HELP: usize = 3;

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
    let mut search = Search {
        run,
        aim,
        features: problem.features(),
        norms: None,
        rounds: 0,
        passes: 0,
        decrement: None,
        certificate: None,
    };
    let status = search.over(problem, theta)?;
    let Search { passes, decrement, certificate, .. } = search;
    Ok(Outcome { status, passes, decrement, certificate })
}

/// What stays the same while columns come and go.
struct Search<'s, 'c> {
    run: &'s mut Run<'c>,
    aim: Aim,
    /// Columns of the whole problem.
    features: usize,
    /// Of the columns of the problem at hand.
    norms: Option<ColumnNorms>,
    rounds: usize,
    passes: usize,
    /// ½gᵀH⁻¹g at the end, where it is known.
    decrement: Option<f64>,
    /// What proves the end, where it is known.
    certificate: Option<ConvexCertificate>,
}

impl Search<'_, '_> {
    /// Minimises over the columns of a problem.
    fn over<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
    ) -> Result<Status, Error> {
        if problem.intercept && selected(&nonzero(problem, theta)).is_empty() {
            // The best intercept first: which columns matter is seen from there.
            let status = self.solve_at_once(problem, theta, &[], false)?;
            if status != Status::Solved {
                return Ok(status);
            }
        }
        // Copies in single precision make rounds twice as fast, and do for all but the worst conditioned columns.
        let status = match is_of_moderate_size(problem.data) {
            true => self.descend::<T, L, f32>(problem, theta)?,
            false => None,
        };
        match status {
            Some(status) => Ok(status),
            None => {
                let status = self.descend::<T, L, f64>(problem, theta)?;
                Ok(status.unwrap_or(Status::IterationLimit))
            }
        }
    }

    /// Minimises by descents on copies of columns in precision S; `None` where that is too coarse.
    fn descend<T: Scalar, L: TwiceSmooth, S: Number>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &mut [f64],
    ) -> Result<Option<Status>, Error> {
        let is_finest = ColumnDescent::<T, L, S>::IS_FINEST;
        let mut inside = nonzero(problem, theta);
        let mut descent = ColumnDescent::<T, L, S>::new(problem, theta)?;
        let mut before: Option<Promise> = None;
        let mut helped = 0;
        while self.rounds < MAX_ROUNDS {
            let standing = descent.standing()?;
            self.passes += 1;
            let is_broken = before.is_some_and(|promise| promise.is_broken(&standing));
            if is_broken && !is_finest {
                return Ok(None);
            }
            let Standing { violations, objective, gap } = standing;
            let worst = violations.iter().copied().fold(0.0, f64::max);
            theta.copy_from_slice(&descent.theta());
            let enough = match self.aim {
                Aim::Digits => worst <= BEFORE_DIGITS,
                Aim::Gap(asked) => gap <= asked || worst <= LEAST_VIOLATION,
            };
            if enough {
                return self.conclude(problem, theta).map(Some);
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
                return on_columns(problem, &columns, theta, |rest, theta| {
                    self.over(rest, theta).map(Some)
                });
            }
            self.rounds += 1;
            let mut chosen = admitted(problem, &violators, theta);
            // Neighbours are alike as a rule, and are best minimised over together.
            chosen.sort_unstable();
            chosen.iter().for_each(|&j| inside[j] = true);
            descent.gather_support();
            descent.append(&chosen)?;
            let is_settled = chosen.is_empty();
            before = Some(Promise { objective, gap, is_settled });
            match descent.descend((share * worst).max(LEAST_VIOLATION), self.run)? {
                Descent::Reached if L::QUADRATIC && is_settled => {
                    if self.is_proven(problem, &descent.theta())? {
                        theta.copy_from_slice(&descent.theta());
                        return Ok(Some(Status::Solved));
                    }
                }
                Descent::Reached => {}
                Descent::Exhausted => {
                    theta.copy_from_slice(&descent.theta());
                    // Newton's method on the support trusts its model less, where that is the trouble.
                    if L::QUADRATIC || helped == MOST_HELP {
                        return match is_finest {
                            true => self.conclude(problem, theta).map(Some),
                            false => Ok(None),
                        };
                    }
                    helped += 1;
                    inside = nonzero(problem, theta);
                    let status = self.solve_at_once(problem, theta, &selected(&inside), false)?;
                    if status != Status::Solved {
                        return Ok(Some(status));
                    }
                    inside = nonzero(problem, theta);
                    descent = ColumnDescent::new(problem, theta)?;
                    before = None;
                }
                Descent::Ended(status) => {
                    theta.copy_from_slice(&descent.theta());
                    return Ok(Some(status));
                }
            }
        }
        theta.copy_from_slice(&descent.theta());
        Ok(Some(Status::IterationLimit))
    }

    /// Whether θ is proven to have the gap that is asked for, as it should after a descent that went for it: then there is
    /// no need for another look.
    fn is_proven<T: Scalar, L: TwiceSmooth>(
        &mut self,
        problem: &Problem<'_, T, L>,
        theta: &[f64],
    ) -> Result<bool, Error> {
        let Aim::Gap(asked) = self.aim else { return Ok(false) };
        if problem.features() < self.features {
            return Ok(false);
        }
        let certificate = problem.certify_rounded(theta, None)?;
        self.passes += PASSES;
        let is_proven = certificate.relative_gap <= asked;
        self.certificate = is_proven.then_some(certificate);
        Ok(is_proven)
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

/// What a descent is held to: to lower the objective, and the gap too where no column came in.
struct Promise {
    objective: f64,
    gap: f64,
    is_settled: bool,
}

impl Promise {
    fn is_broken(&self, standing: &Standing) -> bool {
        let has_risen = standing.objective > self.objective + RISE * self.objective.abs();
        has_risen || (self.is_settled && standing.gap > LEAST_GAIN * self.gap)
    }
}

/// Whether targets, offsets and weights have sizes at which single precision has room for products of them.
fn is_of_moderate_size<T: Scalar>(data: &Dataset<'_, T>) -> bool {
    let largest = |view: Option<View<'_, T>>| {
        let values = view.into_iter().flat_map(|view| view.col_iter(0));
        values.map(|v| v.to_double().abs()).fold(0.0, f64::max)
    };
    let is_moderate = |size: f64| size == 0.0 || (1.0 / MODERATE..MODERATE).contains(&size);
    [Some(data.target_view()), data.weights(), data.offsets()]
        .into_iter()
        .all(|view| is_moderate(largest(view)))
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
    /// What proves the end, where it is known; its passes are counted.
    pub(super) certificate: Option<ConvexCertificate>,
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
    let mut outcome =
        Outcome { status, passes: run.iterations - before, decrement: None, certificate: None };
    if polish && status == Status::Solved {
        // The weights on the support may want a sign that the model had wrong: then there is nothing
        // to polish yet, and the next round sees it.
        if let Some(polished) = newton.polish()? {
            outcome.passes += polished.passes;
            outcome.decrement = polished.decrement;
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
