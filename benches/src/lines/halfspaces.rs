//! Perceptron epochs, separability beside linear and conic programming, the fewest mistakes.

use std::time::Duration;

use minrisk_core::halfspace::{Budget, LinearProgram, LpStatus, MinDisOpt, Perceptron, Separation};
use minrisk_faer::Faer;

use super::{Asked, Field, Judged, Race, Stage, Starter, Title, conic};
use crate::peers::Parameters;
use crate::problem::Problem;
use minrisk_report::record::Measure;

pub(super) fn hold(stage: &mut dyn Stage) -> Result<(), String> {
    perceptron(stage);
    for (name, apart) in [("separable", 14.0), ("not_separable", 4.0)] {
        separability(stage, name, apart);
    }
    fewest_mistakes(stage, (100_000, 2), "two Gaussians 2 apart", |m, d| {
        Problem::two_bells(m, d, 2.0, 3)
    });
    fewest_mistakes(stage, (10_000, 4), "two Gaussians 2 apart", |m, d| {
        Problem::two_bells(m, d, 2.0, 3)
    });
    fewest_mistakes(stage, (300, 3), "whole numbers", |m, d| {
        Problem::two_bells(m, d, 2.0, 4).in_halves()
    });
    Ok(())
}

const EPOCHS: usize = 20;

fn perceptron(stage: &mut dyn Stage) {
    let name = "perceptron/100000x50".to_string();
    if !stage.wants(&name) {
        return;
    }
    let problem = &Problem::two_bells(100_000, 50, 3.0, 1);
    let perceptron = &Perceptron::new().with_epochs(EPOCHS as u64).with_budget(Budget::unlimited());
    let title = Title {
        name,
        title: format!("Perceptron, {EPOCHS} epochs, {}", problem.shape()),
        accuracy: "the same number of epochs",
        measure: Measure::Work,
        limit_is: "reading the data 20 times",
        work: problem.readings(EPOCHS),
        peerless: None,
    };
    let ours =
        Starter::ours("minrisk", || perceptron.fit(&problem.data()), |_| Ok(Judged::worked()));
    let asked = Asked {
        task: "perceptron",
        parameters: Parameters { intercept: true, epochs: EPOCHS, ..Parameters::default() },
    };
    let peers = Field { asked, tolerances: &[0.0], judge: Box::new(|_| Ok(Judged::worked())) };
    stage.hold(Race { title, problem, starters: vec![ours], peers: Some(peers) });
}

fn separability(stage: &mut dyn Stage, which: &str, apart: f64) {
    let name = format!("separability/100000x20/{which}");
    if !stage.wants(&name) {
        return;
    }
    let problem = &Problem::two_bells(100_000, 20, apart, 2);
    let title = Title {
        name,
        title: format!("Separability, {}, {}", problem.shape(), which.replace('_', " ")),
        accuracy: "the right decision; ours is proven in exact arithmetic",
        measure: Measure::Work,
        limit_is: "reading the data once",
        work: problem.readings(1),
        peerless: None,
    };
    // A decision: whether there is a separating halfspace, `None` where time ran out.
    let judge = |decision: Option<bool>| match decision {
        None => Ok(Judged { unfinished: true, ..Judged::default() }),
        Some(decision) if decision == (apart > 10.0) => Ok(Judged::worked()),
        Some(_) => Err("the wrong decision".to_string()),
    };
    let ours = || Separation::new().decide_on(&Faer, &problem.data()).map(|d| d.is_separable());
    // Minutes at worst: those that run into this limit run once, and it counts as a lower bound.
    let limit = Duration::from_secs(if stage.quick() { 8 } else { 90 });
    let starters = vec![
        Starter::ours("minrisk", ours, judge),
        Starter::other("clarabel", move || conic::separable(problem, limit), judge),
        Starter::other("microlp", move || simplex(problem, limit), judge),
    ];
    stage.hold(Race { title, problem, starters, peers: None });
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

fn fewest_mistakes(
    stage: &mut dyn Stage,
    (rows, cols): (usize, usize),
    what: &str,
    problem: impl Fn(usize, usize) -> Problem,
) {
    let name = format!("zero_one/{rows}x{cols}");
    if !stage.wants(&name) {
        return;
    }
    let problem = &problem(rows, cols);
    let title = Title {
        name,
        title: format!("Fewest mistakes, {what}, {}", problem.shape()),
        accuracy: "proven optimal",
        measure: Measure::Mistakes,
        limit_is: "reading the data once",
        work: problem.readings(1),
        peerless: Some("none proves that there are no fewer"),
    };
    let fit = || MinDisOpt::new().fit_on(&Faer, &problem.data());
    let ours = Starter::ours("minrisk", fit, |fit| {
        let (mistakes, nodes) = (fit.mistakes.weight, fit.nodes);
        let note = Some(format!("{mistakes} mistakes, {nodes} boxes"));
        Ok(Judged { note, ..Judged::reached(mistakes, fit.optimal) })
    });
    stage.hold(Race { title, problem, starters: vec![ours], peers: None });
}
