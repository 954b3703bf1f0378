//! A training set from a file: which columns are features, target and weights, and what they hold.

mod classes;
mod encoder;
mod load;
mod rows;
mod stream;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

pub(crate) use classes::Classes;
pub(crate) use encoder::{Encoder, Variable};
pub(crate) use load::Loaded;
pub(crate) use rows::Rows;

use crate::failure::{Failure, Outcome};
use crate::input::{Column, Format, Kind, Reader, Source, Table};
use encoder::Binding;

/// Which file, and which of its columns.
#[derive(Args)]
pub(crate) struct Input {
    /// A CSV or TSV file, plain or gzip; - for standard input
    pub(crate) file: PathBuf,
    /// The column to predict
    #[arg(long, value_name = "COL")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) choice: Choice,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Which columns are used and how.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// The columns to predict from, separated by commas [default: all others]
    #[arg(long, value_name = "COLS", value_delimiter = ',', conflicts_with = "exclude")]
    pub(crate) features: Option<Vec<String>>,
    /// Columns to leave out, separated by commas
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
    /// Columns whose numbers are labels, separated by commas
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) categorical: Vec<String>,
    /// The column of sample weights
    #[arg(long, value_name = "COL")]
    pub(crate) weights: Option<String>,
    /// What the sample weights are: inverse variances, or how often each row was seen
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Weights::Precisions)]
    pub(crate) weights_are: Weights,
    /// Leave out rows in which a value is missing
    #[arg(long)]
    pub(crate) drop_missing: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Weights {
    #[default]
    Precisions,
    Frequencies,
}

/// The columns of a file that a model is trained on.
pub(crate) struct Training {
    source: Source,
    table: Table,
    /// The cells of the target and of the weights, after those of the features.
    target: usize,
    weights: Option<usize>,
    choice: Choice,
    pub(crate) encoder: Encoder,
    binding: Binding,
}

impl Training {
    /// Reads the columns that were asked for. An encoder from an earlier training decides what the
    /// features are.
    pub(crate) fn read(
        file: &std::path::Path,
        target: &str,
        choice: &Choice,
        format: &Format,
        intercept: bool,
        known: Option<&Encoder>,
    ) -> Outcome<Self> {
        let source = Source::new(file);
        let mut expected = vec![target];
        expected.extend(choice.weights.as_deref());
        expected.extend(choice.features.iter().flatten().map(String::as_str));
        expected.extend(choice.exclude.iter().chain(&choice.categorical).map(String::as_str));
        let reader = Reader::open(&source, format, &expected)?;
        let positions = Positions::find(&reader, target, choice, known)?;
        let Positions { features, target, weights, labels } = positions;
        let mut used = features.clone();
        used.push(target);
        used.extend(weights);
        let table = Table::read(reader, &used, &labels, false)?;
        let cells: Vec<usize> = (0..features.len()).collect();
        let columns: Vec<&Column> = cells.iter().map(|&cell| &table.columns[cell]).collect();
        let encoder = match known {
            Some(known) => known.clone(),
            None => Encoder::of(&columns, table.cells.rows(), intercept)?,
        };
        let binding = encoder.bind(&table.columns, &cells)?;
        let training = Self {
            source,
            table,
            target: cells.len(),
            weights: weights.map(|_| cells.len() + 1),
            choice: choice.clone(),
            encoder,
            binding,
        };
        training.check()?;
        Ok(training)
    }

    fn check(&self) -> Outcome {
        if !self.choice.drop_missing {
            self.refuse_missing()?;
        }
        if let Some(weights) = self.weights
            && self.table.columns[weights].kind != Kind::Numbers
        {
            let name = &self.table.columns[weights].name;
            return Err(self.problem(format!("the weights in `{name}` are not numbers")));
        }
        Ok(())
    }

    fn refuse_missing(&self) -> Outcome {
        match self.table.first_missing() {
            None => Ok(()),
            Some((line, column)) => Err(self.problem(format!(
                "line {line}, column `{}`: the value is missing (one of {} in this column); fill it in, or leave such rows out by --drop-missing",
                column.name, column.missing,
            ))),
        }
    }

    /// The column to predict.
    pub(crate) fn target(&self) -> &Column {
        &self.table.columns[self.target]
    }

    /// Whether the numbers are too many to be kept in memory without need.
    pub(crate) fn is_large(&self) -> bool {
        self.table.cells.are_spilled()
    }

    /// Whether rows in which a value is missing are left out.
    pub(crate) fn drops_missing(&self) -> bool {
        self.choice.drop_missing
    }

    /// Which columns were asked for.
    pub(crate) fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Whether the target is two numbers, and stands for classes perhaps.
    pub(crate) fn has_two_values(&self) -> Outcome<bool> {
        let mut seen: Vec<f64> = Vec::new();
        let mut scan = self.table.cells.scan()?;
        while let Some(cells) = scan.next()? {
            let value = cells[self.target];
            if !value.is_nan() && !seen.contains(&value) {
                seen.push(value);
                if seen.len() > 2 {
                    return Ok(false);
                }
            }
        }
        Ok(seen.len() == 2 && self.table.cells.rows() > 2)
    }

    /// Rows of the file.
    pub(crate) fn rows(&self) -> usize {
        self.table.cells.rows()
    }

    pub(crate) fn problem(&self, problem: impl std::fmt::Display) -> Failure {
        Failure::in_file(&self.source, problem)
    }
}

/// The columns that were asked for, by their positions in the file.
struct Positions {
    features: Vec<usize>,
    target: usize,
    weights: Option<usize>,
    /// Columns that are labels whatever they look like.
    labels: Vec<usize>,
}

impl Positions {
    fn find(
        reader: &Reader,
        target: &str,
        choice: &Choice,
        known: Option<&Encoder>,
    ) -> Outcome<Self> {
        let all = |names: &[String]| -> Outcome<Vec<usize>> {
            names.iter().map(|name| reader.position(name)).collect()
        };
        let target = reader.position(target)?;
        let weights = choice.weights.as_deref().map(|name| reader.position(name)).transpose()?;
        let mut labels = all(&choice.categorical)?;
        let features = match (known, &choice.features) {
            (Some(known), _) => {
                let at = |variable: &encoder::Variable| reader.position(&variable.name);
                let features: Vec<usize> =
                    known.variables.iter().map(at).collect::<Outcome<_>>()?;
                let with_levels = known.variables.iter().zip(&features);
                labels.extend(with_levels.filter(|(v, _)| v.levels.is_some()).map(|(_, &at)| at));
                features
            }
            (None, Some(names)) => all(names)?,
            (None, None) => {
                let mut free = vec![true; reader.names.len()];
                free[target] = false;
                for taken in weights.into_iter().chain(all(&choice.exclude)?) {
                    free[taken] = false;
                }
                (0..free.len()).filter(|&column| free[column]).collect()
            }
        };
        if features.contains(&target) {
            let name = &reader.names[target];
            return Err(reader.problem(format!("`{name}` cannot be the target and a feature")));
        }
        Ok(Self { features, target, weights, labels })
    }
}
