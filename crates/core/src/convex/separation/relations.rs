//! Whether the columns of the design have a given rank, exactly.
//!
//! r independent rows span the space of all rows iff every direction that is orthogonal to the r is orthogonal to
//! all: the null space of the r is computed in integers, and its basis is tried on every row. Its vectors are the
//! relations between the columns, like "the columns of all categories add up to one".

use super::rows::SignedRows;
use crate::Scalar;
use crate::halfspace::exact::null_space;

/// The most rows whose null space is computed: n³ products of integers of up to n times the length of the entries.
const MOST_ROWS: usize = 100;

impl<T: Scalar> SignedRows<'_, T> {
    /// Whether the rows are proven to span no more than `rank` dimensions.
    pub(super) fn span_at_most(&self, rank: usize) -> bool {
        if rank > MOST_ROWS {
            return false;
        }
        let basis = self.independent(self.counted(), rank);
        let rows = basis.iter().map(|&t| self.exact_row(t)).collect();
        null_space(rows, self.width()).all(|relation| {
            let relation = self.exact_direction(relation);
            self.is_affordable(&relation, self.counted().len())
                && self.first_off(self.counted(), &relation.exact).is_none()
        })
    }
}
