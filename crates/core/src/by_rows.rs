//! Rows as slices, for methods that visit them one by one.

use crate::{Error, Scalar, View};

/// A design whose rows are slices: the caller's own, or a copy by rows.
#[derive(Debug)]
pub(crate) enum ByRows<'a, T> {
    Borrowed(View<'a, T>),
    Copied { data: Vec<T>, rows: usize, cols: usize },
}

impl<'a, T: Scalar> ByRows<'a, T> {
    pub(crate) fn new(x: View<'a, T>) -> Result<Self, Error> {
        if x.col_stride() == 1 || x.cols() <= 1 {
            return Ok(Self::Borrowed(x));
        }
        Self::copy(x.rows(), x.cols(), |i, j| x[(i, j)])
    }

    /// A copy by rows of what a function gives.
    pub(crate) fn copy(
        rows: usize,
        cols: usize,
        value: impl Fn(usize, usize) -> T,
    ) -> Result<Self, Error> {
        let too_large = || Error::TooLarge {
            what: "a copy of the design by rows",
            count: rows as u128 * cols as u128,
        };
        let len = rows.checked_mul(cols).ok_or_else(too_large)?;
        let mut data = Vec::new();
        data.try_reserve_exact(len).map_err(|_| too_large())?;
        // In stripes of rows, so that a column-major design is read along its columns while the
        // stripe of the copy stays in cache.
        const STRIPE: usize = 64;
        data.resize(len, T::zero());
        for first in (0..rows).step_by(STRIPE) {
            for j in 0..cols {
                for i in first..(first + STRIPE).min(rows) {
                    data[i * cols + j] = value(i, j);
                }
            }
        }
        Ok(Self::Copied { data, rows, cols })
    }

    pub(crate) fn view(&self) -> View<'_, T> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Copied { data, rows, cols } => {
                View::row_major(data, *rows, *cols).expect("the copy has rows·cols elements")
            }
        }
    }
}
