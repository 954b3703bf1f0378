//! `minrisk info`: what is in a file, before anything is fitted.

use std::path::PathBuf;

use clap::Args;
use minrisk::least_squares::LeastSquares;
use minrisk::{BackendKind, LeastSquaresCertificate, Names, RowBuffer, Stream};
use serde::Serialize;

use crate::failure::{Failure, Outcome};
use crate::input::{Column, Format, Kind, Reader, Scan, Source, Table};
use crate::output::{self, aligned, counted};

#[derive(Args)]
pub(crate) struct Options {
    /// A CSV or TSV file, plain or gzip; - for standard input
    file: PathBuf,
    /// The linear-algebra library [default: the first of those compiled in]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Object {
    rows: usize,
    columns: Vec<ColumnInfo>,
    /// Rows in which no number is missing, which rank and condition are those of.
    complete_rows: usize,
    /// The columns of numbers.
    numeric: usize,
    /// Their rank beside a constant, the constant not counted.
    rank: Option<usize>,
    condition: Option<f64>,
    dependent: Vec<String>,
}

#[derive(Serialize)]
struct ColumnInfo {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    missing: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let source = Source::new(&options.file);
    let reader = Reader::open(&source, &options.format, &[])?;
    let positions: Vec<usize> = (0..reader.names.len()).collect();
    let table = Table::read(reader, &positions, &[], true)?;
    let ranges = Ranges::of(&table)?;
    let numeric: Vec<usize> =
        positions.into_iter().filter(|&k| table.columns[k].kind == Kind::Numbers).collect();
    let (complete_rows, certificate) = rank(&table, &numeric, options.backend)?;
    let column = |(k, column): (usize, &Column)| {
        let numbers = column.kind == Kind::Numbers;
        let labels = match &column.kind {
            Kind::Labels(labels) => Some(labels.clone()),
            _ => None,
        };
        ColumnInfo {
            name: column.name.clone(),
            kind: kind_name(&column.kind),
            missing: column.missing,
            labels,
            min: numbers.then_some(ranges.min[k]),
            mean: numbers.then(|| ranges.sum[k] / ranges.count[k] as f64),
            max: numbers.then_some(ranges.max[k]),
        }
    };
    let info = Object {
        rows: table.cells.rows(),
        columns: table.columns.iter().enumerate().map(column).collect(),
        complete_rows,
        numeric: numeric.len(),
        rank: certificate.as_ref().map(|c| c.rank),
        condition: certificate.as_ref().map(|c| c.condition),
        dependent: certificate
            .map(|c| c.relations.iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
    };
    output::print(if options.json { output::json(&info)? } else { text(&info) })
}

fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Numbers => "number",
        Kind::Labels(_) => "label",
        Kind::Text => "text",
        Kind::Empty => "empty",
    }
}

fn text(info: &Object) -> String {
    const SHOWN: usize = 100;
    let mut lines =
        vec![["Column", "Type", "Missing", "Least", "Mean", "Largest"].map(String::from).to_vec()];
    for column in info.columns.iter().take(SHOWN) {
        let number = |value: Option<f64>| value.map(output::shown).unwrap_or_default();
        let mut line = vec![column.name.clone(), column.kind.into(), column.missing.to_string()];
        line.extend([column.min, column.mean, column.max].map(number));
        if let Some(labels) = &column.labels {
            let few: Vec<&str> = labels.iter().take(5).map(String::as_str).collect();
            let more = if labels.len() > few.len() { ", …" } else { "" };
            line.truncate(3);
            line[1] = counted(labels.len(), "label");
            line.push(format!("{}{more}", few.join(", ")));
        }
        lines.push(line);
    }
    let mut text =
        format!("{} rows, {} columns\n\n{}", info.rows, info.columns.len(), aligned(&lines));
    if info.columns.len() > SHOWN {
        text += &format!("({} more in --json)\n", info.columns.len() - SHOWN);
    }
    if let (Some(rank), Some(condition)) = (info.rank, info.condition) {
        let numeric = info.numeric;
        let condition =
            if condition < 1e4 { format!("{condition:.1}") } else { format!("{condition:.1e}") };
        text += &format!(
            "\nThe {numeric} columns of numbers have rank {rank} and condition {condition} beside a constant, over {} without missing numbers.",
            counted(info.complete_rows, "row"),
        );
    }
    match info.dependent.as_slice() {
        [] => text,
        dependent => text + &format!("\nSome follow from others: {}.", dependent.join("; ")),
    }
}

/// The least, the largest and the sum of the numbers in each column.
struct Ranges {
    min: Vec<f64>,
    max: Vec<f64>,
    sum: Vec<f64>,
    count: Vec<usize>,
}

impl Ranges {
    fn of(table: &Table) -> Outcome<Self> {
        let width = table.columns.len();
        let mut ranges = Self {
            min: vec![f64::INFINITY; width],
            max: vec![f64::NEG_INFINITY; width],
            sum: vec![0.0; width],
            count: vec![0; width],
        };
        table.cells.for_each(|cells| {
            for (k, &value) in cells.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                ranges.min[k] = ranges.min[k].min(value);
                ranges.max[k] = ranges.max[k].max(value);
                ranges.sum[k] += value;
                ranges.count[k] += 1;
            }
            Ok(())
        })?;
        Ok(ranges)
    }
}

/// Columns beyond which the rank is not computed.
const MOST_COLUMNS: usize = 2000;

/// Rank, condition and relations of the columns of numbers: what a regression of zero on them certifies.
fn rank(
    table: &Table,
    columns: &[usize],
    backend: Option<BackendKind>,
) -> Outcome<(usize, Option<LeastSquaresCertificate>)> {
    let scan = table.cells.scan()?;
    let mut stream = Zero { table, columns, scan, rows: 0 };
    let mut rows = 0;
    table.cells.for_each(|cells| {
        rows += usize::from(columns.iter().all(|&k| !cells[k].is_nan()));
        Ok(())
    })?;
    if columns.is_empty() || columns.len() > MOST_COLUMNS || rows <= columns.len() {
        return Ok((rows, None));
    }
    let names = columns.iter().map(|&k| table.columns[k].name.clone()).collect();
    // Names that occur twice are numbered instead.
    let names = Names::new(names).ok();
    let backend = backend.unwrap_or_default().backend();
    let fit = LeastSquares::new().fit_stream_on(backend, &mut stream, names.as_ref());
    let fit = fit.map_err(|error| Failure::new(error.to_string()))?;
    Ok((rows, fit.certificate.least_squares().cloned()))
}

/// Some columns of a table with a target of zero.
struct Zero<'t> {
    table: &'t Table,
    columns: &'t [usize],
    scan: Scan<'t>,
    rows: usize,
}

impl Stream<f64> for Zero<'_> {
    fn cols(&self) -> usize {
        self.columns.len()
    }

    fn targets(&self) -> usize {
        1
    }

    fn can_rewind(&self) -> bool {
        true
    }

    fn rewind(&mut self) -> Result<(), minrisk::Error> {
        self.scan = self.table.cells.scan().map_err(|failure| self.failed(&failure))?;
        self.rows = 0;
        Ok(())
    }

    fn read(&mut self, buffer: &mut RowBuffer<f64>) -> Result<(), minrisk::Error> {
        let mut features = Vec::with_capacity(self.columns.len());
        while !buffer.is_full() {
            let row = self.rows;
            let failed =
                |failure: Failure| minrisk::Error::Stream { row, reason: failure.to_string() };
            let Some(cells) = self.scan.next().map_err(failed)? else { break };
            features.clear();
            features.extend(self.columns.iter().map(|&k| cells[k]));
            if !features.iter().any(|value| value.is_nan()) {
                buffer.push(&features, &[0.0], None)?;
                self.rows += 1;
            }
        }
        Ok(())
    }
}

impl Zero<'_> {
    fn failed(&self, failure: &Failure) -> minrisk::Error {
        minrisk::Error::Stream { row: self.rows, reason: failure.to_string() }
    }
}
