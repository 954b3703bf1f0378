//! Convex fits: judged by certified data, by `verify`, and by what must hold whatever the data.

mod certified;
mod softmax;
mod solvers;

pub(crate) use certified::{
    knots_have_their_digits, lasso_sets_have_their_digits, logistic_sets_have_their_digits,
};
pub(crate) use softmax::{
    classes_apart_have_no_minimiser, softmax_is_solved, two_classes_are_logistic,
};
pub use solvers::judge;
pub(crate) use solvers::{
    divergence_is_reported, every_combination_is_solved, frequencies_repeat_rows,
    gradient_methods_converge, ill_scaled_columns_are_solved, many_rows_are_solved,
    offsets_are_added, paths_equal_single_fits, rates_are_searched,
    separable_data_has_no_minimiser, stochastic_gradients_repeat,
    threads_do_not_change_a_convex_fit,
};
