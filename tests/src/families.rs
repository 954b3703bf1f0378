//! Families of designs whose condition number is prescribed, from 1 to 10¹⁴.
//!
//! Three are X = U·diag(s)·Vᵀ with random orthonormal U, V and a spectrum between 1 and 1/κ; the
//! others are the classics that least-squares programs have been broken with: Vandermonde, Hilbert,
//! Läuchli (1961), nearly collinear columns, columns of wildly different scales. Targets are Xβ + r
//! with r a chosen fraction of Xβ, because the sensitivity of least squares is κ + κ²·‖r‖/‖Xβ‖.
//!
//! Everything follows from a seed. Designs are rounded to the type asked for, which moves singular
//! values by about u·‖X‖: the prescribed κ is to be taken as such up to a tenth of 1/u.

use minrisk_core::{Matrix, Scalar};

use crate::random::Random;

/// A kind of design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Singular values in geometric progression.
    Geometric,
    /// Singular values in arithmetic progression: one is small.
    Arithmetic,
    /// One singular value is 1, the others are 1/κ.
    Clustered,
    /// Powers of equidistant points in [0, 1]; as many columns as κ asks for.
    Vandermonde,
    /// 1/(i + j + 1); as many columns as κ asks for.
    Hilbert,
    /// A row of ones above a multiple of the identity.
    Lauchli,
    /// Two columns that differ by 1/κ.
    NearCollinear,
    /// Columns of a good design times powers of ten, which scaling has to undo.
    BadlyScaled,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 8] = [
        Family::Geometric,
        Family::Arithmetic,
        Family::Clustered,
        Family::Vandermonde,
        Family::Hilbert,
        Family::Lauchli,
        Family::NearCollinear,
        Family::BadlyScaled,
    ];

    /// A design of about this condition number, with the number of rows and columns asked for as far
    /// as the family leaves them free.
    pub fn design<T: Scalar>(
        self,
        rows: usize,
        cols: usize,
        condition: f64,
        random: &mut Random,
    ) -> Matrix<T> {
        let last = (cols.max(2) - 1) as f64;
        let x = match self {
            Family::Geometric => {
                with_spectrum(rows, cols, |k| condition.powf(-(k as f64) / last), random)
            }
            Family::Arithmetic => with_spectrum(
                rows,
                cols,
                |k| 1.0 - k as f64 / last * (1.0 - 1.0 / condition),
                random,
            ),
            Family::Clustered => {
                with_spectrum(rows, cols, |k| if k == 0 { 1.0 } else { 1.0 / condition }, random)
            }
            // Counted: about 6 times the condition for every power.
            Family::Vandermonde => {
                let cols = columns_for(condition, 0.785, 1.3);
                let step = (rows.max(2) - 1) as f64;
                Matrix::from_fn(rows, cols, |i, j| (i as f64 / step).powi(j as i32))
            }
            // About 16 times for every column.
            Family::Hilbert => {
                let cols = columns_for(condition, 1.2, 1.5);
                Matrix::from_fn(rows.max(cols), cols, |i, j| 1.0 / (i + j + 1) as f64)
            }
            Family::Lauchli => {
                let delta = (cols as f64).sqrt() / condition;
                Matrix::from_fn(cols + 1, cols, |i, j| {
                    if i == 0 {
                        1.0
                    } else if i == j + 1 {
                        delta
                    } else {
                        0.0
                    }
                })
            }
            Family::NearCollinear => {
                let mut x: Matrix<f64> = random.matrix(rows, cols);
                if cols > 1 {
                    for i in 0..rows {
                        x[(i, cols - 1)] = x[(i, 0)] + 2.0 * random.signed() / condition;
                    }
                }
                x
            }
            Family::BadlyScaled => {
                let mut x = with_spectrum(rows, cols, |k| 1.0 / (k + 1) as f64, random);
                let range = condition.log10() as i32;
                for j in 0..cols {
                    let power = 10.0_f64.powi(random.below(range as usize + 1) as i32 - range / 2);
                    x.col_mut(j).iter_mut().for_each(|v| *v *= power);
                }
                x
            }
        };
        Matrix::from_fn(x.rows(), x.cols(), |i, j| T::from_double(x[(i, j)]))
    }
}

/// The number of columns n at which a condition of about 10^(decades·n − start) is not yet above that
/// asked for.
fn columns_for(condition: f64, decades: f64, start: f64) -> usize {
    ((condition.log10() + start) / decades).max(2.0) as usize
}

/// How large the residual is beside what the model explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residual {
    /// Only what rounding the targets leaves.
    Rounding,
    /// A millionth.
    Small,
    /// As large.
    Large,
}

impl Residual {
    /// All of them.
    pub const ALL: [Residual; 3] = [Residual::Rounding, Residual::Small, Residual::Large];

    fn fraction(self) -> f64 {
        match self {
            Residual::Rounding => 0.0,
            Residual::Small => 1e-6,
            Residual::Large => 1.0,
        }
    }
}

/// A target Xβ + r for coefficients that contribute about equally, as many columns as asked for.
pub fn targets<T: Scalar>(
    x: &Matrix<T>,
    count: usize,
    residual: Residual,
    random: &mut Random,
) -> Matrix<T> {
    let mut y = Matrix::zeros(x.rows(), count);
    let largest =
        |column: &[T]| column.iter().fold(0.0, |max: f64, v| max.max(v.to_double().abs()));
    for target in 0..count {
        let beta: Vec<f64> = x
            .columns()
            .map(|column| random.normal() / largest(column).max(f64::MIN_POSITIVE))
            .collect();
        let explained: Vec<f64> = (0..x.rows())
            .map(|i| beta.iter().enumerate().map(|(j, b)| b * x[(i, j)].to_double()).sum())
            .collect();
        let size = explained.iter().fold(0.0, |norm: f64, v| norm.hypot(*v));
        let noise = residual.fraction() * size / (x.rows().max(1) as f64).sqrt();
        for (y, z) in y.col_mut(target).iter_mut().zip(explained) {
            *y = T::from_double(z + noise * random.normal());
        }
    }
    y
}

/// U·diag(s)·Vᵀ with random orthonormal U (rows × k) and V (cols × k), k = min(rows, cols).
pub fn with_spectrum(
    rows: usize,
    cols: usize,
    singular_value: impl Fn(usize) -> f64,
    random: &mut Random,
) -> Matrix<f64> {
    let k = rows.min(cols);
    let (u, v) = (orthonormal(rows, k, random), orthonormal(cols, k, random));
    let s: Vec<f64> = (0..k).map(singular_value).collect();
    Matrix::from_fn(rows, cols, |i, j| (0..k).map(|l| u[(i, l)] * s[l] * v[(j, l)]).sum())
}

/// A symmetric matrix V·diag(λ)·Vᵀ with random orthonormal V, symmetric to the last bit.
pub fn with_eigenvalues(
    n: usize,
    eigenvalue: impl Fn(usize) -> f64,
    random: &mut Random,
) -> Matrix<f64> {
    let v = orthonormal(n, n, random);
    let values: Vec<f64> = (0..n).map(eigenvalue).collect();
    Matrix::from_fn(n, n, |i, j| {
        let (i, j) = (i.max(j), i.min(j));
        (0..n).map(|l| v[(i, l)] * values[l] * v[(j, l)]).sum()
    })
}

/// Random orthonormal columns: Gram–Schmidt, twice (which is enough), on bell-shaped numbers.
fn orthonormal(rows: usize, cols: usize, random: &mut Random) -> Matrix<f64> {
    let mut q = Matrix::from_fn(rows, cols, |_, _| random.normal());
    for j in 0..cols {
        for _ in 0..2 {
            for k in 0..j {
                let dot: f64 = (0..rows).map(|i| q[(i, k)] * q[(i, j)]).sum();
                (0..rows).for_each(|i| q[(i, j)] -= dot * q[(i, k)]);
            }
        }
        let norm = q.col(j).iter().fold(0.0, |norm: f64, v| norm.hypot(*v));
        q.col_mut(j).iter_mut().for_each(|v| *v /= norm);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use minrisk_core::wide::{Dd, Number};

    /// κ₂ of a design with columns scaled to unit length: largest and smallest eigenvalue of its Gram
    /// matrix by (inverse) power iteration in double-double, which is enough for κ² up to 10³⁰.
    fn scaled_condition(x: &Matrix<f64>) -> f64 {
        let mut x = Matrix::from_fn(x.rows(), x.cols(), |i, j| Dd::from(x[(i, j)]));
        for j in 0..x.cols() {
            let square = x.col(j).iter().fold(Dd::ZERO, |sum, &v| sum + v * v);
            x.col_mut(j).iter_mut().for_each(|v| *v = *v / square.sqrt());
        }
        let n = x.cols();
        let dot = |a: &[Dd], b: &[Dd]| a.iter().zip(b).fold(Dd::ZERO, |sum, (&a, &b)| sum + a * b);
        let gram = Matrix::from_fn(n, n, |i, j| dot(x.col(i), x.col(j)));
        let norm = |v: &[Dd]| dot(v, v).sqrt();
        let iterate = |step: &dyn Fn(Vec<Dd>) -> Vec<Dd>| {
            let mut v: Vec<Dd> = (0..n).map(|i| Dd::from(1.0 + i as f64)).collect();
            let mut growth = Dd::ONE;
            for _ in 0..200 {
                let length = norm(&v);
                v = step(v.iter().map(|&v| v / length).collect());
                growth = norm(&v);
            }
            growth.to_f64()
        };
        let largest = iterate(&|v| {
            (0..n).map(|i| (0..n).fold(Dd::ZERO, |sum, j| sum + gram[(i, j)] * v[j])).collect()
        });
        let mut factor = gram.clone();
        for j in 0..n {
            for i in j..n {
                let known = (0..j).fold(Dd::ZERO, |sum, k| sum + factor[(i, k)] * factor[(j, k)]);
                factor[(i, j)] -= known;
            }
            let root = factor[(j, j)].sqrt();
            (j..n).for_each(|i| factor[(i, j)] = factor[(i, j)] / root);
        }
        let inverse = iterate(&|mut v| {
            for i in 0..n {
                let known = (0..i).fold(Dd::ZERO, |sum, k| sum + factor[(i, k)] * v[k]);
                v[i] = (v[i] - known) / factor[(i, i)];
            }
            for i in (0..n).rev() {
                let known = (i + 1..n).fold(Dd::ZERO, |sum, k| sum + factor[(k, i)] * v[k]);
                v[i] = (v[i] - known) / factor[(i, i)];
            }
            v
        });
        (largest * inverse).sqrt()
    }

    #[test]
    fn families_have_the_condition_they_are_asked_for() {
        for family in Family::ALL {
            for condition in [1e1, 1e4, 1e7, 1e10, 1e13] {
                let x = family.design(40, 7, condition, &mut Random::new(1));
                let found = scaled_condition(&x);
                // Scaling undoes bad scales, and whole columns cannot hit a number.
                let expected = match family {
                    Family::BadlyScaled => 1.0..10.0,
                    Family::Vandermonde | Family::Hilbert => 0.05 * condition..1.5 * condition,
                    _ => 0.5 * condition..1.5 * condition,
                };
                assert!(expected.contains(&found), "{family:?} {condition:.0e}: {found:.2e}");
            }
        }
    }
}
