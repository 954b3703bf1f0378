//! What the report says about changes since a baseline.

use crate::changes::{Change, FALSE, SMALLEST, changes};
use crate::record::Comparison;
use crate::{Part, Section, Table, Tone, text};

/// The comparison as a section, real changes first.
pub fn section(comparison: &Comparison) -> Section {
    let (mut real, rest): (Vec<_>, Vec<_>) =
        changes(comparison).into_iter().partition(Change::is_real);
    real.sort_by(|a, b| b.logarithm.abs().total_cmp(&a.logarithm.abs()));
    let mut parts = vec![Part::Paragraph(headline(comparison))];
    if !real.is_empty() {
        parts.push(Part::Table(table(&real)));
    }
    parts.push(Part::Paragraph(RULE.to_string()));
    if !rest.is_empty() {
        parts.push(Part::Folded("Not called".to_string(), vec![Part::Table(table(&rest))]));
    }
    let heading = format!("Compared with {}", comparison.baseline);
    Section { heading, parts }
}

/// How many changes there are.
pub fn headline(comparison: &Comparison) -> String {
    let changes = changes(comparison);
    let (real, all) = (changes.iter().filter(|change| change.is_real()).count(), changes.len());
    let (is, percent, odds) =
        (if real == 1 { "is" } else { "are" }, 100.0 * SMALLEST, 100.0 * FALSE);
    format!(
        "{real} of {all} times {is} called changed since {} ({}): by {percent:.0} % or more, and surely \
         enough that at most {odds:.0} % of what is called is false on average.",
        comparison.baseline, comparison.commit
    )
}

/// One change in a line of text.
pub fn said(change: &Change) -> String {
    let (before, after) = (text::seconds(change.before), text::seconds(change.after));
    format!("{}: {before} → {after} ({})", change.name, difference(change))
}

const RULE: &str = "";

fn table(changes: &[Change]) -> Table {
    let mut table = Table::new(["what", "before", "after", "change", "standard error", "doubt"]);
    for change in changes {
        let tone = match change.logarithm {
            _ if !change.is_real() => Tone::Plain,
            slower if slower > 0.0 => Tone::Bad,
            _ => Tone::Good,
        };
        let cells = [
            change.name.clone(),
            text::seconds(change.before),
            text::seconds(change.after),
            difference(change),
            format!("± {:.1} %", 100.0 * change.error),
            if change.doubt < 0.001 { "< 0.001".into() } else { format!("{:.3}", change.doubt) },
        ];
        table.row(tone, cells);
    }
    table
}

fn difference(change: &Change) -> String {
    format!("{:+.0} %", 100.0 * change.logarithm.exp_m1())
}
