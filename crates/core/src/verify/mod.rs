//! Re-checking a fit, with nothing shared with the solvers.
//!
//! `verify` believes neither the solver nor its certificate. From the data and the coefficients alone
//! it computes the gradient of the objective in exact-product, double-double sums written out plainly
//! row by row, a triangle R by Givens rotations, and from both the distance to the minimiser:
//!
//! w − w* = A⁻¹·g,  g = XᵀC(Xw + b − y) + αw,  A = XᵀCX + αI.
//!
//! Then every claim of the certificate is compared with what was found. It is a slow, small program on
//! purpose: about m·d² operations on one thread.

mod claims;
mod convex;
mod distance;
mod least_squares;
mod minimiser;
mod polynomial;
mod separability;
mod separation;
mod softmax;
mod sums;
mod triangle;
mod zero_one;

pub use separability::separability;
pub use zero_one::{zero_one, zero_one_within};

pub use polynomial::verify_polynomial;

use crate::{Certificate, Dataset, Error, Fit, Scalar};

/// What re-checking a fit found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Verdict {
    /// Whether every claim of the certificate holds.
    pub holds: bool,
    /// Every claim that was examined, in words, with the figures.
    pub findings: Vec<Finding>,
    /// The decimal digits found in the worst coefficient, as far as this check can see.
    pub digits: f64,
}

/// One claim and what was found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// Whether the claim holds.
    pub holds: bool,
    /// What was claimed and what was found.
    pub text: String,
}

impl Verdict {
    fn of(findings: Vec<Finding>, digits: f64) -> Self {
        Self { holds: findings.iter().all(|finding| finding.holds), findings, digits }
    }
}

/// Re-checks a fit against the data it was trained on.
///
/// An error means that the check could not be made (the data does not belong to the fit); a fit that
/// fails its check is a [`Verdict`] that does not hold.
pub fn verify<T: Scalar>(data: &Dataset<'_, T>, fit: &Fit<T>) -> Result<Verdict, Error> {
    fit.model.check_design(data.cols(), data.names())?;
    let predictors = match fit.certificate {
        // One predictor for each class of one target.
        Certificate::Softmax(_) | Certificate::SoftmaxSeparated(_) => 1,
        _ => fit.model.targets(),
    };
    if predictors != data.targets() {
        return Err(Error::LengthMismatch {
            what: "the list of targets",
            per: "target of the model",
            expected: fit.model.targets(),
            found: data.targets(),
        });
    }
    match &fit.certificate {
        Certificate::LeastSquares(certificate) => {
            least_squares::check(data, None, &fit.model, certificate)
        }
        Certificate::Convex(certificate) => {
            convex::check(data, &fit.model, certificate, fit.report.status)
        }
        Certificate::Separated(separation) => separation::check(data, &fit.model, separation),
        Certificate::Softmax(certificate) => {
            softmax::check(data, &fit.model, certificate, fit.report.status)
        }
        Certificate::SoftmaxSeparated(separation) => {
            separation::check_softmax(data, &fit.model, separation)
        }
        Certificate::None => {
            let text = "the fit claims nothing, so there is nothing to check".to_string();
            Ok(Verdict::of(vec![Finding { holds: true, text }], 0.0))
        }
    }
}
