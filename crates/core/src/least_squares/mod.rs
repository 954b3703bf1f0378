//! Least squares and ridge, to the last digit.
//!
//! minimise Σ_t c_t (y_t − w·x_t − b)² + α‖w‖²
//!
//! The coefficients returned are those of the exact solution for the numbers given, correctly rounded
//! as a rule, with a certificate that says so digit by digit; where the problem is too ill-conditioned
//! for that, the certificate says how many digits hold.

mod closed_form;
mod cross_validation;
mod dual;
mod estimators;
mod factor;
mod hat;
mod minimum_norm;
mod moments;
mod normal;
mod one_pass;
mod primal;
mod rank;
mod refine;
mod scaling;
mod solution;
mod statistics;
mod triangle;

pub use closed_form::{ClosedForm, Method};
pub use cross_validation::{
    LassoCrossValidation, LassoCv, LassoCvFit, LeaveOneOut, RidgeCrossValidation,
};
pub use estimators::{LeastSquares, Regression, Ridge};
pub(crate) use moments::GRAM_ERROR;
pub(crate) use normal::LowWords;
pub use statistics::{leverages, summarise, summarise_stream};
