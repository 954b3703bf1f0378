//! The suite tests itself: backends and solvers with one fault each, and the check that finds it.
//!
//! A suite that passes everything proves nothing. For every kind of mistake that it is there to
//! catch, a subject that makes this mistake and no other must be rejected, by the check named here.

mod backends;
mod convex;
mod learners;
#[path = "../loops/backend.rs"]
mod loops;
mod softmax;
mod solvers;

use backends::{Broken, Fault};
use minrisk_conformance::{check, checks};
use minrisk_core::verify::verify;
use minrisk_core::{Certificate, Dataset, Fit, Scalar};

/// Fails unless the named check rejects the fault in both scalar types.
fn rejects(fault: Fault, name: &str) {
    let check = check(name).expect("a check of this name");
    for (float, outcome) in
        [("f64", check.run_f64(&Broken(fault))), ("f32", check.run_f32(&Broken(fault)))]
    {
        assert!(outcome.is_err(), "{name} in {float} does not notice {fault:?}");
    }
}

/// Fails unless a fit that stopped early, and says so, is believed, and is denied for its slopes alone once it hides those.
fn is_denied_for_hidden_slopes<T: Scalar>(data: &Dataset<'_, T>, mut fit: Fit<T>) {
    assert!(verify(data, &fit).expect("good data").holds, "what is true is denied");
    match &mut fit.certificate {
        Certificate::Convex(certificate) => certificate.optimality = 0.0,
        Certificate::Softmax(certificate) => certificate.optimality = 0.0,
        other => panic!("a certificate with slopes, not {other:?}"),
    }
    let findings = verify(data, &fit).expect("good data").findings;
    let denied: Vec<_> = findings.iter().filter(|finding| !finding.holds).collect();
    assert!(matches!(&denied[..], [one] if one.text.contains("optimality")), "{findings:?}");
}

macro_rules! backend_faults {
    ($($test:ident: $fault:ident is found by $check:ident;)*) => {
        $(
            #[test]
            fn $test() {
                rejects(Fault::$fault, stringify!($check));
            }
        )*

        #[test]
        fn every_fault_has_a_test() {
            assert_eq!(Fault::ALL.len(), [$(stringify!($fault)),*].len());
        }
    };
}

backend_faults! {
    a_product_that_ignores_negative_strides:
        ProductIgnoresNegativeStrides is found by product_takes_any_layout;
    a_product_that_replaces_instead_of_adding: ProductReplaces is found by product_is_accurate;
    a_product_that_writes_beside_its_result:
        ProductWritesPadding is found by product_takes_any_layout;
    a_product_in_half_precision: ProductLosesDigits is found by product_is_accurate;
    a_product_that_scales_badly: ProductOverflows is found by product_survives_extreme_scales;
    a_gram_that_drops_a_row: GramDropsARow is found by gram_is_accurate;
    a_gram_in_the_wrong_triangle: GramInUpperTriangle is found by gram_is_accurate;
    a_cholesky_that_ignores_breakdown:
        CholeskyIgnoresBreakdown is found by cholesky_reports_indefinite;
    a_cholesky_that_accepts_zero_pivots:
        CholeskyAcceptsZero is found by cholesky_reports_zero_pivot;
    a_cholesky_that_lets_nan_pass: CholeskyLetsNanPass is found by cholesky_reports_nan_pivot;
    a_cholesky_that_names_the_wrong_pivot:
        CholeskyNamesWrongPivot is found by cholesky_reports_indefinite;
    a_cholesky_that_reads_the_upper_triangle:
        CholeskyReadsUpper is found by cholesky_is_accurate;
    a_qr_that_loses_the_r_it_was_given: QrForgetsR is found by qr_keeps_what_was_stacked_before;
    a_qr_that_leaves_its_vectors_below_r: QrLeavesRubbish is found by qr_is_accurate;
    a_qr_by_the_gram_matrix: QrByGram is found by qr_is_backward_stable;
    a_qr_with_a_rank_cutoff: QrCutsRank is found by qr_is_backward_stable;
    a_qr_that_divides_by_zero: QrDividesByZero is found by qr_takes_dependent_columns;
    an_svd_in_ascending_order: SvdAscends is found by svd_is_accurate;
    an_svd_that_does_not_complete_u: SvdLeavesNullColumns is found by svd_takes_hard_matrices;
    an_svd_by_the_gram_matrix: SvdByGram is found by svd_finds_singular_values;
    an_svd_that_gives_up: SvdGivesUp is found by svd_is_accurate;
    an_eigen_that_reads_the_upper_triangle: EigenReadsUpper is found by eigen_is_accurate;
    an_eigen_in_descending_order: EigenDescends is found by eigen_is_accurate;
    a_solve_with_a_unit_diagonal:
        SolveTakesUnitDiagonal is found by triangular_solves_are_accurate;
    a_solve_that_changes_the_triangle:
        SolveReadsOtherTriangle is found by triangular_solves_are_accurate;
    a_backend_that_panics: Panics is found by gram_is_accurate;
}

#[test]
fn the_sound_backend_passes_what_the_broken_ones_fail() {
    for name in ["gram_is_accurate", "qr_is_backward_stable", "svd_finds_singular_values"] {
        let check = check(name).expect("a check of this name");
        check.run_f64(&loops::Loops).expect("sound");
    }
}

#[test]
fn names_are_unique() {
    for (at, first) in checks().iter().enumerate() {
        assert!(checks()[..at].iter().all(|other| other.name != first.name), "{}", first.name);
    }
}
