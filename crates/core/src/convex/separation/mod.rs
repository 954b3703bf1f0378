//! Logistic regression without a penalty on separable data has no minimiser.
//!
//! With a_t = y_t x̃_t, x̃_t the free columns of a row that counts and the 1 of the intercept, exactly one of these
//! holds (Stiemke 1915; Albert and Anderson 1984):
//! - some w has a_t·w ≥ 0 for all rows and > 0 for some: the loss falls for ever along it. The data is separable if
//!   it is > 0 for all, and quasi-separable if not;
//! - some α > 0 has Σ α_t a_t = 0: there is a minimiser.
//!
//! Neither is believed without proof, and no proof depends on the data's precision:
//! 1. Newton's step at θ shows an α ([`balance`]). This is what ordinary data ends with, for the price of one Hessian;
//! 2. θ itself, or Newton's step, shows a w up to rounding: as iterates run off, the steps converge to such a w. Rows
//!    that come to rest lie on its hyperplane. The w that they lie on exactly ([`ties`]) is tried on every row in exact
//!    arithmetic ([`rows`]). Newton's method goes on in doubles for that, from a point where nothing is far off yet;
//! 3. few rows are decided in integers ([`faces`]).
//!
//! Where all of these fail nothing is claimed: the fit is then of limited accuracy.
//!
//! A w is kept rounded. It is a proof because the way back is defined: rows that doubles cannot tell from its
//! hyperplane are meant to be on it, and the w nearest to it that they are on is to have no row on its wrong side.

mod balance;
mod faces;
mod gram;
mod pivoted;
mod relations;
mod rows;
#[cfg(test)]
mod tests;
mod ties;

use std::cell::OnceCell;

use self::balance::{Balance, Standing, Step};
use self::faces::Face;
use self::rows::{Direction, SignedRows};
use super::problem::Problem;
use super::products::predictions;
use crate::certificate::Separation;
use crate::loss::{AnyLoss, Loss};
use crate::{Error, Scalar};

/// Unknowns from which on a Hessian is too large to be made for a proof alone.
const MOST_UNKNOWNS: usize = 2_000;
/// Newton's steps on the way to a proof: iterates of separable data run off by about 1 a step, and rows that come to
/// rest have lost e^−k of their share after k of them.
const MOST_STEPS: usize = 40;
/// The most products in the Hessians of all these steps: a quarter of a minute or so on one thread.
const MOST_PRODUCTS: usize = 1 << 37;
/// Newton's steps to the minimiser, once one is near: the error is squared by each.
const LAST_STEPS: usize = 8;
/// Predictions at which the way to a proof begins: nothing is far off yet.
const NEAR_ZERO: f64 = 8.0;
/// The share of the largest margin that rows on the wrong side have left when a step is worth a look.
const COME_TO_REST: f64 = 1e-3;
/// By how much the margins of rows that run off stand out from those of rows that come to rest.
const STANDS_OUT: f64 = 10.0;
/// Sets of ties that are tried for one step, and in all: a set of n independent ties costs about 4n³ products of words.
const SETS_A_STEP: usize = 3;
const MOST_SETS: usize = 24;
const MOST_WORDS: usize = 1 << 28;
/// The most independent ties of a set that is tried.
const MOST_TIES: usize = 200;
/// The most independent ties of a direction that is not exact as it is rounded: what `verify` takes on.
const MOST_ROUNDED_TIES: usize = 64;

/// A share of the largest margin below which a row of a softmax problem lies on the hyperplane.
pub(super) fn on_hyperplane<T: Scalar>() -> f64 {
    1e-6_f64.max(1e4 * T::unit_roundoff())
}

/// What is proven about the minimiser.
pub(super) enum Minimiser {
    /// There is one, and θ is near it.
    Near,
    /// There is one, near this θ.
    At {
        theta: Vec<f64>,
        /// ½gᵀH⁻¹g there.
        decrement: f64,
    },
    /// There is none.
    Absent(Box<Separation>),
    /// Nothing, or that there is one, but not where.
    Unproven,
}

/// Looks for a proof that there is a minimiser near θ, or that there is none. Where the search is not thorough, θ is
/// only tried as a direction.
pub(super) fn decide<T: Scalar, L: Loss>(
    problem: &Problem<'_, T, L>,
    theta: &[f64],
    thorough: bool,
) -> Result<Minimiser, Error> {
    if problem.loss.known() != Some(AnyLoss::Logistic) {
        return Ok(Minimiser::Near);
    }
    if problem.terms.free().is_empty() {
        return Ok(with_free_intercept(problem));
    }
    let search = Search { problem, rows: OnceCell::new() };
    if !thorough || problem.unknowns() > MOST_UNKNOWNS {
        let weights = search.free_part(theta);
        return Ok(search.confirmed(weights).unwrap_or(Minimiser::Unproven));
    }
    let balance = Balance::of(problem, theta)?;
    let mut v = balance.inner(theta);
    let standing = balance.standing(&v)?;
    let step = balance.step(&standing)?;
    if search.proves(&balance, &standing, &step) {
        return Ok(Minimiser::Near);
    }
    if let Some(absent) = search.confirmed(search.free_part(theta)) {
        return Ok(absent);
    }
    let mut sets = (MOST_WORDS / 4 / problem.unknowns().pow(3)).clamp(SETS_A_STEP, MOST_SETS);
    if let Some(absent) = search.along(&balance, &step, &mut sets) {
        return Ok(absent);
    }
    let back = (NEAR_ZERO / balance.reach(&standing)).min(1.0);
    v.iter_mut().for_each(|v| *v *= back);
    for _ in 0..affordable_steps(problem) {
        let standing = balance.standing(&v)?;
        let step = balance.step(&standing)?;
        if search.proves(&balance, &standing, &step) {
            if balance.unknowns() < problem.unknowns() {
                // Weights that pay a penalty would have to follow.
                return Ok(Minimiser::Unproven);
            }
            let (v, decrement) = settle(&balance, v, step)?;
            return Ok(Minimiser::At { theta: balance.replaced(theta, &v), decrement });
        }
        if let Some(absent) = search.along(&balance, &step, &mut sets) {
            return Ok(absent);
        }
        let Some(length) = balance.length(&standing, &step) else { break };
        v.iter_mut().zip(&step.step).for_each(|(v, s)| *v += length * s);
    }
    Ok(match search.rows().face() {
        Face::Open(exact) => {
            let weights = search.rows().exact_direction(exact).weights;
            search.confirmed(weights).unwrap_or(Minimiser::Unproven)
        }
        Face::Closed | Face::Spent => Minimiser::Unproven,
    })
}

/// Whether θ has every row on its right side, as far as doubles tell, with nothing that holds its weights back: an
/// iteration that goes on from there never ends.
pub(super) fn has_no_end<T: Scalar, L: Loss>(
    problem: &Problem<'_, T, L>,
    theta: &[f64],
) -> Result<bool, Error> {
    if problem.loss.known() != Some(AnyLoss::Logistic) || !problem.terms.is_zero() {
        return Ok(false);
    }
    let (weights, intercept) = problem.split(theta);
    let z = predictions(problem.data, weights, intercept)?;
    let (data, y) = (problem.data, problem.data.target_view());
    let mut counted = (0..z.len()).filter(|&t| data.weight_of(t) > 0.0);
    Ok(counted.all(|t| (z[t] - data.offset_of(t)) * y[(t, 0)].to_double() > 0.0))
}

/// Newton's steps that the size of the problem allows.
fn affordable_steps<T: Scalar, L: Loss>(problem: &Problem<'_, T, L>) -> usize {
    let unknowns = problem.unknowns();
    let each = problem.data.rows().saturating_mul(unknowns).saturating_mul(unknowns);
    (MOST_PRODUCTS / each.max(1)).min(MOST_STEPS)
}

/// With a penalty on every weight only the intercept can run off, and does where there is one class.
fn with_free_intercept<T: Scalar, L: Loss>(problem: &Problem<'_, T, L>) -> Minimiser {
    let y = problem.data.target_view();
    let counted = (0..problem.data.rows()).filter(|&t| problem.data.weight_of(t) > 0.0);
    let mut classes = counted.map(|t| y[(t, 0)].to_double());
    let first = classes.next().unwrap_or(0.0);
    if !problem.intercept || classes.any(|class| class != first) {
        return Minimiser::Near;
    }
    Minimiser::Absent(Box::new(Separation {
        terms: problem.terms.clone(),
        weights: vec![0.0; problem.features()],
        intercept: Some(first),
        complete: true,
    }))
}

/// Newton's steps to the minimiser, once one is near: the point, and ½gᵀH⁻¹g there.
fn settle<T: Scalar, L: Loss>(
    balance: &Balance<'_, T, L>,
    mut v: Vec<f64>,
    mut step: Step,
) -> Result<(Vec<f64>, f64), Error> {
    for _ in 0..LAST_STEPS {
        let next: Vec<f64> = v.iter().zip(&step.step).map(|(v, s)| v + s).collect();
        let next_step = balance.step(&balance.standing(&next)?)?;
        // What is left then is rounding.
        if next_step.square >= 0.25 * step.square {
            break;
        }
        (v, step) = (next, next_step);
    }
    Ok((v, 0.5 * step.square))
}

/// The search for a direction of endless descent.
struct Search<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    /// Made where doubles do not do.
    rows: OnceCell<SignedRows<'p, T>>,
}

impl<'p, T: Scalar, L: Loss> Search<'p, T, L> {
    fn rows(&self) -> &SignedRows<'p, T> {
        self.rows.get_or_init(|| SignedRows::of(self.problem))
    }

    /// The free weights of θ, and its intercept.
    fn free_part(&self, theta: &[f64]) -> Vec<f64> {
        let weights = self.problem.terms.free().into_iter().map(|j| theta[j]);
        weights.chain(theta[self.problem.features()..].iter().copied()).collect()
    }

    /// Whether a step proves that there is a minimiser.
    fn proves(&self, balance: &Balance<'_, T, L>, standing: &Standing<T>, step: &Step) -> bool {
        balance.is_proof(standing, step)
            && (step.rank == balance.unknowns() || self.rows().span_at_most(step.rank))
    }

    /// What rounded weights prove: that there is no minimiser, or nothing.
    fn confirmed(&self, weights: Vec<f64>) -> Option<Minimiser> {
        let rows = self.rows();
        let direction = normalised(weights)?;
        let direction = rows.direction(direction);
        let complete = if rows.separates(&direction) {
            rows.separates_all(&direction)
        } else {
            let ties = rows.undecided(&direction.weights);
            if ties.is_empty() || !rows.all_but_ties_are_right(&direction.weights) {
                return None;
            }
            let projected = rows.project(&direction, &ties, MOST_ROUNDED_TIES)?;
            if !rows.separates(&projected) {
                return None;
            }
            false
        };
        Some(Minimiser::Absent(Box::new(self.separation(direction, complete))))
    }

    /// What the direction of a step proves, with the rows on its hyperplane that have come to rest.
    fn along(
        &self,
        balance: &Balance<'_, T, L>,
        step: &Step,
        sets: &mut usize,
    ) -> Option<Minimiser> {
        let mut margins = balance.margins(step);
        margins.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let largest = margins.first()?.1;
        let least = margins.iter().map(|(_, margin)| *margin).fold(f64::INFINITY, f64::min);
        if !(largest > 0.0 && least >= -COME_TO_REST * largest) {
            return None;
        }
        let weights = balance.outer(&step.step);
        if let Some(absent) = self.confirmed(weights.clone()) {
            return Some(absent);
        }
        let direction = self.rows().direction(normalised(weights)?);
        for off in standing_out(&margins) {
            if *sets == 0 {
                return None;
            }
            *sets -= 1;
            let mut ties: Vec<usize> = margins[off..].iter().map(|(t, _)| *t).collect();
            ties.sort_unstable();
            let projected = self.rows().project(&direction, &ties, MOST_TIES);
            if let Some(absent) = projected.and_then(|found| self.confirmed(found.weights)) {
                return Some(absent);
            }
        }
        None
    }

    fn separation(&self, direction: Direction, complete: bool) -> Separation {
        let mut weights = vec![0.0; self.problem.features()];
        let free = self.problem.terms.free();
        free.iter().zip(&direction.weights).for_each(|(&j, w)| weights[j] = *w);
        let intercept = direction.weights.get(free.len()).copied();
        Separation { terms: self.problem.terms.clone(), weights, intercept, complete }
    }
}

/// How many rows stand out from the others, the clearest cases first: margins in descending order of their size.
fn standing_out(margins: &[(usize, f64)]) -> Vec<usize> {
    let right = margins.iter().take_while(|(_, margin)| *margin > 0.0).count();
    let ratio = |k: usize| (margins[k - 1].1 / margins[k].1).abs();
    let gaps = (1..=right.min(margins.len() - 1)).map(|k| (ratio(k), k));
    let mut gaps: Vec<(f64, usize)> = gaps.filter(|(ratio, _)| *ratio >= STANDS_OUT).collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    gaps.into_iter().take(SETS_A_STEP).map(|(_, k)| k).collect()
}

/// Weights over a power of two that brings the largest to about 1; `None` where they are no direction.
fn normalised(mut weights: Vec<f64>) -> Option<Vec<f64>> {
    let largest = super::vectors::largest(&weights);
    if largest == 0.0 || !weights.iter().all(|w| w.is_finite()) {
        return None;
    }
    let unit = f64::power_of_two((-largest.exponent()).clamp(-1000, 1000));
    weights.iter_mut().for_each(|w| *w *= unit);
    Some(weights)
}
