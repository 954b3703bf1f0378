//! R of [R; B] by block Householder reflections.
//!
//! The reflection of column j mixes row j of R with B and leaves the other rows of R alone: its
//! vector is (e_j; v_j) with v_j as long as B, and is kept in column j of B. With V the v_j of some
//! adjacent columns, the product of their reflections is
//!
//! H = I − [E; V] T⁻¹ [E; V]ᵀ, T upper triangular, T_ij = v_i·v_j for i < j, T_jj = τ_j
//!
//! (Schreiber and Van Loan 1989). Columns are halved: factor the left half, apply its Hᵀ to the right
//! half with two products, factor the right half (Elmroth and Gustavson 2000). So most of the
//! 2·rows·d² operations are matrix products, and none is spent on the zeros of R.
//!
//! Why not faer's own `qr_in_place`: as of 0.24 it takes a column for dependent on the earlier ones
//! when what is left of it is below 16·rows·ε of its norm, and drops that. On a thousand rows this
//! makes R singular at κ ≈ 10¹¹, where the rounding errors of Householder's method leave four more
//! digits. Whether columns are dependent is for core to say. So products and solves are faer's, their
//! order is ours; leaving out the zeros of R also makes it faster, to less than half the time.

use faer::linalg::householder::make_householder_in_place;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::traits::RealField;
use faer::{Accum, Mat, MatMut, MatRef, Par, Scale};
use minrisk_core::Scalar;

/// Up to this many columns, products with one vector at a time are faster than blocks.
const NARROW: usize = 6;

/// Replaces R by the triangular factor of [R; B]; B is destroyed.
pub(crate) fn fold<T: Scalar + RealField>(mut r: MatMut<'_, T>, mut b: MatMut<'_, T>) {
    let cols = r.ncols();
    for col in 0..cols {
        for row in col + 1..cols {
            r[(row, col)] = T::ZERO;
        }
    }
    let mut t = Mat::zeros(cols, cols);
    let mut work = Mat::zeros(cols / 2, cols.div_ceil(2));
    if b.row_stride() == 1 {
        reflect(r, b.rb_mut(), t.as_mut(), work.as_mut());
    } else {
        let mut adjacent = b.rb().to_owned();
        reflect(r, adjacent.as_mut(), t.as_mut(), work.as_mut());
    }
}

/// Factors [R; B] and leaves V in B and the upper triangle of T in `t`.
fn reflect<T: Scalar + RealField>(
    r: MatMut<'_, T>,
    b: MatMut<'_, T>,
    t: MatMut<'_, T>,
    mut work: MatMut<'_, T>,
) {
    let cols = r.ncols();
    if cols <= NARROW {
        return reflect_one_by_one(r, b, t);
    }
    let half = cols / 2;
    let (r_left, mut r_across, _, r_right) = r.split_at_mut(half, half);
    let (mut v_left, mut b_right) = b.split_at_col_mut(half);
    let (mut t_left, t_across, _, t_right) = t.split_at_mut(half, half);

    reflect(r_left, v_left.rb_mut(), t_left.rb_mut(), work.rb_mut());

    // W = T⁻ᵀ(R₁₂ + V₁ᵀB₂), then R₁₂ ← R₁₂ − W and B₂ ← B₂ − V₁W.
    let mut w = work.rb_mut().submatrix_mut(0, 0, half, cols - half);
    w.copy_from(r_across.rb());
    matmul(w.rb_mut(), Accum::Add, v_left.rb().transpose(), b_right.rb(), T::ONE, Par::Seq);
    solve_lower_triangular_in_place(t_left.rb().transpose(), w.rb_mut(), Par::Seq);
    r_across -= w.rb();
    matmul(b_right.rb_mut(), Accum::Add, v_left.rb(), w.rb(), -T::ONE, Par::Seq);

    reflect(r_right, b_right.rb_mut(), t_right, work);

    matmul(t_across, Accum::Replace, v_left.rb().transpose(), b_right.rb(), T::ONE, Par::Seq);
}

/// As [`reflect`], applying each reflection to the later columns as soon as it is known.
fn reflect_one_by_one<T: Scalar + RealField>(
    mut r: MatMut<'_, T>,
    mut b: MatMut<'_, T>,
    mut t: MatMut<'_, T>,
) {
    let cols = r.ncols();
    for j in 0..cols {
        let (earlier, mut later) = b.rb_mut().split_at_col_mut(j);
        let (mut v, mut later) = later.rb_mut().split_at_col_mut(1);
        let tau = reflection(&mut r[(j, j)], v.rb_mut());
        t[(j, j)] = tau;
        for i in 0..j {
            t[(i, j)] = dot(earlier.rb().subcols(i, 1), v.rb());
        }
        for k in j + 1..cols {
            let mut column = later.rb_mut().subcols_mut(k - j - 1, 1);
            let step = [-(r[(j, k)] + dot(v.rb(), column.rb())) / tau];
            r[(j, k)] += step[0];
            let step = MatRef::from_column_major_slice(&step, 1, 1);
            matmul(column.rb_mut(), Accum::Add, v.rb(), step, T::ONE, Par::Seq);
        }
    }
}

/// Turns (head; tail) into (±norm; v) with (1; v) the vector of the reflection, and returns its τ.
///
/// Where squares are safe this is what faer does, with the norm from a plain sum of squares: faer
/// guards every term of its norm against overflow, which takes longer than all else here together.
fn reflection<T: Scalar + RealField>(head: &mut T, mut tail: MatMut<'_, T>) -> T {
    let square = dot(tail.rb(), tail.rb());
    let norm = num_traits::Float::sqrt(*head * *head + square);
    let smallest = T::min_positive_value() / (T::epsilon() * T::epsilon());
    if square < smallest || !num_traits::Float::is_finite(norm) {
        // τ = ∞, hence H = I, where there is nothing to annihilate.
        return make_householder_in_place(head, tail.col_mut(0)).tau;
    }
    let opposite = if *head < T::ZERO { norm } else { -norm };
    let scale = T::ONE / (*head - opposite);
    tail *= Scale(scale);
    *head = opposite;
    (T::ONE + square * scale * scale) / (T::ONE + T::ONE)
}

fn dot<T: RealField + Scalar>(x: MatRef<'_, T>, y: MatRef<'_, T>) -> T {
    let mut product = [T::ZERO];
    let cell = MatMut::from_column_major_slice_mut(&mut product, 1, 1);
    matmul(cell, Accum::Replace, x.transpose(), y, T::ONE, Par::Seq);
    product[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three columns of which the last is the sum of the others up to noise of size `level`.
    fn nearly_dependent(rows: usize, level: f64) -> Mat<f64> {
        let wave = |i: usize, k: usize| ((1 + i * k + i) as f64).sin();
        Mat::from_fn(rows, 3, |i, j| match j {
            2 => wave(i, 1) + wave(i, 2) + level * wave(i, 3),
            _ => wave(i, j + 1),
        })
    }

    #[test]
    fn nearly_dependent_columns_keep_their_digits() {
        let (rows, level) = (1000, 1e-12);
        let mut r = Mat::zeros(3, 3);
        fold(r.as_mut(), nearly_dependent(rows, level).as_mut());
        // The third wave is nearly orthogonal to the first two and its squares average one half.
        let expected = level * (rows as f64 / 2.0).sqrt();
        assert!((r[(2, 2)].abs() / expected - 1.0).abs() < 0.05, "{}", r[(2, 2)]);
    }

    #[test]
    fn faer_still_drops_nearly_dependent_columns() {
        use faer::dyn_stack::{MemBuffer, MemStack};
        use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch};
        let mut a = nearly_dependent(1000, 1e-12);
        let mut reflections = Mat::zeros(1, 3);
        let scratch = qr_in_place_scratch::<f64>(1000, 3, 1, Par::Seq, Default::default());
        let mut buffer = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut buffer);
        let info =
            qr_in_place(a.as_mut(), reflections.as_mut(), Par::Seq, stack, Default::default());
        assert_eq!(info.rank, 2, "the reason for this file is gone: use faer's QR");
    }

    #[test]
    fn numbers_of_any_size_are_reflected() {
        for size in [1e-300_f64, 1e-170, 1.0, 1e170, 1e300] {
            let mut r = Mat::from_fn(8, 8, |i, j| if i <= j { size * (i + j) as f64 } else { 9.0 });
            let mut b = Mat::from_fn(20, 8, |i, j| size * ((1 + i * j) as f64).cos());
            // Reflections keep the norm of the last column, which is all above the diagonal.
            let square = |m: &Mat<f64>| m.col(7).iter().map(|x| (x / size).powi(2)).sum::<f64>();
            let expected = square(&r) + square(&b);
            fold(r.as_mut(), b.as_mut());
            assert!((square(&r) / expected - 1.0).abs() < 1e-14, "{size}");
            assert_eq!(r[(7, 0)], 0.0);
        }
    }
}
