//! Records of a CSV or TSV file, with the names of its columns.
//!
//! Whether the first record is a header is decided by looking: it is none if it looks like the record
//! below it (numbers where there are numbers) and holds a number, unless it has a name that was asked for.

use std::io::Read;

use clap::Args;
use csv::{ByteRecord, ErrorKind};

use super::dialect::sniff;
use super::number::{Cell, Decimal};
use super::source::Source;
use crate::failure::{Failure, Outcome};

/// How the file is written, where it should not be guessed.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Format {
    /// The file has no header; columns are called x1, x2, … [default: what it looks like]
    #[arg(long)]
    pub(crate) no_header: bool,
    /// What separates the columns [default: what the first lines look like]
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<char>,
    /// What a comma within a number means [default: the fraction in files with semicolons, else thousands]
    #[arg(long, value_enum, value_name = "SIGN")]
    pub(crate) decimal: Option<Decimal>,
}

/// A file that is being read record by record.
pub(crate) struct Reader {
    source: Source,
    records: csv::Reader<Box<dyn Read>>,
    /// The names of the columns.
    pub(crate) names: Vec<String>,
    pub(crate) decimal: Decimal,
    /// A first record that is no header.
    first: Option<ByteRecord>,
    /// A second record that was looked at.
    second: Option<ByteRecord>,
}

impl Reader {
    /// Opens a source; `expected` are names of columns that will be asked for.
    pub(crate) fn open(source: &Source, format: &Format, expected: &[&str]) -> Outcome<Self> {
        let text = source.open()?;
        let delimiter = match format.delimiter.map(u8::try_from) {
            None => sniff(&text.head),
            Some(Ok(byte)) if byte.is_ascii() => byte,
            Some(_) => return Err(Failure::new("--delimiter must be one ASCII character")),
        };
        let free = if delimiter == b';' { Decimal::Comma } else { Decimal::Point };
        let decimal = format.decimal.unwrap_or(free);
        let records = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(delimiter)
            .buffer_capacity(1 << 18)
            .from_reader(text.bytes);
        let names = Vec::new();
        let source = source.clone();
        let mut reader = Self { source, records, names, decimal, first: None, second: None };
        reader.find_header(format, expected)?;
        Ok(reader)
    }

    fn find_header(&mut self, format: &Format, expected: &[&str]) -> Outcome {
        let Some(first) = self.read_record()? else {
            return Err(self.problem("the file is empty"));
        };
        self.second = self.read_record()?;
        if format.no_header || !self.is_header(&first, expected) {
            self.names = (1..=first.len()).map(|k| format!("x{k}")).collect();
            self.first = Some(first);
            return Ok(());
        }
        for (k, field) in first.iter().enumerate() {
            let name = self.text(field, "the header")?;
            self.names.push(if name.is_empty() { format!("x{}", k + 1) } else { name.into() });
        }
        Ok(())
    }

    fn is_header(&self, first: &ByteRecord, expected: &[&str]) -> bool {
        let is_number = |field: &[u8]| {
            matches!(
                Cell::read(field.trim_ascii(), self.decimal),
                Cell::Number(_) | Cell::NotFinite
            )
        };
        let named =
            |field: &[u8]| expected.iter().any(|name| name.as_bytes() == field.trim_ascii());
        if first.iter().any(|field| !is_number(field) && named(field)) {
            return true;
        }
        match &self.second {
            None => !first.iter().any(is_number),
            Some(second) => {
                let alike = first.iter().zip(second).all(|(a, b)| is_number(a) == is_number(b));
                !(alike && first.iter().any(is_number))
            }
        }
    }

    /// The next record and its line; `None` at the end.
    pub(crate) fn next(&mut self, record: &mut ByteRecord) -> Outcome<bool> {
        if let Some(looked_at) = self.first.take().or_else(|| self.second.take()) {
            *record = looked_at;
            return Ok(true);
        }
        self.records.read_byte_record(record).map_err(|error| self.problem(describe(&error)))
    }

    fn read_record(&mut self) -> Outcome<Option<ByteRecord>> {
        let mut record = ByteRecord::new();
        let read = self.records.read_byte_record(&mut record);
        Ok(read.map_err(|error| self.problem(describe(&error)))?.then_some(record))
    }

    /// The position of a column, by its name or, counted from 1, by its number.
    pub(crate) fn position(&self, name: &str) -> Outcome<usize> {
        if let Some(position) = self.names.iter().position(|column| column == name) {
            return Ok(position);
        }
        match name.parse::<usize>() {
            Ok(number) if (1..=self.names.len()).contains(&number) => Ok(number - 1),
            _ => Err(self.problem(format!(
                "there is no column `{name}`; the columns are {}",
                listed(&self.names),
            ))),
        }
    }

    /// A field as text.
    pub(crate) fn text<'f>(&self, field: &'f [u8], place: &str) -> Outcome<&'f str> {
        std::str::from_utf8(field.trim_ascii())
            .map_err(|_| self.problem(format!("{place} is not valid UTF-8")))
    }

    pub(crate) fn problem(&self, problem: impl std::fmt::Display) -> Failure {
        Failure::in_file(&self.source, problem)
    }
}

/// The first names, as many as fit on a line.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut list = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        list += &format!(" and {} more", names.len() - SHOWN);
    }
    list
}

/// The csv crate's errors in a user's words.
fn describe(error: &csv::Error) -> String {
    match error.kind() {
        ErrorKind::Io(error) => error.to_string(),
        ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} has {len} fields, but the first line has {expected_len}")
        }
        _ => error.to_string(),
    }
}
