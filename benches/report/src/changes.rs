//! What changed since a baseline, as far as noise lets it be said.
//!
//! Each bout of a duel is a measurement of its own: two programs that were started for it took turns, so that x,
//! the median of log(after/before) over its pairs of times, is free of what came and went on the machine. Where
//! nothing changed, x is as often above zero as below. With x̄ the mean over n bouts and s their deviation,
//!
//! 1. **noise**: the standard error is s/√n, where nobody counts as steadier than half of all duels are, because
//!    a few bouts that happen to agree are no proof of steadiness;
//! 2. **how sure**: x̄ over its error is held against Student's distribution with n − 1 degrees of freedom;
//! 3. **many at once**: what is called a change has passed Benjamini and Hochberg's test, so that of all
//!    that are called one in twenty is false on average, and where nothing changed there is one chance in
//!    twenty that anything is called at all;
//! 4. **worth a word**: a change below five percent is none.

use crate::Timing;
use crate::record::{Bout, Comparison, Duel};

/// A change that is smaller is not worth a word, however sure.
pub const SMALLEST: f64 = 0.05;

/// Of the changes that are called, so many may be false.
pub const FALSE: f64 = 0.05;

/// No machine is steadier than this from bout to bout.
const STEADIEST: f64 = 0.002;

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
    pub logarithm: f64,
    /// The standard error of that.
    pub error: f64,
    /// The share of false ones among all that are at least as sure: Benjamini and Hochberg's q.
    pub doubt: f64,
}

impl Change {
    /// Whether it is a change.
    pub fn is_real(&self) -> bool {
        self.doubt <= FALSE && self.logarithm.abs() >= SMALLEST.ln_1p()
    }
}

/// All of ours that both programs ran often enough.
pub fn changes(comparison: &Comparison) -> Vec<Change> {
    let samples: Vec<(&Duel, Sample)> =
        comparison.duels.iter().filter_map(|duel| Some((duel, Sample::of(duel)?))).collect();
    let usual = median(samples.iter().map(|(_, sample)| sample.deviation).collect());
    let mut changes = Vec::new();
    let mut chances = Vec::new();
    for (duel, sample) in samples {
        let deviation = sample.deviation.max(usual).max(STEADIEST);
        let error = deviation / (sample.bouts as f64).sqrt();
        chances.push(chance(sample.mean / error, (sample.bouts - 1) as f64));
        changes.push(Change {
            name: format!("{}, {}", duel.line, duel.contestant),
            before: sample.before,
            after: sample.after,
            logarithm: sample.mean,
            error,
            doubt: 1.0,
        });
    }
    for (change, doubt) in changes.iter_mut().zip(doubts(&chances)) {
        change.doubt = doubt;
    }
    changes
}

/// What the bouts of a duel say.
struct Sample {
    before: f64,
    after: f64,
    mean: f64,
    deviation: f64,
    bouts: usize,
}

impl Sample {
    /// `None` of fewer than two bouts, which say nothing about noise.
    fn of(duel: &Duel) -> Option<Self> {
        let bouts = duel.bouts.as_ref().ok().filter(|bouts| bouts.len() >= 2)?;
        let slower: Vec<f64> = bouts.iter().map(slower).collect();
        let mean = slower.iter().sum::<f64>() / slower.len() as f64;
        let squares = slower.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let deviation = (squares / (slower.len() - 1) as f64).sqrt();
        let times = |of: fn(&(f64, f64)) -> f64| median(bouts.iter().flatten().map(of).collect());
        let (before, after) = (times(|pair| pair.0), times(|pair| pair.1));
        Some(Self { before, after, mean, deviation, bouts: bouts.len() })
    }
}

/// The logarithm of how much slower a bout found the code to be now.
fn slower(bout: &Bout) -> f64 {
    median(bout.iter().map(|(before, after)| (after / before).ln()).collect())
}

fn median(values: Vec<f64>) -> f64 {
    Timing::of(values).map_or(0.0, |all| all.median)
}

/// The probability that Student's t with ν degrees of freedom is at least this large, either way.
///
/// With t = √ν·tan θ its density is a multiple of cosᵛ⁻¹ θ.
fn chance(t: f64, freedom: f64) -> f64 {
    const STEPS: usize = 400;
    let beyond = |from: f64| {
        let width = (std::f64::consts::FRAC_PI_2 - from) / STEPS as f64;
        let places = (0..STEPS).map(|k| from + (k as f64 + 0.5) * width);
        places.map(|angle| angle.cos().powf(freedom - 1.0)).sum::<f64>() * width
    };
    beyond((t.abs() / freedom.sqrt()).atan()) / beyond(0.0)
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
