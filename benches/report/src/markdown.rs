//! The report as Markdown, without pictures.

use crate::record::Run;
use crate::{Part, Section, Table, text};

/// The whole report.
pub fn page(run: &Run, sections: &[Section]) -> String {
    let mut page = format!("# minrisk: accuracy and speed\n\n{}\n", command(run));
    for section in sections {
        page += &format!("\n## {}\n", section.heading);
        section.parts.iter().for_each(|part| page += &part_text(part, 3));
    }
    page
}

/// When, where and how the run was made.
pub fn command(run: &Run) -> String {
    let quick = if run.settings.quick { " --quick" } else { "" };
    let filter = run.settings.filter.as_ref().map_or(String::new(), |f| format!(" --filter {f}"));
    let (day, threads) = (text::day(run.machine.started), run.settings.threads);
    let thread = if threads == 1 { "thread" } else { "threads" };
    format!(
        "`cargo xtask bench{quick}{filter}`, {day}, {}, {threads} {thread}.",
        run.machine.processor
    )
}

fn part_text(part: &Part, level: usize) -> String {
    match part {
        Part::Paragraph(text) => format!("\n{text}\n"),
        Part::Table(table) => format!("\n{}", self::table(table)),
        Part::Pictures(_) => String::new(),
        Part::Folded(heading, parts) => {
            let text: String = parts.iter().map(|part| part_text(part, level + 1)).collect();
            // Nothing but pictures leaves nothing to head.
            if text.is_empty() {
                text
            } else {
                format!("\n{} {heading}\n{text}", "#".repeat(level))
            }
        }
    }
}

/// A table.
pub fn table(table: &Table) -> String {
    let escape = |cell: &String| cell.replace('|', "\\|").replace('\n', " ");
    let line = |cells: &[String]| {
        format!("| {} |\n", cells.iter().map(escape).collect::<Vec<_>>().join(" | "))
    };
    let rows: String = table.rows.iter().map(|row| line(&row.cells)).collect();
    format!("{}|{}\n{rows}", line(&table.head), "---|".repeat(table.head.len()))
}
