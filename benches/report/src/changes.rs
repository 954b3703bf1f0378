//! What changed since a baseline, as far as noise lets it be said.
//!
//! Each bout of a duel is a measurement of its own: two programs that were started for it took turns, so that x,
//! the median of log(after/before) over its pairs of times, is free of what came and went on the machine. Where
//! nothing changed, the programs could swap their names, and x is as likely to lie some way above zero as that
//! way below. That is all that the [signed-rank test](crate::signed_rank) asks for.
//!
//! 1. **how much**: the estimate of Hodges and Lehmann from the bouts, with its interval;
//! 2. **how sure**: the exact probability of bouts that agree so much, had nothing changed;
//! 3. **many at once**: what is called a change has passed Benjamini and Hochberg's test, so that of all
//!    that are called one in twenty is false on average, and where nothing changed there is one chance in
//!    twenty that anything is called at all;
//! 4. **worth a word**: a change below five percent is none.
//!
//! Correct digits are free of noise; half a digit is worth a word.

use crate::Timing;
use crate::record::{AccuracyRecord, Bout, Comparison, Duel};
use crate::signed_rank::Place;

/// A change of a time that is smaller is not worth a word, however sure.
pub const SMALLEST: f64 = 0.05;

/// Of the changes that are called, so many may be false.
pub const FALSE: f64 = 0.05;

/// A change of correct digits that is smaller is not worth a word.
pub const DIGITS: f64 = 0.5;

/// One contestant of ours on one line, then and now.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The line and who.
    pub name: String,
    /// Then, in seconds.
    pub before: f64,
    /// Now.
    pub after: f64,
    /// The logarithm of how much slower it became.
    pub slower: Place,
    /// The share of false ones among all that are at least as sure: Benjamini and Hochberg's q.
    pub doubt: f64,
}

impl Change {
    /// Whether it is a change.
    pub fn is_real(&self) -> bool {
        self.doubt <= FALSE && self.slower.estimate.abs() >= SMALLEST.ln_1p()
    }
}

/// All of ours that both programs ran.
pub fn changes(comparison: &Comparison) -> Vec<Change> {
    let mut changes: Vec<Change> = comparison.duels.iter().filter_map(change).collect();
    let chances: Vec<f64> = changes.iter().map(|change| change.slower.chance).collect();
    for (change, doubt) in changes.iter_mut().zip(doubts(&chances)) {
        change.doubt = doubt;
    }
    changes
}

/// As if it were the only one.
fn change(duel: &Duel) -> Option<Change> {
    let bouts = duel.bouts.as_ref().ok()?;
    let slower = Place::of(&bouts.iter().map(slower).collect::<Option<Vec<_>>>()?)?;
    let times = |of: fn(&(f64, f64)) -> f64| median(bouts.iter().flatten().map(of).collect());
    Some(Change {
        name: format!("{}, {}", duel.line, duel.contestant),
        before: times(|pair| pair.0)?,
        after: times(|pair| pair.1)?,
        doubt: slower.chance,
        slower,
    })
}

/// The logarithm of how much slower a bout found the code to be now.
fn slower(bout: &Bout) -> Option<f64> {
    median(bout.iter().map(|(before, after)| (after / before).ln()).collect())
}

fn median(values: Vec<f64>) -> Option<f64> {
    Some(Timing::of(values)?.median)
}

/// Benjamini and Hochberg's q for each of many chances: the least p_k·n/k of those that are no more sure.
fn doubts(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_unstable_by(|&a, &b| chances[b].total_cmp(&chances[a]));
    let mut doubts = vec![1.0; chances.len()];
    let mut least = 1.0_f64;
    for (after, &k) in order.iter().enumerate() {
        least = least.min(chances[k] * chances.len() as f64 / (chances.len() - after) as f64);
        doubts[k] = least;
    }
    doubts
}

/// Correct digits of one solver on one design that are not what they were.
#[derive(Clone, Debug, PartialEq)]
pub struct DigitChange<'a> {
    /// What was solved, and by whom.
    pub now: &'a AccuracyRecord,
    /// Digits then; `None` where it was refused.
    pub before: Option<f64>,
    /// Digits now.
    pub after: Option<f64>,
}

/// All digits that changed, of those that were counted both then and now.
pub fn digit_changes<'a>(
    then: &'a [AccuracyRecord],
    now: &'a [AccuracyRecord],
) -> Vec<DigitChange<'a>> {
    let digits = |record: &AccuracyRecord| record.outcome.as_ref().ok().map(|found| found.digits);
    let each = now.iter().filter_map(|now| {
        let earlier = then.iter().find(|then| then.same_problem(now))?;
        let (before, after) = (digits(earlier), digits(now));
        let changed = match (before, after) {
            (Some(before), Some(after)) => (after - before).abs() >= DIGITS,
            (before, after) => before.is_some() != after.is_some(),
        };
        changed.then_some(DigitChange { now, before, after })
    });
    each.collect()
}

#[cfg(test)]
mod tests;
