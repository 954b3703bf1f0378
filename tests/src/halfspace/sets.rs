//! Labelled data with certified answers.

use minrisk_core::{Matrix, Scalar};
use serde_json::Value;

/// Columns of features by name, and a label for every row.
pub(super) struct Labelled<T> {
    names: Vec<String>,
    columns: Vec<Vec<T>>,
    pub(super) labels: Vec<String>,
}

impl<T: Scalar> Labelled<T> {
    /// From a file with the label in the last column.
    pub(super) fn read(csv: &str) -> Self {
        let mut lines = csv.lines();
        let mut names: Vec<String> =
            lines.next().expect("a header").split(',').map(Into::into).collect();
        names.pop();
        let mut columns = vec![Vec::new(); names.len()];
        let mut labels = Vec::new();
        for line in lines {
            let mut cells = line.split(',');
            for column in &mut columns {
                let cell = cells.next().expect("a cell for every column");
                column.push(T::from_str_radix(cell.trim(), 10).ok().expect("a decimal number"));
            }
            labels.push(cells.next().expect("a label").trim().to_string());
        }
        Self { names, columns, labels }
    }

    /// The rows that have one of two labels, with these features; the first label is +1.
    pub(super) fn pair(
        &self,
        positive: &str,
        negative: &str,
        features: &[&str],
    ) -> (Matrix<T>, Vec<T>) {
        let rows: Vec<usize> = (0..self.labels.len())
            .filter(|&t| self.labels[t] == positive || self.labels[t] == negative)
            .collect();
        let column = |name: &str| {
            &self.columns[self.names.iter().position(|own| own == name).expect("a known feature")]
        };
        let columns: Vec<&Vec<T>> = features.iter().map(|name| column(name)).collect();
        let x = Matrix::from_fn(rows.len(), columns.len(), |i, j| columns[j][rows[i]]);
        let sign = |&t: &usize| if self.labels[t] == positive { T::one() } else { -T::one() };
        (x, rows.iter().map(sign).collect())
    }

    /// All rows, all features.
    pub(super) fn all(&self) -> Matrix<T> {
        Matrix::from_fn(self.labels.len(), self.columns.len(), |i, j| self.columns[j][i])
    }
}

/// The entries of a file of certified results.
pub(super) fn results(json: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(json).expect("well-formed JSON");
    value["results"].as_array().expect("a list").clone()
}

/// A field that is a text.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().expect("a text")
}

/// A field that is a list of texts.
pub(super) fn texts<'a>(value: &'a Value, field: &str) -> Vec<&'a str> {
    let list = value[field].as_array().expect("a list");
    list.iter().map(|entry| entry.as_str().expect("a text")).collect()
}
