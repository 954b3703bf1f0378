//! From columns to features: numbers as they are, labels as zeros and ones.
//!
//! A column of k labels becomes k − 1 features `column=label`, each 1 where the row has the label; the
//! first label in order is the reference, which all the others are compared with. Without an intercept the
//! first such column keeps all k, so that its labels have levels of their own.

use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Outcome};
use crate::input::{Column, Kind};

/// The features of a model, by the columns they come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Encoder {
    pub(crate) variables: Vec<Variable>,
}

/// A column that features come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// For labels, what they are.
    pub(crate) levels: Option<Levels>,
}

/// The labels of a column, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Levels {
    pub(crate) all: Vec<String>,
    /// The label without a feature.
    pub(crate) reference: Option<String>,
}

/// Where the features of a row come from in a table.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Number {
        cell: usize,
    },
    /// The feature that each code sets to 1, if any, among `width` features.
    Labels {
        cell: usize,
        width: usize,
        features: Vec<Option<usize>>,
    },
}

impl Encoder {
    /// The features that columns of a training set make.
    pub(crate) fn of(columns: &[&Column], rows: usize, intercept: bool) -> Outcome<Self> {
        let mut without_reference = !intercept;
        let mut variables = Vec::with_capacity(columns.len());
        for column in columns {
            let levels = match &column.kind {
                Kind::Numbers => None,
                Kind::Labels(labels) => {
                    check_labels(column, labels.len(), rows)?;
                    let mut all = labels.clone();
                    all.sort();
                    let reference = (!without_reference).then(|| all[0].clone());
                    without_reference = false;
                    Some(Levels { all, reference })
                }
                Kind::Text | Kind::Empty => return Err(unusable(column)),
            };
            variables.push(Variable { name: column.name.clone(), levels });
        }
        Ok(Self { variables })
    }

    /// The names of the features, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let of_variable = |variable: &Variable| match &variable.levels {
            None => vec![variable.name.clone()],
            Some(levels) => {
                let shown =
                    levels.all.iter().filter(|level| Some(*level) != levels.reference.as_ref());
                shown.map(|level| format!("{}={level}", variable.name)).collect()
            }
        };
        self.variables.iter().flat_map(of_variable).collect()
    }

    /// Whether every feature is a column of numbers.
    pub(crate) fn is_plain(&self) -> bool {
        self.variables.iter().all(|variable| variable.levels.is_none())
    }

    /// Finds the variables in the columns of a table, variable k in the cell `cells[k]`.
    pub(crate) fn bind(&self, columns: &[Column], cells: &[usize]) -> Outcome<Binding> {
        let bind = |(variable, &cell): (&Variable, &usize)| {
            let (Variable { name, levels }, column) = (variable, &columns[cell]);
            match (levels, &column.kind) {
                (None, Kind::Numbers) => Ok(Part::Number { cell }),
                (Some(levels), Kind::Labels(labels)) => {
                    let features = labels.iter().map(|label| levels.feature(name, label));
                    let features = features.collect::<Outcome<_>>()?;
                    let width = levels.all.len() - usize::from(levels.reference.is_some());
                    Ok(Part::Labels { cell, width, features })
                }
                // Every row lacks the value, which is found row by row.
                (_, Kind::Empty) => Ok(Part::Number { cell }),
                (None, _) => Err(Failure::new(format!(
                    "column `{name}` held numbers when the model was trained, and holds labels now"
                ))),
                (Some(_), _) => Err(unusable(column)),
            }
        };
        let parts = self.variables.iter().zip(cells).map(bind).collect::<Outcome<_>>()?;
        Ok(Binding { parts })
    }
}

impl Levels {
    /// The feature of a label among those of its column; `None` for the reference.
    fn feature(&self, column: &str, label: &String) -> Outcome<Option<usize>> {
        if Some(label) == self.reference.as_ref() {
            return Ok(None);
        }
        let with_features = self.all.iter().filter(|level| Some(*level) != self.reference.as_ref());
        match with_features.into_iter().position(|level| level == label) {
            Some(position) => Ok(Some(position)),
            None => Err(Failure::new(format!(
                "column `{column}`: the label `{label}` did not occur in training, where they were {}",
                self.all.join(", "),
            ))),
        }
    }
}

impl Binding {
    /// Appends the features of a row of cells; cells must not be missing.
    pub(crate) fn encode(&self, cells: &[f64], features: &mut Vec<f64>) {
        for part in &self.parts {
            match part {
                Part::Number { cell } => features.push(cells[*cell]),
                Part::Labels { cell, width, features: of_code } => {
                    let start = features.len();
                    features.resize(start + width, 0.0);
                    if let Some(Some(feature)) = of_code.get(cells[*cell] as usize) {
                        features[start + feature] = 1.0;
                    }
                }
            }
        }
    }
}

fn unusable(column: &Column) -> Failure {
    let name = &column.name;
    Failure::new(match column.kind {
        Kind::Empty => format!("column `{name}` has no values: leave it out by --exclude {name}"),
        _ => format!(
            "column `{name}` has more than 1000 different labels: it is no category; leave it out by --exclude {name}"
        ),
    })
}

/// Labels that tell every row apart are names, not categories.
fn check_labels(column: &Column, labels: usize, rows: usize) -> Outcome {
    let name = &column.name;
    if labels >= 10 && labels + column.missing >= rows {
        return Err(Failure::new(format!(
            "column `{name}` has another label in every row: it is no category; leave it out by --exclude {name}"
        )));
    }
    if labels == 1 {
        return Err(Failure::new(format!(
            "column `{name}` has the same label in every row, from which nothing can be learnt: leave it out by --exclude {name}"
        )));
    }
    Ok(())
}
