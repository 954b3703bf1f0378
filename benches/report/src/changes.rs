//! What changed since an earlier run, as far as noise lets it be said.
//!
//! The logarithm of the ratio of two medians has the standard error √(e₁² + e₂²) of both; a machine that
//! is itself faster or slower by a factor shows it in its limits. A change is called one if it is beyond
//! three standard errors, beyond what the limits moved, and beyond five percent.

use crate::Timing;
use crate::record::{Limits, Run};
use crate::{Part, Section, Table, Tone, text};

/// A change that is smaller is not worth a word, however sure.
const SMALLEST: f64 = 0.05;

/// Standard errors beyond which a difference is called a change.
const SURE: f64 = 3.0;

/// One contestant of ours on one line, then and now.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The line and who.
    pub name: String,
    /// Then, in seconds.
    pub before: f64,
    /// Now.
    pub after: f64,
    /// The difference of logarithms below which nothing is called.
    pub noise: f64,
}

impl Change {
    /// Slower is positive.
    pub fn logarithm(&self) -> f64 {
        (self.after / self.before).ln()
    }

    /// Whether it is a change.
    pub fn is_real(&self) -> bool {
        self.logarithm().abs() > self.noise
    }
}

/// All of ours that both runs measured.
pub fn changes(now: &Run, then: &Run) -> Vec<Change> {
    let drift = drift(&now.limits, &then.limits);
    let mut changes = Vec::new();
    for line in &now.lines {
        let Some(before) = then.lines.iter().find(|before| before.name == line.name) else {
            continue;
        };
        for entry in line.entries.iter().filter(|entry| entry.ours) {
            let known = before.entries.iter().find(|known| known.contestant == entry.contestant);
            let (Some(Ok(then)), Ok(now)) = (known.map(|known| &known.timing), &entry.timing)
            else {
                continue;
            };
            changes.push(Change {
                name: format!("{}, {}", line.title, entry.contestant),
                before: then.median,
                after: now.median,
                noise: noise(then, now).max(drift).max(SMALLEST),
            });
        }
    }
    changes
}

fn noise(then: &Timing, now: &Timing) -> f64 {
    match (then.noise(), now.noise()) {
        (Some(then), Some(now)) => SURE * then.hypot(now),
        // Too few samples to know: nothing is called.
        _ => f64::INFINITY,
    }
}

/// How far the machine itself moved.
fn drift(now: &Limits, then: &Limits) -> f64 {
    let moved = |now: f64, then: f64| (now / then).ln().abs();
    moved(now.read_bandwidth, then.read_bandwidth).max(moved(now.peak_flops, then.peak_flops))
}

/// The comparison as a section, real changes first.
pub fn section(name: &str, now: &Run, then: &Run) -> Section {
    let (real, rest): (Vec<_>, Vec<_>) = changes(now, then).into_iter().partition(Change::is_real);
    let said = format!(
        "{} of {} times changed beyond noise (three standard errors of the medians, the drift of the \
         machine's own limits of {:.0} %, and at least 5 %).",
        real.len(),
        real.len() + rest.len(),
        100.0 * drift(&now.limits, &then.limits)
    );
    let table = |changes: &[Change]| {
        let mut table = Table::new(["what", "before", "after", "change", "noise"]);
        for change in changes {
            let tone = match change.logarithm() {
                _ if !change.is_real() => Tone::Plain,
                slower if slower > 0.0 => Tone::Bad,
                _ => Tone::Good,
            };
            let percent = format!("{:+.0} %", 100.0 * (change.after / change.before - 1.0));
            let noise = match change.noise.is_finite() {
                true => format!("± {:.0} %", 100.0 * (change.noise.exp() - 1.0)),
                false => "unknown".to_string(),
            };
            let (before, after) = (text::seconds(change.before), text::seconds(change.after));
            table.row(tone, [change.name.clone(), before, after, percent, noise]);
        }
        Part::Table(table)
    };
    let mut parts = vec![Part::Paragraph(said)];
    if !real.is_empty() {
        parts.push(table(&real));
    }
    parts.push(Part::Folded("Within noise".to_string(), vec![table(&rest)]));
    Section { heading: format!("Compared with {name}"), parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: f64, after: f64, noise: f64) -> Change {
        Change { name: "x".into(), before, after, noise }
    }

    #[test]
    fn only_what_is_beyond_noise_is_called() {
        assert!(change(1.0, 1.3, 0.2).is_real());
        assert!(!change(1.0, 1.1, 0.2).is_real());
        assert!(!change(1.0, 9.0, f64::INFINITY).is_real());
        let timing = |samples| Timing { median: 1.0, lower: 0.9, upper: 1.1, samples };
        assert_eq!(noise(&timing(3), &timing(9)), f64::INFINITY);
        assert!(noise(&timing(16), &timing(16)) < noise(&timing(4), &timing(4)));
    }
}
