//! The lasso for a hundred penalties at once.

use std::cell::LazyCell;

use minrisk_core::convex::{lambda_grid, lambda_max, lasso_path};
use minrisk_core::loss::Squared;
use minrisk_core::penalty::L1;
use minrisk_core::{Backend, Erm, Error, Fit};
use minrisk_faer::Faer;

use super::convex::{GAP, Solution, TOLERANCES, solution};
use super::{Asked, Field, Judged, Race, Stage, Starter, Title};
use crate::contestants::contestants;
use crate::judge::Judge;
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};
use minrisk_report::record::Measure;

/// Penalties, from λ_max down to a thousandth of it.
pub(super) const LAMBDAS: usize = 100;

/// Every so-manieth fit of a path is judged.
const JUDGED: usize = 11;

pub(super) fn hold(stage: &mut dyn Stage) -> Result<(), String> {
    let name = "lasso_path/10000x100".to_string();
    if !stage.wants(&name) {
        return Ok(());
    }
    let problem = &Problem::sparse_signal(10_000, 100, Layout::Columns);
    let title = Title {
        name,
        title: format!("Lasso path, {LAMBDAS} λ, {}", problem.shape()),
        accuracy: "relative gap 1e-8 along the path",
        measure: Measure::Gap,
        limit_is: "the Gram matrix at peak, or reading the data once",
        work: problem.gram(),
        peerless: None,
    };
    let largest = lambda_max(&Faer, &Squared, true, &problem.data());
    let largest = largest.map_err(|error| format!("{}: {error}", title.name))?;
    let lambdas = &lambda_grid(largest, 1e-3, LAMBDAS);
    let path = |backend: &dyn Backend<f64>| path(backend, problem, lambdas);
    let judges = LazyCell::new(|| {
        let fits = path(&Faer).map_err(|error| error.to_string())?.into_iter();
        let judges = fits.step_by(JUDGED).map(|fit| Judge::new(problem.data(), fit));
        judges.collect::<Result<Vec<_>, String>>()
    });
    let judge = |found: &[Solution]| -> Result<Judged, String> {
        if found.len() != LAMBDAS {
            return Err(format!("{} fits where {LAMBDAS} were asked for", found.len()));
        }
        let judges = judges.as_ref().map_err(String::clone)?;
        let pairs = judges.iter().zip(found.iter().step_by(JUDGED));
        let gaps = pairs.map(|(judge, (w, b))| judge.gap(w, *b));
        let worst =
            gaps.into_iter().try_fold(0.0, |worst, gap| Ok::<_, String>(gap?.max(worst)))?;
        Ok(Judged::reached(worst, worst <= GAP))
    };
    let mut starters = Vec::new();
    for contestant in contestants() {
        let fits = move || path(contestant.backend);
        starters.push(Starter::ours(
            format!("minrisk on {}", contestant.name),
            fits,
            |fits: Vec<Fit<f64>>| judge(&fits.iter().map(solution).collect::<Vec<_>>()),
        ));
    }
    let answered = |answer: &Answer| {
        let intercepts = answer.intercepts.iter().copied().map(Some);
        judge(&answer.coefficients.iter().cloned().zip(intercepts).collect::<Vec<_>>())
    };
    let asked = Asked {
        task: "lasso_path",
        parameters: Parameters {
            intercept: true,
            lambdas: lambdas.clone(),
            ..Parameters::default()
        },
    };
    let peers = Field { asked, tolerances: &TOLERANCES, judge: Box::new(answered) };
    stage.hold(Race { title, problem, starters, peers: Some(peers) });
    Ok(())
}

fn path(
    backend: &dyn Backend<f64>,
    problem: &Problem,
    lambdas: &[f64],
) -> Result<Vec<Fit<f64>>, Error> {
    let problems: Vec<_> = lambdas.iter().map(|&l| Erm::new(Squared, L1::total(l))).collect();
    lasso_path(backend, &problems, &problem.data())
}
