//! How far a computed result is from the exact one, in the one unit that decides: LAPACK's test ratio
//!
//! ratio = ‖residual‖ / (‖scale‖ · n · ε) < 30, ε = 2u.
//!
//! Matrices are taken over as doubles, which loses nothing, and multiplied as if in twice the working
//! precision (Ogita, Rump, Oishi 2005): every product and every sum has its rounding error carried
//! along. So what is measured is the subject's rounding and not ours.

use minrisk_core::wide::{Dd, ExactProduct, Split};
use minrisk_core::{Matrix, Scalar, View};

use crate::Outcome;
use crate::check::ensure;

/// The largest test ratio that passes, as in LAPACK's own test suite.
pub const THRESHOLD: f64 = 30.0;

/// A matrix in doubles, without rounding.
pub fn doubles<T: Scalar>(a: View<'_, T>) -> Matrix<f64> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].to_double())
}

/// Aᵀ.
pub fn transpose(a: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_view(a.view().transpose())
}

/// |A|, element by element.
pub fn magnitudes(a: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].abs())
}

/// C + A·B, as if in twice the working precision.
pub fn product(c: &Matrix<f64>, a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<Dd> {
    let mut errors = vec![0.0; a.rows()];
    let mut sums = c.clone();
    let mut results = Matrix::filled(a.rows(), b.cols(), Dd::default());
    for j in 0..b.cols() {
        errors.fill(0.0);
        for k in 0..a.cols() {
            let factor = b[(k, j)];
            let column = sums.col_mut(j).iter_mut().zip(&mut errors).zip(a.col(k));
            for ((sum, error), &a) in column {
                let product = a * factor;
                let next = *sum + product;
                // The error of the sum (Knuth), and that of the product (Dekker).
                let part = next - *sum;
                let of_sum = (*sum - (next - part)) + (product - part);
                *error += of_sum + Split::product_error(a, factor, product);
                *sum = next;
            }
        }
        let pairs = sums.col(j).iter().zip(&errors);
        results.col_mut(j).iter_mut().zip(pairs).for_each(|(r, (&s, &e))| *r = Dd::new(s, e));
    }
    results
}

/// |C| + |A|·|B|, rounded: the scale of the rounding errors in C + A·B.
pub fn product_scale(c: &Matrix<f64>, a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    let mut scale = magnitudes(c);
    for j in 0..b.cols() {
        for k in 0..a.cols() {
            let factor = b[(k, j)].abs();
            scale.col_mut(j).iter_mut().zip(a.col(k)).for_each(|(s, a)| *s += a.abs() * factor);
        }
    }
    scale
}

/// A − B, rounded once.
pub fn difference(a: &Matrix<Dd>, b: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| (a[(i, j)] - b[(i, j)].into()).to_f64())
}

/// The Frobenius norm; NaN where an element is NaN.
pub fn norm(a: &Matrix<f64>) -> f64 {
    a.as_slice().iter().fold(0.0, |norm: f64, v| if v.is_nan() { *v } else { norm.hypot(*v) })
}

/// How far QᵀQ is from the identity, in units of n·ε.
pub fn orthogonality_ratio<T: Scalar>(q: View<'_, T>, n: usize) -> f64 {
    let q = doubles(q);
    let gram = product(&Matrix::zeros(q.cols(), q.cols()), &transpose(&q), &q);
    ratio::<T>(norm(&difference(&gram, &Matrix::identity(q.cols()))), 1.0, n)
}

/// ‖A − U·diag(s)·Vᵀ‖ / (‖A‖·n·ε): how far factors are from the matrix they are factors of.
pub fn decomposition_ratio<T: Scalar>(
    a: View<'_, T>,
    u: View<'_, T>,
    s: &[T],
    v: View<'_, T>,
    n: usize,
) -> f64 {
    // U·diag(s) exactly, as an unevaluated sum of two matrices.
    let pair = |i: usize, k: usize| Dd::product(u[(i, k)].to_double(), s[k].to_double());
    let high = Matrix::from_fn(u.rows(), u.cols(), |i, k| pair(i, k).to_f64());
    let low = Matrix::from_fn(u.rows(), u.cols(), |i, k| pair(i, k).low());
    let (a, v) = (doubles(a), transpose(&doubles(v)));
    let negated = Matrix::from_fn(a.rows(), a.cols(), |i, j| -a[(i, j)]);
    let rest = product(&Matrix::zeros(a.rows(), a.cols()), &low, &v);
    let sum = product(&negated, &high, &v);
    let error = Matrix::from_fn(a.rows(), a.cols(), |i, j| (sum[(i, j)] + rest[(i, j)]).to_f64());
    ratio::<T>(norm(&error), norm(&a), n)
}

/// error / (scale · n · ε); zero where there is no error, so that 0/0 passes and x/0 does not.
pub fn ratio<T: Scalar>(error: f64, scale: f64, n: usize) -> f64 {
    let unit = 2.0 * T::unit_roundoff() * n.max(1) as f64;
    if error == 0.0 { 0.0 } else { error / (scale * unit) }
}

/// The largest ratio of |error| to scale, element by element, over the elements that `wanted` keeps;
/// NaN where an error is NaN.
pub fn elementwise_ratio<T: Scalar>(
    error: &Matrix<f64>,
    scale: &Matrix<f64>,
    n: usize,
    wanted: impl Fn(usize, usize) -> bool,
) -> f64 {
    let mut worst = 0.0_f64;
    for j in 0..error.cols() {
        for i in (0..error.rows()).filter(|&i| wanted(i, j)) {
            let one = ratio::<T>(error[(i, j)].abs(), scale[(i, j)], n);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::rational;
    use crate::random::Random;
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive};

    #[test]
    fn products_are_as_good_as_in_twice_the_precision() {
        let mut random = Random::new(1);
        let (c, a, b) = (random.matrix(7, 5), random.matrix(7, 40), random.matrix(40, 5));
        let (computed, scale) = (product(&c, &a, &b), product_scale(&c, &a, &b));
        for (i, j) in (0..7).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let products = (0..40).map(|k| rational::<f64>(a[(i, k)]) * rational(b[(k, j)]));
            let exact: BigRational = rational(c[(i, j)]) + products.sum::<BigRational>();
            let found = rational(computed[(i, j)].to_f64()) + rational(computed[(i, j)].low());
            let error = (found - exact).abs().to_f64().expect("a double");
            assert!(error <= 1e-28 * scale[(i, j)], "{error:e}");
        }
    }

    #[test]
    fn nothing_is_hidden_by_nan() {
        let spoiled = Matrix::from_fn(1, 3, |_, j| if j == 1 { f64::NAN } else { 1.0 });
        let ones = Matrix::filled(1, 3, 1.0);
        assert!(norm(&spoiled).is_nan());
        assert!(elementwise_ratio::<f64>(&spoiled, &ones, 1, |_, _| true).is_nan());
        assert!(expect_small("the error", f64::NAN).is_err());
        assert!(expect_small("the error", ratio::<f64>(1.0, 0.0, 1)).is_err());
        assert!(expect_small("the error", ratio::<f64>(0.0, 0.0, 1)).is_ok());
    }
}
