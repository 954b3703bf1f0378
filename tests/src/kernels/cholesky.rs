//! A = L·Lᵀ: |LLᵀ − A| ≤ 30·d·ε·|L||L|ᵀ, and a breakdown that is told, at the pivot where it happens.
//!
//! The strict upper triangle is nobody's: it is NaN on entry.

use minrisk_core::{Backend, KernelError, Matrix, Scalar};

use super::{SIZES, expect_inside, masked, rounded, scaled};
use crate::check::ensure;
use crate::families::with_eigenvalues;
use crate::layouts::Layout;
use crate::measure::{self, difference, doubles, product, product_scale, transpose};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Every size, conditions from 2 to a tenth of 1/ε: the error is within the bound of the contract.
pub fn cholesky_is_accurate<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for n in SIZES {
        for condition in conditions::<T>() {
            tally.add(|| run(backend, &definite(n, condition), Layout::ByColumns, 0));
        }
    }
    tally.outcome()
}

/// Every layout.
pub fn cholesky_takes_any_layout<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for n in [0, 1, 2, 5, 40] {
        let a = definite(n, 10.0);
        for layout in Layout::ALL {
            tally.add(|| run(backend, &a, layout, 0));
        }
    }
    tally.outcome()
}

/// Elements near the ends of the range; no squares of them are formed.
pub fn cholesky_survives_extreme_scales<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let reach = T::max_value().exponent() * 7 / 10 / 2 * 2;
    for exponent in [-reach, reach] {
        tally.add(|| run(backend, &definite(3, 10.0), Layout::ByColumns, exponent));
        tally.add(|| run(backend, &definite(50, 10.0), Layout::ByColumns, exponent));
    }
    tally.outcome()
}

/// A matrix with a negative leading minor is refused, at the first such minor.
pub fn cholesky_reports_indefinite<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for n in [1, 2, 3, 10, 50, 130] {
        for pivot in [0, n / 2, n - 1] {
            // Diagonally dominant but for one pivot, which is clearly negative.
            let mut a: Matrix<T> = Random::new(n as u64).matrix(n, n);
            for j in 0..n {
                let size = T::from_double(2.0 * n as f64);
                a[(j, j)] = if j == pivot { -size } else { size };
            }
            tally.add(|| expect_breakdown(backend, &a, pivot, "an indefinite matrix"));
        }
    }
    tally.outcome()
}

/// A pivot that is exactly zero is refused; it has no reciprocal.
pub fn cholesky_reports_zero_pivot<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let from = |n: usize, f: &dyn Fn(usize, usize) -> f64| {
        Matrix::from_fn(n, n, |i, j| T::from_double(f(i, j)))
    };
    for n in [2, 3, 10, 50, 130] {
        tally.add(|| expect_breakdown(backend, &from(n, &|_, _| 0.0), 0, "the zero matrix"));
        tally.add(|| expect_breakdown(backend, &from(n, &|_, _| 4.0), 1, "a constant matrix"));
        for pivot in [0, n / 2, n - 1] {
            let singular = from(n, &|i, j| f64::from(i == j && i != pivot));
            tally.add(|| expect_breakdown(backend, &singular, pivot, "a singular diagonal matrix"));
        }
        // The last column repeats the first; all arithmetic is in small whole numbers and exact.
        let repeated = from(n, &|i, j| {
            let (i, j) = (i % (n - 1), j % (n - 1));
            4.0 * f64::from(i == j)
        });
        tally
            .add(|| expect_breakdown(backend, &repeated, n - 1, "a matrix with a repeated column"));
    }
    tally.outcome()
}

/// A pivot that is not a number is refused.
pub fn cholesky_reports_nan_pivot<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for n in [1, 3, 50] {
        let mut a = Matrix::<T>::identity(n);
        a[(n - 1, n - 1)] = T::nan();
        tally.add(|| expect_breakdown(backend, &a, n - 1, "a matrix with a NaN pivot"));
    }
    tally.outcome()
}

fn conditions<T: Scalar>() -> [f64; 3] {
    let epsilon = 2.0 * T::unit_roundoff();
    [2.0, (0.1 / epsilon).sqrt(), 0.001 / epsilon]
}

fn definite<T: Scalar>(n: usize, condition: f64) -> Matrix<T> {
    let last = (n.max(2) - 1) as f64;
    let mut random = Random::new(n as u64);
    rounded(&with_eigenvalues(n, |k| condition.powf(-(k as f64) / last), &mut random))
}

fn lower(i: usize, j: usize) -> bool {
    i >= j
}

/// Factors 2^exponent·A, with an even exponent.
fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    a: &Matrix<T>,
    layout: Layout,
    exponent: i32,
) -> Outcome {
    let case = || format!("order {}, layout {layout:?}, scale 2^{exponent}", a.rows());
    let mut stored = layout.store(&masked(&scaled(a, exponent), lower));
    backend.cholesky(stored.view_mut()).map_err(|e| Failure::from(e).within(case()))?;
    judge(a, &scaled(&stored.to_matrix(), -exponent / 2))
        .and_then(|()| expect_inside("A", &stored))
        .map_err(|failure| failure.within(case()))
}

fn judge<T: Scalar>(a: &Matrix<T>, factor: &Matrix<T>) -> Outcome {
    let n = a.rows();
    for (j, value) in (0..n).map(|j| factor[(j, j)]).enumerate() {
        ensure!(value > T::zero(), "diagonal element {j} of L is {value}, not positive");
    }
    let clean = Matrix::from_fn(n, n, |i, j| if lower(i, j) { factor[(i, j)] } else { T::zero() });
    let (l, a) = (doubles(clean.view()), doubles(a.view()));
    let nothing = Matrix::zeros(n, n);
    let error = difference(&product(&nothing, &l, &transpose(&l)), &a);
    let bound = product_scale(&nothing, &l, &transpose(&l));
    let ratio = measure::elementwise_ratio::<T>(&error, &bound, n, lower);
    measure::expect_small("the error of LLᵀ", ratio)
}

fn expect_breakdown<T: Scalar>(
    backend: &dyn Backend<T>,
    a: &Matrix<T>,
    pivot: usize,
    what: &str,
) -> Outcome {
    let n = a.rows();
    let expected = Err(KernelError::NotPositiveDefinite { pivot });
    let mut work = masked(a, lower);
    let found = backend.cholesky(work.view_mut());
    ensure!(
        found == expected,
        "{what} of order {n} breaks down at pivot {pivot}, but the kernel returned {found:?}"
    );
    Ok(())
}
