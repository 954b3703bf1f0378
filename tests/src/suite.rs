//! The list of all checks, in one place: [`checks`] and the macros [`suite!`](crate::suite) and
//! [`solver_suite!`](crate::solver_suite) read it.

use crate::Check;
use crate::check::Run;

/// Hands the list of checks to another macro of this crate, behind the arguments given.
#[doc(hidden)]
#[macro_export]
macro_rules! __each_check {
    ($callback:ident $arguments:tt) => {
        $crate::$callback! { $arguments
            [kernel product_is_accurate "C + A·B at every size, within the bound of the contract"]
            [kernel product_takes_any_layout "C + A·B for every combination of layouts"]
            [kernel product_takes_repeated_rows "C + A·B for views that repeat a row"]
            [kernel product_survives_extreme_scales "C + A·B of huge and tiny numbers"]
            [kernel gram_is_accurate "C + AᵀA at every size, within the bound of the contract"]
            [kernel gram_takes_any_layout "C + AᵀA for every combination of layouts"]
            [kernel gram_survives_extreme_scales "C + AᵀA of huge and tiny numbers"]
            [kernel cholesky_is_accurate "LLᵀ = A at every size up to κ = 0.001/ε"]
            [kernel cholesky_takes_any_layout "LLᵀ = A for every layout"]
            [kernel cholesky_survives_extreme_scales "LLᵀ = A of huge and tiny numbers"]
            [kernel cholesky_reports_indefinite "a negative pivot is reported, at its place"]
            [kernel cholesky_reports_zero_pivot "a zero pivot is reported, at its place"]
            [kernel cholesky_reports_nan_pivot "a NaN pivot is reported, at its place"]
            [kernel qr_is_accurate "RᵀR = BᵀB at every size"]
            [kernel qr_keeps_what_was_stacked_before "R of many blocks, one after another"]
            [kernel qr_is_backward_stable "R as good as Householder's up to κ = 0.01/u"]
            [kernel qr_takes_dependent_columns "R of dependent and zero columns"]
            [kernel qr_takes_any_layout "R for every combination of layouts"]
            [kernel qr_survives_extreme_scales "R of huge and tiny numbers"]
            [kernel svd_is_accurate "U·diag(s)·Vᵀ = A at every size, U and V orthonormal"]
            [kernel svd_takes_hard_matrices "singular, graded and ill-conditioned matrices"]
            [kernel svd_finds_singular_values "prescribed singular values are found"]
            [kernel svd_takes_any_layout "U·diag(s)·Vᵀ = A for layouts of all operands"]
            [kernel svd_survives_extreme_scales "U·diag(s)·Vᵀ = A of huge and tiny numbers"]
            [kernel eigen_is_accurate "V·diag(λ)·Vᵀ = A at every size, V orthonormal"]
            [kernel eigen_takes_hard_matrices "repeated, graded and clustered eigenvalues"]
            [kernel eigen_finds_eigenvalues "prescribed eigenvalues are found"]
            [kernel eigen_takes_any_layout "V·diag(λ)·Vᵀ = A for every combination of layouts"]
            [kernel eigen_survives_extreme_scales "V·diag(λ)·Vᵀ = A of huge and tiny numbers"]
            [kernel triangular_solves_are_accurate "L⁻¹B and U⁻¹B at every size"]
            [kernel triangular_solves_take_any_layout "L⁻¹B and U⁻¹B for every combination of layouts"]
            [kernel triangular_solves_survive_extreme_scales "L⁻¹B and U⁻¹B of huge and tiny numbers"]
            [least_squares nist_sets_are_solved_to_the_last_digit "the eleven linear NIST sets"]
            [least_squares families_are_solved_faithfully "eight families of designs up to κ = 10¹³"]
            [least_squares certificates_are_not_timid "up to κ = 10¹² the digits that hold are claimed"]
            [least_squares hopeless_families_are_not_glossed_over "κ = 10¹⁵: no claim that does not hold"]
            [least_squares certificates_hold_on_whole_numbers "3000 small problems of any rank, ties and zeros"]
            [least_squares certificates_hold_on_full_length_numbers "1500 problems, some nearly dependent"]
            [least_squares frequencies_equal_repetition "a row of frequency c is c rows"]
            [least_squares precisions_weigh_rows "precisions of any size"]
            [least_squares rows_of_weight_zero_do_not_count "weight zero leaves a row out"]
            [least_squares any_layout_is_fitted "every layout of design and targets, unmodified"]
            [least_squares order_does_not_matter "rows and columns in another order"]
            [least_squares several_targets_are_fitted_as_one "several targets equal single fits"]
            [least_squares fits_repeat "a second fit has the same bits"]
            [least_squares scales_far_apart_are_fitted "columns whose scales differ by 10³⁰⁰"]
            [least_squares extreme_scales_are_fitted "all numbers huge, or all tiny"]
            [least_squares large_offsets_are_fitted "features far from zero"]
            [least_squares wide_designs_get_the_minimum_norm "fewer rows than columns"]
            [least_squares dependent_columns_get_the_minimum_norm "sums, repetitions, constants, zeros"]
            [least_squares relations_among_decimals_are_named "x3 = 2·x1 + x2 on data with one decimal"]
            [least_squares constant_columns_are_named "constant and zero columns, by name"]
            [least_squares full_rank_is_not_called_deficient "100,000 rows, κ = 10¹³"]
            [least_squares smallest_problems_are_fitted "one row, one column, no column"]
            [least_squares missing_values_are_located "NaN and ∞ with row and column"]
            [least_squares bad_shapes_and_weights_are_refused "empty, mismatched, negative, all zero"]
            [least_squares sizes_that_overflow_are_refused "more columns than memory"]
            [least_squares threads_do_not_change_a_bit "pools of 1, 2 and 3 threads"]
            [ridge ridge_sets_are_solved_to_the_last_digit "diabetes and Longley, α from 0 to 1000"]
            [ridge ridge_takes_any_rank "fewer rows than columns, dependent columns"]
            [ridge ridge_families_are_solved_faithfully "α below, within and above the spectrum"]
            [ridge ridge_weighs_rows "frequencies and precisions in both scales"]
            [ridge bad_penalties_are_refused "α negative, NaN or infinite"]
            [halfspace the_perceptron_goes_as_in_the_notes "the worked example, update by update"]
            [halfspace nested_rows_take_as_many_updates_as_can_be "exactly B² updates, d = 10: 349,525"]
            [halfspace the_pocket_keeps_the_best "few mistakes, and as many as it says"]
            [halfspace certified_sets_are_decided "51 pairs of classes of iris, wine, penguins"]
            [halfspace tiny_margins_are_certified "a margin of 1.5·10⁻¹⁸ in 60 dimensions"]
            [halfspace certificates_hold_on_random_data "600 data sets on both sides, with ties and without"]
            [halfspace margins_are_the_widest "nearest points of the two class hulls"]
            [halfspace certified_optima_are_proved "the fewest mistakes on ten certified sets"]
            [halfspace iris_has_three_mistakes_and_one "petals 3, all four features 1; decisions for k"]
            [halfspace fewest_mistakes_are_those_of_brute_force "1200 tiny data sets full of ties, three methods"]
            [halfspace the_methods_agree_on_the_fewest "three methods, decimals and floats"]
            [halfspace weights_are_repetitions_for_mistakes "a row of frequency c is c rows"]
            [halfspace threads_do_not_change_the_fewest "pools of 1, 2 and 3 threads"]
            [halfspace multiclass_sets_are_decided "iris and penguins by argmax"]
            [halfspace the_multiclass_perceptron_learns "three classes far apart, by their labels"]
            [halfspace bad_halfspace_input_is_refused "labels, weights, missing values"]
            [halfspace degenerate_halfspace_input_is_answered "one class, twins, zeros, 10⁶ features"]
            [halfspace halfspace_budgets_are_kept "updates, cycles and time"]
            [halfspace halfspaces_stop_when_asked "a switch from outside ends every routine"]
            [halfspace halfspace_memory_is_limited "10⁶ features with a memory budget"]
            [halfspace constants_of_losses_hold "Lipschitz, smoothness and convexity of six losses"]
            [core methods_keep_their_promises "normal equations, QR and SVD by name"]
            [core ridge_paths_equal_single_fits "many penalties at once"]
            [core streams_equal_memory "rows read from a stream give the same bits"]
            [core streams_read_once_are_honest "rows that cannot be read again"]
            [core standard_errors_have_their_digits "10 digits on the NIST sets"]
            [core standard_errors_survive_bad_condition "10 digits up to κ = 10¹²"]
            [core weights_have_their_degrees_of_freedom "frequencies count repetitions, precisions rows"]
            [core fits_pass_verification "verify confirms what the solver certifies"]
            [core tampered_fits_fail_verification "verify finds what was changed"]
            [convex logistic_sets_have_their_digits "13 digits on O-rings, iris and breast cancer"]
            [convex lasso_sets_have_their_digits "12 digits on diabetes, exact zeros"]
            [convex knots_have_their_digits "10 digits of the places where the lasso path bends"]
            [convex every_combination_is_solved "every loss × penalty × solver, with a confirmed gap"]
            [convex many_rows_are_solved "24,000 rows, samples that mislead, rows decided beforehand"]
            [convex many_columns_are_solved "hundreds of columns, few and many in the answer"]
            [convex losses_without_curvature_are_solved "Huber's loss far from every target"]
            [convex gradient_methods_converge "gradient descent and proximal gradients"]
            [convex stochastic_gradients_repeat "same seed, same bits"]
            [convex rates_are_searched "the best learning rate of a grid"]
            [convex divergence_is_reported "a step too large is called divergence"]
            [convex separable_data_has_no_minimiser "logistic regression without a minimiser says so, with one it does not"]
            [convex minimisers_far_away_exist "rows moved across a hyperplane by 10⁻⁹, either way"]
            [convex ill_scaled_columns_are_solved "columns from 10⁻³ to 10⁵"]
            [convex frequencies_repeat_rows "a row of frequency c is c rows, for convex losses"]
            [convex offsets_are_added "known parts of the prediction"]
            [convex levels_cost_no_truth "columns and targets far from zero, targets explained in full"]
            [convex paths_equal_single_fits "a lasso path equals its single fits"]
            [convex threads_do_not_change_a_convex_fit "pools of 1, 2 and 3 threads"]
            [convex two_classes_are_logistic "softmax of two classes is logistic regression"]
            [convex softmax_is_solved "three classes, with a confirmed gap; class weights"]
            [convex classes_apart_have_no_minimiser "softmax without a minimiser says so"]
            [convex classes_are_decided_exactly "three classes that touch, or hold each other"]
            [convex claims_about_minimisers_hold "fits that run off, cut short, of copies and extreme columns"]
            [convex dependent_columns_cost_no_truth "combinations of columns, far from zero, of many sizes"]
            [convex softmax_penalties_are_solved "softmax with L1, elastic net, factors: a confirmed gap, exact zeros"]
            [convex two_classes_with_corners_are_logistic "softmax of two classes with λ₁ is logistic regression"]
            [convex softmax_weights_vanish_at_the_largest_lambda "softmax from λ_max on, and just below"]
            [convex large_softmax_problems_are_solved "softmax beyond the Hessians that fit"]
            [convex softmax_offsets_are_added "known parts of the predictions of every class"]
            [convex softmax_edges_are_answered "missing classes, single rows, constant and huge columns; refusals"]
            [polynomial nist_polynomials_have_their_digits "Filip and Wampler1–5 from x alone"]
            [polynomial polynomials_are_refined_on_exact_powers "weights, ridge, no constant: exact powers decide"]
            [polynomial rescaled_polynomials_multiply_out "maps to [−1, 1] and to unit variance are inverted"]
            [polynomial several_variables_are_fitted "all monomials of three variables"]
            [polynomial lasso_runs_over_monomials "zeros and gap of a lasso on mapped variables"]
            [curve nist_curves_are_fitted_from_both_starts "sixteen nonlinear NIST sets, default settings"]
            [curve nist_curves_are_fitted_with_linear_parameters_eliminated "the same by variable projection"]
            [curve a_noisy_bell_is_found "a bell with noise, from an automatic start"]
            [curve overlapping_bells_are_found "three overlapping bells over a baseline, automatic starts"]
            [curve exponentials_are_found "two decays over a constant, from an automatic start"]
            [curve curves_refuse_bad_input "wrong lengths, points outside the domain"]
            [curve threads_do_not_change_a_curve "pools of 1, 2 and 3 threads"]
            [selection cross_validated_ridge_equals_refits "folds × penalties in one pass: 12 digits of refits"]
            [selection cross_validated_lasso_equals_refits "folds × λ from the moments: 12 digits of refits"]
            [selection lasso_chooses_the_columns_that_matter "the best λ, and the one-standard-error rule"]
            [selection hard_paths_are_cross_validated "wide designs, constant columns, copies"]
            [selection hard_folds_are_fitted_from_their_rows "ill-conditioned and perfectly explained folds"]
            [selection leave_one_out_equals_refits "the closed form equals as many fits as rows"]
            [selection wide_designs_are_cross_validated "more columns than rows"]
            [selection the_true_degree_is_found "a cubic: R² peaks at 3, ridge damps degree 15"]
            [selection curves_of_scores_are_consistent "validation and learning curves"]
            [selection threads_do_not_change_a_selection "pools of 1, 2 and 3 threads"]
            [newton roots_of_systems_are_found "several equations, quadratic convergence"]
            [newton minima_are_found "a curved valley, an indefinite Hessian"]
            [newton one_newton_step_solves_least_squares "exactly one step from any start"]
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __list {
    (() $([$kind:ident $name:ident $about:literal])*) => {
        &[$(Check {
            name: stringify!($name),
            about: $about,
            single: __function!($kind $name),
            double: __function!($kind $name),
        },)*]
    };
}

macro_rules! __function {
    (kernel $name:ident) => {
        Run::Kernel(crate::kernels::$name)
    };
    (least_squares $name:ident) => {
        Run::LeastSquares(crate::solvers::$name)
    };
    (ridge $name:ident) => {
        Run::Ridge(crate::solvers::$name)
    };
    (halfspace $name:ident) => {
        Run::Halfspace(crate::halfspace::$name)
    };
    (core $name:ident) => {
        Run::Core(crate::core::$name)
    };
    (convex $name:ident) => {
        Run::Core(crate::convex::$name)
    };
    (newton $name:ident) => {
        Run::Core(crate::newton::$name)
    };
    (selection $name:ident) => {
        Run::Core(crate::selection::$name)
    };
    (curve $name:ident) => {
        Run::Core(crate::curve::$name)
    };
    (polynomial $name:ident) => {
        Run::Core(crate::polynomial::$name)
    };
}

/// Every check, in the order of the table that `cargo xtask conformance` prints.
///
/// ```
/// use minrisk_faer::Faer;
/// for check in minrisk_conformance::checks().iter().filter(|check| check.name.starts_with("cholesky")) {
///     assert_eq!(check.run_f64(&Faer), Ok(()), "{}: {}", check.name, check.about);
/// }
/// ```
pub fn checks() -> &'static [Check] {
    static CHECKS: &[Check] = crate::__each_check!(__list());
    CHECKS
}

/// The check of this name.
pub fn check(name: &str) -> Option<&'static Check> {
    checks().iter().find(|check| check.name == name)
}

/// One `#[test]` for every check and scalar type, on a backend.
///
/// The expression names a value that implements [`Backend`](minrisk_core::Backend) for `f32` and for
/// `f64`. The tests are called `double::product_is_accurate`, `single::product_is_accurate`, …; two
/// suites in one file go into a module each.
///
/// ```
/// // tests/conformance.rs of a backend's own crate
/// use minrisk_faer::Faer;
/// minrisk_conformance::suite!(Faer);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! suite {
    ($backend:expr) => {
        fn subject() -> impl $crate::Subject {
            $backend
        }
        mod double {
            $crate::__each_check!(__tests(run_f64));
        }
        mod single {
            $crate::__each_check!(__tests(run_f32));
        }
    };
}

/// One `#[test]` for every check of least squares and scalar type, for a solver on a backend.
///
/// ```
/// use minrisk_core::least_squares::{ClosedForm, Method};
/// use minrisk_faer::Faer;
/// minrisk_conformance::solver_suite!(Faer, ClosedForm { method: Method::Qr });
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! solver_suite {
    ($backend:expr, $solver:expr) => {
        fn subject() -> (impl $crate::Subject, impl $crate::SolverSubject) {
            ($backend, $solver)
        }
        mod double {
            $crate::__each_check!(__tests (run_solver_f64 solver));
        }
        mod single {
            $crate::__each_check!(__tests (run_solver_f32 solver));
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __tests {
    ($arguments:tt $([$kind:ident $name:ident $about:literal])*) => {
        $($crate::__test! { $kind $name $arguments })*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __test {
    (least_squares $name:ident ($run:ident solver)) => {
        #[test]
        fn $name() {
            let (backend, solver) = super::subject();
            let check = $crate::check(stringify!($name)).expect("the list has every check");
            if let Err(failure) = check.$run(&backend, &solver) {
                panic!("{failure}");
            }
        }
    };
    // The other checks are not about a least-squares solver.
    ($kind:ident $name:ident ($run:ident solver)) => {};
    ($kind:ident $name:ident ($run:ident)) => {
        #[test]
        fn $name() {
            let check = $crate::check(stringify!($name)).expect("the list has every check");
            if let Err(failure) = check.$run(&super::subject()) {
                panic!("{failure}");
            }
        }
    };
}
