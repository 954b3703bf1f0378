//! Choosing a penalty: ridge by five folds and by leave-one-out, the lasso by five folds.

use minrisk_core::convex::{lambda_grid, lambda_max, lasso_path};
use minrisk_core::least_squares::Ridge;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::L1;
use minrisk_core::selection::{Folds, Subset};
use minrisk_core::{Backend, Erm, Error};
use minrisk_faer::Faer;

use super::paths::LAMBDAS;
use super::{Bench, Judged, Starter, Title, entry};
use crate::contestants::contestants;
use crate::measure::timed;
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};

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
        limit_is: "the Gram matrix at peak, or reading the data once",
        limit: bench.limits.least(problem.bytes(), rows * cols * cols),
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
        accuracy: "the same grid; peers at a tolerance of 1e-6",
        limit_is: "the Gram matrix at peak, or reading the data once",
        limit: bench.limits.least(problem.bytes(), problem.bytes() / 8.0 * 100.0),
    };
    let lambdas = match lambda_max(&Faer, &Squared, true, &problem.data()) {
        Ok(largest) => lambda_grid(largest, 1e-3, LAMBDAS),
        Err(error) => return (bench.progress)(&format!("{}: {error}", title.name)),
    };
    let choose = |backend: &dyn Backend<f64>| lasso_by_folds(backend, &problem, &lambdas);
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
    let peers = bench.qualify(&problem, "lasso_cv", &parameters, &[1e-6, 1e-6], anything);
    bench.record(title, ours, "lasso_cv", &parameters, peers);
}

/// The λ (total scale, all rows) of the least squared error held out, by a path in every fold.
fn lasso_by_folds(
    backend: &dyn Backend<f64>,
    problem: &Problem,
    lambdas: &[f64],
) -> Result<f64, Error> {
    let (data, rows) = (problem.data(), problem.rows() as f64);
    let problems: Vec<_> =
        lambdas.iter().map(|&l| Erm::new(Squared, L1::per_sample(l / rows))).collect();
    let folds = Folds::contiguous(problem.rows(), FOLDS)?;
    let mut errors = vec![0.0; lambdas.len()];
    for fold in 0..folds.count() {
        let split = folds.split(fold);
        let (train, test) = (Subset::of(&data, &split.train)?, Subset::of(&data, &split.test)?);
        let fits = lasso_path(backend, &problems, &train.dataset()?)?;
        let test = test.dataset()?;
        for (error, fit) in errors.iter_mut().zip(&fits) {
            *error += fit.model.residuals(&test)?.col(0).iter().map(|r| r * r).sum::<f64>();
        }
    }
    let best =
        (0..lambdas.len()).fold(0, |best, k| if errors[k] < errors[best] { k } else { best });
    Ok(lambdas[best])
}
