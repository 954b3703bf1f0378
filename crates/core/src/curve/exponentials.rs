//! Sums of exponentials, Σ_k a_k exp(−b_k x), over a constant or over zero.
//!
//! Parameters are a and b of each term in turn, then the constant. Amplitudes and constant enter
//! linearly and are eliminated. Well known to be ill-conditioned in the rates (Lanczos 1956).

use super::start::check_finite;
use super::{Curve, CurveFit, LevenbergMarquardt, Real};
use crate::{Backend, Dataset, Design, Error, Scalar};

/// A sum of exponentials in one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exponentials {
    terms: usize,
    constant: bool,
    linear: Vec<usize>,
}

impl Exponentials {
    /// A sum of `terms` exponentials.
    pub fn new(terms: usize) -> Self {
        Self { terms, constant: false, linear: (0..terms).map(|k| 2 * k).collect() }
    }

    /// The same with a constant.
    pub fn with_constant(mut self) -> Self {
        if !self.constant {
            self.constant = true;
            self.linear.push(2 * self.terms);
        }
        self
    }

    /// A starting point: rates whose time constants are spread geometrically over the range of x.
    pub fn start<T: Scalar>(&self, data: &Dataset<'_, T>) -> Result<Vec<f64>, Error> {
        let Design::Dense(x) = data.design();
        if self.terms == 0 && !self.constant || x.cols() == 0 {
            return Err(Error::NothingToFit);
        }
        check_finite(data)?;
        let values = || x.col_iter(0).map(|x| x.to_double());
        let range = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
        let slowest = 1.0 / range.max(f64::MIN_POSITIVE);
        let mut start: Vec<f64> =
            (0..self.terms).flat_map(|k| [1.0, slowest * 4_f64.powi(k as i32)]).collect();
        start.extend(self.constant.then_some(0.0));
        Ok(start)
    }

    /// Fits from the starting point that the data suggests.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<CurveFit, Error> {
        LevenbergMarquardt::default().fit(backend, self, data, &self.start(data)?)
    }
}

impl Curve for Exponentials {
    fn parameters(&self) -> usize {
        2 * self.terms + usize::from(self.constant)
    }

    fn value<N: Real>(&self, x: &[f64], theta: &[N]) -> N {
        let (terms, constant) = theta.split_at(2 * self.terms);
        let sum: N = terms.chunks_exact(2).map(|p| p[0] * (-p[1] * x[0]).exp()).sum();
        constant.iter().fold(sum, |sum, &c| sum + c)
    }

    fn linear(&self) -> &[usize] {
        &self.linear
    }
}
