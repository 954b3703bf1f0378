//! Leave-one-out in closed form.
//!
//! Leaving row t out changes its residual from e_t to e_t/(1 − h_t), h_t the leverage of the row in the
//! penalised problem (Allen 1974): no refit. With z_t = Vᵀ(x_t − μ),
//!
//! h_t(α) = c_t·(1/Σc + Σ_k z_tk²/(λ_k + α)),  e_t(α) = y_t − ȳ − Σ_k z_tk·(Vᵀc)_k/(λ_k + α)
//!
//! which are two products of matrices for a block of rows and all penalties.

use super::fold_moments::{FoldMoments, fold_moments, target_shifts};
use super::k_fold::check_alphas;
use super::spectrum::Spectrum;
use crate::kernels::{Packed, Transform};
use crate::least_squares::Ridge;
use crate::penalty::Total;
use crate::{Backend, Block, Dataset, Error, Matrix, Reduction, Rows, Scalar};

/// Leave-one-out errors of a grid of penalties.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveOneOut {
    /// The penalties, in the order given.
    pub alphas: Vec<f64>,
    /// Σ c e² / Σ c of the residuals of rows left out, averaged over targets; infinite where a row
    /// alone determines its own prediction.
    pub mean_squared_errors: Vec<f64>,
    /// The standard errors of these means over the rows.
    pub standard_errors: Vec<f64>,
}

impl LeaveOneOut {
    /// The index of the penalty with the smallest error.
    pub fn best(&self) -> usize {
        let errors = &self.mean_squared_errors;
        (0..errors.len()).fold(0, |best, k| if errors[k] < errors[best] { k } else { best })
    }

    /// The index of the strongest penalty within one standard error of the best.
    pub fn one_standard_error(&self) -> usize {
        let best = self.best();
        let limit = self.mean_squared_errors[best] + self.standard_errors[best];
        let good = (0..self.alphas.len()).filter(|&k| self.mean_squared_errors[k] <= limit);
        good.fold(
            best,
            |strongest, k| {
                if self.alphas[k] > self.alphas[strongest] { k } else { strongest }
            },
        )
    }
}

impl Ridge<Total> {
    /// Leave-one-out errors for many penalties, in two passes over the data.
    ///
    /// A row of frequency c is left out with all its repetitions. Only on the total scale: per sample,
    /// leaving a row out changes the penalty too.
    pub fn leave_one_out_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        alphas: &[f64],
    ) -> Result<LeaveOneOut, Error> {
        check_alphas(alphas)?;
        let centred = self.problem().intercept;
        if data.cols() == 0 && !centred {
            return Err(Error::NothingToFit);
        }
        let shifts = target_shifts(data, centred);
        let everything = vec![0; data.rows()];
        let mut parts = fold_moments(backend, data, &everything, 1, centred, &shifts)?;
        let moments = parts.pop().expect("one fold");
        if moments.moments.weight <= 0.0 {
            return Err(Error::AllWeightsZero);
        }
        let spectrum = Spectrum::of(backend, &moments)?;
        let pass = LeaveOneOutPass::new(backend, &moments, &spectrum, alphas, &shifts, centred);
        let sums = Rows::from(data).reduce(&pass)?;
        let (weight, targets) = (moments.moments.weight, shifts.len() as f64);
        let rows = moments.moments.rows as f64;
        let mean = |k: usize| {
            let value = sums.squares[k] / weight / targets;
            if value.is_finite() { value } else { f64::INFINITY }
        };
        let standard_error = |k: usize| {
            let variance = sums.fourth[k] / weight / targets - mean(k).powi(2);
            (variance.max(0.0) / rows).sqrt()
        };
        Ok(LeaveOneOut {
            alphas: alphas.to_vec(),
            mean_squared_errors: (0..alphas.len()).map(mean).collect(),
            standard_errors: (0..alphas.len()).map(standard_error).collect(),
        })
    }
}

struct LeaveOneOutPass<'a, T: Scalar> {
    backend: &'a dyn Backend<T>,
    means: &'a [T],
    centred: bool,
    vectors: Matrix<T>,
    /// 1/(λ_k + α), one column for each penalty.
    inverses: Matrix<T>,
    /// For each target (Vᵀc)_k/(λ_k + α), one column for each penalty.
    solutions: Vec<Matrix<T>>,
    /// For each target s + ν.
    centres: Vec<f64>,
    /// 1/Σc with an intercept, else 0.
    constant: f64,
}

struct LeaveOneOutSums<T> {
    squares: Vec<f64>,
    fourth: Vec<f64>,
    packed: Packed<T>,
}

impl<'a, T: Scalar> LeaveOneOutPass<'a, T> {
    fn new(
        backend: &'a dyn Backend<T>,
        moments: &'a FoldMoments<T>,
        spectrum: &Spectrum,
        alphas: &[f64],
        shifts: &[f64],
        centred: bool,
    ) -> Self {
        let (size, count) = (spectrum.values().len(), alphas.len());
        let inverse = |k: usize, a: usize| 1.0 / (spectrum.values()[k] + alphas[a]);
        let solution = |target: usize| {
            let rotated = spectrum.rotate(&moments.centred_cross(target, centred));
            Matrix::from_fn(size, count, |k, a| T::from_double(rotated[k] * inverse(k, a)))
        };
        let vectors = spectrum.vectors();
        let mean = |target: usize| if centred { moments.residual_mean(target) } else { 0.0 };
        Self {
            backend,
            means: &moments.moments.x_mean,
            centred,
            vectors: Matrix::from_fn(size, size, |i, j| T::from_double(vectors[(i, j)])),
            inverses: Matrix::from_fn(size, count, |k, a| T::from_double(inverse(k, a))),
            solutions: (0..shifts.len()).map(solution).collect(),
            centres: shifts.iter().enumerate().map(|(k, shift)| shift + mean(k)).collect(),
            constant: if centred { 1.0 / moments.moments.weight } else { 0.0 },
        }
    }
}

impl<T: Scalar> Reduction<T> for LeaveOneOutPass<'_, T> {
    type State = LeaveOneOutSums<T>;

    fn start(&self) -> Self::State {
        let count = self.inverses.cols();
        LeaveOneOutSums {
            squares: vec![0.0; count],
            fourth: vec![0.0; count],
            packed: Packed::default(),
        }
    }

    fn absorb(&self, sums: &mut Self::State, block: &Block<'_, T>) {
        let (rows, count) = (block.x.rows(), self.inverses.cols());
        let shifts = self.centred.then_some(self.means);
        let x = sums.packed.pack(block.x, None, &Transform { shifts, ..Transform::default() });
        let mut z = Matrix::zeros(rows, self.vectors.cols());
        self.backend.add_product(x, self.vectors.view(), z.view_mut());
        let mut predictions = Vec::with_capacity(self.solutions.len());
        for solution in &self.solutions {
            let mut prediction = Matrix::zeros(rows, count);
            self.backend.add_product(z.view(), solution.view(), prediction.view_mut());
            predictions.push(prediction);
        }
        z.as_mut_slice().iter_mut().for_each(|z| *z = *z * *z);
        let mut leverages = Matrix::zeros(rows, count);
        self.backend.add_product(z.view(), self.inverses.view(), leverages.view_mut());
        let weights: Vec<f64> =
            (0..rows).map(|i| block.weights.map_or(1.0, |c| c[(i, 0)].to_double())).collect();
        for (target, prediction) in predictions.iter().enumerate() {
            let y: Vec<f64> =
                block.y.col_iter(target).map(|y| y.to_double() - self.centres[target]).collect();
            for a in 0..count {
                let (mut squares, mut fourth) = (0.0, 0.0);
                let rows = leverages.col(a).iter().zip(prediction.col(a)).zip(&y).zip(&weights);
                for (((h, z), y), c) in rows {
                    let kept = 1.0 - c * (self.constant + h.to_double());
                    let square = ((y - z.to_double()) / kept).powi(2);
                    // Rows of weight zero are not there to be left out.
                    if *c > 0.0 {
                        squares += c * square;
                        fourth += c * square * square;
                    }
                }
                sums.squares[a] += squares;
                sums.fourth[a] += fourth;
            }
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.squares.iter_mut().zip(right.squares).for_each(|(a, b)| *a += b);
        left.fourth.iter_mut().zip(right.fourth).for_each(|(a, b)| *a += b);
    }
}
