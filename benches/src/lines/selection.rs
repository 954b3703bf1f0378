//! Choosing a penalty: ridge by five folds and by leave-one-out, the lasso by five folds.

use minrisk_core::Error;
use minrisk_core::convex::{lambda_grid, lambda_max};
use minrisk_core::least_squares::Ridge;
use minrisk_core::loss::Squared;
use minrisk_core::selection::{Folds, LassoCv};
use minrisk_faer::Faer;

use super::paths::LAMBDAS;
use super::{Asked, Field, Judged, Race, Stage, Starter, Title};
use crate::contestants::contestants;
use crate::peers::Parameters;
use crate::problem::{Layout, Problem};
use minrisk_report::record::Measure;

const FOLDS: usize = 5;

pub(super) fn hold(stage: &mut dyn Stage) -> Result<(), String> {
    ridge(stage, "ridge_cv/100000x50", "ridge_cv");
    ridge(stage, "ridge_loo/100000x50", "ridge_loo");
    lasso(stage)
}

fn ridge(stage: &mut dyn Stage, name: &str, task: &'static str) {
    if !stage.wants(name) {
        return;
    }
    let problem = &Problem::sparse_signal(100_000, 50, Layout::Rows);
    let alphas: Vec<f64> = (0..100).map(|k| 10_f64.powf(-3.0 + 0.06 * f64::from(k))).collect();
    let which = if task == "ridge_cv" { "5 folds" } else { "leave-one-out" };
    let title = Title {
        name: name.to_string(),
        title: format!("Ridge, {which} × 100 α, {}", problem.shape()),
        accuracy: "the same grid",
        measure: Measure::Work,
        limit_is: "the Gram matrix at peak, or reading the data once",
        work: problem.gram(),
        peerless: None,
    };
    let mut starters = Vec::new();
    for contestant in contestants() {
        let (backend, alphas) = (contestant.backend, &alphas);
        let choose = move || -> Result<f64, Error> {
            let (ridge, data) = (Ridge::total(1.0), problem.data());
            let best = if task == "ridge_cv" {
                let folds = Folds::contiguous(problem.rows(), FOLDS)?;
                ridge.cross_validate_on(backend, &data, &folds, alphas)?.best()
            } else {
                ridge.leave_one_out_on(backend, &data, alphas)?.best()
            };
            Ok(alphas[best])
        };
        starters.push(Starter::ours(format!("minrisk on {}", contestant.name), choose, |alpha| {
            Ok(Judged { note: Some(format!("chose α = {alpha:.4}")), ..Judged::worked() })
        }));
    }
    let asked = Asked {
        task,
        parameters: Parameters {
            intercept: true,
            lambdas: alphas.clone(),
            folds: FOLDS,
            ..Parameters::default()
        },
    };
    let peers = Field { asked, tolerances: &[0.0], judge: Box::new(|_| Ok(Judged::worked())) };
    stage.hold(Race { title, problem, starters, peers: Some(peers) });
}

fn lasso(stage: &mut dyn Stage) -> Result<(), String> {
    let name = "lasso_cv/10000x100".to_string();
    if !stage.wants(&name) {
        return Ok(());
    }
    let problem = &Problem::sparse_signal(10_000, 100, Layout::Columns);
    let title = Title {
        name,
        title: format!("Lasso, 5 folds × {LAMBDAS} λ, {}", problem.shape()),
        accuracy: "the same grid; peers at a tolerance of 1e-6; with the final fit",
        measure: Measure::Work,
        limit_is: "the Gram matrix at peak, or reading the data once",
        work: problem.gram(),
        peerless: None,
    };
    let largest = lambda_max(&Faer, &Squared, true, &problem.data());
    let largest = largest.map_err(|error| format!("{}: {error}", title.name))?;
    let lambdas = lambda_grid(largest, 1e-3, LAMBDAS);
    // On the scale per sample, so that a fold has its share.
    let rows = problem.rows() as f64;
    let lasso = &LassoCv::new().with_lambdas(lambdas.iter().map(|lambda| lambda / rows).collect());
    let mut starters = Vec::new();
    for contestant in contestants() {
        let backend = contestant.backend;
        let choose = move || -> Result<f64, Error> {
            let folds = Folds::contiguous(problem.rows(), FOLDS)?;
            let scores = lasso.fit_on(backend, &problem.data(), &folds)?.scores;
            Ok(scores.lambdas[scores.best()] * rows)
        };
        starters.push(Starter::ours(format!("minrisk on {}", contestant.name), choose, |lambda| {
            Ok(Judged { note: Some(format!("chose λ = {lambda:.1}")), ..Judged::worked() })
        }));
    }
    let asked = Asked {
        task: "lasso_cv",
        parameters: Parameters { intercept: true, lambdas, folds: FOLDS, ..Parameters::default() },
    };
    let peers = Field { asked, tolerances: &[1e-6], judge: Box::new(|_| Ok(Judged::worked())) };
    stage.hold(Race { title, problem, starters, peers: Some(peers) });
    Ok(())
}
