//! Class labels of any ordered type, and the numbers that algorithms see in their place.
//!
//! The distinct labels, sorted, are the classes 0 … k−1; every row has the index of its class. Two
//! classes also have signs: the larger label is +1 and the other −1, unless the positive one is named.

use crate::{Error, Scalar};

/// The classes of a training set, sorted, and the class of every row.
///
/// ```
/// use minrisk_core::Labels;
/// let labels = Labels::new(&["spam", "ham", "ham", "spam"])?;
/// assert_eq!(labels.classes(), ["ham", "spam"]);
/// assert_eq!(labels.codes(), [1, 0, 0, 1]);
/// assert_eq!(labels.signs::<f64>()?, [1.0, -1.0, -1.0, 1.0]);
/// let labels = labels.with_positive(&"ham")?;
/// assert_eq!(labels.signs::<f64>()?, [-1.0, 1.0, 1.0, -1.0]);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Labels<L> {
    classes: Vec<L>,
    codes: Vec<usize>,
    /// Which class is +1, where there are two.
    positive: usize,
}

impl<L: Ord + Clone> Labels<L> {
    /// The labels of the rows, in order. There must be at least two different ones.
    pub fn new(labels: &[L]) -> Result<Self, Error> {
        if labels.is_empty() {
            return Err(Error::NoRows);
        }
        let mut classes = labels.to_vec();
        classes.sort_unstable();
        classes.dedup();
        if classes.len() == 1 {
            return Err(Error::OneClass { rows: labels.len() });
        }
        let code = |label| classes.partition_point(|class| class < label);
        let codes = labels.iter().map(code).collect();
        Ok(Self { classes, codes, positive: 1 })
    }

    /// As [`Labels::new`], from labels that may be missing: the first that is becomes an error.
    ///
    /// ```
    /// use minrisk_core::{Error, Labels};
    /// let error = Labels::from_options([Some(3), None, Some(4)]).unwrap_err();
    /// assert_eq!(error, Error::MissingLabel { row: 1 });
    /// ```
    pub fn from_options(labels: impl IntoIterator<Item = Option<L>>) -> Result<Self, Error> {
        let present = |(row, label): (usize, Option<L>)| label.ok_or(Error::MissingLabel { row });
        let labels: Vec<L> =
            labels.into_iter().enumerate().map(present).collect::<Result<_, _>>()?;
        Self::new(&labels)
    }

    /// The same labels with `class` as +1. There must be two classes.
    pub fn with_positive(self, class: &L) -> Result<Self, Error> {
        self.check_two()?;
        match self.classes.binary_search(class) {
            Ok(positive) => Ok(Self { positive, ..self }),
            Err(_) => Err(Error::UnknownClass { classes: self.classes.len() }),
        }
    }

    /// Fails unless there is one label for each of `rows` rows.
    pub fn check_rows(&self, rows: usize) -> Result<(), Error> {
        if self.codes.len() == rows {
            return Ok(());
        }
        Err(Error::LengthMismatch {
            what: "the list of labels",
            per: "row of the design",
            expected: rows,
            found: self.codes.len(),
        })
    }

    /// The distinct labels, sorted.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The index of every row's label among the classes.
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// How many rows each class has.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        self.codes.iter().for_each(|&code| counts[code] += 1);
        counts
    }

    /// The class that is +1. There must be two classes.
    pub fn positive(&self) -> Result<&L, Error> {
        self.check_two()?;
        Ok(&self.classes[self.positive])
    }

    /// The class that is −1. There must be two classes.
    pub fn negative(&self) -> Result<&L, Error> {
        self.check_two()?;
        Ok(&self.classes[1 - self.positive])
    }

    /// −1 or +1 for every row: the targets of halfspaces and of logistic regression. There must be
    /// two classes.
    pub fn signs<T: Scalar>(&self) -> Result<Vec<T>, Error> {
        self.check_two()?;
        let sign = |&code: &usize| if code == self.positive { T::one() } else { -T::one() };
        Ok(self.codes.iter().map(sign).collect())
    }

    /// The label that a score z = w·x + b stands for: the positive one if z > 0, else the negative
    /// one, z = 0 included. There must be two classes.
    pub fn of_score<T: Scalar>(&self, score: T) -> Result<&L, Error> {
        if score > T::zero() { self.positive() } else { self.negative() }
    }

    fn check_two(&self) -> Result<(), Error> {
        match self.classes.len() {
            2 => Ok(()),
            classes => Err(Error::NotTwoClasses { classes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_larger_of_two_is_positive() {
        let labels = Labels::new(&[0, 1, 1, 0]).unwrap();
        assert_eq!(labels.signs::<f32>().unwrap(), [-1.0, 1.0, 1.0, -1.0]);
        assert_eq!((labels.positive(), labels.negative()), (Ok(&1), Ok(&0)));
        assert_eq!(labels.of_score(0.5), Ok(&1));
        assert_eq!(labels.of_score(0.0), Ok(&0));
        let turned = labels.with_positive(&0).unwrap();
        assert_eq!(turned.signs::<f32>().unwrap(), [1.0, -1.0, -1.0, 1.0]);
        assert_eq!(turned.of_score(-0.5), Ok(&1));
    }

    #[test]
    fn bad_labels_are_refused() {
        assert_eq!(Labels::<u8>::new(&[]), Err(Error::NoRows));
        assert_eq!(Labels::new(&["a", "a"]), Err(Error::OneClass { rows: 2 }));
        let missing = Labels::from_options([Some('x'), Some('y'), None]);
        assert_eq!(missing, Err(Error::MissingLabel { row: 2 }));
        let three = Labels::new(&['x', 'y', 'z']).unwrap();
        assert_eq!(three.signs::<f64>(), Err(Error::NotTwoClasses { classes: 3 }));
        assert!(three.clone().with_positive(&'x').is_err());
        assert!(three.check_rows(2).is_err() && three.check_rows(3).is_ok());
        let two = Labels::new(&['x', 'y']).unwrap();
        assert_eq!(two.with_positive(&'z'), Err(Error::UnknownClass { classes: 2 }));
    }

    proptest! {
        #[test]
        fn codes_lead_back_to_the_labels(labels in prop::collection::vec(0..5_i8, 1..40)) {
            let distinct = labels.iter().collect::<std::collections::BTreeSet<_>>();
            match Labels::new(&labels) {
                Err(error) => {
                    prop_assert_eq!(error, Error::OneClass { rows: labels.len() });
                    prop_assert_eq!(distinct.len(), 1);
                }
                Ok(encoded) => {
                    prop_assert!(encoded.classes().iter().eq(distinct));
                    let back = encoded.codes().iter().map(|&code| encoded.classes()[code]);
                    prop_assert!(back.eq(labels.iter().copied()));
                    prop_assert_eq!(encoded.counts().iter().sum::<usize>(), labels.len());
                }
            }
        }
    }
}
