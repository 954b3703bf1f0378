//! Lasso, logistic regression, support vector machines, stochastic gradient: time to a relative gap.

use std::cell::LazyCell;
use std::time::Duration;

use minrisk_core::convex::{
    Auto, Control, DualCoordinateDescent, Estimator, GradientDescent, Lasso, Lbfgs, LinearSvm,
    LogisticRegression, Newton, ProximalGradient, Schedule, StochasticGradient, lambda_max,
};
use minrisk_core::loss::{Logistic, Loss, Squared, TwiceSmooth};
use minrisk_core::penalty::{L2, Penalty, PerFeature};
use minrisk_core::{Erm, Fit, Solver};
use minrisk_faer::Faer;

use super::{Asked, Field, Judged, Race, Stage, Starter, Title, conic};
use crate::contestants::contestants;
use crate::judge::Judge;
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};
use minrisk_report::record::Measure;

/// The relative gap that everyone has to reach.
pub(super) const GAP: f64 = 1e-8;

/// Tolerances that peers are tried with, in their own meaning.
pub(super) const TOLERANCES: [f64; 12] =
    [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14];

/// Coefficients and intercept.
pub(super) type Solution = (Vec<f64>, Option<f64>);

/// Those of a fit.
pub(super) fn solution(fit: &Fit<f64>) -> Solution {
    (fit.model.coefficients().to_vec(), fit.model.intercept())
}

pub(super) fn hold(stage: &mut dyn Stage) -> Result<(), String> {
    for (rows, cols) in [(100_000, 50), (3_000, 1_000)] {
        let name = format!("logistic_l2/{rows}x{cols}");
        if stage.wants(&name) {
            let problem = Problem::two_classes(rows, cols, Layout::Rows);
            let case = Case { name, what: "Logistic regression, L2", task: "logistic_l2" };
            let parameters = Parameters { intercept: true, lambda: 1.0, ..Parameters::default() };
            let solvers: [Variant<'_, _, _>; 3] = [
                ("Newton", &Newton { control: variant() }),
                ("L-BFGS", &Lbfgs { control: variant() }),
                ("gradient descent", &GradientDescent { control: variant(), ..Default::default() }),
            ];
            case.hold(stage, &problem, parameters, LogisticRegression::l2(1.0), &solvers, &[]);
        }
    }
    for (rows, cols) in [(100_000, 50), (3_000, 1_000), (500, 5_000)] {
        let name = format!("lasso/{rows}x{cols}");
        if stage.wants(&name) {
            let problem = Problem::sparse_signal(rows, cols, Layout::Columns);
            let lambda = fraction_of_largest(&problem, &Squared, true)?;
            let case = Case { name, what: "Lasso at λmax/20", task: "lasso" };
            let parameters = Parameters { intercept: true, lambda, ..Parameters::default() };
            let lasso = Lasso::total(lambda);
            case.hold(
                stage,
                &problem,
                parameters,
                lasso,
                &[("accelerated gradient", &accelerated())],
                &[],
            );
        }
    }
    for (rows, cols, intercept) in [(10_000, 100, true), (1_000, 2_000, false)] {
        let name = format!("logistic_l1/{rows}x{cols}");
        if stage.wants(&name) {
            let problem = Problem::two_classes(rows, cols, Layout::Columns);
            let what = match intercept {
                true => "Logistic regression, L1 at λmax/20",
                false => "Logistic regression, L1 at λmax/20, no intercept",
            };
            let lambda = fraction_of_largest(&problem, &Logistic, intercept)?;
            let case = Case { name, what, task: "logistic_l1" };
            let parameters = Parameters { intercept, lambda, ..Parameters::default() };
            let estimator = LogisticRegression::l1(lambda);
            let estimator = if intercept { estimator } else { estimator.without_intercept() };
            case.hold(
                stage,
                &problem,
                parameters,
                estimator,
                &[("accelerated gradient", &accelerated())],
                &[],
            );
        }
    }
    let name = "svm/10000x50".to_string();
    if stage.wants(&name) {
        let problem = Problem::two_classes(10_000, 50, Layout::Rows);
        let case = Case { name, what: "Linear SVM, hinge, no intercept", task: "svm" };
        let parameters = Parameters { lambda: 0.5, ..Parameters::default() };
        let clarabel: Beside<'_> = ("clarabel", &|| conic::support_vectors(&problem, 0.5));
        let svm = LinearSvm::total(0.5).without_intercept();
        let dual = DualCoordinateDescent { control: variant(), ..Default::default() };
        case.hold(
            stage,
            &problem,
            parameters,
            svm,
            &[("dual coordinate descent", &dual)],
            &[clarabel],
        );
    }
    stochastic(stage);
    Ok(())
}

fn fraction_of_largest(
    problem: &Problem,
    loss: &impl TwiceSmooth,
    intercept: bool,
) -> Result<f64, String> {
    let largest = lambda_max(&Faer, loss, intercept, &problem.data());
    largest.map(|lambda| lambda / 20.0).map_err(|error| error.to_string())
}

/// What a solver of the caller's choice is asked for; it may be a slow one.
fn variant() -> Control {
    Control { max_time: Some(Duration::from_secs(2)), ..Control::to_gap(GAP) }
}

fn accelerated() -> ProximalGradient {
    ProximalGradient { control: variant(), ..Default::default() }
}

struct Case {
    name: String,
    what: &'static str,
    task: &'static str,
}

/// A solver of ours: its name, and what solves.
type Variant<'a, L, P> = (&'a str, &'a dyn Solver<f64, L, P>);

/// A peer in this process: its name, and what finds coefficients.
type Beside<'a> = (&'a str, &'a dyn Fn() -> Result<Vec<f64>, String>);

impl Case {
    fn hold<L, P>(
        self,
        stage: &mut dyn Stage,
        problem: &Problem,
        parameters: Parameters,
        estimator: Estimator<L, P>,
        variants: &[Variant<'_, L, P>],
        others: &[Beside<'_>],
    ) where
        L: Loss,
        P: Penalty,
        Auto: Solver<f64, L, P> + Solver<f64, L, PerFeature<P>>,
    {
        let title = Title {
            title: format!("{}, {}", self.what, problem.shape()),
            name: self.name,
            accuracy: "relative gap 1e-8",
            measure: Measure::Gap,
            limit_is: "reading the data once",
            work: problem.readings(1),
            peerless: None,
        };
        let exact = &estimator;
        let reference = LazyCell::new(|| {
            let fit = exact.fit_on(&Faer, &problem.data()).map_err(|error| error.to_string())?;
            Judge::new(problem.data(), fit)
        });
        let judge = |(coefficients, intercept): Solution| {
            let reference = reference.as_ref().map_err(String::clone)?;
            let gap = reference.gap(&coefficients, intercept)?;
            if gap <= GAP {
                reference.confirms(&coefficients, intercept)?;
            }
            Ok(Judged::reached(gap, gap <= GAP))
        };
        let to_gap = &estimator.clone().control(Control::to_gap(GAP));
        let mut starters = Vec::new();
        for contestant in contestants() {
            let backend = contestant.backend;
            let fit = move || to_gap.fit_on(backend, &problem.data()).map(|fit| solution(&fit));
            starters.push(Starter::ours(format!("minrisk on {}", contestant.name), fit, judge));
        }
        let fit = || exact.fit_on(&Faer, &problem.data()).map(|fit| solution(&fit));
        starters.push(Starter::variant("minrisk on faer, to the last digit", fit, judge));
        for (name, solver) in variants {
            let fit = move || solver.solve(&Faer, exact.problem(), &problem.data());
            let fit = move || fit().map(|fit| solution(&fit));
            starters.push(Starter::variant(format!("minrisk by {name}"), fit, judge));
        }
        for (name, fit) in others {
            let fit = move || Ok::<_, String>((fit()?, None));
            starters.push(Starter::other(*name, fit, judge));
        }
        let with_intercept = parameters.intercept;
        let answered = move |answer: &Answer| {
            let [coefficients] = &answer.coefficients[..] else {
                return Err("not one list of coefficients".to_string());
            };
            let intercept = answer.intercepts.first().copied().filter(|_| with_intercept);
            judge((coefficients.clone(), intercept))
        };
        let asked = Asked { task: self.task, parameters };
        let peers = Field { asked, tolerances: &TOLERANCES, judge: Box::new(answered) };
        stage.hold(Race { title, problem, starters, peers: Some(peers) });
    }
}

/// Epochs of stochastic gradient descent.
const EPOCHS: usize = 5;

fn stochastic(stage: &mut dyn Stage) {
    let name = "sgd/100000x50".to_string();
    if !stage.wants(&name) {
        return;
    }
    let problem = &Problem::two_classes(100_000, 50, Layout::Rows);
    let solver = &StochasticGradient {
        schedule: Schedule::inverse_square_root(0.1),
        control: Control { max_iterations: Some(EPOCHS), ..Control::default() },
        ..StochasticGradient::default()
    };
    let erm = &Erm::new(Logistic, L2::total(1.0));
    let fit = || solver.solve(&Faer, erm, &problem.data());
    let ours = Starter::ours("minrisk", fit, |_| Ok(Judged::worked()));
    let title = Title {
        name,
        title: format!("SGD, {EPOCHS} epochs, logistic L2, {}", problem.shape()),
        accuracy: "the same number of epochs",
        measure: Measure::Work,
        limit_is: "reading the data once an epoch",
        work: problem.readings(EPOCHS),
        peerless: None,
    };
    let asked = Asked {
        task: "sgd",
        parameters: Parameters {
            intercept: true,
            lambda: 1.0,
            epochs: EPOCHS,
            ..Parameters::default()
        },
    };
    let peers = Field { asked, tolerances: &[0.0], judge: Box::new(|_| Ok(Judged::worked())) };
    stage.hold(Race { title, problem, starters: vec![ours], peers: Some(peers) });
}
