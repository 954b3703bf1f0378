//! A = V·diag(λ)·Vᵀ for symmetric A: ‖A − Vdiag(λ)Vᵀ‖ ≤ 30·d·ε·‖A‖, V orthonormal to 30·d·ε,
//! λ ascending.
//!
//! The strict upper triangle is nobody's: it is NaN.

use minrisk_core::{Backend, Matrix, Scalar};

use super::{SIZES, expect_inside, expect_untouched, extreme_exponents, masked, rounded, scaled};
use crate::check::ensure;
use crate::families::with_eigenvalues;
use crate::layouts::Layout;
use crate::measure;
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Every order, random symmetric matrices.
pub fn eigen_is_accurate<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for n in SIZES {
        tally.add(|| run(backend, &random(n), [Layout::ByColumns; 2], 0));
    }
    tally.outcome()
}

/// Graded, repeated, clustered and zero eigenvalues: whatever made an iteration stall before.
pub fn eigen_takes_hard_matrices<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let most = 0.1 / T::unit_roundoff();
    for n in [1, 2, 7, 40] {
        let last = (n.max(2) - 1) as f64;
        let mut random = Random::new(n as u64);
        let mut spectrum =
            |value: &dyn Fn(usize) -> f64| rounded(&with_eigenvalues(n, value, &mut random));
        let from =
            |f: &dyn Fn(usize, usize) -> f64| Matrix::from_fn(n, n, |i, j| T::from_double(f(i, j)));
        let matrices: [Matrix<T>; 8] = [
            spectrum(&|k| most.powf(-(k as f64) / last)),
            spectrum(&|k| if k == 0 { 1.0 } else { 1.0 / most }),
            spectrum(&|k| if k % 2 == 0 { 1.0 } else { -1.0 }),
            from(&|_, _| 0.0),
            from(&|_, _| 1.0),
            from(&|i, j| f64::from(i == j)),
            from(&|i, j| 1.0 / (i + j + 1) as f64),
            from(&|i, j| f64::from(i.abs_diff(j) == 1)),
        ];
        for a in matrices {
            tally.add(|| run(backend, &a, [Layout::ByColumns; 2], 0));
        }
    }
    tally.outcome()
}

/// Prescribed eigenvalues are found, each within 30·d·ε of the largest.
pub fn eigen_finds_eigenvalues<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let n = 30;
    let value = |k: usize| k as f64 / n as f64 - 0.5;
    let a: Matrix<T> = rounded(&with_eigenvalues(n, value, &mut Random::new(13)));
    let (mut values, mut vectors) = (vec![T::zero(); n], Matrix::zeros(n, n));
    backend.symmetric_eigen(a.view(), &mut values, vectors.view_mut())?;
    for (k, found) in values.into_iter().enumerate() {
        let ratio = measure::ratio::<T>((found.to_double() - value(k)).abs(), 0.5, n);
        tally.add(|| measure::expect_small(&format!("the error of eigenvalue {k}"), ratio));
    }
    tally.outcome()
}

/// All combinations of layouts of A and V.
pub fn eigen_takes_any_layout<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for n in [0, 1, 2, 5, 20] {
        let a = random(n);
        for first in Layout::ALL {
            for second in Layout::ALL {
                tally.add(|| run(backend, &a, [first, second], 0));
            }
        }
    }
    tally.outcome()
}

/// Elements near the ends of the range, their squares inside it.
pub fn eigen_survives_extreme_scales<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for exponent in extreme_exponents::<T>() {
        tally.add(|| run(backend, &random(3), [Layout::ByColumns; 2], exponent));
        tally.add(|| run(backend, &random(40), [Layout::ByColumns; 2], exponent));
    }
    tally.outcome()
}

fn random<T: Scalar>(n: usize) -> Matrix<T> {
    let a: Matrix<T> = Random::new(n as u64).matrix(n, n);
    Matrix::from_fn(n, n, |i, j| a[(i.max(j), i.min(j))])
}

/// Decomposes 2^exponent·A.
fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    a: &Matrix<T>,
    layouts: [Layout; 2],
    exponent: i32,
) -> Outcome {
    let n = a.rows();
    let case = || format!("order {n}, layouts {layouts:?}, scale 2^{exponent}");
    let input = masked(&scaled(a, exponent), |i, j| i >= j);
    let stored = layouts[0].store(&input);
    let mut vectors = layouts[1].store(&Matrix::filled(n, n, T::nan()));
    let mut values = vec![T::nan(); n];
    backend
        .symmetric_eigen(stored.view(), &mut values, vectors.view_mut())
        .map_err(|error| Failure::from(error).within(case()))?;
    let values: Vec<T> = values.into_iter().map(|v| v * T::power_of_two(-exponent)).collect();
    judge(a, &values, &vectors.to_matrix())
        .and_then(|()| expect_untouched("A", &stored, &input))
        .and_then(|()| expect_inside("V", &vectors))
        .map_err(|failure| failure.within(case()))
}

fn judge<T: Scalar>(a: &Matrix<T>, values: &[T], vectors: &Matrix<T>) -> Outcome {
    let n = a.rows();
    ensure!(values.windows(2).all(|pair| pair[0] <= pair[1]), "eigenvalues descend: {values:?}");
    let lost = measure::orthogonality_ratio(vectors.view(), n);
    measure::expect_small("the loss of orthogonality in V", lost)?;
    let (v, n) = (vectors.view(), a.rows());
    let ratio = measure::decomposition_ratio(a.view(), v, values, v, n);
    measure::expect_small("the error of V·diag(λ)·Vᵀ", ratio)
}
