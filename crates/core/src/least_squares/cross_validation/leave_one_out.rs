//! Leave-one-out in closed form.
//!
//! Leaving row t out changes its residual from e_t to e_t/(1 − h_t), h_t the leverage of the row in the
//! penalised problem (Allen 1974): no refit. With z_t = Vᵀ(x_t − μ),
//!
//! h_t(α) = c_t·(1/Σc + Σ_k z_tk²/(λ_k + α)),  e_t(α) = y_t − ȳ − Σ_k z_tk·(Vᵀc)_k/(λ_k + α)
//!
//! which are two products of matrices for a block of rows and all penalties. As functions of α the columns
//! of 1/(λ_k + α) hardly differ, so that matrix has a low rank to working precision (a Cauchy matrix's
//! singular values decay geometrically; Beckermann and Townsend 2017): products go through its rank.

use super::k_fold::check_alphas;
use super::spectrum::Spectrum;
use super::thin::{Thin, product};
use crate::kernels::{Packed, Transform};
use crate::least_squares::Ridge;
use crate::least_squares::moments::{Moments, MomentsPass};
use crate::penalty::Total;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES};
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
        data.refuse_offsets("cross-validated ridge")?;
        let centred = self.problem().intercept;
        if data.cols() == 0 && !centred {
            return Err(Error::NothingToFit);
        }
        let (cols, targets) = (data.cols(), data.targets());
        // Room for the Gram matrix is asked for before the data is read.
        Matrix::try_filled(cols, cols, T::zero())?;
        let moments = Rows::from(data).reduce(&MomentsPass { backend, cols, targets, centred })?;
        if moments.weight <= 0.0 {
            return Err(Error::AllWeightsZero);
        }
        let spectrum = Spectrum::of(backend, &moments)?;
        let pass = LeaveOneOutPass::new(backend, &moments, &spectrum, alphas, centred);
        let sums = Rows::from(data).reduce(&pass)?;
        let (weight, targets) = (moments.weight, targets as f64);
        let rows = moments.rows as f64;
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
    /// Means of the columns and of the targets; zeros without an intercept.
    x_mean: &'a [T],
    y_mean: &'a [T],
    centred: bool,
    vectors: Matrix<T>,
    /// Number of penalties.
    count: usize,
    /// 1/(λ_k + α), one column for each penalty.
    inverses: Thin<T>,
    /// For each target (Vᵀc)_k/(λ_k + α), one column for each penalty.
    solutions: Vec<Thin<T>>,
    /// 1/Σc with an intercept, else 0.
    constant: f64,
}

struct LeaveOneOutSums<T: Scalar> {
    squares: Vec<f64>,
    fourth: Vec<f64>,
    room: Room<T>,
}

/// Room for the products of a block, kept from one block to the next.
#[derive(Default)]
struct Room<T: Scalar> {
    packed: Packed<T>,
    z: Vec<T>,
    z_squared: Vec<T>,
    thin: Vec<T>,
    leverages: Vec<T>,
    predictions: Vec<T>,
}

impl<'a, T: Scalar> LeaveOneOutPass<'a, T> {
    fn new(
        backend: &'a dyn Backend<T>,
        moments: &'a Moments<T>,
        spectrum: &Spectrum,
        alphas: &[f64],
        centred: bool,
    ) -> Self {
        let (size, count) = (spectrum.values().len(), alphas.len());
        // Without a penalty, directions in which there is no data have no part in the solution.
        let largest = spectrum.values().last().copied().unwrap_or(0.0);
        let noise = 8.0 * size as f64 * T::unit_roundoff() * largest;
        let inverse = |k: usize, a: usize| {
            let value = if spectrum.values()[k] > noise { spectrum.values()[k] } else { 0.0 };
            if value + alphas[a] > 0.0 { 1.0 / (value + alphas[a]) } else { 0.0 }
        };
        let solution = |target: usize| {
            let cross: Vec<f64> = moments.cross.col(target).iter().map(|c| c.to_double()).collect();
            let rotated = spectrum.rotate(&cross);
            let entry = |k, a| T::from_double(rotated[k] * inverse(k, a));
            Thin::of(backend, Matrix::from_fn(size, count, entry))
        };
        let vectors = spectrum.vectors();
        Self {
            backend,
            x_mean: &moments.x_mean,
            y_mean: &moments.y_mean,
            centred,
            vectors: Matrix::from_fn(size, size, |i, j| T::from_double(vectors[(i, j)])),
            count,
            inverses: Thin::of(
                backend,
                Matrix::from_fn(size, count, |k, a| T::from_double(inverse(k, a))),
            ),
            solutions: (0..moments.y_mean.len()).map(solution).collect(),
            constant: if centred { 1.0 / moments.weight } else { 0.0 },
        }
    }
}

impl<T: Scalar> Reduction<T> for LeaveOneOutPass<'_, T> {
    type State = LeaveOneOutSums<T>;

    fn start(&self) -> Self::State {
        LeaveOneOutSums {
            squares: vec![0.0; self.count],
            fourth: vec![0.0; self.count],
            room: Room::default(),
        }
    }

    fn absorb(&self, sums: &mut Self::State, block: &Block<'_, T>) {
        let rows = block.x.rows();
        let shifts = self.centred.then_some(self.x_mean);
        let Room { packed, z, z_squared, thin, leverages, predictions } = &mut sums.room;
        let x = packed.pack(block.x, None, &Transform { shifts, ..Transform::default() });
        let z = product(self.backend, x, self.vectors.view(), z);
        z_squared.clear();
        z_squared.extend(z.iter().map(|&z| z * z));
        let leverages = self.inverses.product(self.backend, z_squared, rows, thin, leverages);
        let weights: Vec<f64> = (0..rows).map(|i| block.weight_of(i)).collect();
        for (target, solution) in self.solutions.iter().enumerate() {
            let predictions = solution.product(self.backend, z, rows, thin, predictions);
            let mean = self.y_mean[target].to_double();
            let y: Vec<f64> = block.y.col_iter(target).map(|y| y.to_double() - mean).collect();
            for a in 0..self.count {
                let (squares, fourth) = vectorised(LeftOut {
                    y: &y,
                    weights: &weights,
                    predictions: &predictions[a * rows..(a + 1) * rows],
                    leverages: &leverages[a * rows..(a + 1) * rows],
                    constant: self.constant,
                });
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

/// Σ c e² and Σ c e⁴ over some rows, e = (y − z)/(1 − c·h): rows of weight zero add nothing.
struct LeftOut<'a, T> {
    y: &'a [f64],
    weights: &'a [f64],
    predictions: &'a [T],
    leverages: &'a [T],
    constant: f64,
}

impl<T: Scalar> Kernel for LeftOut<'_, T> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> (f64, f64) {
        let (mut squares, mut fourth) = ([0.0; LANES], [0.0; LANES]);
        // Groups of a fixed length are what becomes vector code.
        let (y, y_rest) = self.y.as_chunks::<LANES>();
        let (c, c_rest) = self.weights.as_chunks::<LANES>();
        let (z, z_rest) = self.predictions.as_chunks::<LANES>();
        let (h, h_rest) = self.leverages.as_chunks::<LANES>();
        for ((y, c), (z, h)) in y.iter().zip(c).zip(z.iter().zip(h)) {
            for l in 0..LANES {
                let square = self.square(y[l], c[l], z[l], h[l]);
                squares[l] += c[l] * square;
                fourth[l] += c[l] * square * square;
            }
        }
        for (l, ((&y, &c), (&z, &h))) in
            y_rest.iter().zip(c_rest).zip(z_rest.iter().zip(h_rest)).enumerate()
        {
            let square = self.square(y, c, z, h);
            squares[l] += c * square;
            fourth[l] += c * square * square;
        }
        (squares.iter().sum(), fourth.iter().sum())
    }
}

impl<T: Scalar> LeftOut<'_, T> {
    /// e² of a row.
    #[inline(always)]
    fn square(&self, y: f64, c: f64, z: T, h: T) -> f64 {
        // What is left of 1 − h when a row alone determines its own prediction.
        let nothing = 64.0 * T::unit_roundoff();
        let kept = 1.0 - c * (self.constant + h.to_double());
        let kept = if kept > nothing { kept } else { 0.0 };
        let error = (y - z.to_double()).abs().max(f64::MIN_POSITIVE) / kept;
        error * error
    }
}
