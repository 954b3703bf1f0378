//! Squared loss from its moments: minimisers for one penalty after another, each with its certificate.
//!
//! Around a point that explains the level of the targets, Σ c q², q = z − y, is F₀ + c·v + ½vᵀHv in the
//! [coordinates](super::coordinates), so that one pass serves every penalty. With g = c + Hv and the level's own g_b,
//! H_bb, the point u = 2τ(q − q̄) of the dual is feasible for an intercept, has the products τg̃, g̃ = g − (g_b/H_bb)·H_b,
//! and misses the objective by
//!
//! gap = g_b²/2H_bb + (1 − τ)²L̃ + Σ_j (λ₁ⱼ|v_j| + λ₂ⱼv_j² + τg̃_jv_j) + Σ_j [(τ|g̃_j| − λ₁ⱼ)₊]²/4λ₂ⱼ,
//!
//! L̃ the loss without its first term: sums of small terms, in which nothing cancels. Entries of H are off by
//! ε√(H_ii·H_jj), so the loss is by ε·S², S = √F₀ + Σ_j √(H_jj/2)·|v_j|, and g_j by 2ε·S·√(H_jj/2). Where that is too
//! much beside the objective, the moments cannot vouch for it, and the rows must. So it is where columns or targets are far
//! from zero: the gradient at the origin has lost the digits of their levels.

use super::coordinates::Coordinates;
use super::newton::NewtonState;
use super::problem::Problem;
use super::quadratic::Quadratic;
use super::vectors::{add_multiple, dot, largest};
use crate::certificate::{Bound, ConvexCertificate};
use crate::least_squares::GRAM_ERROR;
use crate::loss::{AnyLoss, TwiceSmooth};
use crate::penalty::Terms;
use crate::{Backend, Dataset, Error, Matrix, Scalar};

/// What moments may leave in doubt, relative to the objective.
const MOST_DOUBT: f64 = 5e-12;

/// All that squared loss is on given data.
pub(super) struct Moments {
    pub(super) coordinates: Coordinates,
    /// Both triangles.
    pub(super) hessian: Matrix<f64>,
    /// The gradient at the origin.
    pub(super) linear: Vec<f64>,
    /// The loss there.
    pub(super) value: f64,
    /// The intercept there, where there is one.
    level: f64,
}

impl Moments {
    pub(super) fn of<T: Scalar, L: TwiceSmooth>(
        problem: &Problem<'_, T, L>,
    ) -> Result<Self, Error> {
        let level = if problem.intercept { mean_target(problem.data) } else { 0.0 };
        let mut origin = vec![0.0; problem.features()];
        origin.extend(problem.intercept.then_some(level));
        let mut newton = NewtonState::new(problem, origin);
        let (value, linear) = newton.model()?;
        let NewtonState { coordinates, hessian, .. } = newton;
        Ok(Self { coordinates, hessian, linear, value, level })
    }

    /// Moves v to the minimiser with a penalty.
    pub(super) fn minimise(&self, backend: &dyn Backend<f64>, terms: &Terms, v: &mut [f64]) {
        let inner = self.coordinates.terms(terms);
        let Self { hessian, linear, .. } = self;
        let model = Quadratic { backend, hessian, linear, terms: &inner };
        model.minimise(v, 1e-15 * largest(linear));
    }

    /// θ at v.
    pub(super) fn theta(&self, v: &[f64]) -> Vec<f64> {
        let mut theta = self.coordinates.step(v);
        theta[self.features()..].iter_mut().for_each(|b| *b += self.level);
        theta
    }

    /// v once θ is rounded to the precision of the data, which is what a certificate is about.
    pub(super) fn rounded<T: Scalar>(&self, v: &[f64]) -> Vec<f64> {
        let theta = self.theta(v);
        let mut rounded: Vec<f64> = theta.iter().map(|&w| T::from_double(w).to_double()).collect();
        if rounded == theta {
            return v.to_vec();
        }
        rounded[self.features()..].iter_mut().for_each(|b| *b -= self.level);
        self.coordinates.inner(&rounded)
    }

    /// The certificate of v; `None` where the moments cannot vouch for one.
    pub(super) fn certificate(&self, v: &[f64], terms: &Terms) -> Option<ConvexCertificate> {
        let inner = self.coordinates.terms(terms);
        let weights = &v[..self.features()];
        let gradient = self.gradient(v);
        let loss = self.value + 0.5 * (dot(&self.linear, v) + dot(&gradient, v));
        let objective = loss + inner.value(weights);
        let doubt = self.doubt(v, &gradient);
        // A doubt that is no number is one.
        let is_sure = doubt.value <= MOST_DOUBT * objective;
        if !is_sure {
            return None;
        }
        let (products, unbalanced) = self.balanced(&gradient);
        let most: Vec<f64> =
            products.iter().zip(&doubt.products).map(|(g, doubt)| g.abs() + doubt).collect();
        let shrink = inner.shrink_into_corners(&most);
        let most: Vec<f64> = most.iter().map(|g| g * shrink).collect();
        let slack = inner.value(weights) + shrink * dot(&products, weights);
        let slack = slack + inner.conjugate(&most);
        let remaining = (1.0 - shrink).powi(2) * (loss - unbalanced);
        let gap = unbalanced + remaining + slack.max(0.0) + 3.0 * doubt.value;
        // Of u = 2q and columns in the coordinates, in which both have the same unit.
        let violation = |j: usize| {
            let size = (2.0 * loss * self.hessian[(j, j)]).sqrt() + inner.share(j, v[j]);
            inner.violation(j, v[j], products[j]) / size.max(f64::MIN_POSITIVE)
        };
        let violation = (0..weights.len()).map(violation).fold(0.0, f64::max);
        gap.is_finite().then(|| ConvexCertificate {
            loss: Some(AnyLoss::Squared),
            objective,
            lower_bound: objective - gap,
            bound: Bound::Duality,
            relative_gap: gap / objective.max(f64::MIN_POSITIVE),
            optimality: violation,
            nonzero: weights.iter().filter(|w| **w != 0.0).count(),
            dual: None,
            terms: terms.clone(),
        })
    }

    fn features(&self) -> usize {
        self.coordinates.features()
    }

    /// c + Hv.
    fn gradient(&self, v: &[f64]) -> Vec<f64> {
        let mut gradient = self.linear.clone();
        for (j, &value) in v.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            add_multiple(&mut gradient, value, self.hessian.col(j));
        }
        gradient
    }

    /// g̃ for the weights, and g_b²/2H_bb.
    fn balanced(&self, gradient: &[f64]) -> (Vec<f64>, f64) {
        let (weights, level) = gradient.split_at(self.features());
        let last = self.features();
        match *level {
            [slope] if self.hessian[(last, last)] > 0.0 => {
                let share = slope / self.hessian[(last, last)];
                let column = &self.hessian.col(last)[..last];
                let products = weights.iter().zip(column).map(|(g, h)| g - share * h);
                (products.collect(), 0.5 * share * slope)
            }
            _ => (weights.to_vec(), 0.0),
        }
    }

    /// What rounding of the moments, and of the intercept, may have done at v.
    fn doubt(&self, v: &[f64], gradient: &[f64]) -> Doubt {
        let rounding = GRAM_ERROR * f64::unit_roundoff();
        let length = |j: usize| (0.5 * self.hessian[(j, j)]).sqrt();
        let reach: f64 = (0..v.len()).map(|j| length(j) * v[j].abs()).sum();
        let reach = reach + self.value.sqrt();
        let last = self.features();
        let shift = |j: usize| {
            let (shift, scale) = self.coordinates.standardisation(j);
            (shift * scale).abs()
        };
        let mut value = rounding * reach * reach;
        let mut products: Vec<f64> =
            (0..last).map(|j| 2.0 * rounding * length(j) * reach).collect();
        if let (Some(beta), Some(slope)) = (v.get(last), gradient.get(last)) {
            let shifts = (0..last).map(|j| shift(j) * v[j].abs()).sum::<f64>();
            let off = rounding * (self.level.abs() + beta.abs() + shifts);
            value += off * (slope.abs() + 0.5 * self.hessian[(last, last)] * off);
            // The gradient at the origin was summed over columns and targets as they are, levels and all.
            let (root, origin) = (length(last), self.value.sqrt());
            value += 2.0 * rounding * self.level.abs() * root * origin;
            for (j, product) in products.iter_mut().enumerate() {
                let moved = 2.0 * rounding * shift(j) * root * (origin + self.level.abs() * root);
                *product += moved;
                value += moved * v[j].abs();
            }
        }
        Doubt { value, products }
    }
}

/// What is in doubt of the loss, and of each g_j.
struct Doubt {
    value: f64,
    products: Vec<f64>,
}

/// The mean of y − o, about.
fn mean_target<T: Scalar>(data: &Dataset<'_, T>) -> f64 {
    let y = data.target_view();
    let term = |t: usize| data.weight_of(t) * (y[(t, 0)].to_double() - data.offset_of(t));
    let mean = (0..data.rows()).map(term).sum::<f64>() / data.total_weight().to_f64();
    if mean.is_finite() { mean } else { 0.0 }
}
