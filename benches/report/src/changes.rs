//! What changed since an earlier run, as far as noise lets it be said.
//!
//! The logarithm of the ratio of two medians has the standard error √(e₁² + e₂²) of both. What the machine did
//! meanwhile shows in its limits, and in the peers, whose code is the same: the median of their ratios on a
//! line is how much slower the machine was there, where there are enough of them, and nineteen of twenty of
//! their ratios are nearer to that than what counts as noise. A change is called one if it is beyond three
//! standard errors, beyond what the limits and the peers moved, and beyond five percent.

use crate::Timing;
use crate::record::{Entry, Line, Run};
use crate::{Part, Section, Table, Tone, text};

/// A change that is smaller is not worth a word, however sure.
const SMALLEST: f64 = 0.05;

/// Standard errors beyond which a difference is called a change.
const SURE: f64 = 3.0;

/// Peers on a line that show how the machine was there.
const ENOUGH: usize = 3;

/// One contestant of ours on one line, then and now.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The line and who.
    pub name: String,
    /// Then, in seconds.
    pub before: f64,
    /// Now.
    pub after: f64,
    /// The logarithm of how much slower the peers were on the line.
    pub shift: f64,
    /// The difference of logarithms below which nothing is called.
    pub noise: f64,
}

impl Change {
    /// Slower than the peers became is positive.
    pub fn logarithm(&self) -> f64 {
        (self.after / self.before).ln() - self.shift
    }

    /// Whether it is a change.
    pub fn is_real(&self) -> bool {
        self.logarithm().abs() > self.noise
    }
}

/// All of ours that both runs measured.
pub fn changes(now: &Run, then: &Run) -> Vec<Change> {
    let drift = Drift::of(now, then);
    let mut changes = Vec::new();
    for (line, before) in lines(now, then) {
        let shift = shift(line, before);
        let drift = if shift.is_some() { drift.beside } else { drift.anywhere };
        let shift = shift.unwrap_or(0.0);
        for (entry, before, after) in pairs(line, before, true) {
            changes.push(Change {
                name: format!("{}, {}", line.title, entry.contestant),
                before: before.median,
                after: after.median,
                shift,
                noise: noise(before, after).max(drift).max(SMALLEST),
            });
        }
    }
    changes
}

/// The lines that both runs have.
fn lines<'r>(now: &'r Run, then: &'r Run) -> impl Iterator<Item = (&'r Line, &'r Line)> {
    now.lines
        .iter()
        .filter_map(|line| Some((line, then.lines.iter().find(|before| before.name == line.name)?)))
}

/// Ours on a line, or the peers, as far as both runs timed them.
fn pairs<'r>(
    line: &'r Line,
    before: &'r Line,
    ours: bool,
) -> impl Iterator<Item = (&'r Entry, &'r Timing, &'r Timing)> {
    line.entries.iter().filter(move |entry| entry.ours == ours).filter_map(|entry| {
        let known = before.entries.iter().find(|known| known.contestant == entry.contestant)?;
        Some((entry, known.timing.as_ref().ok()?, entry.timing.as_ref().ok()?))
    })
}

/// Logarithms of how much slower they are, of those with samples enough.
fn ratios(line: &Line, before: &Line, ours: bool) -> Vec<f64> {
    let sampled =
        |(_, before, after): &(&Entry, &Timing, &Timing)| noise(before, after).is_finite();
    let ratio =
        |(_, before, after): (&Entry, &Timing, &Timing)| (after.median / before.median).ln();
    pairs(line, before, ours).filter(sampled).map(ratio).collect()
}

/// How much slower the peers were on a line, where they are enough to tell.
fn shift(line: &Line, before: &Line) -> Option<f64> {
    let ratios = ratios(line, before, false);
    if ratios.len() < ENOUGH { None } else { Timing::of(ratios).map(|all| all.median) }
}

fn noise(then: &Timing, now: &Timing) -> f64 {
    match (then.noise(), now.noise()) {
        (Some(then), Some(now)) => SURE * then.hypot(now),
        // Too few samples to know: nothing is called.
        _ => f64::INFINITY,
    }
}

/// How far times move by themselves.
struct Drift {
    /// On a line where enough peers show how the machine was.
    beside: f64,
    /// On any other.
    anywhere: f64,
}

impl Drift {
    fn of(now: &Run, then: &Run) -> Self {
        let moved = |now: f64, then: f64| (now / then).ln().abs();
        let limits = moved(now.limits.read_bandwidth, then.limits.read_bandwidth)
            .max(moved(now.limits.peak_flops, then.limits.peak_flops));
        let (mut beside, mut anywhere) = (Vec::new(), Vec::new());
        for (line, before) in lines(now, then) {
            let ratios = ratios(line, before, false);
            anywhere.extend(ratios.iter().map(|ratio| ratio.abs()));
            if let Some(shift) = shift(line, before) {
                beside.extend(ratios.iter().map(|ratio| (ratio - shift).abs()));
            }
        }
        Self { beside: most(beside).max(limits), anywhere: most(anywhere).max(limits) }
    }
}

/// What nineteen of twenty are within.
fn most(mut sizes: Vec<f64>) -> f64 {
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.get(sizes.len() * 19 / 20).copied().unwrap_or(0.0)
}

/// The comparison as a section, real changes first.
pub fn section(name: &str, now: &Run, then: &Run) -> Section {
    let (real, rest): (Vec<_>, Vec<_>) = changes(now, then).into_iter().partition(Change::is_real);
    let said = format!(
        "{} of {} times changed beyond noise: three standard errors of the medians, the drift of the \
         machine's limits and of the peers, {:.0} % beside the peers of a line and {:.0} % without, and at \
         least 5 %. Changes are beside those of the peers on the same line.",
        real.len(),
        real.len() + rest.len(),
        percent(Drift::of(now, then).beside),
        percent(Drift::of(now, then).anywhere)
    );
    let table = |changes: &[Change]| {
        let mut table = Table::new(["what", "before", "after", "change", "noise"]);
        for change in changes {
            let tone = match change.logarithm() {
                _ if !change.is_real() => Tone::Plain,
                slower if slower > 0.0 => Tone::Bad,
                _ => Tone::Good,
            };
            let change_is = format!("{:+.0} %", percent(change.logarithm()));
            let noise = match change.noise.is_finite() {
                true => format!("± {:.0} %", percent(change.noise)),
                false => "unknown".to_string(),
            };
            let (before, after) = (text::seconds(change.before), text::seconds(change.after));
            table.row(tone, [change.name.clone(), before, after, change_is, noise]);
        }
        Part::Table(table)
    };
    let mut parts = vec![Part::Paragraph(said)];
    if let Some(caution) = caution(now, then) {
        parts.push(Part::Paragraph(caution.to_string()));
    }
    if !real.is_empty() {
        parts.push(table(&real));
    }
    parts.push(Part::Folded("Within noise".to_string(), vec![table(&rest)]));
    Section { heading: format!("Compared with {name}"), parts }
}

/// What makes two runs hard to compare, if anything does.
pub fn caution(now: &Run, then: &Run) -> Option<&'static str> {
    if now.settings.threads != then.settings.threads {
        return Some(
            "The two runs had different numbers of threads: most differences are due to that.",
        );
    }
    (now.settings.quick != then.settings.quick).then_some(
        "One of the two runs was quick: peers were given other tolerances, so that they tell less about \
         the machine.",
    )
}

/// A difference of logarithms in percent.
fn percent(logarithm: f64) -> f64 {
    100.0 * (logarithm.exp() - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: f64, after: f64, noise: f64) -> Change {
        Change { name: "x".into(), before, after, shift: 0.0, noise }
    }

    #[test]
    fn only_what_is_beyond_noise_is_called() {
        assert!(change(1.0, 1.3, 0.2).is_real());
        assert!(!change(1.0, 1.1, 0.2).is_real());
        assert!(!change(1.0, 9.0, f64::INFINITY).is_real());
        // As much slower as the peers is no change.
        assert!(!Change { shift: 0.25, ..change(1.0, 1.3, 0.2) }.is_real());
        let timing = |samples| Timing { median: 1.0, lower: 0.9, upper: 1.1, samples };
        assert_eq!(noise(&timing(3), &timing(9)), f64::INFINITY);
        assert!(noise(&timing(16), &timing(16)) < noise(&timing(4), &timing(4)));
    }
}
