//! A copy of the data in single precision, for the many steps of a long descent: half as much to read.
//!
//! Sums over it are made in doubles, so that F̃, the objective on the copy, is as smooth as F. Entries off by 2^−24 of their
//! size move the gradient by about 2^−24·√(Σ (c_t ℓ′_t x_tj)²), and what is left above the minimum of F where F̃ has its own
//! is of second order in that: far below most gaps that are asked for. Nothing that is claimed about a fit is computed here.

use rayon::prelude::*;

use crate::kernels::Layout;
use crate::{Dataset, Scalar, View};

/// The most elements that are copied: a gigabyte.
const MOST_ELEMENTS: usize = 1 << 28;

/// Design, targets, weights and offsets in single precision; the design lies in memory as the original does.
pub(super) struct Singles {
    design: Vec<f32>,
    by_rows: bool,
    cols: usize,
    targets: Vec<f32>,
    weights: Option<Vec<f32>>,
    offsets: Option<Vec<f32>>,
}

impl Singles {
    /// The copy; `None` where the data is no longer than that, or does not fit.
    pub(super) fn of<T: Scalar>(data: &Dataset<'_, T>) -> Option<Self> {
        let crate::Design::Dense(x) = data.design();
        let len = x.rows().checked_mul(x.cols()).filter(|&len| len <= MOST_ELEMENTS)?;
        if size_of::<T>() <= size_of::<f32>() || len == 0 {
            return None;
        }
        let by_rows = Layout::of(x) != Layout::Columns;
        let mut design = Vec::new();
        design.try_reserve_exact(len).ok()?;
        design.resize(len, 0.0);
        let lines = design.par_chunks_mut(if by_rows { x.cols() } else { x.rows() });
        let fits = lines.enumerate().all(|(k, line)| {
            let values = if by_rows { x.row_slice(k) } else { x.col_slice(k) };
            match values {
                Some(values) => line.iter_mut().zip(values).for_each(|(to, v)| *to = single(v)),
                None => line.iter_mut().enumerate().for_each(|(j, to)| *to = single(&x[(k, j)])),
            }
            line.iter().all(|v| v.is_finite())
        });
        let column = |view: View<'_, T>| view.col_iter(0).map(single).collect();
        fits.then(|| Self {
            design,
            by_rows,
            cols: x.cols(),
            targets: column(data.target_view()),
            weights: data.weights().map(column),
            offsets: data.offsets().map(column),
        })
    }

    /// The copy as data; `None` where a target or a weight does not fit.
    pub(super) fn dataset(&self) -> Option<Dataset<'_, f32>> {
        let rows = self.targets.len();
        let design = match self.by_rows {
            true => View::row_major(&self.design, rows, self.cols),
            false => View::col_major(&self.design, rows, self.cols),
        };
        let mut data = Dataset::new(design.ok()?, View::column_vector(&self.targets)).ok()?;
        if let Some(weights) = &self.weights {
            data = data.with_precisions(View::column_vector(weights)).ok()?;
        }
        if let Some(offsets) = &self.offsets {
            data = data.with_offsets(View::column_vector(offsets)).ok()?;
        }
        data.mark_finite();
        Some(data)
    }
}

fn single<T: Scalar>(value: &T) -> f32 {
    value.to_double() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_show_the_same_data_in_any_layout() {
        let entries: Vec<f64> = (0..12).map(|k| 0.1 * k as f64).collect();
        let (y, c) = ([1.0, -1.0, 1.0], [1.0, 0.5, 2.0]);
        let rows = View::row_major(&entries, 3, 4).expect("as many entries");
        let columns = View::col_major(&entries, 3, 4).expect("as many entries");
        for x in [rows, columns, rows.transpose().transpose()] {
            let data = Dataset::new(x, View::column_vector(&y)).expect("data");
            let data = data.with_precisions(View::column_vector(&c)).expect("weights");
            let singles = Singles::of(&data).expect("a copy");
            let copy = singles.dataset().expect("data");
            let crate::Design::Dense(found) = copy.design();
            for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
                assert_eq!(found[(i, j)], x[(i, j)] as f32);
            }
            assert_eq!((copy.weight_of(1), copy.target_view()[(1, 0)]), (0.5, -1.0));
        }
    }

    #[test]
    fn what_has_no_place_in_single_precision_is_not_copied() {
        let y = [1.0];
        for bad in [1e60, f64::NAN] {
            let entries = [1.0, bad];
            let x = View::row_major(&entries, 1, 2).expect("as many entries");
            let data = Dataset::new(x, View::column_vector(&y)).expect("data");
            assert!(Singles::of(&data).is_none());
        }
        let entries = [1.0_f32];
        let x = View::row_major(&entries, 1, 1).expect("as many entries");
        let data = Dataset::new(x, View::column_vector(&entries)).expect("data");
        assert!(Singles::of(&data).is_none(), "it is as short as a copy");
    }
}
