//! Perceptron epochs, separability beside linear and conic programming, the fewest mistakes.

use std::time::Duration;

use minrisk_core::halfspace::{Budget, LinearProgram, LpStatus, MinDisOpt, Perceptron, Separation};
use minrisk_faer::Faer;

use super::{Bench, Judged, Qualified, Starter, Title, conic, entry};
use crate::measure::{once, timed};
use crate::peers::{Answer, Parameters};
use crate::problem::Problem;
use minrisk_report::Timing;
use minrisk_report::record::{Entry, Measure};

pub(super) fn measure(bench: &mut Bench<'_>) {
    perceptron(bench);
    for (name, apart) in [("separable", 14.0), ("not_separable", 4.0)] {
        separability(bench, name, apart);
    }
    fewest_mistakes(bench, Problem::two_bells(100_000, 2, 2.0, 3), "two Gaussians 2 apart");
    fewest_mistakes(bench, Problem::two_bells(10_000, 4, 2.0, 3), "two Gaussians 2 apart");
    fewest_mistakes(bench, Problem::two_bells(300, 3, 2.0, 4).in_halves(), "whole numbers");
}

const EPOCHS: usize = 20;

fn perceptron(bench: &mut Bench<'_>) {
    let name = "perceptron/100000x50".to_string();
    if !bench.wants(&name) {
        return;
    }
    let problem = Problem::two_bells(100_000, 50, 3.0, 1);
    let perceptron = Perceptron::new().with_epochs(EPOCHS as u64).with_budget(Budget::unlimited());
    let run = timed(|| perceptron.fit(&problem.data()));
    let title = Title {
        name,
        title: format!("Perceptron, {EPOCHS} epochs, {}", problem.shape()),
        accuracy: "the same number of epochs",
        measure: Measure::Work,
        limit_is: "reading the data 20 times",
        limit: EPOCHS as f64 * bench.limits.least(problem.bytes(), 0.0),
        peerless: None,
    };
    let parameters = Parameters { intercept: true, epochs: EPOCHS, ..Parameters::default() };
    let anything = |_: &Answer| Ok(Judged { reached: None, enough: true });
    let peers = bench.qualify(&problem, "perceptron", &parameters, &[0.0], anything);
    let ours = Starter { entry: entry("minrisk", true), run };
    bench.record(title, vec![ours], "perceptron", &parameters, peers);
}

fn separability(bench: &mut Bench<'_>, which: &str, apart: f64) {
    let name = format!("separability/100000x20/{which}");
    if !bench.wants(&name) {
        return;
    }
    let problem = Problem::two_bells(100_000, 20, apart, 2);
    let title = Title {
        name,
        title: format!("Separability, {}, {}", problem.shape(), which.replace('_', " ")),
        accuracy: "the right decision; ours is proven in exact arithmetic",
        measure: Measure::Work,
        limit_is: "reading the data once",
        limit: bench.limits.least(problem.bytes(), 0.0),
        peerless: None,
    };
    let run = timed(|| Separation::new().decide_on(&Faer, &problem.data()));
    let mut ours = entry("minrisk", true);
    let decision = Separation::new().decide_on(&Faer, &problem.data());
    ours.counts = decision.is_ok_and(|decision| decision.is_separable() == Some(apart > 10.0));
    // Minutes at worst, so that they run once, within a limit that counts as a lower bound.
    let limit = Duration::from_secs(if bench.quick() { 8 } else { 90 });
    let others = [
        decided("clarabel", apart > 10.0, || conic::separable(&problem, limit)),
        decided("microlp", apart > 10.0, || simplex(&problem, limit)),
    ];
    let others = others.into_iter().map(|entry| Qualified { entry, method: None }).collect();
    let ours = vec![Starter { entry: ours, run }];
    bench.record(title, ours, "separability", &Parameters::default(), others);
}

/// A decision of another library: whether there is a separating halfspace, `None` where time ran out.
fn decided(name: &str, truth: bool, run: impl FnOnce() -> Result<Option<bool>, String>) -> Entry {
    let mut entry = entry(name, false);
    let (seconds, decision) = once(run);
    entry.timing = Timing::of(vec![seconds]).ok_or_else(|| "was not timed".to_string());
    match decision {
        Ok(None) => entry.stopped_after(seconds),
        Ok(Some(decision)) if decision == truth => {}
        Ok(Some(_)) => (entry.note, entry.counts) = (Some("the wrong decision".into()), false),
        Err(reason) => (entry.timing, entry.counts) = (Err(reason), false),
    }
    entry
}

/// A·w ≥ 1 by microlp's simplex method.
fn simplex(problem: &Problem, limit: Duration) -> Result<Option<bool>, String> {
    let program = LinearProgram::halfspace(&problem.data(), true);
    let program = program.map_err(|error| error.to_string())?.with_time(limit);
    match program.solve().status {
        LpStatus::Optimal => Ok(Some(true)),
        LpStatus::Infeasible => Ok(Some(false)),
        LpStatus::OutOfTime => Ok(None),
        other => Err(format!("{other:?}")),
    }
}

fn fewest_mistakes(bench: &mut Bench<'_>, problem: Problem, what: &str) {
    let name = format!("zero_one/{}x{}", problem.rows(), problem.cols());
    if !bench.wants(&name) {
        return;
    }
    let title = Title {
        name,
        title: format!("Fewest mistakes, {what}, {}", problem.shape()),
        accuracy: "proven optimal",
        measure: Measure::Mistakes,
        limit_is: "reading the data once",
        limit: bench.limits.least(problem.bytes(), 0.0),
        peerless: Some("none proves that there are no fewer"),
    };
    let solver = MinDisOpt::new();
    let mut ours = entry("minrisk", true);
    let (seconds, fit) = once(|| solver.fit_on(&Faer, &problem.data()));
    ours.timing = Timing::of(vec![seconds]).ok_or_else(|| "was not timed".to_string());
    match fit {
        Ok(fit) => {
            let (mistakes, nodes) = (fit.mistakes.weight, fit.nodes);
            (ours.reached, ours.counts) = (Some(mistakes), fit.optimal);
            ours.note = Some(format!("{mistakes} mistakes, {nodes} boxes"));
        }
        Err(error) => (ours.note, ours.counts) = (Some(error.to_string()), false),
    }
    let run = timed(|| solver.fit_on(&Faer, &problem.data()));
    let ours = vec![Starter { entry: ours, run }];
    bench.record(title, ours, "zero_one", &Parameters::default(), Vec::new());
}
