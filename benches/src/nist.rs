//! Correct digits of the worst coefficient on the linear sets of the NIST Statistical Reference Datasets:
//! against the certified values, capped at 15, and against the exact rational solution of the doubles.

use minrisk_conformance::certified::{Certified, nist};
use minrisk_conformance::exact;
use minrisk_core::least_squares::Method;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::{Backend, Erm, Fit};

use crate::accuracy::digits;
use crate::contestants::{LeastSquaresSolver, closed_form, contestants};
use minrisk_report::record::NistRecord;

/// Measures every backend and its library's own solver on every set.
pub fn measure() -> Vec<NistRecord> {
    let auto = closed_form(Method::Auto);
    let mut records = Vec::new();
    for set in nist::<f64>() {
        for contestant in contestants() {
            let ours = format!("minrisk on {}", contestant.name);
            records.push(record(
                &set,
                contestant.backend,
                contestant.native_name,
                &contestant.native,
            ));
            records.push(record(&set, contestant.backend, &ours, &auto));
        }
    }
    records
}

fn record(
    set: &Certified<f64>,
    backend: &dyn Backend<f64>,
    name: &str,
    solver: &LeastSquaresSolver,
) -> NistRecord {
    let fit = fit(set, backend, solver);
    NistRecord {
        set: set.name.clone(),
        contestant: name.to_string(),
        certified: fit.as_ref().map(|fit| against_certified(set, fit)),
        exact: fit.as_ref().and_then(|fit| against_exact(set, fit)),
        ceiling: set.fits[0].ceiling.min(15.0),
    }
}

fn fit(
    set: &Certified<f64>,
    backend: &dyn Backend<f64>,
    solver: &LeastSquaresSolver,
) -> Option<Fit<f64>> {
    let problem = Erm { loss: Squared, penalty: Unpenalised, intercept: set.fits[0].intercept };
    solver.solve(backend, &problem, &set.dataset().ok()?).ok()
}

fn against_certified(set: &Certified<f64>, fit: &Fit<f64>) -> f64 {
    let found = fit.model.intercept().into_iter().chain(fit.model.coefficients().iter().copied());
    let certified = found.zip(&set.fits[0].coefficients);
    certified.map(|(w, truth)| exact::digits(w, truth)).fold(15.0, f64::min)
}

fn against_exact(set: &Certified<f64>, fit: &Fit<f64>) -> Option<f64> {
    let data = set.dataset().ok()?;
    let truth = exact::least_squares(&data, set.fits[0].intercept).swap_remove(0);
    Some(digits(fit, &truth))
}
