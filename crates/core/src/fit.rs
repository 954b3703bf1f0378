//! What a solver returns: the model, how it was found, and the proof that comes with it.

use crate::convex::Step;
use crate::{Certificate, LinearModel};

/// A fitted model with its report and its certificate. Owns plain vectors; names no backend type.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fit<T> {
    /// The predictor.
    pub model: LinearModel<T>,
    /// How the solver got there.
    pub report: Report,
    /// What is proven about the result; [`verify`](crate::verify::verify) re-checks it.
    pub certificate: Certificate,
}

/// How a solver got to its result.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// Whether it got where it wanted.
    pub status: Status,
    /// Name of the algorithm, with what it chose on the way.
    pub solver: String,
    /// Name of the backend.
    pub backend: String,
    /// Iterations: for least squares, refinement steps.
    pub iterations: usize,
    /// Passes over the data.
    pub passes: usize,
    /// The objective at the result, one per target.
    pub objective: Vec<f64>,
    /// Every step, where the solver was asked to keep them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub trace: Vec<Step>,
}

/// How a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// The result is what was asked for, to the accuracy that the certificate states.
    Solved,
    /// The iteration stopped before every coefficient had its digits; the certificate states how
    /// many hold. Of logistic and softmax regression without a penalty also where the iteration came to rest but neither
    /// a minimiser nor a direction of endless descent could be proven: the coefficients may be on their way to
    /// infinity, and a small penalty settles it.
    LimitedAccuracy,
    /// The iteration limit was reached; the best point found is returned.
    IterationLimit,
    /// The time limit was reached; the best point found is returned.
    TimeLimit,
    /// The observer stopped the fit; the best point found is returned.
    Stopped,
    /// The objective grew or stopped falling: the step is too large.
    Diverged,
    /// The objective has no minimiser: it falls for ever along the direction in the certificate.
    NoMinimiser,
    /// A library's own answer, passed on as it is; nothing is proven about it.
    Unproven,
}
