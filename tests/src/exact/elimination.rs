//! Fraction-free elimination: systems of integers solved without a rounding and without fractions.
//!
//! Gauss–Jordan steps with Bareiss' division (1968): with the pivot p of this step and p' of the one
//! before, every other row becomes (p·row − factor·pivot row) / p'. The division leaves no remainder,
//! because all entries are minors of the matrix given; so numbers grow no longer than Hadamard's
//! bound makes them, and at the end all pivots are equal.

use num_bigint::BigInt;
use num_traits::{One, Zero};

/// The reduced row echelon form of an integer matrix, times [`Echelon::pivot`].
#[derive(Clone, Debug)]
pub struct Echelon {
    /// The rows; those past the rank are zero in the columns that were reduced.
    pub rows: Vec<Vec<BigInt>>,
    /// The column of the pivot of each row, ascending.
    pub pivot_columns: Vec<usize>,
    /// The common value of the pivots: up to its sign a minor, 1 where there is no pivot.
    pub pivot: BigInt,
}

impl Echelon {
    /// Reduces the first `cols` columns; further columns are right-hand sides.
    pub fn of(mut rows: Vec<Vec<BigInt>>, cols: usize) -> Self {
        let mut pivot_columns = Vec::new();
        let mut previous = BigInt::one();
        for col in 0..cols {
            let next = pivot_columns.len();
            let Some(found) = (next..rows.len()).find(|&i| !rows[i][col].is_zero()) else {
                continue;
            };
            rows.swap(next, found);
            let pivot_row = rows[next].clone();
            let pivot = &pivot_row[col];
            for row in rows.iter_mut().enumerate().filter(|(i, _)| *i != next).map(|(_, row)| row) {
                let factor = row[col].clone();
                for (value, from_pivot) in row.iter_mut().zip(&pivot_row) {
                    *value = (&*value * pivot - &factor * from_pivot) / &previous;
                }
            }
            previous = pivot.clone();
            pivot_columns.push(col);
        }
        Self { rows, pivot_columns, pivot: previous }
    }

    /// The number of independent rows.
    pub fn rank(&self) -> usize {
        self.pivot_columns.len()
    }
}

/// The exact rank of an integer matrix.
pub fn rank(rows: Vec<Vec<BigInt>>) -> usize {
    let cols = rows.first().map_or(0, Vec::len);
    Echelon::of(rows, cols).rank()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(rows: &[&[i64]]) -> Vec<Vec<BigInt>> {
        rows.iter().map(|row| row.iter().map(|&v| v.into()).collect()).collect()
    }

    #[test]
    fn a_system_is_solved_by_cramers_rule() {
        // 2x + y = 5, x + 3y = 10: x = 1, y = 3, determinant 5.
        let echelon = Echelon::of(integers(&[&[2, 1, 5], &[1, 3, 10]]), 2);
        assert_eq!(echelon.pivot, 5.into());
        assert_eq!(echelon.rows, integers(&[&[5, 0, 5], &[0, 5, 15]]));
    }

    #[test]
    fn ranks() {
        assert_eq!(rank(integers(&[&[1, 2, 3], &[4, 5, 6], &[7, 8, 9]])), 2);
        assert_eq!(rank(integers(&[&[0, 0, 0], &[0, 0, 2]])), 1);
        assert_eq!(rank(integers(&[&[0, 1], &[1, 0], &[1, 1]])), 2);
        assert_eq!(rank(Vec::new()), 0);
    }
}
