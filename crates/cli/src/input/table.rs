//! The columns of a file that are used, as numbers: what they are is decided by the whole file.
//!
//! A column of numbers has a number in every cell, a column of labels in none; labels become codes in
//! the order in which they appear. A missing value is a NaN. A column with both numbers and other words is
//! an error that names the first cell that does not fit, because either guess could be silently wrong;
//! [`Request::labels`] says which columns are labels whatever they look like.

use std::collections::HashMap;

use csv::ByteRecord;

use super::cells::{Cells, Writer};
use super::number::Cell;
use super::reader::Reader;
use crate::failure::{Failure, Outcome};

/// Different labels in a column that can be told apart from text.
const MOST_LABELS: usize = 1000;

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Rows without a value, and the line of the first of them.
    pub(crate) missing: usize,
    pub(crate) first_missing: Option<u64>,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Numbers,
    /// Labels by their codes.
    Labels(Vec<String>),
    /// More different labels than a category has.
    Text,
    /// Nothing at all.
    Empty,
}

/// Columns and their cells, one row for each record of the file.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) cells: Cells,
}

impl Table {
    /// Reads the columns at some positions, those in `labels` as labels. A column of both numbers and
    /// words is an error, unless it is to be `lenient` text.
    pub(crate) fn read(
        mut reader: Reader,
        positions: &[usize],
        labels: &[usize],
        lenient: bool,
    ) -> Outcome<Self> {
        let mut columns: Vec<Building> = positions
            .iter()
            .map(|&at| Building::new(at, reader.names[at].clone(), labels.contains(&at)))
            .collect();
        let mut writer = Writer::new(columns.len());
        let mut row = vec![0.0; columns.len()];
        let mut record = ByteRecord::new();
        while reader.next(&mut record)? {
            let line = record.position().map_or(0, csv::Position::line);
            for (column, value) in columns.iter_mut().zip(&mut row) {
                *value = match column.read(&record[column.at], line, &reader) {
                    Err(_) if lenient => column.give_up(),
                    read => read?,
                };
            }
            writer.push(&row)?;
        }
        let cells = writer.finish()?;
        if cells.rows() == 0 {
            return Err(reader.problem("there are no rows below the header"));
        }
        let columns = columns.into_iter().map(Building::finish).collect();
        Ok(Self { columns, cells })
    }
}

impl Table {
    /// The line of the first missing value and its column.
    pub(crate) fn first_missing(&self) -> Option<(u64, &Column)> {
        let missing =
            self.columns.iter().filter_map(|column| Some((column.first_missing?, column)));
        missing.min_by_key(|(line, _)| *line)
    }
}

/// A column that is being read.
struct Building {
    at: usize,
    name: String,
    content: Content,
    /// Whether it is labels whatever it looks like.
    is_labels: bool,
    missing: usize,
    first_missing: Option<u64>,
}

enum Content {
    Unknown,
    Numbers,
    /// Codes by label, and the labels in order.
    Labels(HashMap<String, usize>, Vec<String>),
    Text,
}

impl Building {
    fn new(at: usize, name: String, is_labels: bool) -> Self {
        let content = Content::Unknown;
        Self { at, name, content, is_labels, missing: 0, first_missing: None }
    }

    #[inline]
    fn read(&mut self, field: &[u8], line: u64, reader: &Reader) -> Outcome<f64> {
        let field = field.trim_ascii();
        let cell = match Cell::read(field, reader.decimal) {
            Cell::Number(_) | Cell::NotFinite if self.is_labels => Cell::Text,
            cell => cell,
        };
        match (cell, &self.content) {
            (Cell::Number(value), Content::Numbers) => Ok(value),
            (Cell::Number(value), Content::Unknown) => {
                self.content = Content::Numbers;
                Ok(value)
            }
            (Cell::Number(_) | Cell::NotFinite, Content::Text) => Ok(0.0),
            (Cell::Missing, _) => {
                self.missing += 1;
                self.first_missing.get_or_insert(line);
                Ok(f64::NAN)
            }
            (Cell::Text, Content::Unknown | Content::Labels(..) | Content::Text) => {
                let place = format!("line {line}, column `{}`", self.name);
                Ok(self.code(reader.text(field, &place)?))
            }
            (cell, _) => Err(self.misfit(cell, field, line, reader)),
        }
    }

    fn code(&mut self, label: &str) -> f64 {
        if matches!(self.content, Content::Unknown) {
            self.content = Content::Labels(HashMap::new(), Vec::new());
        }
        let Content::Labels(codes, labels) = &mut self.content else { return 0.0 };
        if let Some(&code) = codes.get(label) {
            return code as f64;
        }
        let code = labels.len();
        if code == MOST_LABELS {
            return self.give_up();
        }
        codes.insert(label.into(), code);
        labels.push(label.into());
        code as f64
    }

    /// Reads the column as text from now on.
    fn give_up(&mut self) -> f64 {
        self.content = Content::Text;
        0.0
    }

    fn misfit(&self, cell: Cell, field: &[u8], line: u64, reader: &Reader) -> Failure {
        let shown: String = String::from_utf8_lossy(field).chars().take(40).collect();
        let name = &self.name;
        let problem = match (cell, &self.content) {
            (Cell::NotFinite, Content::Numbers | Content::Unknown) => {
                format!("{shown} is too large for a double: rescale the column")
            }
            (Cell::Text, _) => format!(
                "`{shown}` is not a number, but the cells above are: mend it, or say --categorical {name} or --exclude {name}"
            ),
            _ => format!(
                "{shown} is a number, but the cells above are labels: mend it, or say --categorical {name} or --exclude {name}"
            ),
        };
        reader.problem(format!("line {line}, column `{name}`: {problem}"))
    }

    fn finish(self) -> Column {
        let kind = match self.content {
            Content::Unknown => Kind::Empty,
            Content::Numbers => Kind::Numbers,
            Content::Labels(_, labels) => Kind::Labels(labels),
            Content::Text => Kind::Text,
        };
        let Self { name, missing, first_missing, .. } = self;
        Column { name, kind, missing, first_missing }
    }
}
