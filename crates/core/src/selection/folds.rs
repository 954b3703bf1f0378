//! Which rows are learned from, and which are kept back.

use crate::random::Random;
use crate::{Error, Scalar, View};

/// Rows to learn from and rows kept back, each in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows kept back.
    pub test: Vec<usize>,
}

impl Split {
    /// Keeps back a share of the rows, at least one and not all, chosen by a seed.
    ///
    /// ```
    /// use minrisk_core::selection::Split;
    /// let split = Split::random(10, 0.3, 42)?;
    /// assert_eq!((split.train.len(), split.test.len()), (7, 3));
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn random(rows: usize, test_share: f64, seed: u64) -> Result<Self, Error> {
        if !(test_share > 0.0 && test_share < 1.0) {
            return Err(Error::BadParameter {
                what: "the share of rows kept back",
                value: test_share.to_string(),
                expected: "between 0 and 1",
            });
        }
        check_count(2, rows)?;
        let kept_back = ((rows as f64 * test_share).round() as usize).clamp(1, rows - 1);
        let mut test = Random::order(rows, seed);
        let mut train = test.split_off(kept_back);
        test.sort_unstable();
        train.sort_unstable();
        Ok(Self { train, test })
    }
}

/// A partition of the rows: each row belongs to one fold, which is predicted from the others.
///
/// ```
/// use minrisk_core::selection::Folds;
/// let folds = Folds::contiguous(5, 2)?;
/// assert_eq!(folds.split(0).test, [0, 1, 2]);
/// assert_eq!(folds.split(0).train, [3, 4]);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    of_row: Vec<usize>,
    count: usize,
}

impl Folds {
    /// Folds of consecutive rows, whose sizes differ by one at most.
    pub fn contiguous(rows: usize, count: usize) -> Result<Self, Error> {
        check_count(count, rows)?;
        let (size, larger) = (rows / count, rows % count);
        let sizes = (0..count).map(|fold| size + usize::from(fold < larger));
        let of_row = sizes.enumerate().flat_map(|(fold, size)| std::iter::repeat_n(fold, size));
        Ok(Self { of_row: of_row.collect(), count })
    }

    /// Folds of rows drawn by a seed, whose sizes differ by one at most.
    pub fn shuffled(rows: usize, count: usize, seed: u64) -> Result<Self, Error> {
        check_count(count, rows)?;
        let mut of_row = vec![0; rows];
        for (position, row) in Random::order(rows, seed).into_iter().enumerate() {
            of_row[row] = position % count;
        }
        Ok(Self { of_row, count })
    }

    /// Folds in which every label has its share of the rows, to within one row for each label.
    ///
    /// Labels are the values of the first column.
    pub fn stratified<T: Scalar>(
        labels: View<'_, T>,
        count: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let rows = labels.rows();
        check_count(count, rows)?;
        if labels.cols() == 0 {
            return Err(Error::LengthMismatch {
                what: "the matrix of labels",
                per: "column of labels",
                expected: 1,
                found: 0,
            });
        }
        let mut order = Random::order(rows, seed);
        // A stable sort keeps the shuffled order within a label; dealing round and round then gives
        // every fold its share of each label and equal sizes over all.
        order.sort_by(|&a, &b| {
            let (a, b) = (labels[(a, 0)].to_double(), labels[(b, 0)].to_double());
            a.total_cmp(&b)
        });
        let mut of_row = vec![0; rows];
        for (position, row) in order.into_iter().enumerate() {
            of_row[row] = position % count;
        }
        Ok(Self { of_row, count })
    }

    /// As many folds as rows.
    pub fn leave_one_out(rows: usize) -> Result<Self, Error> {
        Self::contiguous(rows, rows)
    }

    /// Number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of every row.
    pub fn of_row(&self) -> &[usize] {
        &self.of_row
    }

    /// The rows of a fold as those kept back, the others as those to learn from.
    pub fn split(&self, fold: usize) -> Split {
        let rows = 0..self.of_row.len();
        let (test, train) = rows.partition(|&row| self.of_row[row] == fold);
        Split { train, test }
    }

    /// Fails unless the folds are for this many rows.
    pub(crate) fn check(&self, rows: usize) -> Result<(), Error> {
        if self.of_row.len() == rows {
            return Ok(());
        }
        Err(Error::LengthMismatch {
            what: "the list of folds",
            per: "row of the data",
            expected: rows,
            found: self.of_row.len(),
        })
    }
}

fn check_count(count: usize, rows: usize) -> Result<(), Error> {
    if (2..=rows).contains(&count) {
        return Ok(());
    }
    Err(Error::BadParameter {
        what: "the number of folds",
        value: format!("{count} for {rows} rows"),
        expected: "at least 2 and at most the number of rows",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn folds_are_a_partition(rows in 2_usize..200, count in 2_usize..20, seed: u64) {
            prop_assume!(count <= rows);
            let labels: Vec<f64> = (0..rows).map(|i| (i % 3) as f64).collect();
            let all = [
                Folds::contiguous(rows, count).unwrap(),
                Folds::shuffled(rows, count, seed).unwrap(),
                Folds::stratified(View::column_vector(&labels), count, seed).unwrap(),
            ];
            for folds in all {
                let mut seen = vec![0; rows];
                for fold in 0..count {
                    let Split { train, test } = folds.split(fold);
                    prop_assert_eq!(train.len() + test.len(), rows);
                    prop_assert!((rows / count..=rows.div_ceil(count)).contains(&test.len()));
                    test.iter().for_each(|&row| seen[row] += 1);
                    prop_assert!(train.iter().all(|row| !test.contains(row)));
                }
                prop_assert!(seen.iter().all(|&times| times == 1));
            }
        }

        #[test]
        fn strata_keep_their_shares(rows in 10_usize..150, count in 2_usize..6, seed: u64) {
            let labels: Vec<f64> = (0..rows).map(|i| if i % 4 == 0 { 1.0 } else { -1.0 }).collect();
            let folds = Folds::stratified(View::column_vector(&labels), count, seed).unwrap();
            let positive = labels.iter().filter(|y| **y > 0.0).count();
            for fold in 0..count {
                let test = folds.split(fold).test;
                let share = test.iter().filter(|&&row| labels[row] > 0.0).count();
                prop_assert!((positive / count..=positive.div_ceil(count)).contains(&share));
            }
        }
    }

    #[test]
    fn impossible_folds_are_refused() {
        assert!(Folds::contiguous(3, 4).is_err());
        assert!(Folds::shuffled(3, 1, 0).is_err());
        assert!(Folds::leave_one_out(1).is_err());
        assert!(Split::random(1, 0.5, 0).is_err());
        assert!(Split::random(10, 1.0, 0).is_err());
        assert_eq!(Split::random(10, 1e-9, 0).unwrap().test.len(), 1);
    }
}
