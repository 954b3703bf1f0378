//! Lasso, logistic regression, support vector machines, stochastic gradient: time to a relative gap.

use minrisk_core::convex::{
    Auto, Control, Estimator, Lasso, LinearSvm, LogisticRegression, Schedule, StochasticGradient,
    lambda_max,
};
use minrisk_core::loss::{Logistic, Loss, Squared};
use minrisk_core::penalty::{L2, Penalty, PerFeature};
use minrisk_core::{Erm, Error, Fit, Solver};
use minrisk_faer::Faer;

use super::{Bench, Judged, Starter, Title, conic, entry, failed};
use crate::contestants::contestants;
use crate::judge::Judge;
use crate::measure::{once, timed};
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};
use minrisk_report::Timing;
use minrisk_report::record::{Entry, Measure};

/// The relative gap that everyone has to reach.
pub(super) const GAP: f64 = 1e-8;

/// Tolerances that peers are tried with, in their own meaning.
pub(super) const TOLERANCES: [f64; 12] =
    [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14];

pub(super) fn measure(bench: &mut Bench<'_>) {
    for (rows, cols) in [(100_000, 50), (3_000, 1_000)] {
        let name = format!("logistic_l2/{rows}x{cols}");
        if bench.wants(&name) {
            let problem = Problem::two_classes(rows, cols, Layout::Rows);
            let case = Case { name, what: "Logistic regression, L2", task: "logistic_l2" };
            let parameters = Parameters { intercept: true, lambda: 1.0, ..Parameters::default() };
            case.measure(bench, &problem, parameters, LogisticRegression::l2(1.0));
        }
    }
    for (rows, cols) in [(100_000, 50), (3_000, 1_000), (500, 5_000)] {
        let name = format!("lasso/{rows}x{cols}");
        if bench.wants(&name) {
            let problem = Problem::sparse_signal(rows, cols, Layout::Columns);
            let case = Case { name, what: "Lasso at λmax/20", task: "lasso" };
            let Some(lambda) = fraction_of_largest(&problem, &Squared, true) else { continue };
            let parameters = Parameters { intercept: true, lambda, ..Parameters::default() };
            case.measure(bench, &problem, parameters, Lasso::total(lambda));
        }
    }
    for (rows, cols, intercept) in [(10_000, 100, true), (1_000, 2_000, false)] {
        let name = format!("logistic_l1/{rows}x{cols}");
        if bench.wants(&name) {
            let problem = Problem::two_classes(rows, cols, Layout::Columns);
            let what = match intercept {
                true => "Logistic regression, L1 at λmax/20",
                false => "Logistic regression, L1 at λmax/20, no intercept",
            };
            let case = Case { name, what, task: "logistic_l1" };
            let Some(lambda) = fraction_of_largest(&problem, &Logistic, intercept) else {
                continue;
            };
            let parameters = Parameters { intercept, lambda, ..Parameters::default() };
            let estimator = LogisticRegression::l1(lambda);
            let estimator = if intercept { estimator } else { estimator.without_intercept() };
            case.measure(bench, &problem, parameters, estimator);
        }
    }
    let name = "svm/10000x50".to_string();
    if bench.wants(&name) {
        let problem = Problem::two_classes(10_000, 50, Layout::Rows);
        let case = Case { name, what: "Linear SVM, hinge, no intercept", task: "svm" };
        let parameters = Parameters { lambda: 0.5, ..Parameters::default() };
        let clarabel: Beside<'_> = ("clarabel", &|| conic::support_vectors(&problem, 0.5));
        let svm = LinearSvm::total(0.5).without_intercept();
        case.measure_beside(bench, &problem, parameters, svm, &[clarabel]);
    }
    stochastic(bench);
}

fn fraction_of_largest<L: minrisk_core::loss::TwiceSmooth>(
    problem: &Problem,
    loss: &L,
    intercept: bool,
) -> Option<f64> {
    Some(lambda_max(&Faer, loss, intercept, &problem.data()).ok()? / 20.0)
}

struct Case {
    name: String,
    what: &'static str,
    task: &'static str,
}

/// A peer in this process: its name, and what finds coefficients.
type Beside<'a> = (&'a str, &'a dyn Fn() -> Result<Vec<f64>, String>);

impl Case {
    fn measure<L, P>(
        self,
        bench: &mut Bench<'_>,
        problem: &Problem,
        parameters: Parameters,
        estimator: Estimator<L, P>,
    ) where
        L: Loss,
        P: Penalty,
        Auto: Solver<f64, L, P> + Solver<f64, L, PerFeature<P>>,
    {
        self.measure_beside(bench, problem, parameters, estimator, &[]);
    }

    fn measure_beside<L, P>(
        self,
        bench: &mut Bench<'_>,
        problem: &Problem,
        parameters: Parameters,
        estimator: Estimator<L, P>,
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
            limit: bench.limits.least(problem.bytes(), 0.0),
            peerless: None,
        };
        let exact = estimator.fit_on(&Faer, &problem.data()).map_err(|error| error.to_string());
        let judge = match exact.and_then(|fit| Judge::new(problem.data(), fit)) {
            Ok(judge) => judge,
            Err(reason) => {
                let nobody = failed("minrisk on faer", &reason);
                let unjudged =
                    Starter { entry: nobody, run: Box::new(move || Err(reason.clone())) };
                return bench.record(title, vec![unjudged], self.task, &parameters, Vec::new());
            }
        };
        let quick = estimator.clone().control(Control::to_gap(GAP));
        let solution = |fit: Result<Fit<f64>, Error>| {
            let model = fit.map_err(|error| error.to_string())?.model;
            Ok((model.coefficients().to_vec(), model.intercept()))
        };
        let mut all = Vec::new();
        for contestant in contestants() {
            let (backend, name) = (contestant.backend, format!("minrisk on {}", contestant.name));
            let quick = &quick;
            let fit = move || solution(quick.fit_on(backend, &problem.data()));
            all.push(starter(entry(name, true), &judge, fit));
        }
        let to_the_last_digit = entry("minrisk on faer, to the last digit", true);
        let fit = || solution(estimator.fit_on(&Faer, &problem.data()));
        all.push(starter(to_the_last_digit, &judge, fit));
        for (name, fit) in others {
            all.push(starter(entry(*name, false), &judge, || Ok((fit()?, None))));
        }
        let tolerances = if bench.quick() { every_other() } else { TOLERANCES.to_vec() };
        let judgement = |answer: &Answer| {
            let [coefficients] = &answer.coefficients[..] else {
                return Err("not one list of coefficients".to_string());
            };
            let intercept = parameters.intercept.then(|| answer.intercepts[0]);
            let gap = judge.gap(coefficients, intercept)?;
            if gap <= GAP {
                judge.confirms(coefficients, intercept)?;
            }
            Ok(Judged { reached: Some(gap), enough: gap <= GAP })
        };
        let peers = bench.qualify(problem, self.task, &parameters, &tolerances, judgement);
        bench.record(title, all, self.task, &parameters, peers);
    }
}

fn every_other() -> Vec<f64> {
    TOLERANCES.iter().copied().skip(1).step_by(2).collect()
}

/// Coefficients and intercept, or why there are none.
type Solution = Result<(Vec<f64>, Option<f64>), String>;

/// Someone in this process, judged like everyone.
fn starter<'a>(
    mut entry: Entry,
    judge: &Judge<'_>,
    fit: impl Fn() -> Solution + 'a,
) -> Starter<'a> {
    let (seconds, solution) = once(&fit);
    entry.timing = Timing::of(vec![seconds]).ok_or_else(|| "was not timed".to_string());
    let gap = solution.and_then(|(coefficients, intercept)| {
        let gap = judge.gap(&coefficients, intercept)?;
        judge.confirms(&coefficients, intercept).map(|()| gap)
    });
    match gap {
        Ok(gap) => (entry.reached, entry.counts) = (Some(gap), gap <= GAP),
        Err(reason) => (entry.note, entry.counts) = (Some(reason), false),
    }
    Starter { entry, run: timed(fit) }
}

/// Epochs of stochastic gradient descent.
const EPOCHS: usize = 5;

fn stochastic(bench: &mut Bench<'_>) {
    let name = "sgd/100000x50".to_string();
    if !bench.wants(&name) {
        return;
    }
    let problem = Problem::two_classes(100_000, 50, Layout::Rows);
    let solver = StochasticGradient {
        schedule: Schedule::inverse_square_root(0.1),
        control: Control { max_iterations: Some(EPOCHS), ..Control::default() },
        ..StochasticGradient::default()
    };
    let erm = Erm::new(Logistic, L2::total(1.0));
    let run = timed(|| solver.solve(&Faer, &erm, &problem.data()));
    let ours = Starter { entry: entry("minrisk", true), run };
    let title = Title {
        name,
        title: format!("SGD, {EPOCHS} epochs, logistic L2, {}", problem.shape()),
        accuracy: "the same number of epochs",
        measure: Measure::Work,
        limit_is: "reading the data once an epoch",
        limit: EPOCHS as f64 * bench.limits.least(problem.bytes(), 0.0),
        peerless: None,
    };
    let parameters =
        Parameters { intercept: true, lambda: 1.0, epochs: EPOCHS, ..Parameters::default() };
    let anything = |_: &Answer| Ok(Judged { reached: None, enough: true });
    let peers = bench.qualify(&problem, "sgd", &parameters, &[0.0], anything);
    bench.record(title, vec![ours], "sgd", &parameters, peers);
}
