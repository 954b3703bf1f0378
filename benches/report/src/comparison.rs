//! What the report says about changes since an earlier run.

use crate::changes::{Change, FALSE, SMALLEST, caution, changes};
use crate::record::Run;
use crate::{Part, Section, Table, Tone, text};

/// The comparison as a section, real changes first.
pub fn section(name: &str, now: &Run, then: &Run) -> Section {
    let (mut real, rest): (Vec<_>, Vec<_>) =
        changes(now, then).into_iter().partition(Change::is_real);
    real.sort_by(|a, b| b.logarithm.abs().total_cmp(&a.logarithm.abs()));
    let mut parts = vec![Part::Paragraph(headline(real.len(), real.len() + rest.len(), name))];
    parts.extend(caution(now, then).map(|caution| Part::Paragraph(caution.to_string())));
    if !real.is_empty() {
        parts.push(Part::Table(table(&real)));
    }
    parts.push(Part::Paragraph(RULE.to_string()));
    parts.push(Part::Folded("Not called".to_string(), vec![Part::Table(table(&rest))]));
    Section { heading: format!("Compared with {name}"), parts }
}

/// How many changes there are.
pub fn headline(real: usize, all: usize, name: &str) -> String {
    let percent = 100.0 * SMALLEST;
    let (is, odds) = (if real == 1 { "is" } else { "are" }, 100.0 * FALSE);
    format!(
        "{real} of {all} times {is} called changed since {name}: by {percent:.0} % or more, and surely \
         enough that at most {odds:.0} % of what is called is false on average."
    )
}

/// One change in a line of text.
pub fn said(change: &Change) -> String {
    let (before, after) = (text::seconds(change.before), text::seconds(change.after));
    format!("{}: {before} → {after} ({})", change.name, difference(change))
}

const RULE: &str = "The rule: a change is that of the lower quartile, which neighbours on the machine move least, beside what the peers of the line and a fixed \
    load that took turns with everyone did meanwhile, because their code is the same. Its standard error \
    is made of the scatter of the samples, and of what peers and load, each beside the others, moved from \
    run to run, in the middle and among the most unsteady tenth of them. The ratio of both is held against Student's distribution with at most 6 degrees of \
    freedom, and all lines together against Benjamini and Hochberg's bound on the share of false calls, \
    which is the column doubt. What the rule cannot see is a machine that is slow for no more than the few \
    seconds of one of our turns: a change is sure when a second comparison calls it again.";

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
