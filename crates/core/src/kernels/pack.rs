//! Packed copies of a block: shifted, scaled and weighted for a factorisation.
//!
//! A factorisation may look at √c_t·2^(−e_j)·(x_tj − s_j) instead of x_tj: centred for conditioning,
//! scaled by powers of two (which is exact), weighted by rows. The copy keeps the orientation of the
//! block, so that copying runs along memory. It may have another precision than the block.
//!
//! Room is handed from one copy to the next on the same thread: a system takes longer to hand out half a
//! megabyte, page by page, than we take to fill it.

use super::Layout;
use crate::simd::{Kernel, vectorised};
use crate::wide::ExactProduct;
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
pub(crate) struct Packed<S: Scalar> {
    data: Vec<S>,
    roots: Vec<S>,
}

/// Buffers that a thread keeps at most, and the most elements that one of them may hold.
const SPARES: usize = 4;
const SPARE_ELEMENTS: usize = 1 << 19;

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
        self.make_room(rows * cols);
        self.roots.clear();
        if let Some(weights) = weights {
            self.roots.extend(weights.col_iter(0).map(|c| c.sqrt()));
        }
        let Self { data, roots } = self;
        let by_rows = Layout::of(x) == Layout::Rows;
        match by_rows {
            true => vectorised(ByRows { data, roots, x, transform }),
            false => vectorised(ByColumns { data, roots, x, transform }),
        }
        let (row_stride, col_stride) = if by_rows { (cols, 1) } else { (1, rows) };
        let data = self.data.as_mut_ptr();
        // SAFETY: there are rows·cols elements, row by row or column by column.
        unsafe {
            ViewMut::from_raw_parts(data, rows, cols, row_stride as isize, col_stride as isize)
        }
    }

    /// So many elements, whatever is in them.
    fn make_room(&mut self, elements: usize) {
        if self.data.capacity() == 0 {
            let spare = S::spares().try_with(|spares| spares.borrow_mut().pop());
            self.data = spare.ok().flatten().unwrap_or_default();
        }
        self.data.resize(elements, S::zero());
    }
}

impl<S: Scalar> Drop for Packed<S> {
    fn drop(&mut self) {
        if !(1..=SPARE_ELEMENTS).contains(&self.data.capacity()) {
            return;
        }
        let data = std::mem::take(&mut self.data);
        // A thread that ends has no spares any more, and the buffer goes the usual way.
        let _ = S::spares().try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if spares.len() < SPARES {
                spares.push(data);
            }
        });
    }
}

struct ByRows<'k, 'b, T, S> {
    data: &'k mut [S],
    roots: &'k [S],
    x: View<'b, T>,
    transform: &'k Transform<'k, S>,
}

impl<T: Scalar, S: Scalar> Kernel for ByRows<'_, '_, T, S> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let Self { data, roots, x, transform } = self;
        let to = |v: T| S::from_double(v.to_double());
        let cols = x.cols() + usize::from(transform.ones);
        for (i, packed) in data.chunks_exact_mut(cols.max(1)).enumerate() {
            let row = x.row_slice(i).expect("the layout has contiguous rows");
            let (packed, one) = packed.split_at_mut(row.len());
            one.fill(S::one());
            let pairs = packed.iter_mut().zip(row);
            match (transform.shifts, transform.scales) {
                (None, None) => pairs.for_each(|(p, &v)| *p = to(v)),
                (Some(shifts), None) => {
                    pairs.zip(shifts).for_each(|((p, &v), &s)| *p = to(v) - s);
                }
                (None, Some(scales)) => {
                    pairs.zip(scales).for_each(|((p, &v), &f)| *p = to(v) * f);
                }
                (Some(shifts), Some(scales)) => {
                    let pairs = pairs.zip(shifts.iter().zip(scales));
                    pairs.for_each(|((p, &v), (&s, &f))| *p = (to(v) - s) * f);
                }
            }
        }
        for (packed, &root) in data.chunks_exact_mut(cols.max(1)).zip(roots) {
            packed.iter_mut().for_each(|v| *v *= root);
        }
    }
}

struct ByColumns<'k, 'b, T, S> {
    data: &'k mut [S],
    roots: &'k [S],
    x: View<'b, T>,
    transform: &'k Transform<'k, S>,
}

impl<T: Scalar, S: Scalar> Kernel for ByColumns<'_, '_, T, S> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let Self { data, roots, x, transform } = self;
        let to = |v: T| S::from_double(v.to_double());
        for (j, packed) in data.chunks_exact_mut(x.rows().max(1)).enumerate() {
            if j < x.cols() {
                let s = transform.shifts.map_or(S::zero(), |s| s[j]);
                let f = transform.scales.map_or(S::one(), |f| f[j]);
                let change = |(p, &v): (&mut S, &T)| *p = (to(v) - s) * f;
                match x.col_slice(j) {
                    Some(column) => packed.iter_mut().zip(column).for_each(change),
                    None => packed.iter_mut().zip(x.col_iter(j)).for_each(change),
                }
            } else {
                packed.fill(S::one());
            }
            packed.iter_mut().zip(roots).for_each(|(v, &root)| *v *= root);
        }
    }
}
