//! What a solver returns: the model, how it was found, and the proof that comes with it.

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
}

/// How a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// The result is what was asked for, to the accuracy that the certificate states.
    Solved,
    /// The iteration stopped before every coefficient had its digits; the certificate states how
    /// many hold.
    LimitedAccuracy,
    /// A library's own answer, passed on as it is; nothing is proven about it.
    Unproven,
}
