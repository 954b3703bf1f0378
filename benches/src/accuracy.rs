//! Correct digits over the condition number: every family of designs, backend and solver, against the
//! exact rational solution.
//!
//! The backward error needs no factorisation when the exact solution w* is known: the residual's part in
//! the range of the design is P(y − Xw) = X(w* − w).

use minrisk_conformance::Random;
use minrisk_conformance::exact::{self, Solution};
use minrisk_conformance::families::{Family, Residual, targets};
use minrisk_core::least_squares::Method;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Dataset, Erm, Fit, Matrix, View};

use crate::contestants::{LeastSquaresSolver, closed_form, contestants};
use crate::measure::once;
use minrisk_report::record::{Accuracy, AccuracyRecord};

const ROWS: usize = 40;
const COLS: usize = 7;

/// Measures all families at κ = 1, 10², …, 10¹⁴.
pub fn measure(mut progress: impl FnMut(&str)) -> Vec<AccuracyRecord> {
    let mut records = Vec::new();
    for family in Family::ALL {
        progress(&format!("accuracy/{family:?}"));
        for power in (0..=14).step_by(2) {
            let condition = 10_f64.powi(power);
            records.extend(of_design(family, condition));
        }
    }
    records
}

fn of_design(family: Family, condition: f64) -> Vec<AccuracyRecord> {
    let mut random = Random::new(5);
    let x: Matrix<f64> = family.design(ROWS, COLS, condition, &mut random);
    let y = targets(&x, 1, Residual::Small, &mut random);
    let data = match Dataset::new(x.view(), View::column_vector(y.col(0))) {
        Ok(data) => data,
        Err(error) => unreachable!("designs of families are well-formed: {error}"),
    };
    // Without an intercept: these targets have none, and the digits of a coefficient that is zero but for
    // noise say nothing; Vandermonde designs have a constant column, and Läuchli's no row to spare.
    let intercept = false;
    let exact = exact::least_squares(&data, intercept).swap_remove(0);
    let problem = Erm { loss: Squared, penalty: Unpenalised, intercept };
    let record = |backend: &str, solver: &str, outcome| AccuracyRecord {
        family: format!("{family:?}"),
        condition,
        backend: backend.to_string(),
        solver: solver.to_string(),
        outcome,
    };
    let mut records = Vec::new();
    for contestant in contestants() {
        let ours = [
            ("minrisk", closed_form(Method::Auto)),
            ("normal equations", closed_form(Method::NormalEquations)),
            ("QR", closed_form(Method::Qr)),
            ("SVD", closed_form(Method::Svd)),
        ];
        let native = (contestant.native_name, contestant.native);
        for (name, solver) in ours.into_iter().chain([native]) {
            let outcome = solve(contestant.backend, &solver, &problem, &data, &exact);
            records.push(record(contestant.name, name, outcome));
        }
    }
    records
}

fn solve(
    backend: &dyn Backend<f64>,
    solver: &LeastSquaresSolver,
    problem: &Erm<Squared, Unpenalised>,
    data: &Dataset<'_, f64>,
    exact: &Solution,
) -> Result<Accuracy, String> {
    let mut times: Vec<f64> =
        (0..4).map(|_| once(|| solver.solve(backend, problem, data)).0).collect();
    let (seconds, fit) = once(|| solver.solve(backend, problem, data));
    times.push(seconds);
    times.sort_unstable_by(f64::total_cmp);
    let fit = fit.map_err(|error| error.to_string())?;
    Ok(Accuracy {
        digits: digits(&fit, exact),
        claimed: claimed(&fit),
        backward_error: backward_error(&fit, data, exact),
        seconds: times[2],
    })
}

/// Correct digits of the worst of intercept and coefficients.
pub fn digits(fit: &Fit<f64>, exact: &Solution) -> f64 {
    let found = fit.model.intercept().into_iter().chain(fit.model.coefficients().iter().copied());
    let truth = exact.intercept.iter().chain(&exact.coefficients);
    found.zip(truth).map(|(w, t)| exact::digits(w, t)).fold(f64::INFINITY, f64::min)
}

fn claimed(fit: &Fit<f64>) -> Option<f64> {
    let certificate = fit.certificate.least_squares()?;
    let digits = certificate.digits.iter().flatten().chain(&certificate.intercept_digits);
    Some(digits.copied().fold(f64::INFINITY, f64::min))
}

fn backward_error(fit: &Fit<f64>, data: &Dataset<'_, f64>, exact: &Solution) -> f64 {
    let difference = |w: f64, exact| exact::approximate(&(exact::rational(w) - exact));
    let coefficients = fit.model.coefficients().iter().zip(&exact.coefficients);
    let wrong: Vec<f64> = coefficients.map(|(&w, exact)| difference(w, exact)).collect();
    let intercepts = fit.model.intercept().zip(exact.intercept.as_ref());
    let level = intercepts.map_or(0.0, |(b, exact)| difference(b, exact));
    let x = data.design().dense().expect("families make dense designs");
    let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::hypot);
    let row = |i: usize| level + wrong.iter().enumerate().map(|(j, w)| w * x[(i, j)]).sum::<f64>();
    let moved = norm(&mut (0..x.rows()).map(row));
    moved / norm(&mut (0..x.rows()).map(|i| data.target_view()[(i, 0)])).max(f64::MIN_POSITIVE)
}
