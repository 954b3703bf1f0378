//! Convex fits: judged by certified data, by `verify`, and by what a loss and a penalty must obey.

mod certified;

pub(crate) use certified::{lasso_sets_have_their_digits, logistic_sets_have_their_digits};
