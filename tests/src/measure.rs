//! How far a computed result is from the exact one, in the one unit that decides: LAPACK's test ratio
//!
//! ratio = ‖residual‖ / (‖scale‖ · n · ε) < 30, ε = 2u.
//!
//! Residuals are computed in double-double arithmetic, so what is measured is the subject's rounding
//! and not ours. Single precision data is measured in the same way; it fits in a double exactly.

use minrisk_core::wide::{Dd, Number};
use minrisk_core::{Matrix, Scalar, View};

use crate::Outcome;
use crate::check::ensure;

/// The largest test ratio that passes, as in LAPACK's own test suite.
pub const THRESHOLD: f64 = 30.0;

/// A matrix in double-double, without rounding.
pub fn wide<T: Scalar>(a: View<'_, T>) -> Matrix<Dd> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| Dd::from(a[(i, j)].to_double()))
}

/// A·B.
pub fn product(a: &Matrix<Dd>, b: &Matrix<Dd>) -> Matrix<Dd> {
    let mut c = Matrix::filled(a.rows(), b.cols(), Dd::ZERO);
    for j in 0..b.cols() {
        for k in 0..a.cols() {
            let factor = b[(k, j)];
            for (c, &a) in c.col_mut(j).iter_mut().zip(a.col(k)) {
                *c += a * factor;
            }
        }
    }
    c
}

/// Aᵀ.
pub fn transpose(a: &Matrix<Dd>) -> Matrix<Dd> {
    Matrix::from_fn(a.cols(), a.rows(), |i, j| a[(j, i)])
}

/// |A|, element by element.
pub fn magnitudes(a: &Matrix<Dd>) -> Matrix<Dd> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].magnitude())
}

/// A + B.
pub fn sum(a: &Matrix<Dd>, b: &Matrix<Dd>) -> Matrix<Dd> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] + b[(i, j)])
}

/// A − B.
pub fn difference(a: &Matrix<Dd>, b: &Matrix<Dd>) -> Matrix<Dd> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] - b[(i, j)])
}

/// The Frobenius norm. NaN where an element is NaN.
pub fn norm(a: &Matrix<Dd>) -> f64 {
    a.as_slice().iter().map(|v| v.to_double()).fold(0.0, f64::hypot)
}

/// How far QᵀQ is from the identity, in units of n·ε.
pub fn orthogonality_ratio<T: Scalar>(q: View<'_, T>, n: usize) -> f64 {
    let wide = wide(q);
    let gram = product(&transpose(&wide), &wide);
    let identity = Matrix::from_fn(q.cols(), q.cols(), |i, j| Dd::from(f64::from(i == j)));
    ratio::<T>(norm(&difference(&gram, &identity)), 1.0, n)
}

/// error / (scale · n · ε); zero where there is no error, so that 0/0 passes and x/0 does not.
pub fn ratio<T: Scalar>(error: f64, scale: f64, n: usize) -> f64 {
    let unit = 2.0 * T::unit_roundoff() * n.max(1) as f64;
    if error == 0.0 { 0.0 } else { error / (scale * unit) }
}

/// The largest ratio of |error| to scale, element by element, over the elements that `wanted` keeps;
/// NaN where an error is NaN.
pub fn elementwise_ratio<T: Scalar>(
    error: &Matrix<Dd>,
    scale: &Matrix<Dd>,
    n: usize,
    wanted: impl Fn(usize, usize) -> bool,
) -> f64 {
    let mut worst = 0.0_f64;
    for j in 0..error.cols() {
        for i in (0..error.rows()).filter(|&i| wanted(i, j)) {
            let one = ratio::<T>(error[(i, j)].to_double().abs(), scale[(i, j)].to_double(), n);
            worst = if one.is_nan() { return one } else { worst.max(one) };
        }
    }
    worst
}

/// Passes where a ratio is below the threshold.
pub fn expect_small(what: &str, ratio: f64) -> Outcome {
    ensure!(
        ratio < THRESHOLD,
        "{what} is {ratio:.3e} times the rounding unit; below {THRESHOLD} is right"
    );
    Ok(())
}
