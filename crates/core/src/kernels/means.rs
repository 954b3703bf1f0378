//! Weighted means of the columns of a block, in the data's precision.

use super::Layout;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES};
use crate::{Scalar, View};

/// Σ c_i x_ij / Σ c_i for every column j; zero where no row has weight.
pub(crate) fn column_means<T: Scalar>(
    x: View<'_, T>,
    weights: Option<View<'_, T>>,
    means: &mut Vec<T>,
) {
    means.clear();
    means.resize(x.cols(), T::zero());
    let total = match weights {
        None => T::from_double(x.rows() as f64),
        Some(weights) => weights.col_iter(0).copied().sum(),
    };
    if total <= T::zero() {
        return;
    }
    let weight = |i: usize| weights.map_or(T::one(), |c| c[(i, 0)]);
    match Layout::of(x) {
        Layout::Rows => {
            for i in 0..x.rows() {
                let row = x.row_slice(i).expect("the layout has contiguous rows");
                vectorised(AddRow { means, row, weight: weight(i) });
            }
        }
        Layout::Columns if weights.is_none() => {
            for (j, mean) in means.iter_mut().enumerate() {
                let column = x.col_slice(j).expect("the layout has contiguous columns");
                *mean = vectorised(SumSlice(column));
            }
        }
        _ => {
            for (j, mean) in means.iter_mut().enumerate() {
                *mean = x.col_iter(j).enumerate().map(|(i, &v)| v * weight(i)).sum();
            }
        }
    }
    means.iter_mut().for_each(|mean| *mean /= total);
}

struct AddRow<'a, T> {
    means: &'a mut [T],
    row: &'a [T],
    weight: T,
}

impl<T: Scalar> Kernel for AddRow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        for (mean, &x) in self.means.iter_mut().zip(self.row) {
            *mean += x * self.weight;
        }
    }
}

struct SumSlice<'a, T>(&'a [T]);

impl<T: Scalar> Kernel for SumSlice<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> T {
        let (groups, rest) = self.0.as_chunks::<{ 4 * LANES }>();
        let mut sums = [T::zero(); 4 * LANES];
        for group in groups {
            for (sum, &x) in sums.iter_mut().zip(group) {
                *sum += x;
            }
        }
        sums.iter().chain(rest).copied().sum()
    }
}
