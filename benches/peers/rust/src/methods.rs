//! The methods of linfa and smartcore.

use linfa::traits::Fit;
use smartcore::linalg::basic::arrays::Array;
use smartcore::linear::lasso::{Lasso, LassoParameters};
use smartcore::linear::linear_regression::{LinearRegression, LinearRegressionParameters};
use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};

use crate::problem::Problem;

/// Coefficients and intercept, or why there are none.
type Found = Result<(Vec<f64>, f64), String>;

/// One way of solving one kind of problem.
pub struct Method {
    pub task: &'static str,
    pub name: &'static str,
    /// From problem, tolerance and λ.
    pub fit: fn(&Problem, f64, f64) -> Found,
}

pub const METHODS: &[Method] = &[
    Method { task: "least_squares", name: "linfa LinearRegression", fit: linfa_least_squares },
    Method { task: "least_squares", name: "smartcore LinearRegression", fit: smartcore_least_squares },
    Method { task: "lasso", name: "linfa ElasticNet", fit: linfa_lasso },
    Method { task: "lasso", name: "smartcore Lasso", fit: smartcore_lasso },
    Method { task: "logistic_l2", name: "linfa LogisticRegression", fit: linfa_logistic },
    Method { task: "logistic_l2", name: "smartcore LogisticRegression", fit: smartcore_logistic },
];

fn linfa_least_squares(problem: &Problem, _: f64, _: f64) -> Found {
    let model = linfa_linear::LinearRegression::default().fit(&problem.regression);
    let model = model.map_err(|error| error.to_string())?;
    Ok((model.params().to_vec(), model.intercept()))
}

fn smartcore_least_squares(problem: &Problem, _: f64, _: f64) -> Found {
    let parameters = LinearRegressionParameters::default();
    let model = LinearRegression::fit(&problem.dense, &problem.y, parameters);
    let model = model.map_err(|error| error.to_string())?;
    Ok((model.coefficients().iterator(0).copied().collect(), *model.intercept()))
}

/// (1/2m)‖y − Xw − b‖² + α‖w‖₁, so α = λ/2m.
fn linfa_lasso(problem: &Problem, tolerance: f64, lambda: f64) -> Found {
    let rows = problem.y.len() as f64;
    let model = linfa_elasticnet::ElasticNet::lasso()
        .penalty(lambda / (2.0 * rows))
        .tolerance(tolerance)
        .max_iterations(100_000)
        .fit(&problem.regression);
    let model = model.map_err(|error| error.to_string())?;
    Ok((model.hyperplane().to_vec(), model.intercept()))
}

/// ‖y − Xw − b‖² + mα‖w‖₁, so α = λ/m.
fn smartcore_lasso(problem: &Problem, tolerance: f64, lambda: f64) -> Found {
    let parameters = LassoParameters::default()
        .with_alpha(lambda / problem.y.len() as f64)
        .with_normalize(false)
        .with_tol(tolerance)
        .with_max_iter(10_000);
    let model = Lasso::fit(&problem.dense, &problem.y, parameters);
    let model = model.map_err(|error| error.to_string())?;
    Ok((model.coefficients().iterator(0).copied().collect(), *model.intercept()))
}

/// Σ loss + (α/2)‖w‖², so α = 2λ.
fn linfa_logistic(problem: &Problem, tolerance: f64, lambda: f64) -> Found {
    let model = linfa_logistic::LogisticRegression::default()
        .alpha(2.0 * lambda)
        .gradient_tolerance(tolerance)
        .max_iterations(10_000)
        .fit(&problem.classification);
    let model = model.map_err(|error| error.to_string())?;
    // Its positive class is the first it meets, which may be ours or not.
    let sign = if model.labels().pos.class { 1.0 } else { -1.0 };
    Ok((model.params().iter().map(|w| sign * w).collect(), sign * model.intercept()))
}

/// Σ loss + (α/2)‖w‖², so α = 2λ; it takes no tolerance.
fn smartcore_logistic(problem: &Problem, _: f64, lambda: f64) -> Found {
    let parameters = LogisticRegressionParameters::default().with_alpha(2.0 * lambda);
    let model = LogisticRegression::fit(&problem.dense, &problem.classes, parameters);
    let model = model.map_err(|error| error.to_string())?;
    let intercept = model.intercept().iterator(0).copied().next().ok_or("no intercept")?;
    Ok((model.coefficients().iterator(0).copied().collect(), intercept))
}
