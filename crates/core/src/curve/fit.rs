//! What fitting a curve returns.

use super::Curve;
use super::levenberg_marquardt::check_start;
use crate::{Error, Matrix, Scalar, View};

/// A fitted curve: parameters, what is known about them, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveFit {
    /// θ.
    pub parameters: Vec<f64>,
    /// Standard errors σ̂·√((JᵀCJ)⁻¹)_jj; NaN where the data does not determine a parameter or leaves
    /// no degrees of freedom.
    pub standard_errors: Vec<f64>,
    /// σ̂²(JᵀCJ)⁻¹.
    pub covariance: Matrix<f64>,
    /// Σ c_t (y_t − f(x_t; θ))².
    pub residual_sum_of_squares: f64,
    /// σ̂ = √(RSS / degrees of freedom).
    pub residual_deviation: f64,
    /// Observations less parameters.
    pub degrees_of_freedom: f64,
    /// The decimal digits of each parameter that the last linearisation vouches for.
    pub digits: Vec<f64>,
    /// ‖P_J r‖/‖r‖, the cosine of the angle between the residual and the tangent space: zero at a
    /// stationary point, whatever the units (Bates and Watts 1988).
    pub cosine: f64,
    /// How the search ended.
    pub status: CurveStatus,
    /// Name of the backend.
    pub backend: String,
    /// Steps tried.
    pub iterations: usize,
    /// Passes over the data.
    pub passes: usize,
    /// The path of the search.
    pub trace: Vec<CurveStep>,
}

impl CurveFit {
    /// The curve at the rows of a design.
    pub fn predict<T: Scalar, C: Curve>(
        &self,
        curve: &C,
        x: View<'_, T>,
    ) -> Result<Vec<f64>, Error> {
        check_start(curve, &self.parameters)?;
        let mut row = vec![0.0; x.cols()];
        let value = |i: usize| {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = x[(i, j)].to_double());
            curve.value(&row, &self.parameters)
        };
        Ok((0..x.rows()).map(value).collect())
    }
}

/// How fitting a curve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CurveStatus {
    /// The residual is orthogonal to the tangent space as far as rounding lets one see.
    Converged,
    /// No step makes progress any more, but the residual is not orthogonal to the tangent space: a
    /// curve that is not smooth here, or a valley that runs off to infinity.
    Stalled,
    /// The limit of iterations was reached; the best point found is returned.
    IterationLimit,
}

/// One accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveStep {
    /// Steps tried up to this one.
    pub iteration: usize,
    /// Σ c r² after the step.
    pub squares: f64,
    /// ‖P_J r‖/‖r‖ after the step.
    pub cosine: f64,
    /// The damping it was taken with; 0 is a Gauss–Newton step.
    pub damping: f64,
}
