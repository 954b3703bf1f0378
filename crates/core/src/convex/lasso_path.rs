//! The lasso and elastic-net path from one Gram matrix.
//!
//! On squared loss the quadratic model is the objective, so the fits of a whole path need the Gram matrix
//! only: one pass for it, coordinate descent on d × d numbers for each λ, and one last pass that computes the
//! residuals of all fits at once, X·[w_1 … w_n], for their certificates. The lower bound takes u = 2τ(r − r̄): centring
//! makes it feasible for an intercept, since the conjugate of squared loss is finite everywhere.
//!

use super::coordinates::Coordinates;
use super::newton::NewtonState;
use super::problem::Problem;
use super::quadratic::Quadratic;
use super::residuals::ResidualsPass;
use super::vectors::largest;
use crate::certificate::{Bound, ConvexCertificate};
use crate::loss::Squared;
use crate::penalty::{Penalty, Terms};
use crate::{
    Backend, Certificate, Dataset, Erm, Error, Fit, LinearModel, Matrix, Report, Rows, Scalar,
    Status,
};

/// The fits of squared-loss problems that differ in their penalty, from large to small as a rule.
///
/// ```
/// # use minrisk_core::{Dataset, Erm, View, convex::*, loss::Squared, penalty::L1};
/// # fn example(backend: &dyn minrisk_core::Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), minrisk_core::Error> {
/// let largest = lambda_max(backend, &Squared, true, data)?;
/// let lambdas = lambda_grid(largest, 1e-3, 100);
/// let problems: Vec<_> = lambdas.iter().map(|&l| Erm::new(Squared, L1::total(l))).collect();
/// let fits = lasso_path(backend, &problems, data)?;
/// # Ok(()) }
/// ```
pub fn lasso_path<T: Scalar, P: Penalty>(
    backend: &dyn Backend<T>,
    problems: &[Erm<Squared, P>],
    data: &Dataset<'_, T>,
) -> Result<Vec<Fit<T>>, Error> {
    let Some(first) = problems.first() else { return Ok(Vec::new()) };
    if problems.iter().any(|problem| problem.intercept != first.intercept) {
        return Err(Error::Unsupported {
            solver: "a path over penalties",
            reason: "all problems must have an intercept or none; solve them one by one",
        });
    }
    let Model { coordinates, hessian, linear } = model(backend, first, data)?;
    let mut v = vec![0.0; coordinates.unknowns()];
    let (mut thetas, mut all_terms) = (Vec::new(), Vec::new());
    for erm in problems {
        let terms = Problem::new(backend, erm, data)?.terms;
        let inner = coordinates.terms(&terms);
        let scale = largest(&linear);
        let model = Quadratic { backend, hessian: &hessian, linear: &linear, terms: &inner };
        model.minimise(&mut v, 1e-15 * scale);
        thetas.push(coordinates.step(&v));
        all_terms.push(terms);
    }
    certified(backend, problems, data, thetas, all_terms)
}

/// Coordinates, the Hessian in them, and the gradient at zero: all that a path needs.
pub(super) struct Model<T> {
    pub(super) coordinates: Coordinates<T>,
    pub(super) hessian: Matrix<f64>,
    pub(super) linear: Vec<f64>,
}

pub(super) fn model<T: Scalar, P: Penalty>(
    backend: &dyn Backend<T>,
    erm: &Erm<Squared, P>,
    data: &Dataset<'_, T>,
) -> Result<Model<T>, Error> {
    let problem = Problem::new(backend, erm, data)?;
    let mut newton = NewtonState::new(&problem, vec![0.0; problem.unknowns()]);
    let (_, linear) = newton.model()?;
    let NewtonState { coordinates, hessian, .. } = newton;
    Ok(Model { coordinates, hessian, linear })
}

/// Certificates for all fits from one pass over the data.
fn certified<T: Scalar, P: Penalty>(
    backend: &dyn Backend<T>,
    problems: &[Erm<Squared, P>],
    data: &Dataset<'_, T>,
    thetas: Vec<Vec<f64>>,
    all_terms: Vec<Terms>,
) -> Result<Vec<Fit<T>>, Error> {
    let features = data.cols();
    let weights = Matrix::from_fn(features, thetas.len(), |j, k| T::from_double(thetas[k][j]));
    let levels: Vec<T> = thetas
        .iter()
        .map(|theta| T::from_double(theta.get(features).copied().unwrap_or(0.0)))
        .collect();
    let pass = ResidualsPass { backend, weights: &weights, levels: &levels };
    let sums = Rows::Memory(data).reduce(&pass)?;
    let fits = all_terms.into_iter().enumerate().map(|(k, terms)| {
        let erm = &problems[k];
        let problem = Problem::new(backend, erm, data)?;
        let coefficients: Vec<T> = weights.col(k).to_vec();
        let w: Vec<f64> = coefficients.iter().map(|w| w.to_double()).collect();
        let objective = sums.squares[k] + terms.value(&w);
        let mean = if erm.intercept { sums.total[k] / sums.weight } else { 0.0 };
        // With u = −2τ(r − r̄), r = y − z: v = −2τ(Xᵀr − r̄·Xᵀ1).
        let products: Vec<f64> = (0..features)
            .map(|j| -2.0 * (sums.products[(j, k)].to_double() - mean * sums.columns[j]))
            .collect();
        let fits = |j: &usize| terms.l2[*j] == 0.0 && terms.l1[*j] > 0.0;
        let shrink = (0..features).filter(fits).map(|j| terms.l1[j] / products[j].abs());
        let shrink = shrink.fold(1.0, f64::min) * (1.0 - f64::EPSILON);
        let v: Vec<f64> = products.iter().map(|v| v * shrink).collect();
        let centred = sums.squares[k] - mean * sums.total[k];
        let with_target = sums.with_target[k] - mean * sums.target;
        // −Σ c(u²/4 + uy) = 2τΣ c(r − r̄)y − τ²Σ c(r − r̄)².
        let dual = shrink * (2.0 * with_target - shrink * centred) - terms.conjugate(&v);
        let size = objective.abs() + 2.0 * sums.with_target[k].abs();
        let lower_bound = (dual - 16.0 * f64::EPSILON * size).min(objective);
        let violation = |j: usize| terms.violation(j, w[j], products[j]);
        let largest = (0..features).map(violation).fold(0.0, f64::max);
        let scale = terms.l1.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let certificate = ConvexCertificate {
            loss: Some(crate::loss::AnyLoss::Squared),
            objective,
            lower_bound,
            bound: Bound::Duality,
            relative_gap: (objective - lower_bound) / objective.abs().max(f64::MIN_POSITIVE),
            optimality: largest / scale,
            nonzero: w.iter().filter(|w| **w != 0.0).count(),
            dual: None,
            terms,
        };
        let solved = certificate.relative_gap <= 1e-10_f64.max(1e3 * T::unit_roundoff());
        let intercept = erm.intercept.then(|| vec![levels[k]]);
        Ok(Fit {
            model: LinearModel::new(vec![coefficients], intercept, data.names().cloned())?,
            report: Report {
                status: if solved { Status::Solved } else { Status::LimitedAccuracy },
                solver: "coordinate descent along a path".into(),
                backend: backend.name().to_string(),
                iterations: 1,
                passes: 2,
                objective: vec![problem.in_units(objective)],
                trace: Vec::new(),
            },
            certificate: Certificate::Convex(Box::new(certificate)),
        })
    });
    fits.collect()
}
