//! The lasso and elastic-net path from one Gram matrix, and the exact places where it bends.
//!
//! On squared loss the quadratic model is the objective, so the fits of a whole path need the Gram matrix
//! only: one pass for it, coordinate descent on d × d numbers for each λ, and one last pass that computes the
//! residuals of all fits at once, X·[w_1 … w_n], for their certificates. The lower bound takes u = 2τ(r − r̄): centring
//! makes it feasible for an intercept, since the conjugate of squared loss is finite everywhere.
//!
//! Without λ₂ the solution is piecewise linear in λ (Osborne, Presnell, Turlach 2000; Efron et al. 2004): with
//! the support A and signs s, v_A(λ) = −H_AA⁻¹(c_A + λs), until a weight of A reaches zero or a partial
//! derivative outside reaches ±λ: these λ are the knots.

use super::coordinates::Coordinates;
use super::factor::Factor;
use super::newton::NewtonState;
use super::problem::Problem;
use super::quadratic::Quadratic;
use super::vectors::largest;
use crate::certificate::{Bound, ConvexCertificate};
use crate::loss::Squared;
use crate::penalty::{Penalty, Terms, Unpenalised};
use crate::{
    Backend, Block, Certificate, Dataset, Erm, Error, Fit, LinearModel, Matrix, Reduction, Report,
    Rows, Scalar, Status, View,
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

/// A λ at which the lasso path bends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Knot {
    /// λ₁, total scale.
    pub lambda: f64,
    /// The feature.
    pub feature: usize,
    /// Whether it enters the support below this λ or leaves it.
    pub enters: bool,
}

/// The knots of the lasso path Σ c_t (y_t − z_t)² + λ‖w‖₁, from λ_max down to `smallest`.
pub fn lasso_knots<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    intercept: bool,
    smallest: f64,
) -> Result<Vec<Knot>, Error> {
    let erm = Erm { loss: Squared, penalty: Unpenalised, intercept };
    let Model { coordinates, hessian, linear } = model(backend, &erm, data)?;
    let features = data.cols();
    // The share of λ that a weight pays in the coordinates.
    let share = |j: usize| if j < features { coordinates.scale(j) } else { 0.0 };
    let mut support: Vec<usize> = (features..coordinates.unknowns()).collect();
    let mut signs = vec![0.0; coordinates.unknowns()];
    let (mut knots, mut lambda) = (Vec::new(), f64::INFINITY);
    let most = 50 * features.max(1) + 100;
    while knots.len() < most {
        // A support whose columns are dependent ends the path: its weights are no longer unique.
        let factor = Factor::of_support(backend, &hessian, &support, |_| 0.0);
        let Some(factor) = factor else { break };
        let line = |side: &dyn Fn(usize) -> f64| {
            factor.solve(&support.iter().map(|&j| side(j)).collect::<Vec<f64>>())
        };
        let (level, slope) = (line(&|j| -linear[j]), line(&|j| -share(j) * signs[j]));
        let mut next: Option<Knot> = None;
        let mut consider = |candidate: f64, feature: usize, enters: bool| {
            // The event just passed comes up again at its own λ.
            let fresh = candidate < lambda * (1.0 - 1e-11)
                || knots.last().is_none_or(|last: &Knot| last.feature != feature)
                    && candidate < lambda * (1.0 + 1e-11);
            if candidate > 0.0 && fresh && next.is_none_or(|next| candidate > next.lambda) {
                next = Some(Knot { lambda: candidate.min(lambda), feature, enters });
            }
        };
        for (k, &j) in support.iter().enumerate().filter(|(_, j)| **j < features) {
            // v_j = level + slope·λ reaches zero.
            consider(-level[k] / slope[k], j, false);
        }
        for j in (0..features).filter(|j| !support.contains(j)) {
            let column = hessian.col(j);
            let along = |v: &[f64]| support.iter().zip(v).map(|(&i, v)| column[i] * v).sum::<f64>();
            let (at_zero, per_lambda) = (linear[j] + along(&level), along(&slope));
            // |at_zero + per_lambda·λ| = share·λ.
            consider(at_zero / (share(j) - per_lambda), j, true);
            consider(-at_zero / (share(j) + per_lambda), j, true);
        }
        let Some(knot) = next.filter(|knot| knot.lambda >= smallest) else { break };
        lambda = knot.lambda;
        if knot.enters {
            let column = hessian.col(knot.feature);
            let v = |k: usize| level[k] + slope[k] * lambda;
            let derivative = linear[knot.feature]
                + support.iter().enumerate().map(|(k, &i)| column[i] * v(k)).sum::<f64>();
            signs[knot.feature] = -derivative.signum();
            support.push(knot.feature);
        } else {
            signs[knot.feature] = 0.0;
            support.retain(|&j| j != knot.feature);
        }
        knots.push(knot);
    }
    Ok(knots)
}

/// Coordinates, the Hessian in them, and the gradient at zero: all that a path needs.
struct Model<T> {
    coordinates: Coordinates<T>,
    hessian: Matrix<f64>,
    linear: Vec<f64>,
}

fn model<T: Scalar, P: Penalty>(
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

/// Residuals of many predictors at once, and what certificates need of them.
struct ResidualsPass<'a, T: Scalar> {
    backend: &'a dyn Backend<T>,
    weights: &'a Matrix<T>,
    levels: &'a [T],
}

struct ResidualsSums<T> {
    /// Σ c.
    weight: f64,
    /// Σ c y.
    target: f64,
    /// Σ c x.
    columns: Vec<f64>,
    /// Σ c r of each predictor.
    total: Vec<f64>,
    /// Σ c r².
    squares: Vec<f64>,
    /// Σ c r y.
    with_target: Vec<f64>,
    /// Σ c r x.
    products: Matrix<T>,
    residuals: Vec<T>,
}

impl<T: Scalar> Reduction<T> for ResidualsPass<'_, T> {
    type State = ResidualsSums<T>;

    fn start(&self) -> ResidualsSums<T> {
        let (features, count) = (self.weights.rows(), self.weights.cols());
        ResidualsSums {
            weight: 0.0,
            target: 0.0,
            columns: vec![0.0; features],
            total: vec![0.0; count],
            squares: vec![0.0; count],
            with_target: vec![0.0; count],
            products: Matrix::zeros(features, count),
            residuals: Vec::new(),
        }
    }

    fn absorb(&self, sums: &mut ResidualsSums<T>, block: &Block<'_, T>) {
        let (rows, count) = (block.x.rows(), self.weights.cols());
        sums.residuals.clear();
        sums.residuals.resize(rows * count, T::zero());
        let mut z = crate::ViewMut::col_major(&mut sums.residuals, rows, count)
            .expect("the buffer has this size");
        self.backend.add_product(block.x, self.weights.view(), z.reborrow());
        let weight = |i: usize| block.weights.map_or(T::one(), |c| c[(i, 0)]);
        let offset = |i: usize| block.offsets.map_or(T::zero(), |o| o[(i, 0)]);
        for (k, column) in sums.residuals.chunks_exact_mut(rows).enumerate() {
            let (mut total, mut squares, mut with_target) = (0.0, 0.0, 0.0);
            for (i, z) in column.iter_mut().enumerate() {
                let y = block.y[(i, 0)];
                let residual = y - (*z + self.levels[k] + offset(i));
                let weighted = weight(i) * residual;
                total += weighted.to_double();
                squares += weighted.to_double() * residual.to_double();
                with_target += weighted.to_double() * (y - offset(i)).to_double();
                *z = weighted;
            }
            sums.total[k] += total;
            sums.squares[k] += squares;
            sums.with_target[k] += with_target;
        }
        let residuals = View::col_major(&sums.residuals, rows, count).expect("the same size");
        self.backend.add_product(block.x.transpose(), residuals, sums.products.view_mut());
        for i in 0..rows {
            sums.weight += weight(i).to_double();
            sums.target += (weight(i) * (block.y[(i, 0)] - offset(i))).to_double();
            let c = weight(i).to_double();
            for (j, column) in sums.columns.iter_mut().enumerate() {
                *column += c * block.x[(i, j)].to_double();
            }
        }
    }

    fn merge(&self, left: &mut ResidualsSums<T>, right: ResidualsSums<T>) {
        let add = |into: &mut [f64], from: &[f64]| {
            into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        };
        left.weight += right.weight;
        left.target += right.target;
        add(&mut left.columns, &right.columns);
        add(&mut left.total, &right.total);
        add(&mut left.squares, &right.squares);
        add(&mut left.with_target, &right.with_target);
        let products = left.products.as_mut_slice().iter_mut().zip(right.products.as_slice());
        products.for_each(|(a, &b)| *a += b);
    }
}
