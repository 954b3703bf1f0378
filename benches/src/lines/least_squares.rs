//! Least squares and ridge with an intercept: ours to the last digit beside the libraries' own and the peers'.

use std::cell::LazyCell;

use minrisk_core::least_squares::{LeastSquares, Method, Regression, Ridge};
use minrisk_core::penalty::Quadratic;
use minrisk_core::verify::verify;
use minrisk_core::{Backend, Error, LinearModel};
use minrisk_faer::Faer;
use minrisk_report::record::Measure;

use super::{Asked, Field, Judged, Race, Stage, Starter, Title};
use crate::contestants::contestants;
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};

/// Correct digits in every coefficient without which a time does not count.
pub(super) const DIGITS: f64 = 5.0;

/// Those lines ask for this.
pub(super) const ACCURACY: &str = "correct digits of the worst coefficient, at least 5";

/// The penalty of ridge regression, on the total scale.
const ALPHA: f64 = 1.0;

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
                    least_squares(stage, name, &problem, condition);
                }
            }
        }
    }
    let name = "ridge/100000x50/row_major".to_string();
    if stage.wants(&name) {
        let case = Case {
            name,
            what: "Ridge".to_string(),
            problem: &Problem::random(100_000, 50, Layout::Rows),
            asked: Asked {
                task: "ridge",
                parameters: Parameters { intercept: true, lambda: ALPHA, ..Parameters::default() },
            },
        };
        case.hold(stage, Ridge::total(ALPHA), &[Method::Qr], &[]);
    }
    Ok(())
}

fn least_squares(stage: &mut dyn Stage, name: String, problem: &Problem, condition: f64) {
    let ill = if condition > 1.0 { ", κ = 10¹⁰" } else { "" };
    let case = Case {
        name,
        what: format!("Least squares{ill}"),
        problem,
        asked: Asked {
            task: "least_squares",
            parameters: Parameters { intercept: true, ..Parameters::default() },
        },
    };
    let all = contestants();
    let natives = all.iter().map(|contestant| {
        let native = move || {
            let erm = *LeastSquares::new().problem();
            let fit = contestant.native.solve(contestant.backend, &erm, &problem.data())?;
            Ok(fit.model)
        };
        (contestant.native_name, native)
    });
    let natives: Vec<_> = natives.collect();
    let beside: Vec<Beside<'_>> =
        natives.iter().map(|(name, fit)| (*name, fit as &dyn Fn() -> _)).collect();
    // Normal equations are what ours begins with, and refused where the condition is not for them.
    case.hold(stage, LeastSquares::new(), &[Method::Qr, Method::Svd], &beside);
}

/// A problem in closed form, with what the peers are asked.
struct Case<'a> {
    name: String,
    what: String,
    problem: &'a Problem,
    asked: Asked,
}

/// A peer in this process: its name, and what finds a model.
type Beside<'a> = (&'a str, &'a dyn Fn() -> Result<LinearModel<f64>, Error>);

impl Case<'_> {
    fn hold<P: Quadratic + Copy>(
        self,
        stage: &mut dyn Stage,
        estimator: Regression<P>,
        methods: &[Method],
        others: &[Beside<'_>],
    ) {
        let Case { name, what, problem, asked } = self;
        let title = Title {
            name,
            title: format!("{what}, {}, {}", problem.shape(), problem.layout().words()),
            accuracy: ACCURACY,
            measure: Measure::Digits,
            limit_is: "the Gram matrix at peak, or reading the data once",
            work: problem.gram(),
            peerless: None,
        };
        let fit = |estimator: Regression<P>, backend: &dyn Backend<f64>| {
            estimator.fit_on(backend, &problem.data()).map(|fit| fit.model)
        };
        let reference = LazyCell::new(|| verified(&estimator, problem));
        let judge = |model: LinearModel<f64>| {
            let digits = digits(&model, reference.as_ref().map_err(String::clone)?);
            Ok(Judged::reached(digits, digits >= DIGITS))
        };
        let mut starters = Vec::new();
        for contestant in contestants() {
            let backend = contestant.backend;
            let ours = move || fit(estimator, backend);
            starters.push(Starter::ours(format!("minrisk on {}", contestant.name), ours, judge));
        }
        for &method in methods {
            let ours = move || fit(estimator.method(method), &Faer);
            let name = format!("minrisk by {}", format!("{method:?}").to_uppercase());
            starters.push(Starter::variant(name, ours, judge));
        }
        for (name, theirs) in others {
            starters.push(Starter::other(*name, theirs, judge));
        }
        let answered = |answer: &Answer| judge(one_model(answer)?);
        let peers = Field { asked, tolerances: &[0.0], judge: Box::new(answered) };
        stage.hold(Race { title, problem, starters, peers: Some(peers) });
    }
}

/// Our own model, once `verify` has confirmed what its certificate says.
pub(super) fn verified<P: Quadratic>(
    estimator: &Regression<P>,
    problem: &Problem,
) -> Result<LinearModel<f64>, String> {
    let data = problem.data();
    let fit = estimator.fit_on(&Faer, &data).map_err(|error| error.to_string())?;
    let verdict = verify(&data, &fit).map_err(|error| error.to_string())?;
    if verdict.holds { Ok(fit.model) } else { Err("our own fit is not verified".to_string()) }
}

/// The model that a peer answered with.
pub(super) fn one_model(answer: &Answer) -> Result<LinearModel<f64>, String> {
    let [coefficients] = &answer.coefficients[..] else {
        return Err("not one list of coefficients".to_string());
    };
    let intercept = answer.intercepts.first().copied();
    let model = LinearModel::from_coefficients(coefficients.clone(), intercept);
    model.map_err(|error| error.to_string())
}

/// Digits of the worst coefficient, intercept included, at most 16.
pub(super) fn digits(model: &LinearModel<f64>, reference: &LinearModel<f64>) -> f64 {
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
