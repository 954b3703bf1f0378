//! Solutions for every penalty from one eigendecomposition, with bounds for their errors.
//!
//! w = V(Λ + α)⁻¹Vᵀc, corrected once with the residual ρ = c − (G + α)w of the Gram matrix itself. What
//! remains is what the moments lost: with |ΔG_ij| ≤ ε‖x_i‖‖x_j‖,
//!
//! |w_j − w_j*| ≤ s_j·(ε·tr(G)·‖w‖ + ε_c + ‖ρ‖)/√(λ_min + α),  s_j² = Σ_k V_jk²/(λ_k + α)
//!
//! where ε is a few units of roundoff: blocks are summed in lanes and merged in a tree.

use crate::least_squares::moments::{GRAM_ERROR, Moments};
use crate::{Backend, Error, Matrix, Scalar};

/// The eigendecomposition of the training moments of a fold.
pub(super) struct Spectrum {
    values: Vec<f64>,
    vectors: Matrix<f64>,
    gram: Matrix<f64>,
    /// ‖x_j‖.
    lengths: Vec<f64>,
    unit: f64,
    trace: f64,
}

/// A solution for one penalty and target.
pub(super) struct Shrunk {
    pub(super) weights: Vec<f64>,
    /// Digits that hold in every |w_j|·‖x_j‖ relative to the largest.
    pub(super) digits: f64,
}

impl Spectrum {
    pub(super) fn of<T: Scalar>(
        backend: &dyn Backend<T>,
        moments: &Moments<T>,
    ) -> Result<Self, Error> {
        let size = moments.gram.rows();
        let gram = Matrix::from_fn(size, size, |i, j| moments.gram[(i.max(j), i.min(j))]);
        let square = |j: usize| gram[(j, j)].to_double().max(0.0);
        // No library is asked for the eigenvalues of what is no matrix.
        if !gram.as_slice().iter().all(|g| g.is_finite()) {
            return Err(Error::Overflow { what: "the Gram matrix", remedy: "the columns" });
        }
        let mut values = vec![T::zero(); size];
        let mut vectors = Matrix::zeros(size, size);
        backend.symmetric_eigen(gram.view(), &mut values, vectors.view_mut())?;
        let doubles = |m: &Matrix<T>| Matrix::from_fn(size, size, |i, j| m[(i, j)].to_double());
        Ok(Self {
            values: values.iter().map(|v| v.to_double()).collect(),
            vectors: doubles(&vectors),
            gram: doubles(&gram),
            lengths: (0..size).map(|j| square(j).sqrt()).collect(),
            unit: T::unit_roundoff(),
            trace: (0..size).map(square).sum(),
        })
    }

    /// Vᵀc.
    pub(super) fn rotate(&self, c: &[f64]) -> Vec<f64> {
        self.vectors.columns().map(|v| dot(v, c)).collect()
    }

    /// The eigenvalues, ascending.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The eigenvectors, one column each.
    pub(super) fn vectors(&self) -> &Matrix<f64> {
        &self.vectors
    }

    /// The solution for a penalty and a right-hand side c that errs by at most `cross_error`.
    pub(super) fn solve(&self, c: &[f64], rotated: &[f64], alpha: f64, cross_error: f64) -> Shrunk {
        let mut weights = self.apply_inverse(rotated, alpha);
        let rest = self.residual(c, &weights, alpha);
        let step = self.apply_inverse(&self.rotate(&rest), alpha);
        weights.iter_mut().zip(&step).for_each(|(w, step)| *w += step);
        let rest = norm(&self.residual(c, &weights, alpha));
        let smallest = self.values.first().copied().unwrap_or(f64::INFINITY) + alpha;
        let defect = GRAM_ERROR * self.unit * self.trace * norm(&weights) + cross_error + rest;
        let digits = if smallest > 0.0 {
            let energy = defect / smallest.sqrt();
            let worst = self.row_norms(alpha).zip(&self.lengths).map(|(s, length)| s * length);
            let worst = worst.fold(0.0, f64::max) * energy;
            let sizes = weights.iter().zip(&self.lengths).map(|(w, length)| (w * length).abs());
            let largest = sizes.fold(0.0, f64::max);
            if largest > 0.0 { -(worst / largest).log10() } else { 0.0 }
        } else {
            0.0
        };
        Shrunk { weights, digits: digits.max(0.0) }
    }

    /// V(Λ + α)⁻¹z.
    fn apply_inverse(&self, z: &[f64], alpha: f64) -> Vec<f64> {
        let mut sum = vec![0.0; z.len()];
        for ((column, &z), &value) in self.vectors.columns().zip(z).zip(&self.values) {
            let factor = z / (value + alpha);
            sum.iter_mut().zip(column).for_each(|(s, v)| *s += factor * v);
        }
        sum
    }

    /// c − (G + α)w.
    fn residual(&self, c: &[f64], w: &[f64], alpha: f64) -> Vec<f64> {
        let mut rest: Vec<f64> = c.iter().zip(w).map(|(c, w)| c - alpha * w).collect();
        for (column, w) in self.gram.columns().zip(w) {
            rest.iter_mut().zip(column).for_each(|(r, g)| *r -= g * w);
        }
        rest
    }

    /// s_j = √((G + α)⁻¹)_jj.
    fn row_norms(&self, alpha: f64) -> impl Iterator<Item = f64> {
        let mut squares = vec![0.0; self.values.len()];
        for (column, value) in self.vectors.columns().zip(&self.values) {
            let factor = 1.0 / (value + alpha);
            squares.iter_mut().zip(column).for_each(|(s, v)| *s += factor * v * v);
        }
        squares.into_iter().map(f64::sqrt)
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for (a, b) in a8.iter().zip(b8) {
        for l in 0..8 {
            lanes[l] += a[l] * b[l];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f64>() + rest
}

pub(super) fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}
