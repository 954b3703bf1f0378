//! Logistic and softmax regression on classes that can be told apart have no minimiser, where weights pay no penalty.
//!
//! For every row t of class y and every other class k let a_tk·w be the prediction of y less that of k, w the
//! [free weights](question) of all classes. Exactly one of these holds (Stiemke 1915; Albert and Anderson 1984):
//! - some w has a_tk·w ≥ 0 for all of them and > 0 for some: the loss falls for ever along it. The data is separable if
//!   it is > 0 for all, and quasi-separable if not;
//! - some α > 0 has Σ α_tk a_tk = 0: there is a minimiser.
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
mod question;
mod relations;
mod rows;
#[cfg(test)]
mod tests;
mod ties;

use std::cell::OnceCell;

use self::balance::{Balance, Standing, Step};
use self::faces::Face;
pub(super) use self::question::{Endless, Question};
use self::rows::SignedRows;
use super::problem::Problem;
use super::products::predictions;
use crate::loss::{AnyLoss, Loss};
use crate::{Error, Scalar};

/// Unknowns from which on a Hessian is too large to be made for a proof alone.
const MOST_UNKNOWNS: usize = 2_000;
/// Newton's steps on the way to a proof: iterates of separable data run off by about 1 a step, and rows that come to
/// rest have lost e^−k of their share after k of them.
const MOST_STEPS: usize = 40;
/// The most products in the Hessians of all these steps and in their factors: a quarter of a minute or so on one thread.
const MOST_PRODUCTS: usize = 1 << 37;
/// What a product in a factor takes, in products of a Hessian.
const SLOWER: usize = 8;
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

/// What is proven about the minimiser.
pub(super) enum Minimiser {
    /// There is one, and the point is near it.
    Near,
    /// There is one, near these weights and intercepts of each block; no weight pays a penalty.
    At {
        blocks: Vec<Vec<f64>>,
        /// The loss there, and ½gᵀH⁻¹g, before the weights were rounded.
        objective: f64,
        decrement: f64,
    },
    /// There is none.
    Absent(Endless),
    /// Nothing, or that there is one, but not where.
    Unproven,
}

/// Looks for a proof that there is a minimiser near the point, or that there is none. Where the search is not thorough,
/// the point is only tried as a direction.
pub(super) fn decide<T: Scalar>(
    question: &Question<'_, T>,
    thorough: bool,
) -> Result<Minimiser, Error> {
    if let Some(endless) = question.missing_classes() {
        return Ok(Minimiser::Absent(endless));
    }
    if question.columns.is_empty() || question.blocks == 0 {
        // With a penalty on every weight only intercepts can run off, and do where a class is missing.
        return Ok(Minimiser::Near);
    }
    let search = Search { question, rows: OnceCell::new() };
    let unknowns = question.unknowns();
    if !thorough || unknowns > MOST_UNKNOWNS {
        return Ok(search.confirmed(question.free_part()).unwrap_or(Minimiser::Unproven));
    }
    let balance = Balance::of(question)?;
    let mut v = balance.inner(&question.free_part());
    let standing = balance.standing(&v)?;
    let step = balance.step(&standing)?;
    if search.proves(&balance, &standing, &step) {
        return Ok(Minimiser::Near);
    }
    if let Some(absent) = search.confirmed(question.free_part()) {
        return Ok(absent);
    }
    let mut sets = (MOST_WORDS / 4 / unknowns.pow(3)).clamp(SETS_A_STEP, MOST_SETS);
    if let Some(absent) = search.along(&balance, &step, &mut sets) {
        return Ok(absent);
    }
    let back = (NEAR_ZERO / balance.reach(&standing)).min(1.0);
    v.iter_mut().for_each(|v| *v *= back);
    for _ in 0..affordable_steps(question) {
        let standing = balance.standing(&v)?;
        let step = balance.step(&standing)?;
        if search.proves(&balance, &standing, &step) {
            if question.columns.len() < question.data.cols() {
                // Weights that pay a penalty would have to follow.
                return Ok(Minimiser::Unproven);
            }
            let (v, objective, step) = settle(&balance, v, standing.objective, step)?;
            let blocks = question.spread(&balance.outer(&v));
            return Ok(Minimiser::At { blocks, objective, decrement: 0.5 * step.square });
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

/// Newton's steps that the size of the question allows.
fn affordable_steps<T: Scalar>(question: &Question<'_, T>) -> usize {
    let unknowns = question.unknowns();
    let length = question.data.rows().saturating_add(SLOWER * unknowns);
    let each = length.saturating_mul(unknowns).saturating_mul(unknowns);
    (MOST_PRODUCTS / each.max(1)).min(MOST_STEPS)
}

/// Newton's steps to the minimiser, once one is near: the point, the loss there, and the step that is left.
fn settle<T: Scalar>(
    balance: &Balance<'_, T>,
    mut v: Vec<f64>,
    mut objective: f64,
    mut step: Step,
) -> Result<(Vec<f64>, f64, Step), Error> {
    for _ in 0..LAST_STEPS {
        let next: Vec<f64> = v.iter().zip(&step.step).map(|(v, s)| v + s).collect();
        let standing = balance.standing(&next)?;
        let next_step = balance.step(&standing)?;
        // What is left then is rounding.
        if next_step.square >= 0.25 * step.square {
            break;
        }
        (v, objective, step) = (next, standing.objective, next_step);
    }
    Ok((v, objective, step))
}

/// The search for a direction of endless descent.
struct Search<'q, T: Scalar> {
    question: &'q Question<'q, T>,
    /// Made where doubles do not do.
    rows: OnceCell<SignedRows<'q, T>>,
}

impl<'q, T: Scalar> Search<'q, T> {
    fn rows(&self) -> &SignedRows<'q, T> {
        self.rows.get_or_init(|| SignedRows::of(self.question))
    }

    /// Whether a step proves that there is a minimiser.
    fn proves(&self, balance: &Balance<'_, T>, standing: &Standing, step: &Step) -> bool {
        balance.is_proof(standing, step)
            && (step.rank == self.question.unknowns() || self.rows().span_at_most(step.rank))
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
            let most = MOST_ROUNDED_TIES.min(rows.most_rounded_ties());
            let projected = rows.project(&direction, &ties, most)?;
            if !rows.separates(&projected) {
                return None;
            }
            false
        };
        let blocks = self.question.spread(&direction.weights);
        Some(Minimiser::Absent(Endless { blocks, complete }))
    }

    /// What the direction of a step proves, with the rows on its hyperplane that have come to rest.
    fn along(&self, balance: &Balance<'_, T>, step: &Step, sets: &mut usize) -> Option<Minimiser> {
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
