//! Pages, pictures and tables made from the records of a benchmark run.
//!
//! [`record`] is what a run leaves behind; [`sections`] say what is shown of it, as [`tables`] and [`pictures`],
//! [`variants`] ours beside ours, and [`html`], [`markdown`] and [`svg`] how; [`changes`] tells what changed since a baseline from noise by a
//! [signed-rank test](signed_rank), and [`comparison`] says so. No part of minrisk is needed here, so that a report is
//! rendered in a moment.

pub mod changes;
pub mod chart;
pub mod comparison;
pub mod html;
pub mod markdown;
pub mod pictures;
pub mod record;
pub mod sections;
pub mod signed_rank;
pub mod svg;
pub mod tables;
pub mod text;
mod timing;
pub mod variants;

use std::fs;
use std::path::Path;

pub use timing::Timing;

use record::Run;

/// Writes `index.html`, `report.md`, `report.json` and the pictures into a folder.
pub fn write(folder: &Path, run: &Run) -> Result<(), String> {
    let put = |name: &str, content: &str| {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    put("report.json", &run.to_json()?)?;
    let sections = sections::sections(run)?;
    put("index.html", &html::page(run, &sections))?;
    put("report.md", &markdown::page(run, &sections))?;
    for (name, picture) in pictures::for_readme(run)? {
        put(&name, &svg::standalone(&picture))?;
    }
    Ok(())
}

/// A part of the report: a heading and what stands under it.
pub struct Section {
    /// The heading.
    pub heading: String,
    /// What stands under it, in order.
    pub parts: Vec<Part>,
}

/// What a section is made of.
pub enum Part {
    /// A paragraph.
    Paragraph(String),
    /// A table.
    Table(Table),
    /// Pictures side by side, as SVG.
    Pictures(Vec<String>),
    /// Parts under a line that opens them.
    Folded(String, Vec<Part>),
}

/// A table of text.
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows, each with as many cells.
    pub rows: Vec<Row>,
}

/// A row of a table.
pub struct Row {
    /// Its cells.
    pub cells: Vec<String>,
    /// How it stands out.
    pub tone: Tone,
}

/// How a row stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Not at all.
    Plain,
    /// Better than the others.
    Good,
    /// Worse than the others.
    Bad,
    /// Left out of comparisons.
    Faint,
}

impl Table {
    fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { head: head.map(str::to_string).to_vec(), rows: Vec::new() }
    }

    fn row<const N: usize>(&mut self, tone: Tone, cells: [String; N]) {
        self.rows.push(Row { cells: cells.to_vec(), tone });
    }
}
