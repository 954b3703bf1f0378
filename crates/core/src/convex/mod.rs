//! Convex risk minimisation: solvers for every loss and penalty, each fit with a lower bound.
//!
//! | | [`Unpenalised`](crate::penalty::Unpenalised), [`L2`](crate::penalty::L2) | [`L1`](crate::penalty::L1), [`ElasticNet`](crate::penalty::ElasticNet) |
//! |---|---|---|
//! | squared | [`ClosedForm`](crate::least_squares::ClosedForm), [`Newton`], [`Lbfgs`] | [`CoordinateDescent`] |
//! | Huber, logistic, squared hinge | [`Newton`], [`Lbfgs`] | [`ProximalNewton`] |
//! | absolute, quantile, hinge | [`InteriorPoint`] | [`InteriorPoint`] |
//! | hinge | [`DualCoordinateDescent`] | |
//! | softmax | [`SoftmaxRegression`] | [`SoftmaxRegression`] |
//! | any smooth | [`GradientDescent`] | [`ProximalGradient`] |
//! | any | [`StochasticGradient`] | [`StochasticGradient`] |
//!
//! All take their stopping rule, trace and observer from a [`Control`].

mod auto;
mod certify;
mod classifier;
mod column_descent;
mod column_model;
mod columns;
mod coordinates;
mod deviations;
mod dual_coordinate_descent;
mod dual_point;
mod estimators;
mod extrapolation;
mod factor;
mod finish;
mod gradient_descent;
mod interior_point;
mod knots;
mod lasso_path;
mod lbfgs;
mod leap;
mod moments;
mod newton;
mod passes;
mod path;
mod pivoted;
mod polish;
mod problem;
mod products;
mod quadratic;
mod rate_search;
mod rounding;
mod row_data;
mod run;
mod sample;
mod schedule;
mod screening;
mod separation;
mod singles;
mod smooth;
mod softmax;
mod stochastic;
mod vectors;
mod visits;
mod working_set;

pub use auto::Auto;
pub use classifier::{ClassWeights, Classifier, Decision};
pub use dual_coordinate_descent::DualCoordinateDescent;
pub use estimators::{
    ElasticNet, Estimator, HuberRegression, Lasso, LeastAbsoluteDeviations, LinearSvm,
    LogisticRegression, QuantileRegression, SquaredSvm,
};
pub use gradient_descent::{GradientDescent, ProximalGradient, StepRule};
pub use interior_point::InteriorPoint;
pub use knots::{Knot, lasso_knots};
pub use lasso_path::lasso_path;
pub use path::{lambda_grid, lambda_max, path};
pub use rate_search::{RateSearch, RateTrial, rate_search};
pub use run::{Accuracy, Control, Observer, Step};
pub use schedule::Schedule;
pub use smooth::{CoordinateDescent, Lbfgs, Newton, ProximalNewton};
pub use softmax::{SoftmaxClassifier, SoftmaxRegression};
pub use stochastic::StochasticGradient;
