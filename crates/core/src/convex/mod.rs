//! Convex risk minimisation: solvers for every loss and penalty, each fit with a lower bound.
//!
//! | | [`Unpenalised`](crate::penalty::Unpenalised), [`L2`](crate::penalty::L2) | [`L1`](crate::penalty::L1), [`ElasticNet`](crate::penalty::ElasticNet) |
//! |---|---|---|
//! | squared | [`ClosedForm`](crate::least_squares::ClosedForm), [`Newton`], [`Lbfgs`] | [`CoordinateDescent`] |
//! | Huber, logistic, squared hinge | [`Newton`], [`Lbfgs`] | [`ProximalNewton`] |
//!
//! All take their stopping rule, trace and observer from a [`Control`].

mod certify;
mod coordinates;
mod finish;
mod lbfgs;
mod newton;
mod passes;
mod polish;
mod problem;
mod quadratic;
mod run;
mod separation;
mod smooth;
mod working_set;

pub use run::{Accuracy, Control, Observer, Step};
pub use smooth::{CoordinateDescent, Lbfgs, Newton, ProximalNewton};
