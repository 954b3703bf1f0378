//! The lasso for a hundred penalties at once.

use minrisk_core::convex::{lambda_grid, lambda_max, lasso_path};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::L1;
use minrisk_core::{Backend, Erm, Error, Fit};
use minrisk_faer::Faer;

use super::convex::{GAP, TOLERANCES};
use super::{Bench, Judged, Starter, Title, entry};
use crate::contestants::contestants;
use crate::judge::Judge;
use crate::measure::timed;
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};
use minrisk_report::record::Measure;

/// Penalties, from λ_max down to a thousandth of it.
pub(super) const LAMBDAS: usize = 100;

/// Every so-manieth fit of a path is judged.
const JUDGED: usize = 11;

pub(super) fn measure(bench: &mut Bench<'_>) {
    let name = "lasso_path/10000x100".to_string();
    if !bench.wants(&name) {
        return;
    }
    let problem = Problem::sparse_signal(10_000, 100, Layout::Columns);
    let title = Title {
        name,
        title: format!("Lasso path, {LAMBDAS} λ, {}", problem.shape()),
        accuracy: "relative gap 1e-8 along the path",
        measure: Measure::Gap,
        limit_is: "the Gram matrix at peak, or reading the data once",
        limit: bench.limits.least(problem.bytes(), problem.bytes() / 8.0 * 100.0),
        peerless: None,
    };
    let lambdas = match lambda_max(&Faer, &Squared, true, &problem.data()) {
        Ok(largest) => lambda_grid(largest, 1e-3, LAMBDAS),
        Err(error) => return (bench.progress)(&format!("{}: {error}", title.name)),
    };
    let path = |backend: &dyn Backend<f64>| path(backend, &problem, &lambdas);
    let judges = path(&Faer).map_err(|error| error.to_string()).and_then(|fits| {
        let judged = fits.into_iter().step_by(JUDGED);
        judged.map(|fit| Judge::new(problem.data(), fit)).collect::<Result<Vec<_>, _>>()
    });
    let worst = |found: &[(Vec<f64>, Option<f64>)]| -> Result<f64, String> {
        let judges = judges.as_ref().map_err(Clone::clone)?;
        if found.len() != LAMBDAS {
            return Err(format!("{} fits where {LAMBDAS} were asked for", found.len()));
        }
        let pairs = judges.iter().zip(found.iter().step_by(JUDGED));
        pairs
            .map(|(judge, (w, b))| judge.gap(w, *b))
            .try_fold(0.0, |worst, gap| Ok(gap?.max(worst)))
    };
    let mut ours = Vec::new();
    for contestant in contestants() {
        let mut entry = entry(format!("minrisk on {}", contestant.name), true);
        let found = path(contestant.backend).map_err(|error| error.to_string()).and_then(|fits| {
            let model = |fit: &Fit<f64>| (fit.model.coefficients().to_vec(), fit.model.intercept());
            worst(&fits.iter().map(model).collect::<Vec<_>>())
        });
        match found {
            Ok(gap) => (entry.reached, entry.counts) = (Some(gap), gap <= GAP),
            Err(reason) => (entry.note, entry.counts) = (Some(reason), false),
        }
        ours.push(Starter { entry, run: timed(move || path(contestant.backend)) });
    }
    let parameters =
        Parameters { intercept: true, lambdas: lambdas.clone(), ..Parameters::default() };
    let judgement = |answer: &Answer| {
        let intercepts = answer.intercepts.iter().copied().map(Some);
        let found: Vec<_> = answer.coefficients.iter().cloned().zip(intercepts).collect();
        let gap = worst(&found)?;
        Ok(Judged { reached: Some(gap), enough: gap <= GAP })
    };
    let peers = bench.qualify(&problem, "lasso_path", &parameters, &TOLERANCES, judgement);
    bench.record(title, ours, "lasso_path", &parameters, peers);
}

fn path(
    backend: &dyn Backend<f64>,
    problem: &Problem,
    lambdas: &[f64],
) -> Result<Vec<Fit<f64>>, Error> {
    let problems: Vec<_> = lambdas.iter().map(|&l| Erm::new(Squared, L1::total(l))).collect();
    lasso_path(backend, &problems, &problem.data())
}
