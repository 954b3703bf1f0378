//! Model selection: splits, scores, cross-validation, grids, learning curves.
//!
//! Rows are dealt out to folds by a seed; every fold is predicted by a model that has not seen it. Any
//! estimator takes part through a closure that fits a dataset:
//!
//! ```
//! use minrisk_core::polynomial::PolynomialRegression;
//! use minrisk_core::selection::{Folds, Grid, LassoCv, Score, cross_validate};
//! use minrisk_core::{Backend, Dataset, Error, LeastSquares};
//!
//! fn study(backend: &dyn Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), Error> {
//!     let folds = Folds::shuffled(data.rows(), 5, 42)?;
//!     let scores = cross_validate(data, &folds, Score::RSquared, |train| {
//!         LeastSquares::new().fit_on(backend, train)
//!     })?;
//!     println!("{} ± {}", scores.mean(), scores.standard_error());
//!     let grid = Grid::search(data, &folds, Score::RSquared, 1..=10, |&degree, train| {
//!         PolynomialRegression::new(degree).fit_on(backend, train)
//!     })?;
//!     println!("degree {}", grid.simplest_candidate());
//!     let lasso = LassoCv::new().fit_on(backend, data, &folds)?;
//!     println!("{:?}", lasso.simplest.model.coefficients());
//!     Ok(())
//! }
//! ```
//!
//! Folds run in parallel and are put together in their order: the same bits on any number of threads.
//! Where the loss is squared, a whole grid of penalties costs about one pass:
//! [`Ridge::cross_validate_on`](crate::least_squares::Ridge::cross_validate_on),
//! [`Ridge::leave_one_out_on`](crate::least_squares::Ridge::leave_one_out_on), and [`LassoCv`] for lasso
//! and elastic net. A [`ScoreCurve`] has the numbers of any of them to plot.

mod cross_validate;
mod curves;
mod folds;
mod grid;
mod score;
mod score_curve;
mod subset;

pub use cross_validate::{Predictor, Scores, cross_validate};
pub use curves::{LearningCurve, ValidationCurve, learning_curve, validation_curve};
pub use folds::{Folds, Split};
pub use grid::Grid;
pub use score::Score;
pub use score_curve::{ScoreCurve, ScoreLine};
pub use subset::Subset;

pub(crate) use score::r_squared;

pub use crate::least_squares::{
    LassoCrossValidation, LassoCv, LassoCvFit, LeaveOneOut, RidgeCrossValidation,
};
