//! What most programs use: `use minrisk::prelude::*;`.

pub use crate::{
    BackendKind, Dataset, Error, Fit, FitDefault, LeastSquares, LinearModel, Ridge, dataset,
    default_backend, summary, view,
};
