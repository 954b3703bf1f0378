//! Is every element finite, and how large is each column?
//!
//! x·0 is 0 for every finite x and NaN otherwise, so a sum of such products tells without a branch
//! per element.

use super::Layout;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES};
use crate::{Scalar, View};

/// Whether a block has neither NaN nor infinity.
pub(crate) fn all_finite<T: Scalar>(x: View<'_, T>) -> bool {
    if let Some(all) = x.as_slice() {
        return vectorised(SliceIsFinite(all));
    }
    let by_columns = match Layout::of(x) {
        Layout::Columns => x,
        Layout::Rows => x.transpose(),
        Layout::Scattered => {
            return (0..x.cols()).all(|j| x.col_iter(j).all(|v| v.is_finite()));
        }
    };
    (0..by_columns.cols()).all(|j| match by_columns.col_slice(j) {
        Some(column) => vectorised(SliceIsFinite(column)),
        None => by_columns.col_iter(j).all(|v| v.is_finite()),
    })
}

struct SliceIsFinite<'a, T>(&'a [T]);

impl<T: Scalar> Kernel for SliceIsFinite<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> bool {
        let (groups, rest) = self.0.as_chunks::<{ 4 * LANES }>();
        let mut sums = [T::zero(); 4 * LANES];
        for group in groups {
            for (sum, &x) in sums.iter_mut().zip(group) {
                *sum += x * T::zero();
            }
        }
        sums.iter().all(|sum| *sum == T::zero()) && rest.iter().all(|x| x.is_finite())
    }
}

/// Raises `largest[j]` to the greatest |x_ij| of column j.
pub(crate) fn largest_magnitudes<T: Scalar>(x: View<'_, T>, largest: &mut [T]) {
    for (j, largest) in largest.iter_mut().enumerate() {
        *largest = x.col_iter(j).fold(*largest, |max, v| max.max(v.abs()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_value_anywhere_is_found() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for position in [0, 1, 31, 32, 40, 77] {
                let mut data = vec![1e308; 78];
                data[position] = bad;
                assert!(!all_finite(View::row_major(&data, 6, 13).unwrap()));
                assert!(!all_finite(View::col_major(&data, 6, 13).unwrap()));
                assert!(!all_finite(View::column_vector(&data)));
            }
        }
        assert!(all_finite(View::column_vector(&[1e308; 99])));
        assert!(all_finite(View::<f32>::column_vector(&[])));
    }
}
