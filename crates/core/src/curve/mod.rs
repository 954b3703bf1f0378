//! Curves that are not linear in their parameters: minimise Σ_t c_t (y_t − f(x_t; θ))².
//!
//! A [`Curve`] is written once, generic over the number type. Evaluated on doubles it is the curve, on
//! dual numbers (num-dual) its exact derivatives; there is no second formula to keep in step and no
//! difference quotient.
//!
//! ```
//! use minrisk_core::curve::{Curve, Real};
//!
//! /// Michaelis and Menten: v = θ₀·x / (θ₁ + x).
//! struct Enzyme;
//!
//! impl Curve for Enzyme {
//!     fn parameters(&self) -> usize {
//!         2
//!     }
//!
//!     fn value<N: Real>(&self, x: &[f64], theta: &[N]) -> N {
//!         theta[0] * x[0] / (theta[1] + x[0])
//!     }
//!
//!     // The first parameter enters linearly and can be eliminated.
//!     fn linear(&self) -> &[usize] {
//!         &[0]
//!     }
//! }
//! ```
//!
//! | solver | what |
//! |---|---|
//! | [`LevenbergMarquardt`] | scaled, damped Gauss–Newton; linear parameters eliminated |
//! | [`GradientDescent`] | the plain method of textbooks, on the same objective |

mod bells;
mod descent;
mod exponentials;
mod fit;
mod levenberg_marquardt;
mod linearise;
mod start;
mod step;

pub use bells::{Baseline, Bells};
pub use descent::{Descent, GradientDescent};
pub use exponentials::Exponentials;
pub use fit::{CurveFit, CurveStatus, CurveStep};
pub use levenberg_marquardt::LevenbergMarquardt;

/// What a curve is evaluated on: doubles, and dual numbers over doubles.
///
/// Arithmetic with itself and with `f64`, and functions such as `exp`, `ln`, `sin`, `powi`, `powf`,
/// `sqrt`, by the trait [`num_dual::DualNum`].
pub trait Real: num_dual::DualNum<Primitive = f64> + Copy + Send + Sync {}

impl<N: num_dual::DualNum<Primitive = f64> + Copy + Send + Sync> Real for N {}

/// A function of some features with parameters that are to be found.
///
/// Curves are evaluated in double precision, whatever the type of the data.
pub trait Curve: Sync {
    /// Number of parameters.
    fn parameters(&self) -> usize;

    /// f(x; θ) at the features of one row.
    fn value<N: Real>(&self, x: &[f64], parameters: &[N]) -> N;

    /// Indices of parameters that enter linearly (f is an affine function of them together), so that
    /// they can be eliminated; none unless a curve says so.
    fn linear(&self) -> &[usize] {
        &[]
    }
}
