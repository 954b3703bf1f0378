//! The checks for convex fits: the objective and the lower bound.
//!
//! Row by row in sums of exact products. A dual point is believed only as far as it is feasible: it is
//! moved into the domain of the conjugates and onto Σ c_t u_t = 0 here, by means of its own.

use super::claims::relative_violation;
use super::sums::Sum;
use super::triangle::{eliminate, independent, solve_transposed};
use super::{Finding, Verdict, minimiser};
use crate::certificate::{Bound, ConvexCertificate};
use crate::loss::{AnyLoss, Loss};
use crate::{Dataset, Error, LinearModel, Scalar, Status, View};

/// Checks the claims of a certificate.
pub(super) fn check<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    certificate: &ConvexCertificate,
    status: Status,
) -> Result<Verdict, Error> {
    let Some(loss) = certificate.loss else {
        let text = "the loss is one of the caller's own, which this check does not know".into();
        return Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
    };
    let terms = &certificate.terms;
    if terms.l1.len() != model.features() || terms.l2.len() != model.features() {
        let text = "the certificate's penalty is for another number of features".into();
        return Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
    }
    crate::loss::check_targets(&loss, data)?;
    data.check_offsets(1)?;
    let crate::Design::Dense(x) = data.design();
    let checker = Checker { data, x, model, certificate, loss, level: level(data) };
    let z: Vec<f64> = (0..x.rows()).map(|t| checker.argument(t)).collect();
    let mut findings =
        vec![checker.objective(&z), checker.lower_bound(&z), checker.gap(), checker.zeros()];
    findings.extend(checker.optimality(&z));
    if loss == AnyLoss::Logistic && status == Status::Solved {
        findings.push(minimiser::exists(data, model, terms, &z));
    }
    let digits = -certificate.relative_gap.max(f64::EPSILON / 8.0).log10();
    Ok(Verdict::of(findings, digits))
}

/// The mean of y − o.
fn level<T: Scalar>(data: &Dataset<'_, T>) -> f64 {
    let (mut sum, mut weights) = (Sum::default(), Sum::default());
    for t in 0..data.rows() {
        sum.add_product(data.weight_of(t), data.target_view()[(t, 0)].to_double());
        sum.add_product(-data.weight_of(t), data.offset_of(t));
        weights.add_product(1.0, data.weight_of(t));
    }
    sum.value() / weights.value()
}

/// A loss of z − y alone is taken as one of that argument, with the target 0 and the offset o − y: large
/// targets then cost the dual point no digits.
struct Checker<'a, T> {
    data: &'a Dataset<'a, T>,
    x: View<'a, T>,
    model: &'a LinearModel<T>,
    certificate: &'a ConvexCertificate,
    loss: AnyLoss,
    /// The mean of y − o, by which the offsets of the dual may be moved where Σ c_t u_t = 0.
    level: f64,
}

impl<T: Scalar> Checker<'_, T> {
    fn weight(&self, t: usize) -> f64 {
        self.data.weight_of(t)
    }

    /// The target as the loss sees it.
    fn target(&self, t: usize) -> f64 {
        if self.loss.is_of_residual() { 0.0 } else { self.given_target(t) }
    }

    fn given_target(&self, t: usize) -> f64 {
        self.data.target_view()[(t, 0)].to_double()
    }

    /// What u_t is multiplied with in the dual.
    fn dual_offset(&self, t: usize) -> f64 {
        let offset = self.data.offset_of(t);
        match (self.loss.is_of_residual(), self.model.intercept()) {
            (true, Some(_)) => (offset - self.given_target(t)) + self.level,
            (true, None) => offset - self.given_target(t),
            (false, _) => offset,
        }
    }

    fn coefficient(&self, j: usize) -> f64 {
        self.model.coefficients()[j].to_double()
    }

    /// z as the loss sees it.
    fn argument(&self, t: usize) -> f64 {
        let mut z = Sum::default();
        z.add_product(1.0, self.data.offset_of(t));
        z.add_product(1.0, self.model.intercept().map_or(0.0, |b| b.to_double()));
        for j in 0..self.x.cols() {
            z.add_product(self.x[(t, j)].to_double(), self.coefficient(j));
        }
        if self.loss.is_of_residual() {
            z.add_product(-1.0, self.given_target(t));
        }
        z.value()
    }

    /// What sums in the data's precision may miss by.
    fn rounding() -> f64 {
        1e-11_f64.max(64.0 * T::unit_roundoff())
    }

    /// F is what it is said to be.
    fn objective(&self, z: &[f64]) -> Finding {
        let mut found = Sum::default();
        for (t, &z) in z.iter().enumerate() {
            found.add_product(self.weight(t), self.loss.value(z, self.target(t)));
        }
        for j in 0..self.x.cols() {
            let (w, terms) = (self.coefficient(j), &self.certificate.terms);
            found.add_product(terms.l1[j], w.abs());
            found.add_product(terms.l2[j] * w, w);
        }
        let (found, claimed) = (found.value(), self.certificate.objective);
        Finding::objective(claimed, found, Self::rounding())
    }

    fn lower_bound(&self, z: &[f64]) -> Finding {
        let claimed = self.certificate.lower_bound;
        let (found, source) = match self.certificate.bound {
            Bound::Duality => (self.dual_value(z, false).max(self.least()), "by duality"),
            Bound::NearlyFeasible => {
                (self.dual_value(z, true).max(self.least()), "by duality, up to rounding")
            }
            Bound::NewtonDecrement => {
                (self.certificate.objective - self.decrement(z), "by the Newton decrement")
            }
        };
        // The claim and this check shrink the dual point in different ways.
        let slack = Self::rounding() * self.certificate.objective.abs()
            + 0.5 * (self.certificate.objective - claimed).abs();
        Finding {
            holds: claimed <= found + slack,
            text: format!("the objective is nowhere below {claimed:e} {source} ({found:e} found)"),
        }
    }

    /// The dual objective at zero, which is feasible always.
    fn least(&self) -> f64 {
        let mut sum = Sum::default();
        for t in 0..self.x.rows() {
            sum.add_product(-self.weight(t), self.loss.conjugate(0.0, self.given_target(t)));
        }
        sum.value()
    }

    fn gap(&self) -> Finding {
        let ConvexCertificate { objective, lower_bound, relative_gap, .. } = *self.certificate;
        Finding::gap(relative_gap, objective, lower_bound)
    }

    fn zeros(&self) -> Finding {
        let nonzero = self.model.coefficients().iter().filter(|w| **w != T::zero()).count();
        Finding::nonzero(self.certificate.nonzero, nonzero)
    }

    /// The conditions of optimality hold as far as it is said.
    fn optimality(&self, z: &[f64]) -> Option<Finding> {
        let u = self.balanced_dual(z)?;
        let terms = &self.certificate.terms;
        let root = |square: &dyn Fn(usize) -> f64| {
            (0..u.len()).map(|t| self.weight(t) * square(t)).sum::<f64>().sqrt()
        };
        let steepness = root(&|t| u[t] * u[t]);
        let relative = |j: usize| {
            let size = steepness * root(&|t| self.x[(t, j)].to_double().powi(2));
            relative_violation(terms, j, self.coefficient(j), self.product(j, &u), size)
        };
        let found = (0..self.x.cols()).map(relative).fold(0.0, f64::max);
        Some(Finding::optimality(self.certificate.optimality, found, Self::rounding()))
    }

    /// The dual objective at a point made feasible.
    fn dual_value(&self, z: &[f64], forgiving: bool) -> f64 {
        let Some(u) = self.balanced_dual(z) else { return f64::NEG_INFINITY };
        let products: Vec<f64> = (0..self.x.cols()).map(|j| self.product(j, &u)).collect();
        let terms = &self.certificate.terms;
        let mut shrink = 1.0_f64;
        for (j, v) in products.iter().enumerate() {
            if terms.l2[j] == 0.0 && terms.l1[j] > 0.0 && v.abs() > terms.l1[j] {
                shrink = shrink.min(terms.l1[j] / v.abs());
            }
        }
        let (mut value, mut linear) = (Sum::default(), Sum::default());
        for (t, u) in u.iter().enumerate().filter(|(t, _)| self.weight(*t) > 0.0) {
            let c = self.weight(t);
            value.add_product(-c, self.loss.conjugate(u * shrink, self.target(t)));
            // Σ c_t u_t o_t is shrunk as a whole: rounding each u_t would not leave v what it is.
            linear.add_product(c * u, self.dual_offset(t));
        }
        value.add_scaled(shrink, &linear);
        for (j, v) in products.iter().enumerate() {
            let excess = (v.abs() * shrink - terms.l1[j]).max(0.0);
            if excess > 0.0 && terms.l2[j] > 0.0 {
                value.add_product(-excess, excess / (4.0 * terms.l2[j]));
            } else if forgiving && terms.l1[j] == 0.0 && self.is_rounding(j, *v, &u) {
                value.add_product(-2.0 * v.abs(), self.coefficient(j).abs());
            } else if excess > 1e-15 * terms.l1[j] {
                return f64::NEG_INFINITY;
            }
        }
        value.value()
    }

    /// The dual point behind the certificate, moved onto Σ c_t u_t = 0 where there is an intercept; `None` where it is one of
    /// other data.
    fn balanced_dual(&self, z: &[f64]) -> Option<Vec<f64>> {
        let rows = self.x.rows();
        let mut u: Vec<f64> = match &self.certificate.dual {
            Some(dual) if dual.len() == rows => dual.clone(),
            Some(_) => return None,
            None => (0..rows).map(|t| self.loss.derivative(z[t], self.target(t))).collect(),
        };
        if self.model.intercept().is_some() {
            let side = |positive: bool| {
                let mut sum = Sum::default();
                for (t, u) in u.iter().enumerate().filter(|(_, u)| (**u > 0.0) == positive) {
                    sum.add_product(self.weight(t), u.abs());
                }
                sum.value()
            };
            let (up, down) = (side(true), side(false));
            let common = up.min(down);
            // A dual point whose sum is zero but for rounding would only be rounded once more.
            let is_balanced = up.max(down) - common <= 4.0 * f64::EPSILON * common;
            for u in u.iter_mut().filter(|_| !is_balanced) {
                *u *= common / if *u > 0.0 { up } else { down.max(f64::MIN_POSITIVE) };
            }
        }
        Some(u)
    }

    /// Σ c_t u_t x_tj, around the column's mean where Σ c_t u_t is zero but for rounding.
    fn product(&self, j: usize, u: &[f64]) -> f64 {
        let (mut product, mut total) = (Sum::default(), Sum::default());
        for (t, u) in u.iter().enumerate() {
            product.add_product(self.weight(t) * u, self.x[(t, j)].to_double());
            total.add_product(1.0, self.weight(t) * u);
        }
        product.add_scaled(-self.mean(j), &total);
        product.value()
    }

    /// The mean of a column; zero without an intercept, which has nothing to move it by.
    fn mean(&self, j: usize) -> f64 {
        let rows = self.x.rows();
        let mean = (0..rows).map(|t| self.x[(t, j)].to_double()).sum::<f64>() / rows as f64;
        if self.model.intercept().is_some() && mean.is_finite() { mean } else { 0.0 }
    }

    /// Whether Σ c_t u_t x_tj is zero but for rounding, around the column's mean where there is an
    /// intercept.
    fn is_rounding(&self, j: usize, v: f64, u: &[f64]) -> bool {
        let mean = self.mean(j);
        let term =
            |t: usize| self.weight(t) * u[t].abs() * (self.x[(t, j)].to_double() - mean).abs();
        let rounding = 1e-7_f64.max(256.0 * T::unit_roundoff());
        v.abs() <= rounding * (0..self.x.rows()).map(term).sum::<f64>()
    }

    /// ½gᵀH⁻¹g over the weights that are not held at a corner, with R of √D·X by Givens rotations;
    /// infinite where a corner does not hold its weight once that step is taken.
    fn decrement(&self, z: &[f64]) -> f64 {
        let gradient = self.gradient(z);
        let corner = |j: usize| if self.is_held(j) { self.certificate.terms.l1[j] } else { 0.0 };
        let is_over =
            |j: usize, slope: f64| slope.abs() > corner(j) + 1e-9 * gradient[j].magnitude();
        let moves = |j: &usize| !self.is_held(*j);
        let mut columns: Vec<usize> = (0..gradient.len()).filter(moves).collect();
        let mut triangle = self.triangle(z, &columns);
        let mut last: Vec<usize> = Vec::new();
        for (&j, is_independent) in columns.iter().zip(independent(&triangle)) {
            last.extend((!is_independent).then_some(j));
        }
        columns.retain(|j| !last.contains(j));
        let rank = columns.len();
        // Slopes that the step may change enough.
        let held = (0..gradient.len()).filter(|&j| self.is_held(j));
        last.extend(held.filter(|&j| is_over(j, gradient[j].value())));
        if !last.is_empty() {
            // What does not move comes last.
            columns.extend(last);
            triangle = self.triangle(z, &columns);
        }
        // Rᵀs = g, and the decrement is ½‖s‖².
        let mut s: Vec<f64> = columns[..rank].iter().map(|&j| gradient[j].value()).collect();
        solve_transposed(&triangle, &mut s);
        for (k, &j) in columns.iter().enumerate().skip(rank) {
            let change: f64 = s.iter().enumerate().map(|(i, s)| triangle[i][k] * s).sum();
            // The objective would fall for ever along what has a slope but no curvature.
            if is_over(j, gradient[j].value() - change) {
                return f64::INFINITY;
            }
        }
        0.5 * s.iter().map(|s| s * s).sum::<f64>()
    }

    /// Whether a corner holds the weight; j = d is the intercept.
    fn is_held(&self, j: usize) -> bool {
        j < self.x.cols() && self.certificate.terms.l1[j] > 0.0 && self.coefficient(j) == 0.0
    }

    /// The value of a column, or the 1 of the intercept.
    fn entry(&self, t: usize, j: usize) -> f64 {
        if j < self.x.cols() { self.x[(t, j)].to_double() } else { 1.0 }
    }

    /// ∂F, but for the corners of weights that those hold.
    fn gradient(&self, z: &[f64]) -> Vec<Sum> {
        let features = self.x.cols();
        let all = features + usize::from(self.model.intercept().is_some());
        let mut gradient = vec![Sum::default(); all];
        for (t, &z) in z.iter().enumerate() {
            let slope = self.weight(t) * self.loss.derivative(z, self.target(t));
            for (j, g) in gradient.iter_mut().enumerate() {
                g.add_product(slope, self.entry(t, j));
            }
        }
        let terms = &self.certificate.terms;
        for (j, g) in gradient.iter_mut().enumerate().take(features) {
            let w = self.coefficient(j);
            g.add_product(2.0 * terms.l2[j], w);
            g.add_product(terms.l1[j], if w == 0.0 { 0.0 } else { w.signum() });
        }
        gradient
    }

    /// R of √D·X for some columns, and of √(2Λ₂) below them.
    fn triangle(&self, z: &[f64], columns: &[usize]) -> Vec<Vec<f64>> {
        let mut triangle = vec![vec![0.0; columns.len()]; columns.len()];
        for (t, &z) in z.iter().enumerate() {
            let curvature = self.loss.curvature(z, self.target(t)).unwrap_or(0.0);
            let root = (self.weight(t) * curvature).sqrt();
            let mut row: Vec<f64> = columns.iter().map(|&j| root * self.entry(t, j)).collect();
            eliminate(&mut triangle, &mut row);
        }
        for (k, &j) in columns.iter().enumerate().filter(|(_, j)| **j < self.x.cols()) {
            let mut row = vec![0.0; columns.len()];
            row[k] = (2.0 * self.certificate.terms.l2[j]).sqrt();
            eliminate(&mut triangle, &mut row);
        }
        triangle
    }
}
