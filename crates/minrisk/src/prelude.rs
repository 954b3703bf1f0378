//! What most programs use: `use minrisk::prelude::*;`.

pub use crate::{
    BackendKind, ClassifyDefault, Dataset, Error, Fit, FitDefault, FitStreamDefault, LeastSquares,
    LinearModel, Ridge, dataset, default_backend, summary, view,
};
