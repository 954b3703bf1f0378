//! Least squares with an intercept: ours to the last digit beside the libraries' own and the peers'.

use std::cell::LazyCell;

use minrisk_core::least_squares::Method;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::verify::verify;
use minrisk_core::{Erm, Fit, LinearModel};
use minrisk_faer::Faer;
use minrisk_report::record::Measure;

use super::{Asked, Field, Judged, Race, Stage, Starter, Title};
use crate::contestants::{closed_form, contestants};
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};

/// Correct digits in every coefficient without which a time does not count.
const DIGITS: f64 = 5.0;

pub(super) fn hold(stage: &mut dyn Stage) -> Result<(), String> {
    for (rows, cols) in [(100_000, 50), (10_000, 100)] {
        for layout in Layout::ALL {
            for condition in [1.0, 1e10] {
                if condition > 1.0 && (cols, layout) != (50, Layout::Rows) {
                    continue;
                }
                let name = format!("least_squares/{rows}x{cols}/{}/{condition:.0e}", layout.name());
                if stage.wants(&name) {
                    let problem = Problem::random(rows, cols, layout).ill_conditioned(condition);
                    one(stage, name, &problem, condition);
                }
            }
        }
    }
    Ok(())
}

fn one(stage: &mut dyn Stage, name: String, problem: &Problem, condition: f64) {
    let order = problem.layout().name().replace('_', "-").replace("col", "column");
    let ill = if condition > 1.0 { ", κ = 10¹⁰" } else { "" };
    let title = Title {
        name,
        title: format!("Least squares, {}, {order}{ill}", problem.shape()),
        accuracy: "correct digits of the worst coefficient, at least 5",
        measure: Measure::Digits,
        limit_is: "the Gram matrix at peak, or reading the data once",
        work: problem.gram(),
        peerless: None,
    };
    let erm = &Erm::new(Squared, Unpenalised);
    let auto = closed_form(Method::Auto);
    let reference = LazyCell::new(|| -> Result<LinearModel<f64>, String> {
        let fit = auto.solve(&Faer, erm, &problem.data()).map_err(|error| error.to_string())?;
        let verdict = verify(&problem.data(), &fit).map_err(|error| error.to_string())?;
        if verdict.holds { Ok(fit.model) } else { Err("our own fit is not verified".to_string()) }
    });
    let judge = |model: &LinearModel<f64>| {
        let digits = digits(model, reference.as_ref()?);
        Ok::<_, &String>(Judged::reached(digits, digits >= DIGITS))
    };
    let judge = |model: &LinearModel<f64>| judge(model).map_err(String::clone);
    let all = contestants();
    let mut starters = Vec::new();
    for contestant in &all {
        let (backend, auto, native) = (contestant.backend, &auto, &contestant.native);
        let judge = move |fit: Fit<f64>| judge(&fit.model);
        let ours = move || auto.solve(backend, erm, &problem.data());
        starters.push(Starter::ours(format!("minrisk on {}", contestant.name), ours, judge));
        let theirs = move || native.solve(backend, erm, &problem.data());
        starters.push(Starter::other(contestant.native_name, theirs, judge));
    }
    let answered = |answer: &Answer| {
        let [coefficients] = &answer.coefficients[..] else {
            return Err("not one list of coefficients".to_string());
        };
        let intercept = answer.intercepts.first().copied();
        let model = LinearModel::from_coefficients(coefficients.clone(), intercept);
        judge(&model.map_err(|error| error.to_string())?)
    };
    let asked = Asked {
        task: "least_squares",
        parameters: Parameters { intercept: true, ..Parameters::default() },
    };
    let peers = Field { asked, tolerances: &[0.0], judge: Box::new(answered) };
    stage.hold(Race { title, problem, starters, peers: Some(peers) });
}

/// Digits of the worst coefficient, intercept included, at most 16.
fn digits(model: &LinearModel<f64>, reference: &LinearModel<f64>) -> f64 {
    let all = |model: &LinearModel<f64>| {
        model.coefficients().iter().copied().chain(model.intercept()).collect::<Vec<f64>>()
    };
    let pairs = all(model).into_iter().zip(all(reference));
    let digits = pairs.map(|(found, truth)| {
        let relative = (found - truth).abs() / truth.abs();
        match found == truth {
            true => 16.0,
            // What is not a number has no digits.
            false if relative.is_nan() => 0.0,
            false => (-relative.log10()).clamp(0.0, 16.0),
        }
    });
    digits.fold(16.0, f64::min)
}
