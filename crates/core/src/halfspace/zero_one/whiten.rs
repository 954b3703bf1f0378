//! Coordinates in which the points are as wide in every direction.
//!
//! z' = L·z with L the inverse Cholesky factor of the second moment Σ c z zᵀ/Σc, so that w·z = w'·z'
//! for w = Lᵀw'. L is a matrix of doubles and exact as such; z' is rounded, with a bound for the error
//! of any product w'·z', |w'_j| ≤ 1.

use super::preprocess::Points;

/// The points in whitened coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Whitened {
    pub(crate) dim: usize,
    z: Vec<f64>,
    /// For every point, a bound for the error of w'·z' computed in doubles, for |w'_j| ≤ 1.
    pub(crate) slack: Vec<f64>,
    /// L, row after row.
    pub(crate) transform: Vec<f64>,
}

impl Whitened {
    pub(crate) fn new(points: &Points) -> Self {
        let dim = points.dim;
        let transform = inverse_factor(points).unwrap_or_else(|| scaling(points));
        let mut z = Vec::with_capacity(points.z.len());
        let mut slack = Vec::with_capacity(points.len());
        for i in 0..points.len() {
            let mut error = 0.0;
            for row in transform.chunks(dim) {
                let (mut value, mut terms) = (0.0, 0.0);
                for (l, z) in row.iter().zip(points.point(i)) {
                    value += l * z;
                    terms += (l * z).abs();
                }
                z.push(value);
                // D products and sums here, D products and sums in w'·z', a factor of 2 to spare.
                error += (4 * dim + 8) as f64 * f64::EPSILON * terms + f64::MIN_POSITIVE;
            }
            slack.push(error);
        }
        Self { dim, z, slack, transform }
    }

    /// Point i.
    #[inline]
    pub(crate) fn point(&self, i: usize) -> &[f64] {
        &self.z[i * self.dim..(i + 1) * self.dim]
    }

    /// w = Lᵀw'.
    pub(crate) fn back(&self, whitened: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; self.dim];
        for (row, factor) in self.transform.chunks(self.dim).zip(whitened) {
            w.iter_mut().zip(row).for_each(|(w, l)| *w += factor * l);
        }
        w
    }
}

impl Whitened {
    /// About the w' with w = Lᵀw'.
    pub(crate) fn forth(&self, w: &[f64]) -> Vec<f64> {
        let mut whitened = w.to_vec();
        for i in (0..self.dim).rev() {
            let row = &self.transform[i * self.dim..(i + 1) * self.dim];
            whitened[i] /= row[i];
            let value = whitened[i];
            whitened.iter_mut().zip(row).take(i).for_each(|(v, l)| *v -= value * l);
        }
        whitened
    }
}

/// K⁻¹ with K·Kᵀ the second moment; `None` if that is numerically singular.
fn inverse_factor(points: &Points) -> Option<Vec<f64>> {
    let dim = points.dim;
    let mut moment = vec![0.0; dim * dim];
    let total: f64 = points.costs.iter().map(|&cost| cost as f64).sum();
    for (i, &cost) in points.costs.iter().enumerate() {
        let z = points.point(i);
        for a in 0..dim {
            for b in 0..=a {
                moment[a * dim + b] += cost as f64 / total * z[a] * z[b];
            }
        }
    }
    // Cholesky, lower triangle in place.
    for a in 0..dim {
        for b in 0..=a {
            let products: f64 = (0..b).map(|k| moment[a * dim + k] * moment[b * dim + k]).sum();
            let rest = moment[a * dim + b] - products;
            if a == b {
                if rest.is_nan() || rest <= 1e-10 * moment[a * dim + a] || !rest.is_finite() {
                    return None;
                }
                moment[a * dim + a] = rest.sqrt();
            } else {
                moment[a * dim + b] = rest / moment[b * dim + b];
            }
        }
    }
    // Its inverse, column by column.
    let mut inverse = vec![0.0; dim * dim];
    for column in 0..dim {
        for a in column..dim {
            let unit = if a == column { 1.0 } else { 0.0 };
            let products: f64 =
                (column..a).map(|k| moment[a * dim + k] * inverse[k * dim + column]).sum();
            inverse[a * dim + column] = (unit - products) / moment[a * dim + a];
        }
    }
    inverse.iter().all(|v| v.is_finite()).then_some(inverse)
}

/// A diagonal of powers of two that brings every coordinate to about 1.
fn scaling(points: &Points) -> Vec<f64> {
    let dim = points.dim;
    let mut transform = vec![0.0; dim * dim];
    for j in 0..dim {
        let largest = (0..points.len()).map(|i| points.point(i)[j].abs()).fold(0.0, f64::max);
        let exponent = if largest > 0.0 { largest.log2() as i32 } else { 0 };
        transform[j * dim + j] = f64::powi(2.0, -exponent);
    }
    transform
}
