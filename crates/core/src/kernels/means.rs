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
    match Layout::of(x) {
        Layout::Rows => vectorised(AddRows { means, x, weights }),
        Layout::Columns if weights.is_none() => {
            for (j, mean) in means.iter_mut().enumerate() {
                let column = x.col_slice(j).expect("the layout has contiguous columns");
                *mean = vectorised(SumSlice(column));
            }
        }
        _ => {
            let weight = |i: usize| weights.map_or(T::one(), |c| c[(i, 0)]);
            for (j, mean) in means.iter_mut().enumerate() {
                *mean = x.col_iter(j).enumerate().map(|(i, &v)| v * weight(i)).sum();
            }
        }
    }
    means.iter_mut().for_each(|mean| *mean /= total);
}

struct AddRows<'a, T> {
    means: &'a mut [T],
    x: View<'a, T>,
    weights: Option<View<'a, T>>,
}

impl<T: Scalar> Kernel for AddRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        for i in 0..self.x.rows() {
            let row = self.x.row_slice(i).expect("the layout has contiguous rows");
            let pairs = self.means.iter_mut().zip(row);
            match self.weights {
                None => pairs.for_each(|(mean, &x)| *mean += x),
                Some(weights) => {
                    let weight = weights[(i, 0)];
                    pairs.for_each(|(mean, &x)| *mean += x * weight);
                }
            }
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
