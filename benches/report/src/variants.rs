//! Ours beside ours: one backend against another, one solver against another.

use crate::record::{Entry, Line, Role, Run};
use crate::{Part, Section, Table, Tone, text};

/// Both tables, where there is something to say.
pub fn section(run: &Run) -> Option<Section> {
    let (backends, solvers) = (backends(run), solvers(run));
    let mut parts = Vec::new();
    if !backends.rows.is_empty() {
        parts.push(Part::Paragraph(BACKENDS.to_string()));
        parts.push(Part::Table(backends));
    }
    if !solvers.rows.is_empty() {
        parts.push(Part::Paragraph(SOLVERS.to_string()));
        parts.push(Part::Table(solvers));
    }
    let heading = "Backend against backend, solver against solver".to_string();
    (!parts.is_empty()).then_some(Section { heading, parts })
}

const BACKENDS: &str = "The default solver on each backend. What is not compiled in has no column.";
const SOLVERS: &str = "Solvers of the caller's choice on faer beside the default there. Those that do not reach what \
    the line asks for, in two seconds where they are iterative, are faint.";

/// The times of the default solver, a column for each backend.
fn backends(run: &Run) -> Table {
    let names = || run.machine.backends.iter();
    let head = ["problem".to_string()].into_iter().chain(names().map(|name| format!("on {name}")));
    let mut table = Table { head: head.collect(), rows: Vec::new() };
    for line in &run.lines {
        let times: Vec<Option<f64>> = names().map(|name| on(line, name).and_then(median)).collect();
        // A line on which the backend plays no part says nothing about backends.
        if times.iter().flatten().count() > 1 {
            let cells = times.into_iter().map(|time| time.map_or("–".to_string(), text::seconds));
            let cells = [line.title.clone()].into_iter().chain(cells).collect();
            table.rows.push(crate::Row { cells, tone: Tone::Plain });
        }
    }
    table
}

/// Every solver that was named, beside the default one.
fn solvers(run: &Run) -> Table {
    let mut table = Table::new(["problem", "solver", "time", "× default", "reached"]);
    let first = run.machine.backends.first().map_or("", String::as_str);
    for line in &run.lines {
        let variants: Vec<&Entry> = line.of(Role::Variant).collect();
        let Some(default) = on(line, first).filter(|_| !variants.is_empty()) else { continue };
        for (k, entry) in [default].into_iter().chain(variants).enumerate() {
            let ratio = median(entry).zip(median(default)).map(|(time, base)| time / base);
            let solver = entry.contestant.trim_start_matches("minrisk ").to_string();
            table.row(
                if entry.counts { Tone::Plain } else { Tone::Faint },
                [
                    if k == 0 { line.title.clone() } else { String::new() },
                    if k == 0 { "default".to_string() } else { solver },
                    median(entry).map_or("–".to_string(), text::seconds),
                    ratio.map_or("–".to_string(), text::ratio),
                    line.reached(entry),
                ],
            );
        }
    }
    table
}

/// The default solver on a backend.
fn on<'a>(line: &'a Line, backend: &str) -> Option<&'a Entry> {
    line.of(Role::Ours).find(|entry| entry.contestant == format!("minrisk on {backend}"))
}

fn median(entry: &Entry) -> Option<f64> {
    Some(entry.timing.as_ref().ok()?.median)
}
