//! Convex fits: judged by certified data, by `verify`, and by what must hold whatever the data.

mod certified;
mod combinations;
mod dependent;
mod levels;
mod minimisers;
mod sample;
mod separation;
mod softmax;
mod softmax_edges;
mod softmax_penalties;
mod solvers;

pub(crate) use certified::{
    knots_have_their_digits, lasso_sets_have_their_digits, logistic_sets_have_their_digits,
};
pub(crate) use combinations::{
    every_combination_is_solved, gradient_methods_converge, losses_without_curvature_are_solved,
    many_columns_are_solved, many_rows_are_solved,
};
pub(crate) use dependent::dependent_columns_cost_no_truth;
pub(crate) use levels::levels_cost_no_truth;
pub(crate) use minimisers::{claims_about_minimisers_hold, classes_are_decided_exactly};
pub use sample::judge;
pub use separation::judge_separated;
pub(crate) use separation::{minimisers_far_away_exist, separable_data_has_no_minimiser};
pub(crate) use softmax::{
    classes_apart_have_no_minimiser, softmax_is_solved, two_classes_are_logistic,
};
pub(crate) use softmax_edges::{softmax_edges_are_answered, softmax_offsets_are_added};
pub(crate) use softmax_penalties::{
    large_softmax_problems_are_solved, softmax_penalties_are_solved,
    softmax_weights_vanish_at_the_largest_lambda, two_classes_with_corners_are_logistic,
};
pub(crate) use solvers::{
    divergence_is_reported, frequencies_repeat_rows, ill_scaled_columns_are_solved,
    offsets_are_added, paths_equal_single_fits, rates_are_searched, stochastic_gradients_repeat,
    threads_do_not_change_a_convex_fit,
};
