//! Xw and Xᵀu: in a pass, or along the columns where they are contiguous and many.

use super::vectors::add;
use crate::kernels::{FusedKernel, Start, all_finite};
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES, Precision};
use crate::{Block, Dataset, Error, Reduction, Rows, Scalar, View};

use rayon::prelude::*;

/// z of every row, in order.
pub(crate) struct PredictionPass<'a, N = f64> {
    pub(crate) weights: &'a [N],
    pub(crate) intercept: N,
}

impl<T: Scalar, N: Precision<T>> Reduction<T> for PredictionPass<'_, N> {
    type State = (FusedKernel<T, N>, Vec<N>);

    fn start(&self) -> Self::State {
        (FusedKernel::new(self.weights.to_vec()), Vec::new())
    }

    fn absorb(&self, (kernel, z): &mut Self::State, block: &Block<'_, T>) {
        let start = Start { values: block.offsets, shift: self.intercept };
        kernel.forward(block.x, start, z);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.1.extend(right.1);
    }
}

/// Xᵀu and Σu for a number u of each row.
pub(crate) struct TransposedPass<'a, N = f64> {
    pub(crate) u: &'a [N],
    pub(crate) cols: usize,
}

impl<T: Scalar, N: Precision<T>> Reduction<T> for TransposedPass<'_, N> {
    type State = (FusedKernel<T, N>, Vec<N>);

    fn start(&self) -> Self::State {
        (FusedKernel::new(vec![N::ZERO; self.cols]), vec![N::ZERO; self.cols])
    }

    fn absorb(&self, (kernel, sums): &mut Self::State, block: &Block<'_, T>) {
        let u = &self.u[block.first_row..block.first_row + block.x.rows()];
        kernel.backward(block.x, u, sums);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        add(&mut left.1, &right.1);
    }
}

/// Xᵀu: column by column where they are contiguous, which is fastest where they are many, else in a pass, which also says
/// where a bad value is.
pub(crate) fn transposed_product<T: Scalar>(
    data: &Dataset<'_, T>,
    u: &[f64],
) -> Result<Vec<f64>, Error> {
    let crate::Design::Dense(x) = data.design();
    match has_contiguous_columns(x).then(|| along_columns(data, x, u)).flatten() {
        Some(products) => Ok(products),
        None => Ok(Rows::Memory(data).reduce(&TransposedPass { u, cols: x.cols() })?.1),
    }
}

/// Xᵀu along contiguous columns; `None` where one of them has a value that is not finite.
fn along_columns<T: Scalar>(data: &Dataset<'_, T>, x: View<'_, T>, u: &[f64]) -> Option<Vec<f64>> {
    let is_known_finite = data.is_known_finite();
    let dots = |first: usize| {
        let group = first..(first + ABREAST).min(x.cols());
        let column = |k: usize| x.col_slice((first + k).min(x.cols() - 1)).unwrap_or_default();
        // Columns that nobody has looked at are checked while they are at hand.
        let is_finite = is_known_finite || all_finite(x.col_range(group));
        is_finite.then(|| vectorised(ColumnDots { columns: std::array::from_fn(column), u }))
    };
    let firsts = (0..x.cols()).into_par_iter().step_by(ABREAST).with_min_len(GROUPS_A_TASK);
    let products = firsts.map(dots).collect::<Option<Vec<_>>>()?;
    data.mark_finite();
    Some(products.into_iter().flatten().take(x.cols()).collect())
}

/// Xw + b + o: over the columns that have a weight where columns are contiguous and these are few or all are many, else in a
/// pass.
pub(crate) fn predictions<T: Scalar>(
    data: &Dataset<'_, T>,
    weights: &[f64],
    intercept: f64,
) -> Result<Vec<f64>, Error> {
    let crate::Design::Dense(x) = data.design();
    let support: Vec<usize> = (0..x.cols()).filter(|&j| weights[j] != 0.0).collect();
    let is_checked = data.is_known_finite() || support.is_empty();
    let by_columns = 2 * support.len() < x.cols() || x.cols() >= MANY_COLUMNS;
    if !has_contiguous_columns(x) || !by_columns || !is_checked {
        let pass = PredictionPass { weights, intercept };
        return Ok(Rows::Memory(data).reduce(&pass)?.1);
    }
    let mut z: Vec<f64> = (0..x.rows()).map(|t| data.offset_of(t) + intercept).collect();
    z.par_chunks_mut(ROWS_A_TASK).enumerate().for_each(|(k, z)| {
        let rows = k * ROWS_A_TASK..k * ROWS_A_TASK + z.len();
        for group in support.chunks(ABREAST) {
            let column = |k: usize| match group.get(k) {
                Some(&j) => (weights[j], &x.col_slice(j).unwrap_or_default()[rows.clone()]),
                // Any column, without a weight.
                None => (0.0, &x.col_slice(group[0]).unwrap_or_default()[rows.clone()]),
            };
            vectorised(AddColumns { columns: std::array::from_fn(column), z });
        }
    });
    Ok(z)
}

fn has_contiguous_columns<T: Scalar>(x: View<'_, T>) -> bool {
    x.rows() > 0 && (0..x.cols()).all(|j| x.col_slice(j).is_some())
}

/// Columns from which on the blocks of a pass have too few rows for long runs along them.
const MANY_COLUMNS: usize = 256;
/// Rows of a task: z of them stays in the innermost cache.
const ROWS_A_TASK: usize = 2048;

struct AddColumns<'a, T> {
    columns: [(f64, &'a [T]); ABREAST],
    z: &'a mut [f64],
}

impl<T: Scalar> Kernel for AddColumns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let rows = self.z.len();
        let columns = self.columns.map(|(w, column)| (w, &column[..rows]));
        for (t, z) in self.z.iter_mut().enumerate() {
            let term = |k: usize| columns[k].0 * columns[k].1[t].to_double();
            let (front, back) =
                (term(0) + term(1) + (term(2) + term(3)), term(4) + term(5) + (term(6) + term(7)));
            *z += front + back;
        }
    }
}

/// Columns that are multiplied with the same vector at once, and groups of them that are worth a task.
pub(super) const ABREAST: usize = 8;
const GROUPS_A_TASK: usize = 8;

/// Over the lanes of one column at a time: that is what the compiler turns into vectors.
#[inline(always)]
fn add_product<T: Scalar>(sum: &mut [f64; LANES], x: &[T; LANES], u: &[f64; LANES]) {
    for l in 0..LANES {
        sum[l] += x[l].to_double() * u[l];
    }
}

/// The products of columns with a vector.
pub(super) struct ColumnDots<'a, T> {
    pub(super) columns: [&'a [T]; ABREAST],
    pub(super) u: &'a [f64],
}

impl<T: Scalar> Kernel for ColumnDots<'_, T> {
    type Output = [f64; ABREAST];

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> [f64; ABREAST] {
        let (groups, rest) = self.u.as_chunks::<LANES>();
        let columns = self.columns.map(|column| column.as_chunks::<LANES>());
        let columns_groups = columns.map(|(chunks, _)| &chunks[..groups.len()]);
        let mut sums = [[0.0; LANES]; ABREAST];
        for (t, u) in groups.iter().enumerate() {
            for k in 0..ABREAST {
                add_product(&mut sums[k], &columns_groups[k][t], u);
            }
        }
        std::array::from_fn(|k| {
            let tail = columns[k].1.iter().zip(rest).map(|(x, u)| x.to_double() * u);
            sums[k].iter().sum::<f64>() + tail.sum::<f64>()
        })
    }
}
