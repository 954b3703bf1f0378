//! Packed copies of a block: shifted, scaled and weighted for a factorisation.
//!
//! A factorisation may look at √c_t·2^(−e_j)·(x_tj − s_j) instead of x_tj: centred for conditioning,
//! scaled by powers of two (which is exact), weighted by rows. The copy keeps the orientation of the
//! block, so that copying runs along memory. It may have another precision than the block.

use super::Layout;
use crate::{Scalar, View, ViewMut};

/// What is done to every element on its way into a packed block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Transform<'a, S> {
    /// s_j, subtracted first.
    pub(crate) shifts: Option<&'a [S]>,
    /// 2^(−e_j), multiplied next.
    pub(crate) scales: Option<&'a [S]>,
    /// Whether a column of ones, for an intercept, is appended before the weights are applied.
    pub(crate) ones: bool,
}

/// A reusable buffer for packed blocks.
#[derive(Debug, Default)]
pub(crate) struct Packed<S> {
    data: Vec<S>,
    roots: Vec<S>,
}

impl<S: Scalar> Packed<S> {
    /// Packs a block; weights scale the rows by their square roots.
    pub(crate) fn pack<T: Scalar>(
        &mut self,
        x: View<'_, T>,
        weights: Option<View<'_, S>>,
        transform: &Transform<'_, S>,
    ) -> View<'_, S> {
        self.pack_mut(x, weights, transform);
        let (rows, cols) = (x.rows(), x.cols() + usize::from(transform.ones));
        let by_rows = Layout::of(x) == Layout::Rows;
        // SAFETY: `pack_mut` has just written rows·cols elements in this orientation.
        unsafe {
            if by_rows {
                View::from_raw_parts(self.data.as_ptr(), rows, cols, cols as isize, 1)
            } else {
                View::from_raw_parts(self.data.as_ptr(), rows, cols, 1, rows as isize)
            }
        }
    }

    /// As [`Packed::pack`], for a kernel that destroys its input.
    pub(crate) fn pack_mut<T: Scalar>(
        &mut self,
        x: View<'_, T>,
        weights: Option<View<'_, S>>,
        transform: &Transform<'_, S>,
    ) -> ViewMut<'_, S> {
        let (rows, cols) = (x.rows(), x.cols() + usize::from(transform.ones));
        self.data.clear();
        self.data.reserve(rows * cols);
        self.roots.clear();
        if let Some(weights) = weights {
            self.roots.extend(weights.col_iter(0).map(|c| c.sqrt()));
        }
        let to = |v: T| S::from_double(v.to_double());
        let shift = |j: usize| transform.shifts.map_or(S::zero(), |s| s[j]);
        let scale = |j: usize| transform.scales.map_or(S::one(), |s| s[j]);
        if Layout::of(x) == Layout::Rows {
            for i in 0..rows {
                self.push_row(x, i, transform);
                self.data.extend(transform.ones.then_some(S::one()));
            }
            for (i, &root) in self.roots.iter().enumerate() {
                self.data[i * cols..(i + 1) * cols].iter_mut().for_each(|v| *v *= root);
            }
            // SAFETY: rows·cols elements were pushed row by row.
            unsafe { ViewMut::from_raw_parts(self.data.as_mut_ptr(), rows, cols, cols as isize, 1) }
        } else {
            for j in 0..x.cols() {
                let (s, f) = (shift(j), scale(j));
                match x.col_slice(j) {
                    Some(column) => self.data.extend(column.iter().map(|&v| (to(v) - s) * f)),
                    None => self.data.extend(x.col_iter(j).map(|&v| (to(v) - s) * f)),
                }
            }
            self.data.extend(std::iter::repeat_n(S::one(), rows * usize::from(transform.ones)));
            if !self.roots.is_empty() {
                for column in self.data.chunks_exact_mut(rows) {
                    column.iter_mut().zip(&self.roots).for_each(|(v, &root)| *v *= root);
                }
            }
            // SAFETY: rows·cols elements were pushed column by column.
            unsafe { ViewMut::from_raw_parts(self.data.as_mut_ptr(), rows, cols, 1, rows as isize) }
        }
    }

    fn push_row<T: Scalar>(&mut self, x: View<'_, T>, i: usize, transform: &Transform<'_, S>) {
        let to = |v: T| S::from_double(v.to_double());
        let row = x.row_slice(i).expect("the layout has contiguous rows");
        match (transform.shifts, transform.scales) {
            (None, None) => self.data.extend(row.iter().map(|&v| to(v))),
            (Some(shifts), None) => {
                self.data.extend(row.iter().zip(shifts).map(|(&v, &s)| to(v) - s));
            }
            (None, Some(scales)) => {
                self.data.extend(row.iter().zip(scales).map(|(&v, &f)| to(v) * f));
            }
            (Some(shifts), Some(scales)) => self.data.extend(
                row.iter().zip(shifts.iter().zip(scales)).map(|(&v, (&s, &f))| (to(v) - s) * f),
            ),
        }
    }
}
