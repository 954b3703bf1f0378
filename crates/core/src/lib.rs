//! Problems, solvers and certificates for linear predictors by empirical risk minimisation, on any
//! linear-algebra backend.
//!
//! F(w, b) = Σ_t c_t ℓ(w·x_t + b, y_t) + λ₁‖w‖₁ + λ₂‖w‖²
//!
//! Most users want the facade crate `minrisk`, which adds the backends and conversions from the matrix
//! types of faer, nalgebra and ndarray. This crate is for writing a backend or a solver.
//!
//! # The way of the data
//! ```text
//! your matrix ─View→ Design ┐
//! your targets ─────────────┤→ Dataset ─→ Erm { loss, penalty, intercept }
//! your weights ─────────────┘                │  Solver, on a Backend
//!                                            ▼
//!                  Fit { model, report, certificate } ─→ predict · verify · summarise
//! ```
//!
//! | where | what |
//! |---|---|
//! | [`View`], [`Design`], [`Dataset`] | data of any layout, borrowed, checked at the door |
//! | [`loss`], [`penalty`], [`Erm`] | the problem; the scale of the penalty is in its type |
//! | [`Backend`] | the ten kernels that a linear-algebra library provides |
//! | [`Reduction`], [`Rows`], [`Stream`] | passes: one engine for every sum over rows, same bits on any number of threads |
//! | [`least_squares`] | least squares and ridge to the last digit, inference |
//! | [`halfspace`] | perceptron, pocket, separability and fewest mistakes with certificates |
//! | [`polynomial`] | monomials as features, regression on exact powers |
//! | [`curve`] | nonlinear least squares for curves, bells, exponentials |
//! | [`selection`] | splits, scores, cross-validation, grids |
//! | [`newton`] | roots and minima by Newton's method |
//! | [`likelihood`] | Gaussian maximum likelihood, AIC and BIC of models |
//! | [`verify`](mod@verify) | re-checks a fit, with nothing shared with the solvers |
//! | [`inference`] | distributions and the summary table |
//! | [`wide`] | double-double and triple-double arithmetic |
//!
pub mod backend;
mod by_rows;
mod certificate;
pub mod convex;
pub mod curve;
mod dataset;
mod erm;
mod error;
mod fit;
mod gradient;
pub mod halfspace;
pub mod inference;
mod kernels;
mod labels;
pub mod least_squares;
pub mod likelihood;
pub mod loss;
mod math;
mod matrix;
mod model;
mod names;
pub mod native;
pub mod newton;
mod pass;
pub mod penalty;
pub mod polynomial;
mod scalar;
pub mod selection;
mod simd;
mod solver;
pub mod verify;
mod view;
pub mod wide;

pub use backend::{Backend, KernelError};
pub use certificate::{
    Bound, Certificate, ConvexCertificate, LeastSquaresCertificate, Relation, RidgePenalty,
    Separation, SoftmaxCertificate, SoftmaxSeparation,
};
pub use dataset::{Dataset, Design, WeightKind};
pub use erm::Erm;
pub use error::Error;
pub use fit::{Fit, Report, Status};
pub use gradient::{GradientPass, GradientSums};
pub use labels::Labels;
pub use least_squares::{LeastSquares, Ridge};
pub use matrix::Matrix;
pub use model::LinearModel;
pub use names::Names;
pub use pass::{Block, Partition, Reduction, RowBuffer, Rows, Stream};
pub use scalar::Scalar;
pub use solver::Solver;
pub use view::{View, ViewMut};
