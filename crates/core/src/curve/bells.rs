//! Bells: Σ_k β_k exp(−(x − μ_k)²/σ_k), over a baseline or over zero.
//!
//! A sum of k bells has 3k parameters, β, μ and σ of each bell in turn, then those of the baseline.
//! σ is as written, twice the variance of the bell as a density. Heights and baseline enter linearly
//! and are eliminated; centres and widths get [starting points](super::start) from the data.

use super::start::{Peaks, check_finite, spread};
use super::{Curve, CurveFit, LevenbergMarquardt, Real};
use crate::{Backend, Dataset, Error, Scalar};

/// What bells stand on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Baseline {
    /// Zero.
    #[default]
    None,
    /// A constant.
    Constant,
    /// A straight line, constant first.
    Linear,
}

impl Baseline {
    fn parameters(self) -> usize {
        match self {
            Baseline::None => 0,
            Baseline::Constant => 1,
            Baseline::Linear => 2,
        }
    }
}

/// A sum of bells in one variable.
///
/// ```
/// use minrisk_core::curve::{Bells, Curve};
/// let bell = Bells::new(1);
/// assert_eq!(bell.parameters(), 3);
/// assert_eq!(bell.value(&[5.0], &[2.0, 5.0, 1.0]), 2.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bells {
    count: usize,
    baseline: Baseline,
    linear: Vec<usize>,
}

impl Bells {
    /// A sum of `count` bells over zero.
    pub fn new(count: usize) -> Self {
        Self::over(count, Baseline::None)
    }

    /// A sum of `count` bells over a baseline.
    pub fn over(count: usize, baseline: Baseline) -> Self {
        let heights = (0..count).map(|k| 3 * k);
        let linear = heights.chain(3 * count..3 * count + baseline.parameters()).collect();
        Self { count, baseline, linear }
    }

    /// Number of bells.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A starting point: peaks of the data, tallest first, each taken away before the next is sought.
    pub fn start<T: Scalar>(&self, data: &Dataset<'_, T>) -> Result<Vec<f64>, Error> {
        self.check(data)?;
        let mut peaks = Peaks::of(data, self.baseline != Baseline::None);
        let mut start = Vec::with_capacity(self.parameters());
        for _ in 0..self.count {
            let bell = peaks.tallest();
            peaks.take_away(bell);
            start.extend(bell);
        }
        self.push_baseline(&mut start, peaks.floor());
        Ok(start)
    }

    /// Fits from starting points found in the data, and keeps the best of the fits that they lead to.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<CurveFit, Error> {
        let solver = LevenbergMarquardt::default();
        let mut starts = vec![self.start(data)?];
        starts.extend(self.one_by_one(backend, data)?);
        let mut even = spread(data, self.count);
        self.push_baseline(&mut even, 0.0);
        starts.push(even);
        let mut best: Option<CurveFit> = None;
        let mut failure = Error::NothingToFit;
        for start in starts {
            match solver.fit(backend, self, data, &start) {
                Ok(fit) => {
                    let rank = |fit: &CurveFit| (self.is_proper(fit), -fit.residual_sum_of_squares);
                    if best.as_ref().is_none_or(|best| rank(&fit) > rank(best)) {
                        best = Some(fit);
                    }
                }
                Err(error) => failure = error,
            }
        }
        best.ok_or(failure)
    }

    /// Bells added one at a time, all refitted together before the next peak is sought.
    fn one_by_one<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Option<Vec<f64>>, Error> {
        let mut peaks = Peaks::of(data, self.baseline != Baseline::None);
        let mut found: Vec<f64> = Vec::new();
        for count in 1..self.count {
            found.extend(peaks.tallest());
            let fewer = Self::over(count, self.baseline);
            let mut start = found.clone();
            fewer.push_baseline(&mut start, peaks.floor());
            let Ok(fit) = LevenbergMarquardt::default().fit(backend, &fewer, data, &start) else {
                return Ok(None);
            };
            peaks.subtract(|x| fewer.value(&[x], &fit.parameters));
            found = fit.parameters[..3 * count].to_vec();
        }
        found.extend(peaks.tallest());
        self.push_baseline(&mut found, peaks.floor());
        Ok(Some(found))
    }

    /// Whether every bell has a width: where σ < 0 there is no bell but its reciprocal.
    fn is_proper(&self, fit: &CurveFit) -> bool {
        fit.parameters[..3 * self.count].chunks_exact(3).all(|bell| bell[2] > 0.0)
    }

    fn push_baseline(&self, start: &mut Vec<f64>, floor: f64) {
        let baseline = [floor, 0.0];
        start.extend(&baseline[..self.baseline.parameters()]);
    }

    fn check<T: Scalar>(&self, data: &Dataset<'_, T>) -> Result<(), Error> {
        if self.count == 0 {
            return Err(Error::NothingToFit);
        }
        if data.cols() != 1 {
            return Err(Error::LengthMismatch {
                what: "the list of columns of the design",
                per: "variable of a bell",
                expected: 1,
                found: data.cols(),
            });
        }
        check_finite(data)
    }
}

impl Curve for Bells {
    fn parameters(&self) -> usize {
        3 * self.count + self.baseline.parameters()
    }

    fn value<N: Real>(&self, x: &[f64], theta: &[N]) -> N {
        let (bells, baseline) = theta.split_at(3 * self.count);
        let bell = |p: &[N]| {
            let distance = -p[1] + x[0];
            p[0] * (-(distance * distance) / p[2]).exp()
        };
        let sum: N = bells.chunks_exact(3).map(bell).sum();
        match self.baseline {
            Baseline::None => sum,
            Baseline::Constant => sum + baseline[0],
            Baseline::Linear => sum + baseline[0] + baseline[1] * x[0],
        }
    }

    fn linear(&self) -> &[usize] {
        &self.linear
    }
}
