//! Singular value decomposition by one-sided Jacobi rotations (Hestenes 1958).
//!
//! Rotations of two columns at a time make the columns of W = A·V orthogonal; their norms are the
//! singular values, and the columns divided by them are U. A rotation is accurate relative to the
//! smaller of its columns, so U is orthonormal down to the columns of rounding noise that a matrix of
//! deficient rank ends in. O(rows·cols²) operations a sweep, six to twelve sweeps as a rule.
//!
//! Why not nalgebra's own `SVD`: as of 0.35 it returns wrong factors for many matrices of deficient
//! rank (5 × 5 ones is one) and loses six digits on graded 2 × 2 matrices, and deficient rank is
//! what core asks for singular values about.

use minrisk_core::KernelError;
use nalgebra::DMatrix;

/// The sweeps after which it gives up. Columns that depend on others exactly take the most: they
/// shrink by the unit roundoff each sweep until they are negligible.
const SWEEPS: usize = 60;

/// Below this, squares of column norms lose digits to underflow, and the column counts as zero: it
/// is 10⁻¹³⁰ of a matrix whose largest element is near one.
const NEGLIGIBLE_SQUARE: f64 = 1e-260;

/// A = U·diag(s)·Vᵀ with s descending.
pub(crate) struct Svd {
    pub(crate) u: DMatrix<f64>,
    pub(crate) s: Vec<f64>,
    pub(crate) v: DMatrix<f64>,
}

/// Decomposes an A with no more columns than rows and a largest element near one.
pub(crate) fn svd(a: DMatrix<f64>) -> Result<Svd, KernelError> {
    let mut w = a;
    let mut v = DMatrix::identity(w.ncols(), w.ncols());
    orthogonalise(&mut w, &mut v)?;

    let norms: Vec<f64> = w.column_iter().map(|column| column.norm()).collect();
    let mut order: Vec<usize> = (0..norms.len()).collect();
    order.sort_by(|&i, &j| norms[j].total_cmp(&norms[i]));
    let s: Vec<f64> = order.iter().map(|&from| norms[from]).collect();
    let mut u = w.select_columns(&order);
    let rank = s.iter().filter(|&&norm| norm > 0.0).count();
    for (mut column, &norm) in u.column_iter_mut().zip(&s[..rank]) {
        column /= norm;
    }
    complete(&mut u, rank);
    Ok(Svd { u, s, v: v.select_columns(&order) })
}

/// Rotates the columns of W, and those of V along with them, until those of W are orthogonal.
fn orthogonalise(w: &mut DMatrix<f64>, v: &mut DMatrix<f64>) -> Result<(), KernelError> {
    let (rows, cols) = w.shape();
    let tolerance = f64::EPSILON * (rows as f64).sqrt();
    for _ in 0..SWEEPS {
        let mut squares: Vec<f64> = w.column_iter().map(|column| column.norm_squared()).collect();
        for (mut column, square) in w.column_iter_mut().zip(&mut squares) {
            if *square < NEGLIGIBLE_SQUARE {
                column.fill(0.0);
                *square = 0.0;
            }
        }
        let mut converged = true;
        for p in 0..cols {
            for q in p + 1..cols {
                let product = w.column(p).dot(&w.column(q));
                if product.abs() <= tolerance * squares[p].sqrt() * squares[q].sqrt() {
                    continue;
                }
                converged = false;
                let cotangent = (squares[q] - squares[p]) / (2.0 * product);
                let tangent = cotangent.signum() / (cotangent.abs() + cotangent.hypot(1.0));
                rotate(w, p, q, tangent);
                rotate(v, p, q, tangent);
                squares[p] = w.column(p).norm_squared();
                squares[q] = w.column(q).norm_squared();
            }
        }
        if converged {
            return Ok(());
        }
    }
    Err(KernelError::NoConvergence)
}

/// (x_p, x_q) ← (c·x_p − s·x_q, s·x_p + c·x_q) with s/c the tangent, for columns p < q.
fn rotate(x: &mut DMatrix<f64>, p: usize, q: usize, tangent: f64) {
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    let rows = x.nrows();
    let (head, tail) = x.as_mut_slice().split_at_mut(q * rows);
    for (first, second) in head[p * rows..(p + 1) * rows].iter_mut().zip(&mut tail[..rows]) {
        (*first, *second) = (cosine * *first - sine * *second, sine * *first + cosine * *second);
    }
}

/// Fills the columns of U after the first `rank`, so that all are orthonormal.
fn complete(u: &mut DMatrix<f64>, rank: usize) {
    for col in rank..u.ncols() {
        let (known, mut rest) = u.columns_range_pair_mut(..col, col..);
        // Of the unit vectors, the one farthest from the span of the columns so far.
        let spanned: Vec<f64> = known.row_iter().map(|row| row.norm_squared()).collect();
        let far = (0..spanned.len()).min_by(|&i, &j| spanned[i].total_cmp(&spanned[j]));
        let mut column = rest.column_mut(0);
        column.fill(0.0);
        column[far.unwrap_or(0)] = 1.0;
        // Twice is enough: what one projection leaves of the span is rounding error.
        for _ in 0..2 {
            let along = known.tr_mul(&column);
            column.gemv(-1.0, &known, &along, 1.0);
        }
        column.normalize_mut();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: DMatrix<f64>) {
        let Svd { u, s, v } = svd(a.clone()).unwrap();
        let back = &u * DMatrix::from_diagonal(&s.into()) * v.transpose();
        assert!((back - &a).norm() <= 1e-14 * a.norm(), "{a}");
        let eye = DMatrix::identity(a.ncols(), a.ncols());
        assert!((u.tr_mul(&u) - &eye).norm() < 1e-13, "{a}");
        assert!((v.tr_mul(&v) - &eye).norm() < 1e-13, "{a}");
    }

    #[test]
    fn deficient_rank_is_decomposed_where_nalgebra_is_wrong() {
        check(DMatrix::from_element(5, 5, 1.0));
        check(DMatrix::zeros(4, 3));
        check(DMatrix::from_fn(6, 3, |i, j| ((i + 1) * (j + 1)) as f64 / 18.0));
    }

    #[test]
    fn graded_columns_are_decomposed() {
        check(DMatrix::from_fn(6, 5, |i, j| 10_f64.powi(-40 * j as i32) / (1 + i + j) as f64));
    }
}
