//! Choosing a penalty: ridge by five folds and by leave-one-out, the lasso by five folds.

use minrisk_core::convex::{lambda_grid, lambda_max};
use minrisk_core::least_squares::Ridge;
use minrisk_core::loss::Squared;
use minrisk_core::selection::{Folds, LassoCv};
use minrisk_core::{Backend, Error};
use minrisk_faer::Faer;

use super::paths::LAMBDAS;
use super::{Bench, Judged, Starter, Title, entry};
use crate::contestants::contestants;
use crate::measure::timed;
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};
use minrisk_report::record::Measure;

const FOLDS: usize = 5;

pub(super) fn measure(bench: &mut Bench<'_>) {
    ridge(bench, "ridge_cv/100000x50", "ridge_cv");
    ridge(bench, "ridge_loo/100000x50", "ridge_loo");
    lasso(bench);
}

fn ridge(bench: &mut Bench<'_>, name: &str, task: &str) {
    if !bench.wants(name) {
        return;
    }
    let problem = Problem::sparse_signal(100_000, 50, Layout::Rows);
    let alphas: Vec<f64> = (0..100).map(|k| 10_f64.powf(-3.0 + 0.06 * f64::from(k))).collect();
    let (rows, cols) = (problem.rows() as f64, problem.cols() as f64);
    let which = if task == "ridge_cv" { "5 folds" } else { "leave-one-out" };
    let title = Title {
        name: name.to_string(),
        title: format!("Ridge, {which} × 100 α, {}", problem.shape()),
        accuracy: "the same grid",
        measure: Measure::Work,
        limit_is: "the Gram matrix at peak, or reading the data once",
        limit: bench.limits.least(problem.bytes(), rows * cols * cols),
        peerless: None,
    };
    let ridge = Ridge::total(1.0);
    let choose = |backend: &dyn Backend<f64>| -> Result<f64, Error> {
        let data = problem.data();
        let best = if task == "ridge_cv" {
            let folds = Folds::contiguous(problem.rows(), FOLDS)?;
            ridge.cross_validate_on(backend, &data, &folds, &alphas)?.best()
        } else {
            ridge.leave_one_out_on(backend, &data, &alphas)?.best()
        };
        Ok(alphas[best])
    };
    let mut ours = Vec::new();
    for contestant in contestants() {
        let mut entry = entry(format!("minrisk on {}", contestant.name), true);
        entry.note = choose(contestant.backend).ok().map(|alpha| format!("chose α = {alpha:.4}"));
        ours.push(Starter { entry, run: timed(move || choose(contestant.backend)) });
    }
    let parameters = Parameters {
        intercept: true,
        lambdas: alphas.clone(),
        folds: FOLDS,
        ..Parameters::default()
    };
    let anything = |_: &Answer| Ok(Judged { reached: None, enough: true });
    let peers = bench.qualify(&problem, task, &parameters, &[0.0], anything);
    bench.record(title, ours, task, &parameters, peers);
}

fn lasso(bench: &mut Bench<'_>) {
    let name = "lasso_cv/10000x100".to_string();
    if !bench.wants(&name) {
        return;
    }
    let problem = Problem::sparse_signal(10_000, 100, Layout::Columns);
    let title = Title {
        name,
        title: format!("Lasso, 5 folds × {LAMBDAS} λ, {}", problem.shape()),
        accuracy: "the same grid; peers at a tolerance of 1e-6; with the final fit",
        measure: Measure::Work,
        limit_is: "the Gram matrix at peak, or reading the data once",
        limit: bench.limits.least(problem.bytes(), problem.bytes() / 8.0 * 100.0),
        peerless: None,
    };
    let lambdas = match lambda_max(&Faer, &Squared, true, &problem.data()) {
        Ok(largest) => lambda_grid(largest, 1e-3, LAMBDAS),
        Err(error) => return (bench.progress)(&format!("{}: {error}", title.name)),
    };
    // On the scale per sample, so that a fold has its share.
    let rows = problem.rows() as f64;
    let lasso = LassoCv::new().with_lambdas(lambdas.iter().map(|lambda| lambda / rows).collect());
    let choose = |backend: &dyn Backend<f64>| -> Result<f64, Error> {
        let folds = Folds::contiguous(problem.rows(), FOLDS)?;
        let scores = lasso.fit_on(backend, &problem.data(), &folds)?.scores;
        Ok(scores.lambdas[scores.best()] * rows)
    };
    let mut ours = Vec::new();
    for contestant in contestants() {
        let mut entry = entry(format!("minrisk on {}", contestant.name), true);
        entry.note = choose(contestant.backend).ok().map(|lambda| format!("chose λ = {lambda:.1}"));
        ours.push(Starter { entry, run: timed(move || choose(contestant.backend)) });
    }
    let parameters = Parameters {
        intercept: true,
        lambdas: lambdas.clone(),
        folds: FOLDS,
        ..Parameters::default()
    };
    let anything = |_: &Answer| Ok(Judged { reached: None, enough: true });
    let peers = bench.qualify(&problem, "lasso_cv", &parameters, &[1e-6], anything);
    bench.record(title, ours, "lasso_cv", &parameters, peers);
}
