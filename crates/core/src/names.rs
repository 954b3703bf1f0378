//! Feature names: distinct, shared, and checked when a model meets new data.

use std::collections::HashSet;
use std::sync::Arc;

use crate::Error;

/// The names of the columns of a design, all different.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<String>", into = "Vec<String>"))]
pub struct Names(Arc<[String]>);

impl Names {
    /// Names that must all differ.
    pub fn new(names: Vec<String>) -> Result<Self, Error> {
        let mut seen = HashSet::with_capacity(names.len());
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(Error::DuplicateName { name: name.clone() });
        }
        Ok(Self(names.into()))
    }

    /// The names in the order of the columns.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// The name of a column: its own, or `x1`, `x2`, … where there are none.
    pub fn of(names: Option<&Self>, column: usize) -> String {
        names
            .and_then(|names| names.0.get(column).cloned())
            .unwrap_or_else(|| format!("x{}", column + 1))
    }

    /// Fails at the first name that differs from `given`.
    pub fn check(&self, given: &Self) -> Result<(), Error> {
        let differing = self.0.iter().zip(given.0.iter()).position(|(a, b)| a != b);
        match differing {
            None => Ok(()),
            Some(position) => Err(Error::FeatureMismatch {
                position,
                expected: self.0[position].clone(),
                found: given.0[position].clone(),
            }),
        }
    }
}

impl TryFrom<Vec<String>> for Names {
    type Error = Error;

    fn try_from(names: Vec<String>) -> Result<Self, Error> {
        Self::new(names)
    }
}

impl From<Names> for Vec<String> {
    fn from(names: Names) -> Self {
        names.0.to_vec()
    }
}
