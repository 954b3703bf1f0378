//! What the report says about changes since a baseline.

use crate::changes::{Change, DIGITS, DigitChange, FALSE, SMALLEST, changes, digit_changes};
use crate::record::{Comparison, Run};
use crate::{Part, Section, Table, Tone, text};

/// The comparison as a section, real changes first.
pub fn section(comparison: &Comparison, run: &Run) -> Section {
    let (real, rest) = called(comparison);
    let mut parts = vec![Part::Paragraph(headline(comparison, &real, &rest))];
    if !real.is_empty() {
        parts.push(Part::Table(table(&real)));
    }
    parts.push(Part::Paragraph(rule()));
    if !rest.is_empty() {
        parts.push(Part::Folded("Not called".to_string(), vec![Part::Table(table(&rest))]));
    }
    let missing = not_compared(comparison);
    if !missing.rows.is_empty() {
        parts.push(Part::Paragraph("These could not be compared:".to_string()));
        parts.push(Part::Table(missing));
    }
    if let Some(said) = about_digits(comparison, run) {
        parts.push(Part::Paragraph(said));
        let changed = digit_changes(&comparison.accuracy, &run.accuracy);
        if !changed.is_empty() {
            parts.push(Part::Table(digits(&changed)));
        }
    }
    Section { heading: format!("Compared with {}", comparison.baseline), parts }
}

/// The same in some lines of text.
pub fn in_short(comparison: &Comparison, run: &Run) -> String {
    let (real, rest) = called(comparison);
    let mut lines = vec![headline(comparison, &real, &rest)];
    lines.extend(real.iter().map(|change| {
        let (before, after) = (text::seconds(change.before), text::seconds(change.after));
        format!("  {}: {before} → {after} ({})", change.name, difference(change))
    }));
    lines.extend(
        not_compared(comparison)
            .rows
            .into_iter()
            .map(|row| format!("  not compared: {}", row.cells.join(": "))),
    );
    lines.extend(about_digits(comparison, run));
    lines.join("\n")
}

/// Real changes, the largest first, and the others.
fn called(comparison: &Comparison) -> (Vec<Change>, Vec<Change>) {
    let (mut real, rest): (Vec<_>, Vec<_>) =
        changes(comparison).into_iter().partition(Change::is_real);
    real.sort_by(|a, b| b.slower.estimate.abs().total_cmp(&a.slower.estimate.abs()));
    (real, rest)
}

fn headline(comparison: &Comparison, real: &[Change], rest: &[Change]) -> String {
    let Comparison { baseline, commit, .. } = comparison;
    let slower = real.iter().filter(|change| change.slower.estimate > 0.0).count();
    let all = real.len() + rest.len();
    let verdict = match (slower, real.len() - slower) {
        (0, 0) => "none is called slower or faster".to_string(),
        (0, faster) => format!("{faster} called faster, none slower"),
        (slower, 0) => format!("{slower} called slower, none faster"),
        (slower, faster) => format!("{slower} called slower, {faster} faster"),
    };
    format!("Of {all} times of ours beside the baseline {baseline} ({commit}): {verdict}.")
}

/// `None` where digits were not counted both then and now.
fn about_digits(comparison: &Comparison, run: &Run) -> Option<String> {
    let both = run.accuracy.iter().filter(|now| {
        let mut then = comparison.accuracy.iter();
        then.any(|then| then.same_problem(now))
    });
    let (all, changed) = (both.count(), digit_changes(&comparison.accuracy, &run.accuracy).len());
    (all > 0).then(|| {
        format!("Correct digits: {changed} of {all} changed by {DIGITS} or more, or were refused.")
    })
}

fn rule() -> String {
    format!(
        "The program that was built for the baseline and today's took turns on the same data in the same \
         minute, in bouts for which both were copied and started anew. Had nothing changed, each bout would be \
         as likely to find ours slower as faster: a signed-rank test gives the exact chance of bouts that agree \
         so much. Called is what differs by {:.0} % or more and is sure enough, by Benjamini and Hochberg's rule \
         for many tests, that {:.0} % of what is called is false on average (doubt ≤ {FALSE}).",
        100.0 * SMALLEST,
        100.0 * FALSE,
    )
}

fn table(changes: &[Change]) -> Table {
    let mut table = Table::new(["what", "before", "after", "change", "95 % interval", "doubt"]);
    for change in changes {
        let tone = match change.slower.estimate {
            _ if !change.is_real() => Tone::Plain,
            slower if slower > 0.0 => Tone::Bad,
            _ => Tone::Good,
        };
        let (low, high) = change.slower.interval;
        let cells = [
            change.name.clone(),
            text::seconds(change.before),
            text::seconds(change.after),
            difference(change),
            if low.is_finite() {
                format!("{} … {}", percent(low), percent(high))
            } else {
                "–".into()
            },
            if change.doubt < 0.001 { "< 0.001".into() } else { format!("{:.3}", change.doubt) },
        ];
        table.row(tone, cells);
    }
    table
}

fn not_compared(comparison: &Comparison) -> Table {
    let mut table = Table::new(["what", "why"]);
    for duel in &comparison.duels {
        if let Err(reason) = &duel.bouts {
            let what = format!("{}, {}", duel.line, duel.contestant);
            table.row(Tone::Faint, [what, reason.clone()]);
        }
    }
    table
}

fn digits(changed: &[DigitChange<'_>]) -> Table {
    let mut table = Table::new(["design", "κ", "backend", "solver", "digits before", "after"]);
    let said = |digits: Option<f64>| digits.map_or("refused".into(), |d| format!("{d:.1}"));
    for DigitChange { now, before, after } in changed {
        let tone = if after > before { Tone::Good } else { Tone::Bad };
        let cells = [
            now.family.clone(),
            format!("{:.0e}", now.condition),
            now.backend.clone(),
            now.solver.clone(),
            said(*before),
            said(*after),
        ];
        table.row(tone, cells);
    }
    table
}

fn difference(change: &Change) -> String {
    percent(change.slower.estimate)
}

fn percent(logarithm: f64) -> String {
    format!("{:+.0} %", 100.0 * logarithm.exp_m1())
}
