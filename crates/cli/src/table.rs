//! A CSV file as numbers: the target, the features, the sample weights.
//!
//! The first line names the columns. Only the columns that are asked for have to be numbers.

use std::fmt::Display;
use std::path::Path;

use crate::failure::{Failure, Outcome};

/// Which columns to read.
pub(crate) struct Selection<'s> {
    pub(crate) target: &'s str,
    /// The features by name; `None` for all columns that are nothing else.
    pub(crate) features: Option<&'s [String]>,
    /// Columns to leave out.
    pub(crate) exclude: &'s [String],
    pub(crate) weights: Option<&'s str>,
}

/// The columns that were asked for, one row per line of the file.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) features: Vec<String>,
    /// The features, row after row.
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) weights: Option<Vec<f64>>,
}

impl Table {
    pub(crate) fn read(path: &Path, selection: &Selection<'_>) -> Outcome<Self> {
        let in_file =
            |problem: &dyn Display| Failure::new(format!("{}: {problem}", path.display()));
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_path(path)
            .map_err(|error| in_file(&describe(&error)))?;
        let header = reader.headers().map_err(|error| in_file(&describe(&error)))?.clone();
        let columns = Columns::find(&header, selection).map_err(|problem| in_file(&problem))?;

        let mut table = Self {
            features: columns.features.iter().map(|&column| header[column].into()).collect(),
            x: Vec::new(),
            y: Vec::new(),
            weights: columns.weights.map(|_| Vec::new()),
        };
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| in_file(&describe(&error)))? {
            let number = |column: usize| {
                parse(&record[column]).map_err(|problem| {
                    let line = record.position().map_or(0, csv::Position::line);
                    in_file(&format!("line {line}, column `{}`: {problem}", &header[column]))
                })
            };
            for &column in &columns.features {
                table.x.push(number(column)?);
            }
            table.y.push(number(columns.target)?);
            if let (Some(weights), Some(column)) = (&mut table.weights, columns.weights) {
                weights.push(number(column)?);
            }
        }
        if table.y.is_empty() {
            return Err(in_file(&"there are no rows below the header"));
        }
        Ok(table)
    }
}

/// The positions of the columns that were asked for.
struct Columns {
    target: usize,
    features: Vec<usize>,
    weights: Option<usize>,
}

impl Columns {
    fn find(header: &csv::StringRecord, selection: &Selection<'_>) -> Result<Self, String> {
        let position = |name: &str| {
            header.iter().position(|column| column == name).ok_or_else(|| {
                let columns: Vec<&str> = header.iter().collect();
                format!("there is no column `{name}`; the columns are {}", columns.join(", "))
            })
        };
        let target = position(selection.target)?;
        let weights = selection.weights.map(position).transpose()?;
        let features: Vec<usize> = match selection.features {
            Some(names) => names.iter().map(|name| position(name)).collect::<Result<_, _>>()?,
            None => {
                let mut taken = vec![target];
                taken.extend(weights);
                for name in selection.exclude {
                    taken.push(position(name)?);
                }
                (0..header.len()).filter(|column| !taken.contains(column)).collect()
            }
        };
        if features.contains(&target) {
            return Err(format!("`{}` cannot be the target and a feature", selection.target));
        }
        Ok(Self { target, features, weights })
    }
}

fn parse(cell: &str) -> Result<f64, String> {
    match cell.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) if cell.bytes().any(|byte| byte.is_ascii_digit()) => {
            Err(format!("{cell} is too large for a double: rescale the column"))
        }
        _ if cell.is_empty() => {
            Err("the value is missing: fill it in or remove the line".to_string())
        }
        _ => {
            Err(format!("`{cell}` is not a number: mend it, or leave the column out by --exclude"))
        }
    }
}

/// The csv crate's errors in a user's words.
fn describe(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Io(error) => error.to_string(),
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} has {len} fields, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { pos, .. } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} is not valid UTF-8")
        }
        _ => error.to_string(),
    }
}
