//! ZᵀCZ of Z = [1, X, Y] in the wide precision, products exact.

use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES, Number, Precision};
use crate::{Block, Matrix, Scalar};

/// Terms of a chain before it is summed into the matrix.
const CHAIN: usize = 16;

/// The lower triangle of ZᵀCZ, and the room to pack blocks in.
pub(crate) struct WideGram<T: Scalar> {
    sums: Matrix<T::Wide>,
    /// Lanes of eight rows of Z, column after column, zero past the last row.
    columns: Vec<[T; LANES]>,
    /// C·z_j for the column at hand.
    weighted: Vec<<T::Wide as Precision<T>>::Lanes>,
}

impl<T: Scalar> WideGram<T> {
    /// The matrix of no rows.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            sums: Matrix::filled(size, size, T::Wide::ZERO),
            columns: Vec::new(),
            weighted: Vec::new(),
        }
    }

    /// Entry (i, j), either way round.
    pub(crate) fn at(&self, i: usize, j: usize) -> T::Wide {
        self.sums[(i.max(j), i.min(j))]
    }

    /// Adds the rows of a block.
    pub(crate) fn absorb(&mut self, block: &Block<'_, T>) {
        let rows = block.x.rows();
        let groups = rows.div_ceil(LANES);
        self.columns.clear();
        let mut push = |value: &dyn Fn(usize) -> T| {
            for q in 0..groups {
                let at = |l: usize| q * LANES + l;
                self.columns.push(std::array::from_fn(|l| {
                    if at(l) < rows { value(at(l)) } else { T::zero() }
                }));
            }
        };
        push(&|_| T::one());
        (0..block.x.cols()).for_each(|j| push(&|i| block.x[(i, j)]));
        (0..block.y.cols()).for_each(|k| push(&|i| block.y[(i, k)]));
        let weights = block.weights.map(|weights| -> Vec<[T; LANES]> {
            let weight = |i: usize| weights.get(i, 0).copied().unwrap_or(T::zero());
            (0..groups).map(|q| std::array::from_fn(|l| weight(q * LANES + l))).collect()
        });
        vectorised(Products { gram: self, groups, weights: weights.as_deref() });
    }

    /// Adds the matrix of other rows.
    pub(crate) fn merge(&mut self, other: &Self) {
        let both = self.sums.as_mut_slice().iter_mut().zip(other.sums.as_slice());
        both.for_each(|(a, &b)| *a += b);
    }
}

struct Products<'a, T: Scalar> {
    gram: &'a mut WideGram<T>,
    groups: usize,
    weights: Option<&'a [[T; LANES]]>,
}

impl<T: Scalar> Kernel for Products<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let WideGram { sums, columns, weighted } = self.gram;
        let column = |j: usize| &columns[j * self.groups..(j + 1) * self.groups];
        let zero = <T::Wide as Precision<T>>::splat(T::Wide::ZERO);
        for j in 0..sums.cols() {
            weighted.clear();
            weighted.extend(column(j).iter().enumerate().map(|(q, &z)| match self.weights {
                None => T::Wide::lift(z),
                Some(weights) => T::Wide::mul_add::<E>(zero, weights[q], T::Wide::lift(z)),
            }));
            for i in j..sums.rows() {
                let mut total = T::Wide::ZERO;
                for (z, factors) in column(i).chunks(4 * CHAIN).zip(weighted.chunks(4 * CHAIN)) {
                    let mut chains = [zero; 4];
                    for (k, (&z, &factor)) in z.iter().zip(factors).enumerate() {
                        chains[k % 4] = T::Wide::mul_add::<E>(chains[k % 4], z, factor);
                    }
                    for chain in chains {
                        total += T::Wide::sum(chain);
                    }
                }
                sums[(i, j)] += total;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;

    #[test]
    fn sums_that_cancel_in_doubles_are_exact() {
        let x = [1e16, 1.0, -1e16, 3.0];
        let (y, c) = ([1.0; 4], [1.0, 2.0, 1.0, 1.0]);
        let block = Block {
            first_row: 0,
            x: View::column_vector(&x),
            y: View::column_vector(&y),
            weights: Some(View::column_vector(&c)),
            offsets: None,
        };
        let mut gram = WideGram::<f64>::new(3);
        gram.absorb(&block);
        assert_eq!(gram.at(1, 0).to_double(), 5.0);
        assert_eq!(gram.at(0, 0).to_double(), 5.0);
        assert_eq!(gram.at(1, 2).to_double(), 5.0);
    }
}
