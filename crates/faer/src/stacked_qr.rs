//! R of [R; B] by recursive block Householder reflections.
//!
//! The reflection of column j mixes row j of R with B and leaves the other rows of R alone: its
//! vector is (e_j; v_j) with v_j as long as B, and is kept in column j of B. With V the v_j of some
//! adjacent columns, the product of their reflections is
//!
//! H = I − [E; V] T⁻¹ [E; V]ᵀ, T upper triangular, T_ij = v_i·v_j for i < j, T_jj = τ_j
//!
//! (Schreiber and Van Loan 1989). Columns are halved: factor the left half, apply its H to the right
//! half with two products, factor the right half (Elmroth and Gustavson 2000). So nearly all work is
//! matrix products, 2·rows·d² + O(rows·d²/4) operations, and nothing is spent on the zeros of R.
//!
//! Why not faer's own `qr_in_place`: since 0.24 it takes a column for dependent on the earlier ones
//! when what is left of it is below 16·rows·ε of its norm, and drops that. On a block of a thousand
//! rows this makes R singular at κ ≈ 10¹¹, where Householder's own rounding errors leave four more
//! digits. Whether columns are dependent is for core to say, so the reflections are faer's and the
//! order of their application is ours.

use faer::linalg::householder::make_householder_in_place;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::RealField;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use minrisk_core::Scalar;

/// Replaces R by the triangular factor of [R; B], and B by what the reflections leave there.
pub(crate) fn fold<T: Scalar + RealField>(mut r: MatMut<'_, T>, b: MatMut<'_, T>) {
    let cols = r.ncols();
    for col in 0..cols {
        for row in col + 1..cols {
            r[(row, col)] = T::ZERO;
        }
    }
    let mut factor = Mat::zeros(cols, cols);
    let mut work = Mat::zeros(cols, cols.div_ceil(2));
    if b.row_stride() == 1 {
        reflect(r, b, factor.as_mut(), work.as_mut(), false);
    } else {
        let mut adjacent = b.rb().to_owned();
        reflect(r, adjacent.as_mut(), factor.as_mut(), work.as_mut(), false);
    }
}

/// Factors [R; B] and, if `wanted`, fills the upper triangle of T.
fn reflect<T: Scalar + RealField>(
    mut r: MatMut<'_, T>,
    mut b: MatMut<'_, T>,
    mut t: MatMut<'_, T>,
    mut work: MatMut<'_, T>,
    wanted: bool,
) {
    let cols = r.ncols();
    if cols <= leaf() {
        return reflect_columns(r, b, t, wanted);
    }
    let half = (cols / 2).next_multiple_of(leaf()).min(cols - 1);
    let (mut r_left, mut r_across, _, r_right) = r.rb_mut().split_at_mut(half, half);
    let (mut v_left, mut b_right) = b.rb_mut().split_at_col_mut(half);
    let (mut t_left, t_across, _, t_right) = t.rb_mut().split_at_mut(half, half);

    reflect(r_left.rb_mut(), v_left.rb_mut(), t_left.rb_mut(), work.rb_mut(), true);

    // W = T⁻ᵀ(R₁₂ + V₁ᵀB₂), R₁₂ ← R₁₂ − W, B₂ ← B₂ − V₁W.
    let mut w = work.rb_mut().submatrix_mut(0, 0, half, cols - half);
    w.copy_from(r_across.rb());
    matmul(w.rb_mut(), Accum::Add, v_left.rb().transpose(), b_right.rb(), T::ONE, Par::Seq);
    solve_lower_triangular_in_place(t_left.rb().transpose(), w.rb_mut(), Par::Seq);
    r_across -= w.rb();
    matmul(b_right.rb_mut(), Accum::Add, v_left.rb(), w.rb(), -T::ONE, Par::Seq);

    reflect(r_right, b_right.rb_mut(), t_right, work, wanted);

    if wanted {
        matmul(t_across, Accum::Replace, v_left.rb().transpose(), b_right.rb(), T::ONE, Par::Seq);
    }
}

pub static LEAF: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(8);
fn leaf() -> usize { LEAF.load(std::sync::atomic::Ordering::Relaxed) }

fn reflect_columns<T: Scalar + RealField>(
    mut r: MatMut<'_, T>,
    mut b: MatMut<'_, T>,
    mut t: MatMut<'_, T>,
    wanted: bool,
) {
    let cols = r.ncols();
    for j in 0..cols {
        let (before, after) = b.rb_mut().split_at_col_mut(j);
        let (mut v, mut rest) = after.split_at_col_mut(1);
        let tau = householder(&mut r[(j, j)], v.rb_mut());
        if wanted {
            t[(j, j)] = tau;
            for i in 0..j {
                t[(i, j)] = dot(before.rb().col(i).as_mat(), v.rb());
            }
        }
        let factor = -(T::ONE / tau);
        for k in j + 1..cols {
            let mut column = rest.rb_mut().subcols_mut(k - j - 1, 1);
            let w = (r[(j, k)] + dot(v.rb(), column.rb())) * factor;
            r[(j, k)] += w;
            matmul(column.rb_mut(), Accum::Add, v.rb(), faer::mat![[w]], T::ONE, Par::Seq);
        }
    }
}

fn dot<T: Scalar + RealField>(x: MatRef<'_, T>, y: MatRef<'_, T>) -> T {
    let mut out = [T::ZERO];
    matmul(MatMut::from_column_major_slice_mut(&mut out, 1, 1), Accum::Replace, x.transpose(), y, T::ONE, Par::Seq);
    out[0]
}

fn householder<T: Scalar + RealField>(head: &mut T, mut tail: MatMut<'_, T>) -> T {
    let square = dot(tail.rb(), tail.rb());
    let norm = T::from_f64((*head * *head + square).to_f64().sqrt());
    let beta = if *head < T::ZERO { norm } else { -norm };
    let scale = T::ONE / (*head - beta);
    tail *= faer::Scale(scale);
    *head = beta;
    (T::ONE + square * scale * scale) / (T::ONE + T::ONE)
}
