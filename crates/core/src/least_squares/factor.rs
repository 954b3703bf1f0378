//! The factor that preconditions refinement: M = RᵀR ≈ A, the matrix of the normal equations.
//!
//! Refinement needs little of it: corrections δ = R⁻¹R⁻ᵀg, the energy norm ‖Rδ‖ = ‖R⁻ᵀg‖ in which the
//! iteration contracts, and the row norms s_j = ‖e_jᵀR⁻¹‖, which turn a bound in energy into a bound
//! for each coefficient (|e_j| ≤ s_j·‖Re‖) and, times σ̂, are the standard errors.
//!
//! Coordinates are shifted (x − s) and scaled by powers of two; the map to the caller's coordinates,
//! b = b′ − s·w, is applied in the wide precision, so it costs no digits.

use super::triangle::Coordinates;
use crate::wide::Number;
use crate::{Backend, Matrix, Scalar, View};

/// Where R came from, which decides how fast refinement contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Cholesky of the Gram matrix: error κ²u.
    Gram,
    /// Householder QR of the data: error κu.
    Householder,
}

/// R with its coordinates and what was derived from it.
pub(super) struct Factor<T> {
    pub(super) coordinates: Coordinates<T>,
    pub(super) origin: Origin,
    r: Matrix<T>,
    /// Rows of R⁻¹ in the caller's coordinates, intercept first where there is one: A⁻¹ ≈ BBᵀ.
    pub(super) inverse: Matrix<f64>,
    /// Their norms s_j.
    pub(super) row_norms: Vec<f64>,
    /// Condition number of the columns of R scaled to unit length, the intercept left out.
    pub(super) condition: f64,
    /// An upper estimate for ‖I − R⁻ᵀAR⁻¹‖.
    pub(super) contraction: f64,
}

impl<T: Scalar> Factor<T> {
    /// `None` when R is singular to working precision.
    pub(super) fn new(
        backend: &dyn Backend<T>,
        r: Matrix<T>,
        coordinates: Coordinates<T>,
        origin: Origin,
    ) -> Option<Self> {
        let size = r.cols();
        if (0..size).any(|k| r[(k, k)] == T::zero() || !r[(k, k)].is_finite()) {
            return None;
        }
        let mut inverse = Matrix::identity(size);
        backend.solve_upper(r.view(), inverse.view_mut());
        if !inverse.as_slice().iter().all(|v| v.is_finite()) {
            return None;
        }
        let condition = condition(&r, &inverse, usize::from(coordinates.intercept));
        let u = T::unit_roundoff();
        // Constants from practice, generous: sums inside blocks of some hundred rows, p columns.
        let contraction = match origin {
            Origin::Gram => 64.0 * size as f64 * condition.powi(2) * u,
            Origin::Householder => 64.0 * (size as f64).sqrt() * condition * u,
        };
        let inverse = in_caller_coordinates(&inverse, &coordinates);
        let norm = |k: usize| (0..size).map(|c| inverse[(k, c)].powi(2)).sum::<f64>().sqrt();
        let row_norms = (0..size).map(norm).collect();
        Some(Self { coordinates, origin, r, inverse, row_norms, condition, contraction })
    }

    /// Number of coordinates.
    pub(super) fn len(&self) -> usize {
        self.r.cols()
    }

    pub(super) fn r(&self) -> View<'_, T> {
        self.r.view()
    }

    /// s_j, subtracted from column `j` in the factor's coordinates.
    pub(super) fn shift(&self, j: usize) -> f64 {
        self.coordinates.shifts[j].to_double()
    }

    /// The correction δ for a defect g, both in the caller's coordinates (intercept first), and its
    /// energy ‖R⁻ᵀg‖.
    pub(super) fn correct(
        &self,
        backend: &dyn Backend<T>,
        defect: &[T::Wide],
    ) -> (Vec<T::Wide>, f64) {
        let mut scaled = self.to_factor_coordinates(defect);
        // A common power of two keeps tiny defects out of the underflow range of T.
        let largest = scaled.iter().map(|g| g.to_double().abs()).fold(0.0, f64::max);
        let unit = if largest > 0.0 { largest.exponent() } else { 0 };
        scaled.iter_mut().for_each(|g| *g = times_power(*g, -unit));
        let mut solution: Vec<T> = scaled.into_iter().map(T::from_wide).collect();
        let rows = solution.len();
        let column = crate::ViewMut::col_major(&mut solution, rows, 1).expect("one column");
        backend.solve_lower(self.r.view().transpose(), column);
        let energy = solution.iter().map(|t| t.to_double().powi(2)).sum::<f64>().sqrt();
        let column = crate::ViewMut::col_major(&mut solution, rows, 1).expect("one column");
        backend.solve_upper(self.r.view(), column);
        let correction = solution.iter().map(|&t| times_power(T::Wide::from(t), unit)).collect();
        (self.to_caller_coordinates(correction), times_power(energy, unit))
    }

    /// ‖R·v‖ for a small vector in the caller's coordinates.
    pub(super) fn energy(&self, vector: &[T::Wide]) -> f64 {
        let mut inner = vector.to_vec();
        if self.coordinates.intercept {
            for (j, &shift) in self.coordinates.shifts.iter().enumerate() {
                let moved = inner[0] + inner[j + 1] * shift.into();
                inner[0] = moved;
            }
        }
        let scaled: Vec<f64> = inner
            .iter()
            .enumerate()
            .map(|(k, v)| times_power(v.to_double(), self.coordinates.exponent(k)))
            .collect();
        let row = |i: usize| -> f64 {
            (i..scaled.len()).map(|j| self.r[(i, j)].to_double() * scaled[j]).sum()
        };
        (0..scaled.len()).map(|i| row(i).powi(2)).sum::<f64>().sqrt()
    }

    /// g′ = 2^(−e)(g − s·g₀): a gradient by the caller's coefficients as one by the factor's.
    fn to_factor_coordinates(&self, defect: &[T::Wide]) -> Vec<T::Wide> {
        let mut inner = defect.to_vec();
        if self.coordinates.intercept {
            for (g, &shift) in inner[1..].iter_mut().zip(&self.coordinates.shifts) {
                *g -= T::Wide::from(shift) * defect[0];
            }
        }
        let exponent = |k| self.coordinates.exponent(k);
        inner.iter().enumerate().map(|(k, &g)| times_power(g, -exponent(k))).collect()
    }

    /// w = 2^(−e)w′, b = 2^(−e₀)b′ − s·w.
    fn to_caller_coordinates(&self, inner: Vec<T::Wide>) -> Vec<T::Wide> {
        let exponent = |k| self.coordinates.exponent(k);
        let mut outer: Vec<T::Wide> =
            inner.iter().enumerate().map(|(k, &v)| times_power(v, -exponent(k))).collect();
        if self.coordinates.intercept {
            for j in 0..self.coordinates.shifts.len() {
                let moved = outer[0] - outer[j + 1] * self.coordinates.shifts[j].into();
                outer[0] = moved;
            }
        }
        outer
    }
}

/// value·2^exponent in factors that neither overflow nor underflow on the way.
pub(super) fn times_power<N: Number>(value: N, exponent: i32) -> N {
    let half = exponent / 2;
    value
        * N::from_double(f64::power_of_two(half))
        * N::from_double(f64::power_of_two(exponent - half))
}

/// R⁻¹ with its rows scaled back and, for the caller's intercept b′ − s·w, combined.
fn in_caller_coordinates<T: Scalar>(
    inverse: &Matrix<T>,
    coordinates: &Coordinates<T>,
) -> Matrix<f64> {
    let size = inverse.rows();
    let mut rows = Matrix::from_fn(size, size, |k, c| {
        times_power(inverse[(k, c)].to_double(), -coordinates.exponent(k))
    });
    if coordinates.intercept {
        for (j, shift) in coordinates.shifts.iter().enumerate() {
            for c in 0..size {
                let moved = shift.to_double() * rows[(j + 1, c)];
                rows[(0, c)] -= moved;
            }
        }
    }
    rows
}

/// κ₂ of the columns of R from `first` on, scaled to unit length, by power iteration on R and R⁻¹.
fn condition<T: Scalar>(r: &Matrix<T>, inverse: &Matrix<T>, first: usize) -> f64 {
    const STEPS: usize = 12;
    let size = r.cols();
    if size <= first {
        return 1.0;
    }
    let lengths: Vec<f64> = (first..size)
        .map(|j| r.col(j)[first..=j].iter().map(|v| v.to_double().powi(2)).sum::<f64>().sqrt())
        .collect();
    // Scaled R has columns r_j/ℓ_j; its inverse has rows ℓ_j·(R⁻¹)_j.
    let forward = largest_singular_value(size - first, STEPS, |i, j| {
        r[(first + i, first + j)].to_double() / lengths[j]
    });
    let backward = largest_singular_value(size - first, STEPS, |i, j| {
        inverse[(first + i, first + j)].to_double() * lengths[i]
    });
    (forward * backward).max(1.0)
}

/// Largest singular value of an upper triangle, from below, within a few percent as a rule.
fn largest_singular_value(size: usize, steps: usize, element: impl Fn(usize, usize) -> f64) -> f64 {
    // A start with a component in every direction, not aligned with any coordinate.
    let mut v: Vec<f64> = (0..size).map(|i| 1.0 + 0.5 * ((i * 7919) % 13) as f64 / 13.0).collect();
    let mut product = vec![0.0; size];
    let mut value = 0.0;
    for _ in 0..steps {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length == 0.0 {
            return value;
        }
        v.iter_mut().for_each(|x| *x /= length);
        product.fill(0.0);
        for (j, &x) in v.iter().enumerate() {
            (0..=j).for_each(|i| product[i] += element(i, j) * x);
        }
        value = product.iter().map(|x| x * x).sum::<f64>().sqrt();
        for (j, x) in v.iter_mut().enumerate() {
            *x = (0..=j).map(|i| element(i, j) * product[i]).sum();
        }
    }
    value
}
