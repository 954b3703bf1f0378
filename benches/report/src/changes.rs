//! What changed since an earlier run, as far as noise lets it be said.
//!
//! Times on one machine differ from run to run though the code is the same: neighbours, caches, the clock.
//! How much is seen in the *references*, whose code did not change: the peers, and the yardstick that took
//! turns with everyone on a line. Times are compared by their lower quartiles, because neighbours only ever
//! add to them. With x the logarithm of how much slower someone became,
//!
//! 1. **drift**: what the machine did on a line is the median of its references' x and of one vote for
//!    the run as a whole, so that one odd peer moves nothing and a line without peers still has a say;
//! 2. **noise**: s² = e² + τ². e is what the scatter of the samples leaves of the two times, where nobody
//!    counts as steadier than half of all are. τ is what comes between runs: so large that half of the
//!    references are within 0.67 s of the drift that the *others* on their line show, and nine of ten within
//!    1.64 s, which makes each of them a rehearsal of the comparison with ours, for the peers or for the yardsticks, whichever move more;
//! 3. **how sure**: (x − drift)/s is held against Student's distribution, whose tails are heavy and are
//!    heavier the fewer references there are;
//! 4. **many at once**: what is called a change has passed Benjamini and Hochberg's test, so that of all
//!    that are called one in twenty is false on average, and where nothing changed there is one chance in
//!    twenty that anything is called at all;
//! 5. **worth a word**: a change below five percent is none.

use crate::Timing;
use crate::record::{Entry, Line, Run};

/// A change that is smaller is not worth a word, however sure.
pub const SMALLEST: f64 = 0.05;

/// Of the changes that are called, so many may be false.
pub const FALSE: f64 = 0.05;

/// No machine is steadier than this from run to run.
const STEADIEST: f64 = 0.005;

/// Degrees of freedom, however many references: what comes between runs has heavy tails.
const TAILS: f64 = 6.0;

/// What a scale from the median of n sizes is worth, in degrees of freedom for each of them.
const WORTH: f64 = 0.37;

/// One contestant of ours on one line, then and now.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The line and who.
    pub name: String,
    /// Then, in seconds.
    pub before: f64,
    /// Now.
    pub after: f64,
    /// The logarithm of how much slower ours became than the references.
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

/// All of ours that both runs measured.
pub fn changes(now: &Run, then: &Run) -> Vec<Change> {
    let lines = compared(now, then);
    let noise = Noise::of(&lines);
    let mut changes = Vec::new();
    let mut chances = Vec::new();
    for line in &lines {
        let shift = noise.shift(&line.references());
        for (name, pair) in &line.ours {
            let (logarithm, error) = (pair.slower - shift, noise.error(pair));
            chances.push(chance(logarithm / error, noise.freedom));
            changes.push(Change {
                name: name.clone(),
                before: pair.before,
                after: pair.after,
                logarithm,
                error,
                doubt: 1.0,
            });
        }
    }
    for (change, doubt) in changes.iter_mut().zip(doubts(&chances)) {
        change.doubt = doubt;
    }
    changes
}

/// A line that both runs have.
struct Compared {
    ours: Vec<(String, Pair)>,
    peers: Vec<Pair>,
    yardstick: Option<Pair>,
}

impl Compared {
    fn references(&self) -> Vec<Pair> {
        self.peers.iter().copied().chain(self.yardstick).collect()
    }
}

/// Someone who was timed in both runs.
#[derive(Clone, Copy)]
struct Pair {
    before: f64,
    after: f64,
    /// The logarithm of after over before.
    slower: f64,
    /// The standard error of that, from the samples of both.
    error: f64,
}

fn compared(now: &Run, then: &Run) -> Vec<Compared> {
    let scatters = (Scatter::of(then), Scatter::of(now));
    let pair = |before: &Timing, after: &Timing| Pair {
        before: before.lower,
        after: after.lower,
        slower: (after.lower / before.lower).ln(),
        error: scatters.0.error(before).hypot(scatters.1.error(after)),
    };
    let known = |line: &Line| then.lines.iter().find(|before| before.name == line.name);
    let both = now.lines.iter().filter_map(|line| Some((line, known(line)?)));
    let each = both.map(|(line, before)| {
        let (mut ours, mut peers) = (Vec::new(), Vec::new());
        for entry in &line.entries {
            let same = |known: &&Entry| known.contestant == entry.contestant;
            let Some(Ok(earlier)) = before.entries.iter().find(same).map(|e| &e.timing) else {
                continue;
            };
            let Ok(timing) = &entry.timing else { continue };
            match entry.ours {
                true => ours
                    .push((format!("{}, {}", line.title, entry.contestant), pair(earlier, timing))),
                // Who was timed once did not take turns with ours, and says nothing about the same minute.
                false if earlier.samples.min(timing.samples) > 1 => {
                    peers.push(pair(earlier, timing));
                }
                false => {}
            }
        }
        let yardsticks = before.yardstick.as_ref().zip(line.yardstick.as_ref());
        Compared { ours, peers, yardstick: yardsticks.map(|(before, after)| pair(before, after)) }
    });
    each.collect()
}

/// How much the samples of a run scatter.
struct Scatter {
    /// Half of all scatter less.
    usual: f64,
    /// Three of four do.
    large: f64,
}

impl Scatter {
    fn of(run: &Run) -> Self {
        let timings = run.lines.iter().flat_map(|line| {
            line.entries
                .iter()
                .filter_map(|entry| entry.timing.as_ref().ok())
                .chain(&line.yardstick)
        });
        let all = Timing::of(timings.filter_map(Timing::scatter).collect());
        Self { usual: all.map_or(0.0, |all| all.median), large: all.map_or(0.0, |all| all.upper) }
    }

    /// The standard error of the logarithm of a lower quartile, which is 1.3626·σ/√n. A few samples that happen to
    /// agree are no proof of steadiness, and fewer than four none of anything.
    fn error(&self, timing: &Timing) -> f64 {
        let scatter = timing.scatter().map_or(self.large, |own| own.max(self.usual));
        1.3626 * scatter / (timing.samples as f64).sqrt()
    }
}

/// What times do by themselves between two runs.
struct Noise {
    /// How much slower everything became.
    drift: f64,
    /// The part of the noise that more samples would not take away.
    between: f64,
    /// Degrees of freedom of the noise.
    freedom: f64,
}

impl Noise {
    fn of(lines: &[Compared]) -> Self {
        let all: Vec<f64> = lines.iter().flat_map(Compared::references).map(|r| r.slower).collect();
        let freedom = (WORTH * all.len() as f64).min(TAILS);
        let mut noise = Self { drift: median(all), between: 0.0, freedom };
        let (mut peers, mut yardsticks) = (Vec::new(), Vec::new());
        for line in lines {
            let references = line.references();
            for (k, own) in references.iter().enumerate() {
                let mut others = references.clone();
                others.swap_remove(k);
                let moved = (own.slower - noise.shift(&others), own.error);
                if k < line.peers.len() { peers.push(moved) } else { yardsticks.push(moved) }
            }
        }
        noise.between = spread(&peers).max(spread(&yardsticks)).max(STEADIEST);
        noise
    }

    /// What the machine did, as some references of a line and the run as a whole have it.
    fn shift(&self, references: &[Pair]) -> f64 {
        median(references.iter().map(|pair| pair.slower).chain([self.drift]).collect())
    }

    fn error(&self, pair: &Pair) -> f64 {
        pair.error.hypot(self.between)
    }
}

/// The τ for which half of all (x, e) have |x| ≤ 0.6745·√(e² + τ²) and nine of ten |x| ≤ 1.645·√(e² + τ²), as
/// in a normal distribution; zero where e alone explains x. Half of them would not see a machine that is twice
/// as slow now and then, and one in ten says little where all are alike.
fn spread(all: &[(f64, f64)]) -> f64 {
    let of = |share: f64, within: f64| {
        let mut squares: Vec<f64> = all.iter().map(|(x, e)| (x / within).powi(2) - e * e).collect();
        squares.sort_unstable_by(f64::total_cmp);
        let last = squares.len().saturating_sub(1) as f64;
        squares.get((share * last).round() as usize).copied().unwrap_or(0.0)
    };
    of(0.5, 0.6745).max(of(0.9, 1.645)).max(0.0).sqrt()
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
    // Next to no references: nothing is known.
    if freedom < 1.0 { 1.0 } else { beyond((t.abs() / freedom.sqrt()).atan()) / beyond(0.0) }
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

/// What makes two runs hard to compare, if anything does.
pub fn caution(now: &Run, then: &Run) -> Option<&'static str> {
    if now.settings.threads != then.settings.threads {
        return Some(
            "The two runs had different numbers of threads: most differences are due to that.",
        );
    }
    if now.machine.processor != then.machine.processor {
        return Some("The two runs were made on different processors.");
    }
    (now.settings.quick != then.settings.quick).then_some(
        "One of the two runs was quick: peers were given other tolerances, so that they tell less about \
         the machine.",
    )
}

#[cfg(test)]
mod tests;
