//! The accuracy table of the README: correct digits of the worst coefficient on the linear NIST sets.
//!
//! `cargo run --release -p minrisk-benches --bin accuracy [--features ndarray]`
//!
//! Digits of a row are −log₁₀ of the relative error of its worst coefficient: against the certified
//! values, capped at 15, and, in the last row, against the exact rational solution of the doubles.

use minrisk_benches::{Contestant, LeastSquaresSolver, closed_form, contestants};
use minrisk_conformance::certified::{Certified, nist};
use minrisk_conformance::exact;
use minrisk_core::least_squares::Method;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Erm, Error};
use num_rational::BigRational;

fn main() -> Result<(), Error> {
    let sets = nist::<f64>();
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    println!("| correct digits | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    let auto = closed_form(Method::Auto);
    for Contestant { name, backend, native, native_name } in contestants() {
        row(native_name, &sets, |set| against_certified(set, backend, &native));
        row(&format!("**minrisk on {name}**"), &sets, |set| against_certified(set, backend, &auto));
    }
    row("what rounding the data leaves", &sets, |set| Some(set.fits[0].ceiling.min(15.0)));
    for Contestant { name, backend, .. } in contestants() {
        row(
            &format!("minrisk on {name}, against the exact solution of the doubles"),
            &sets,
            |set| against_exact(set, backend, &auto),
        );
    }
    Ok(())
}

fn row(label: &str, sets: &[Certified<f64>], digits: impl Fn(&Certified<f64>) -> Option<f64>) {
    let cell = |set| digits(set).map_or("–".to_string(), |d| format!("{:.1}", d.max(0.0)));
    let cells: Vec<String> = sets.iter().map(cell).collect();
    println!("| {label} | {} |", cells.join(" | "));
}

/// Intercept, where there is one, and coefficients.
fn parameters(
    set: &Certified<f64>,
    backend: &dyn Backend<f64>,
    solver: &LeastSquaresSolver,
) -> Option<Vec<f64>> {
    let data = set.dataset().ok()?;
    let mut problem = Erm::new(Squared, Unpenalised);
    problem.intercept = set.fits[0].intercept;
    let model = solver.solve(backend, &problem, &data).ok()?.model;
    Some(model.intercept().into_iter().chain(model.coefficients().iter().copied()).collect())
}

fn worst<'a>(found: Vec<f64>, truth: impl Iterator<Item = &'a BigRational>) -> f64 {
    found.into_iter().zip(truth).map(|(w, t)| exact::digits(w, t)).fold(f64::INFINITY, f64::min)
}

fn against_certified(
    set: &Certified<f64>,
    backend: &dyn Backend<f64>,
    solver: &LeastSquaresSolver,
) -> Option<f64> {
    let found = parameters(set, backend, solver)?;
    Some(worst(found, set.fits[0].coefficients.iter()).min(15.0))
}

fn against_exact(
    set: &Certified<f64>,
    backend: &dyn Backend<f64>,
    solver: &LeastSquaresSolver,
) -> Option<f64> {
    let truth = exact::least_squares(&set.dataset().ok()?, set.fits[0].intercept).swap_remove(0);
    let found = parameters(set, backend, solver)?;
    Some(worst(found, truth.intercept.iter().chain(&truth.coefficients)))
}
