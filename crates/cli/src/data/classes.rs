//! The classes of a target: labels, or numbers that stand for them.

use minrisk::{Error, Labels};

use super::{Loaded, Training};
use crate::failure::{Failure, Outcome};
use crate::input::Kind;

/// The classes that occur, in order, and the class of every row.
pub(crate) struct Classes {
    pub(crate) names: Vec<String>,
    pub(crate) labels: Labels<usize>,
}

impl Training {
    /// The classes of the rows that were loaded: words in alphabetical order, numbers in their own.
    pub(crate) fn classes(&self, loaded: &Loaded) -> Outcome<Classes> {
        let column = self.target();
        let (names, codes) = match &column.kind {
            Kind::Labels(labels) => by_word(labels, &loaded.y),
            Kind::Numbers => by_number(&loaded.y),
            Kind::Text | Kind::Empty => {
                let name = &column.name;
                return Err(
                    self.problem(format!("`{name}` has too many labels, or none, to be classes"))
                );
            }
        };
        let labels = Labels::new(&codes).map_err(|error| match error {
            Error::OneClass { .. } => self.problem(format!(
                "the target `{}` is `{}` in every row: there is nothing to tell apart",
                column.name, names[0],
            )),
            other => other.into(),
        })?;
        Ok(Classes { names, labels })
    }
}

impl Classes {
    /// The same with a class as the positive one; of more than two it is told apart from all others.
    pub(crate) fn with_positive(self, positive: Option<&str>) -> Outcome<Self> {
        let Some(positive) = positive else { return Ok(self) };
        let same = |name: &&String| {
            *name == positive || name.parse::<f64>().ok().is_some_and(|n| positive.parse() == Ok(n))
        };
        let Some(at) = self.names.iter().position(|name| same(&name)) else {
            let known = self.names.join(", ");
            return Err(Failure::new(format!(
                "--positive {positive} is none of the classes {known}"
            )));
        };
        if self.names.len() == 2 {
            let labels = self.labels.with_positive(&at)?;
            return Ok(Self { labels, ..self });
        }
        let codes: Vec<usize> =
            self.labels.codes().iter().map(|&code| usize::from(code == at)).collect();
        let names = vec![format!("not {}", self.names[at]), self.names[at].clone()];
        Ok(Self { names, labels: Labels::new(&codes)? })
    }

    /// The classes, the negative one of two first.
    pub(crate) fn ordered(&self) -> Vec<String> {
        match (self.labels.negative(), self.labels.positive()) {
            (Ok(&negative), Ok(&positive)) => {
                vec![self.names[negative].clone(), self.names[positive].clone()]
            }
            _ => self.names.clone(),
        }
    }

    /// Targets −1 and +1, for two classes.
    pub(crate) fn signs(&self) -> Outcome<Vec<f64>> {
        Ok(self.labels.signs()?)
    }
}

/// The labels that occur, sorted, and the rows' positions among them.
fn by_word(labels: &[String], codes: &[f64]) -> (Vec<String>, Vec<usize>) {
    let mut occurs = vec![false; labels.len()];
    codes.iter().for_each(|&code| occurs[code as usize] = true);
    let mut order: Vec<usize> = (0..labels.len()).filter(|&code| occurs[code]).collect();
    order.sort_by(|&a, &b| labels[a].cmp(&labels[b]));
    let mut rank = vec![0; labels.len()];
    order.iter().enumerate().for_each(|(k, &code)| rank[code] = k);
    let names = order.iter().map(|&code| labels[code].clone()).collect();
    (names, codes.iter().map(|&code| rank[code as usize]).collect())
}

/// The numbers that occur, sorted, and the rows' positions among them.
fn by_number(values: &[f64]) -> (Vec<String>, Vec<usize>) {
    // 0.0 and −0.0 are the same class.
    let value = |v: &f64| if *v == 0.0 { 0.0 } else { *v };
    let mut distinct: Vec<f64> = values.iter().map(value).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let rank = |v: &f64| distinct.partition_point(|d| *d < value(v));
    (distinct.iter().map(f64::to_string).collect(), values.iter().map(rank).collect())
}
