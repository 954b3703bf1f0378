//! Least squares with an intercept: ours to the last digit beside the libraries' own and the peers'.

use minrisk_core::least_squares::Method;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;
use minrisk_core::verify::verify;
use minrisk_core::{Erm, LinearModel};
use minrisk_faer::Faer;
use minrisk_report::Timing;
use minrisk_report::record::Measure;

use super::{Bench, Judged, Starter, Title, entry};
use crate::contestants::{closed_form, contestants};
use crate::measure::{once, timed};
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};

/// Correct digits in every coefficient without which a time does not count.
const DIGITS: f64 = 5.0;

pub(super) fn measure(bench: &mut Bench<'_>) {
    for (rows, cols) in [(100_000, 50), (10_000, 100)] {
        for layout in Layout::ALL {
            for condition in [1.0, 1e10] {
                if condition > 1.0 && (cols, layout) != (50, Layout::Rows) {
                    continue;
                }
                let name = format!("least_squares/{rows}x{cols}/{}/{condition:.0e}", layout.name());
                if bench.wants(&name) {
                    let problem = Problem::random(rows, cols, layout).ill_conditioned(condition);
                    one(bench, name, &problem, condition);
                }
            }
        }
    }
}

fn one(bench: &mut Bench<'_>, name: String, problem: &Problem, condition: f64) {
    let order = problem.layout().name().replace('_', "-").replace("col", "column");
    let ill = if condition > 1.0 { ", κ = 10¹⁰" } else { "" };
    let (rows, cols) = (problem.rows() as f64, problem.cols() as f64);
    let title = Title {
        name,
        title: format!("Least squares, {}, {order}{ill}", problem.shape()),
        accuracy: "correct digits of the worst coefficient, at least 5",
        measure: Measure::Digits,
        limit_is: "the Gram matrix at peak, or reading the data once",
        limit: bench.limits.least(problem.bytes(), rows * cols * cols),
        peerless: None,
    };
    let erm = Erm::new(Squared, Unpenalised);
    let auto = closed_form(Method::Auto);
    let reference = auto.solve(&Faer, &erm, &problem.data()).map_err(|error| error.to_string());
    let reference = reference.and_then(|fit| {
        let verdict = verify(&problem.data(), &fit).map_err(|error| error.to_string())?;
        if verdict.holds { Ok(fit.model) } else { Err("our own fit is not verified".to_string()) }
    });
    let digits = |model: &LinearModel<f64>| match &reference {
        Ok(reference) => Ok(digits(model, reference)),
        Err(reason) => Err(reason.clone()),
    };
    let all = contestants();
    let mut ours = Vec::new();
    for contestant in &all {
        let of_ours = format!("minrisk on {}", contestant.name);
        for (name, solver) in
            [(of_ours.as_str(), &auto), (contestant.native_name, &contestant.native)]
        {
            let mut entry = entry(name, name == of_ours);
            let (erm, backend) = (&erm, contestant.backend);
            let (seconds, fit) = once(|| solver.solve(backend, erm, &problem.data()));
            entry.timing = Timing::of(vec![seconds]).ok_or_else(|| "was not timed".to_string());
            match fit.map_err(|error| error.to_string()).and_then(|fit| digits(&fit.model)) {
                Ok(digits) => (entry.reached, entry.counts) = (Some(digits), digits >= DIGITS),
                Err(reason) => (entry.note, entry.counts) = (Some(reason), false),
            }
            let run = timed(move || solver.solve(backend, erm, &problem.data()));
            ours.push(Starter { entry, run });
        }
    }
    let parameters = Parameters { intercept: true, ..Parameters::default() };
    let judgement = |answer: &Answer| {
        let [coefficients] = &answer.coefficients[..] else {
            return Err("not one list of coefficients".to_string());
        };
        let model = LinearModel::from_coefficients(
            coefficients.clone(),
            answer.intercepts.first().copied(),
        );
        let digits = digits(&model.map_err(|error| error.to_string())?)?;
        Ok(Judged { reached: Some(digits), enough: digits >= DIGITS })
    };
    let peers = bench.qualify(problem, "least_squares", &parameters, &[0.0], judgement);
    bench.record(title, ours, "least_squares", &parameters, peers);
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
