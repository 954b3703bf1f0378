//! Model selection: splits, scores, cross-validation, grids, learning curves.
//!
//! Rows are dealt out to folds by a seed; every fold is predicted by a model that has not seen it. Any
//! estimator takes part through a closure that fits a dataset:
//!
//! ```ignore
//! let folds = Folds::shuffled(data.rows(), 5, 42)?;
//! let scores = cross_validate(&data, &folds, Score::RSquared, |train| {
//!     LeastSquares::new().fit_on(&Faer, train)
//! })?;
//! let grid = Grid::search(&data, &folds, Score::RSquared, 1..=10, |&degree, train| {
//!     PolynomialRegression::new(degree).fit_on(&Faer, train)
//! })?;
//! ```
//!
//! Lasso and other estimators take part in the same way, one fit for each fold and candidate.
//!
//! Folds run in parallel and are put together in their order: the same bits on any number of threads.
//! Ridge has ways of its own that cost about one pass for a whole grid of penalties:
//! [`Ridge::cross_validate_on`](crate::least_squares::Ridge::cross_validate_on) and
//! [`Ridge::leave_one_out_on`](crate::least_squares::Ridge::leave_one_out_on).

mod cross_validate;
mod curves;
mod folds;
mod grid;
mod score;
mod shuffle;
mod subset;

pub use cross_validate::{Predictor, Scores, cross_validate};
pub use curves::{LearningCurve, ValidationCurve, learning_curve, validation_curve};
pub use folds::{Folds, Split};
pub use grid::Grid;
pub use score::Score;
pub use subset::Subset;

pub(crate) use score::r_squared;

pub use crate::least_squares::{
    LassoCrossValidation, LassoCv, LassoCvFit, LeaveOneOut, RidgeCrossValidation,
};
