//! The lasso and elastic-net path from one Gram matrix.
//!
//! On squared loss the quadratic model is the objective, so the fits of a whole path need its
//! [moments](super::moments) only: one pass for them, and coordinate descent on d × d numbers for each λ. What the
//! moments cannot vouch for is certified from one more pass, which computes the residuals of all those fits at
//! once, X·[w_1 … w_n]. The lower bound takes u = 2τ(r − r̄): centring makes it feasible for an intercept, since the
//! conjugate of squared loss is finite everywhere.

use super::moments::Moments;
use super::problem::Problem;
use super::residuals::ResidualsPass;
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
    let problem = Problem::new(backend, first, data)?;
    let moments = Moments::of(&problem)?;
    let weight = data.total_weight();
    let mut v = vec![0.0; moments.coordinates.unknowns()];
    let mut fits = Vec::with_capacity(problems.len());
    for erm in problems {
        let terms = Terms::new(&erm.penalty, data.cols(), weight)?;
        moments.minimise(backend, &terms, &mut v);
        let certificate = moments.certificate(&v, &terms);
        fits.push(PathFit { theta: moments.theta(&v), terms, certificate });
    }
    let passes = certify_from_rows(backend, first.intercept, data, &mut fits)?;
    fits.into_iter().map(|fit| fit.assemble(backend, data, problem.unit, passes)).collect()
}

/// A fit of the path, and what is proven about it.
struct PathFit {
    theta: Vec<f64>,
    terms: Terms,
    certificate: Option<ConvexCertificate>,
}

impl PathFit {
    fn assemble<T: Scalar>(
        self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        unit: f64,
        passes: usize,
    ) -> Result<Fit<T>, Error> {
        let mut theta: Vec<T> = self.theta.iter().map(|&v| T::from_double(v)).collect();
        let intercept = theta.split_off(data.cols());
        let intercept = (!intercept.is_empty()).then_some(intercept);
        let certificate = self.certificate.expect("from the moments or from the rows");
        let solved = certificate.relative_gap <= 1e-10_f64.max(1e3 * T::unit_roundoff());
        Ok(Fit {
            model: LinearModel::new(vec![theta], intercept, data.names().cloned())?,
            report: Report {
                status: if solved { Status::Solved } else { Status::LimitedAccuracy },
                solver: "coordinate descent along a path".into(),
                backend: backend.name().to_string(),
                iterations: 1,
                passes,
                objective: vec![certificate.objective * unit],
                trace: Vec::new(),
            },
            certificate: Certificate::Convex(Box::new(certificate)),
        })
    }
}

/// Certificates for the fits that have none, from one pass over the data; the passes that all took.
fn certify_from_rows<T: Scalar>(
    backend: &dyn Backend<T>,
    intercept: bool,
    data: &Dataset<'_, T>,
    fits: &mut [PathFit],
) -> Result<usize, Error> {
    let mut open: Vec<&mut PathFit> =
        fits.iter_mut().filter(|fit| fit.certificate.is_none()).collect();
    if open.is_empty() {
        return Ok(1);
    }
    let features = data.cols();
    let weights = Matrix::from_fn(features, open.len(), |j, k| T::from_double(open[k].theta[j]));
    let level = |fit: &&mut PathFit| fit.theta.get(features).copied().unwrap_or(0.0);
    let levels: Vec<T> = open.iter().map(|fit| T::from_double(level(fit))).collect();
    let pass = ResidualsPass { backend, weights: &weights, levels: &levels };
    let sums = Rows::Memory(data).reduce(&pass)?;
    for (k, fit) in open.iter_mut().enumerate() {
        let terms = &fit.terms;
        let w: Vec<f64> = weights.col(k).iter().map(|w| w.to_double()).collect();
        let objective = sums.squares[k] + terms.value(&w);
        let mean = if intercept { sums.total[k] / sums.weight } else { 0.0 };
        // With u = −2τ(r − r̄), r = y − z: v = −2τ(Xᵀr − r̄·Xᵀ1).
        let products: Vec<f64> = (0..features)
            .map(|j| -2.0 * (sums.products[(j, k)].to_double() - mean * sums.columns[j]))
            .collect();
        let shrink = terms.shrink_into_corners(&products);
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
        fit.certificate = Some(ConvexCertificate {
            loss: Some(crate::loss::AnyLoss::Squared),
            objective,
            lower_bound,
            bound: Bound::Duality,
            relative_gap: (objective - lower_bound) / objective.abs().max(f64::MIN_POSITIVE),
            optimality: largest / scale,
            nonzero: w.iter().filter(|w| **w != 0.0).count(),
            dual: None,
            terms: terms.clone(),
        });
    }
    Ok(2)
}
