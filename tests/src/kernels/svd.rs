//! A = U·diag(s)·Vᵀ: ‖A − Udiag(s)Vᵀ‖ ≤ 30·n·ε·‖A‖, U and V orthonormal to 30·n·ε, n = max(m, d),
//! s descending and not negative.

use minrisk_core::{Backend, Matrix, Scalar};

use super::{SIZES, expect_inside, expect_untouched, extreme_exponents, rounded, scaled};
use crate::check::ensure;
use crate::families::{Family, with_spectrum};
use crate::layouts::Layout;
use crate::measure;
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Every size, tall, square and wide.
pub fn svd_is_accurate<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for (at, &n) in SIZES.iter().enumerate() {
        for m in SIZES.into_iter().take(at + 1) {
            for (rows, cols) in [(n, m), (m, n)] {
                let a = Random::new((rows * 1000 + cols) as u64).matrix(rows, cols);
                tally.add(|| run(backend, &a, [Layout::ByColumns; 3], 0));
            }
        }
    }
    tally.outcome()
}

/// Ill-conditioned, singular, constant, diagonal, zero: whatever made an iteration stall before.
pub fn svd_takes_hard_matrices<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let mut random = Random::new(11);
    let most = 0.1 / T::unit_roundoff();
    for family in Family::ALL {
        let a = family.design(40, 12, most, &mut random);
        // Scales of their own are for core to undo.
        if family != Family::BadlyScaled {
            tally.add(|| run(backend, &a, [Layout::ByColumns; 3], 0));
        }
    }
    for rank in [0, 1, 5] {
        let a = with_spectrum(20, 9, |k| f64::from(k < rank), &mut random);
        tally.add(|| run(backend, &rounded(&a), [Layout::ByColumns; 3], 0));
    }
    for n in [1, 2, 7, 40] {
        let from =
            |f: &dyn Fn(usize, usize) -> f64| Matrix::from_fn(n, n, |i, j| T::from_double(f(i, j)));
        let matrices = [
            from(&|_, _| 0.0),
            from(&|_, _| 1.0),
            from(&|i, j| f64::from(i == j)),
            from(&|i, j| f64::from(i + 1 == j)),
            from(&|i, j| if i == j { 10.0_f64.powi(-(i as i32)) } else { 0.0 }),
            from(&|i, j| f64::from(i <= j)),
            from(&|i, j| if i <= j { 10.0_f64.powi(-(i as i32)) } else { 0.0 }),
        ];
        for a in matrices {
            tally.add(|| run(backend, &a, [Layout::ByColumns; 3], 0));
        }
    }
    tally.outcome()
}

/// Prescribed singular values are found, each within 30·n·ε of the largest.
pub fn svd_finds_singular_values<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let n = 30;
    let mut random = Random::new(12);
    let value = |k: usize| 0.3_f64.powi(k as i32);
    let a: Matrix<T> = rounded(&with_spectrum(50, n, value, &mut random));
    let (mut u, mut s, mut v) = (Matrix::zeros(50, n), vec![T::zero(); n], Matrix::zeros(n, n));
    backend.svd(a.view(), u.view_mut(), &mut s, v.view_mut())?;
    for (k, s) in s.into_iter().enumerate() {
        let ratio = measure::ratio::<T>((s.to_double() - value(k)).abs(), 1.0, 50);
        tally.add(|| measure::expect_small(&format!("the error of singular value {k}"), ratio));
    }
    tally.outcome()
}

/// Every layout of A, U and V, views without elements included.
pub fn svd_takes_any_layout<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for (rows, cols) in [(6, 4), (3, 5), (1, 1), (1, 4), (4, 1), (0, 3), (3, 0)] {
        let a = Random::new(rows as u64).matrix(rows, cols);
        for first in Layout::ALL {
            for (at, &second) in Layout::ALL.iter().enumerate() {
                let third = Layout::ALL[(at + 3) % Layout::ALL.len()];
                tally.add(|| run(backend, &a, [first, second, third], 0));
            }
        }
    }
    tally.outcome()
}

/// Elements near the ends of the range, their squares inside it.
pub fn svd_survives_extreme_scales<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for exponent in extreme_exponents::<T>() {
        for (rows, cols) in [(5, 3), (40, 30)] {
            let a = Random::new(rows as u64).matrix(rows, cols);
            tally.add(|| run(backend, &a, [Layout::ByColumns; 3], exponent));
        }
    }
    tally.outcome()
}

/// Decomposes 2^exponent·A.
fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    a: &Matrix<T>,
    layouts: [Layout; 3],
    exponent: i32,
) -> Outcome {
    let (rows, cols) = (a.rows(), a.cols());
    let case = || format!("{rows} × {cols}, layouts {layouts:?}, scale 2^{exponent}");
    let k = rows.min(cols);
    let input = scaled(a, exponent);
    let stored = layouts[0].store(&input);
    // What the outputs hold on entry means nothing.
    let mut u = layouts[1].store(&Matrix::filled(rows, k, T::nan()));
    let mut v = layouts[2].store(&Matrix::filled(cols, k, T::nan()));
    let mut s = vec![T::nan(); k];
    backend
        .svd(stored.view(), u.view_mut(), &mut s, v.view_mut())
        .map_err(|error| Failure::from(error).within(case()))?;
    let s: Vec<T> = s.into_iter().map(|s| s * T::power_of_two(-exponent)).collect();
    judge(a, &u.to_matrix(), &s, &v.to_matrix())
        .and_then(|()| expect_untouched("A", &stored, &input))
        .and_then(|()| expect_inside("U", &u))
        .and_then(|()| expect_inside("V", &v))
        .map_err(|failure| failure.within(case()))
}

fn judge<T: Scalar>(a: &Matrix<T>, u: &Matrix<T>, s: &[T], v: &Matrix<T>) -> Outcome {
    let n = a.rows().max(a.cols());
    ensure!(s.iter().all(|s| *s >= T::zero()), "a singular value is negative or NaN: {s:?}");
    ensure!(s.windows(2).all(|pair| pair[0] >= pair[1]), "singular values ascend: {s:?}");
    measure::expect_small(
        "the loss of orthogonality in U",
        measure::orthogonality_ratio(u.view(), n),
    )?;
    measure::expect_small(
        "the loss of orthogonality in V",
        measure::orthogonality_ratio(v.view(), n),
    )?;
    let ratio = measure::decomposition_ratio(a.view(), u.view(), s, v.view(), n);
    measure::expect_small("the error of U·diag(s)·Vᵀ", ratio)
}
