//! New rows for a model that is trained already: its features only, whatever else the file has.

use std::path::Path;

use super::encoder::{Binding, Encoder, Variable};
use crate::failure::{Failure, Outcome};
use crate::input::{Format, Reader, Source, Table};

/// The features of new rows.
pub(crate) struct Rows {
    table: Table,
    binding: Binding,
}

impl Rows {
    /// Finds the variables of a model in a file.
    pub(crate) fn read(
        file: &Path,
        encoder: &Encoder,
        format: &Format,
        allow_missing: bool,
    ) -> Outcome<Self> {
        let source = Source::new(file);
        let expected: Vec<&str> = encoder.variables.iter().map(|v| v.name.as_str()).collect();
        let reader = Reader::open(&source, format, &expected)?;
        let at = |variable: &Variable| reader.position(&variable.name);
        let positions: Vec<usize> = encoder.variables.iter().map(at).collect::<Outcome<_>>()?;
        let of_labels = encoder.variables.iter().zip(&positions);
        let labels: Vec<usize> =
            of_labels.filter(|(v, _)| v.levels.is_some()).map(|(_, &at)| at).collect();
        let table = Table::read(reader, &positions, &labels, false)?;
        if !allow_missing && let Some((line, column)) = table.first_missing() {
            return Err(Failure::in_file(
                &source,
                format!(
                    "line {line}, column `{}`: the value is missing; fill it in, or say --drop-missing",
                    column.name,
                ),
            ));
        }
        let cells: Vec<usize> = (0..positions.len()).collect();
        let binding = encoder.bind(&table.columns, &cells)?;
        Ok(Self { table, binding })
    }

    /// Calls `visit` with the features of a block of rows, and which of its rows have them: those in which
    /// nothing is missing.
    pub(crate) fn blocks(
        &self,
        size: usize,
        mut visit: impl FnMut(&[f64], &[bool]) -> Outcome,
    ) -> Outcome {
        let (mut features, mut present) = (Vec::new(), Vec::new());
        self.table.cells.for_each(|cells| {
            let complete = !cells.iter().any(|value| value.is_nan());
            if complete {
                self.binding.encode(cells, &mut features);
            }
            present.push(complete);
            if present.len() == size {
                visit(&features, &present)?;
                features.clear();
                present.clear();
            }
            Ok(())
        })?;
        if present.is_empty() { Ok(()) } else { visit(&features, &present) }
    }
}
