//! Core's own streaming kernels: the level-1 and level-2 work that reads each element of a block
//! once or twice and is bound by memory, where a call into a library would only add overhead.

mod finite;
mod fused;
mod means;
mod pack;
mod residual;
mod wide_gram;

pub(crate) use finite::{all_finite, largest_magnitudes};
pub(crate) use fused::{FusedKernel, Start, load_column};
pub(crate) use means::column_means;
pub(crate) use pack::{Packed, Transform};
pub(crate) use residual::{ResidualKernel, ResidualSums};
pub(crate) use wide_gram::WideGram;

use crate::View;

/// How the elements of a block can be walked without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Columns are contiguous.
    Columns,
    /// Rows are contiguous.
    Rows,
    /// Neither.
    Scattered,
}

impl Layout {
    pub(crate) fn of<T>(x: View<'_, T>) -> Self {
        if x.row_stride() == 1 || x.rows() <= 1 && x.col_stride() != 1 {
            Layout::Columns
        } else if x.col_stride() == 1 || x.cols() <= 1 {
            Layout::Rows
        } else {
            Layout::Scattered
        }
    }
}
