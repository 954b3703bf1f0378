//! The lower bound that comes with a softmax fit.
//!
//! For any u_t with u_t + e_y on the simplex, ℓ(z) ≥ u·z − ℓ*(u), ℓ* the negative entropy of u_t + e_y. With
//! v_k = Σ c_t u_tk x_t and the offsets o,
//!
//! F(W, b) ≥ Σ c_t (u_t·o_t − ℓ*(u_t)) − Σ_jk [(|v_jk| − λ₁ⱼ)₊]²/(4λ₂ⱼ),
//!
//! if Σ c_t u_tk = 0 for every class (for intercepts) and |v_jk| ≤ λ₁ⱼ where λ₂ⱼ = 0. The derivatives u_t = p_t − e_y
//! nearly are such a point. They are made one in two steps. First the probabilities of all rows are mixed with the same
//! q, p′ = (1 − s)p + sq: with N_k the weight of class k, D_k = Σ c_t u_tk and M_k = N_k + D_k = Σ c_t p_tk,
//! s = max_k D_k/M_k and q_k = (M_k − D_k/s)/Σ c are probabilities with Σ c p′_k = N_k. Then all u are shrunk until
//! every |v_jk| fits, which keeps these sums at zero. Where unpenalised weights ask for v_jk = 0, the bound is the
//! Newton decrement instead; where that is not known either, it is zero, which comes from u = 0.

use super::passes::TransposedPass;
use super::problem::{Evaluation, SoftmaxProblem};
use crate::certificate::{Bound, SoftmaxCertificate};
use crate::convex::certify::{DOUBT_SHARE, SMALL_DOUBT, is_near};
use crate::convex::dual_point::{Sums, wide_products};
use crate::convex::rounding::{Doubt, Rounding};
use crate::convex::vectors::pairwise_sum;
use crate::loss::Softmax;
use crate::wide::Dd;
use crate::{Error, Rows, Scalar};

/// A feasible dual point, and what the bound needs of it.
pub(super) struct DualPoint {
    /// F at the θ that it comes from.
    pub(super) objective: f64,
    /// The gradient of the loss at θ.
    pub(super) gradient: Vec<f64>,
    /// ∂ℓ/∂z of every row, its classes side by side.
    derivatives: Vec<f64>,
    /// Σ c_t u_tk x_t, class by class.
    products: Vec<Vec<f64>>,
    /// Σ c_t (ℓ*(u_t) − u_t·o_t).
    conjugate: f64,
    /// The same with all terms positive.
    magnitude: f64,
}

fn relative_gap(objective: f64, lower_bound: f64) -> f64 {
    (objective - lower_bound) / objective.abs().max(f64::MIN_POSITIVE)
}

impl<T: Scalar> SoftmaxProblem<'_, T> {
    /// The certificate of θ. `decrement` is ½gᵀH⁻¹g, for weights that pay no penalty.
    pub(super) fn certify(
        &self,
        theta: &[f64],
        decrement: Option<f64>,
    ) -> Result<SoftmaxCertificate, Error> {
        let mut point = self.dual_point(theta, Sums::Plain)?;
        let mut doubt = self.doubt(theta, &point);
        let (objective, unsure) = match doubt.objective > SMALL_DOUBT * point.objective.abs() {
            true => (self.wide_evaluation(theta).0, 0.0),
            false => (point.objective, doubt.objective),
        };
        let allowed = (DOUBT_SHARE * self.gap_at(&point)).max(SMALL_DOUBT * objective.abs());
        if decrement.is_none() && doubt.bound > allowed {
            point = self.dual_point(theta, Sums::Wide)?;
            doubt.bound = doubt.of_rounded;
        }
        // Rounding of the two sums, which are about as large as the objective.
        let rounding = 8.0 * f64::EPSILON * (objective.abs() + point.magnitude);
        let (lower_bound, bound) = match decrement {
            Some(decrement) if is_near(decrement, objective) => {
                (objective - decrement - rounding - unsure, Bound::NewtonDecrement)
            }
            _ => {
                let dual = point.objective - self.gap_at(&point) - rounding - doubt.bound;
                (dual.max(0.0).min(objective), Bound::Duality)
            }
        };
        let weights = self.weights(theta).flatten();
        Ok(SoftmaxCertificate {
            terms: self.terms.clone(),
            objective,
            lower_bound,
            bound,
            relative_gap: relative_gap(objective, lower_bound),
            optimality: self.optimality(theta, &point),
            nonzero: weights.filter(|w| **w != 0.0).count(),
        })
    }

    /// The certificate of θ with a bound from derivatives to first order on the way to `exact`, what θ was before it was
    /// rounded; `None` where they are none.
    pub(super) fn certify_towards(
        &self,
        theta: &[f64],
        exact: &[f64],
        certificate: &SoftmaxCertificate,
    ) -> Result<Option<SoftmaxCertificate>, Error> {
        let (objective, slopes) = self.wide_evaluation(theta);
        let step: Vec<f64> = exact.iter().zip(theta).map(|(to, from)| to - from).collect();
        let Some(slopes) = self.slopes_after(&slopes, &step) else { return Ok(None) };
        let gradient = self.products(&slopes, Sums::Wide)?;
        let point = self.feasible(Evaluation { objective, gradient, slopes }, Sums::Wide)?;
        let rounding = 8.0 * f64::EPSILON * (objective.abs() + point.magnitude);
        let lower_bound = (objective - self.gap_at(&point) - rounding).max(0.0).min(objective);
        let relative_gap = relative_gap(objective, lower_bound);
        let (bound, certificate) = (Bound::Duality, certificate.clone());
        Ok(Some(SoftmaxCertificate { objective, lower_bound, bound, relative_gap, ..certificate }))
    }

    /// The largest over the classes.
    fn optimality(&self, theta: &[f64], point: &DualPoint) -> f64 {
        let sample = Rounding::on(self.data);
        let of_class = |(k, of): (usize, (&[f64], &[f64]))| {
            let square = |t: usize| point.derivatives[t * self.classes + k].powi(2);
            let squares = (0..self.data.rows()).map(|t| self.data.weight_of(t) * square(t)).sum();
            sample.optimality(of, &self.terms, |t| self.data.weight_of(t), squares)
        };
        let classes = self.weights(theta).zip(self.weights(&point.gradient)).enumerate();
        classes.map(of_class).fold(0.0, f64::max)
    }

    /// About what [rounding](crate::convex::rounding) may have added, class by class.
    fn doubt(&self, theta: &[f64], point: &DualPoint) -> Doubt {
        let sample = Rounding::on(self.data);
        let of_class = |(k, (weights, of_class)): (usize, (&[f64], &[f64]))| {
            let level = of_class.get(self.features()).copied().unwrap_or(0.0).abs();
            sample.doubt(
                (weights, point.objective),
                &self.terms,
                |t| level + self.data.offsets().map_or(0.0, |o| o[(t, k)].to_double().abs()),
                |t| self.data.weight_of(t),
                |t| point.derivatives[t * self.classes + k].abs(),
                false,
            )
        };
        let classes = self.weights(theta).zip(theta.chunks(self.unknowns())).enumerate();
        classes.map(of_class).fold(Doubt::default(), |sum, doubt| Doubt {
            objective: sum.objective + doubt.objective,
            bound: sum.bound + doubt.bound,
            of_rounded: sum.of_rounded + doubt.of_rounded,
        })
    }

    /// The derivatives of every row after a step of θ, to first order: p_k(1 + s_k − s̄) − e_y, s the change of z and s̄ its
    /// mean by p; `None` where they are none.
    fn slopes_after(&self, slopes: &[f64], step: &[f64]) -> Option<Vec<f64>> {
        let crate::Design::Dense(x) = self.data.design();
        let features = self.features();
        let moved = |t: usize, of_class: &[f64]| {
            let along: f64 = (0..features).map(|j| x[(t, j)].to_double() * of_class[j]).sum();
            along + of_class.get(features).copied().unwrap_or(0.0)
        };
        let mut after = Vec::with_capacity(slopes.len());
        for (t, u) in slopes.chunks(self.classes).enumerate() {
            let class = self.class_of(t);
            let s: Vec<f64> = step.chunks(self.unknowns()).map(|of| moved(t, of)).collect();
            let others = || (0..self.classes).filter(|&k| k != class);
            let mean: f64 = others().map(|k| u[k] * (s[k] - s[class])).sum();
            let first = after.len();
            after.resize(first + self.classes, 0.0);
            for k in others() {
                after[first + k] = u[k] * (1.0 + (s[k] - s[class]) - mean);
                after[first + class] -= after[first + k];
            }
            let are_derivatives = others().all(|k| after[first + k] >= 0.0);
            if !(are_derivatives && after[first + class] >= -1.0) {
                return None;
            }
        }
        Some(after)
    }

    /// F at θ and the derivatives of every row, from predictions in double-double: they have digits where the terms of
    /// doubles cancel.
    fn wide_evaluation(&self, theta: &[f64]) -> (f64, Vec<f64>) {
        let crate::Design::Dense(x) = self.data.design();
        let prediction = |t: usize, of_class: &[f64], k: usize| {
            let products = of_class.iter().enumerate().map(|(j, &w)| {
                Dd::product(w, if j < x.cols() { x[(t, j)].to_double() } else { 1.0 })
            });
            let offset = self.data.offsets().map_or(0.0, |o| o[(t, k)].to_double());
            products.fold(Dd::from(offset), |sum, product| sum + product)
        };
        let (mut losses, mut slopes) = (Vec::new(), Vec::new());
        for t in 0..x.rows() {
            let classes = theta.chunks(self.unknowns()).enumerate();
            let z: Vec<Dd> = classes.map(|(k, of_class)| prediction(t, of_class, k)).collect();
            let class = self.class_of(t);
            let mut relative: Vec<f64> = z.iter().map(|&z_k| (z_k - z[class]).to_f64()).collect();
            losses.push(self.data.weight_of(t) * Softmax::derivatives(&mut relative, class));
            slopes.extend(relative);
        }
        let penalty: f64 = self.weights(theta).map(|weights| self.terms.value(weights)).sum();
        (pairwise_sum(&losses) + penalty, slopes)
    }

    /// Σ c_t u_tk x_t and Σ c_t u_tk, class by class.
    fn products(&self, slopes: &[f64], sums: Sums) -> Result<Vec<f64>, Error> {
        let (unknowns, classes) = (self.unknowns(), self.classes);
        if sums == Sums::Plain {
            let pass = TransposedPass { slopes, unknowns, classes };
            return Ok(Rows::Memory(self.data).reduce(&pass)?.2);
        }
        let mut products = Vec::with_capacity(unknowns * classes);
        for k in 0..classes {
            let weighted: Vec<f64> = (0..self.data.rows())
                .map(|t| self.data.weight_of(t) * slopes[t * classes + k])
                .collect();
            let (of_class, total) = wide_products(self.data, &weighted, self.intercept)?;
            products.extend(of_class);
            products.extend(self.intercept.then_some(total));
        }
        Ok(products)
    }

    /// The dual point of θ: the derivatives, made feasible.
    pub(super) fn dual_point(&self, theta: &[f64], sums: Sums) -> Result<DualPoint, Error> {
        let evaluation = match sums {
            Sums::Plain => self.evaluate(theta)?,
            Sums::Wide => {
                let (objective, slopes) = self.wide_evaluation(theta);
                Evaluation { objective, gradient: self.products(&slopes, sums)?, slopes }
            }
        };
        self.feasible(evaluation, sums)
    }

    /// A feasible point from derivatives.
    fn feasible(&self, evaluation: Evaluation, sums: Sums) -> Result<DualPoint, Error> {
        let Evaluation { objective, gradient, slopes: derivatives } = evaluation;
        let (mut slopes, classes) = (derivatives.clone(), self.classes);
        let mut products = gradient.clone();
        if self.intercept && self.balance(&gradient, &mut slopes) {
            products = self.products(&slopes, sums)?;
        }
        let mut products: Vec<Vec<f64>> = self.weights(&products).map(<[f64]>::to_vec).collect();
        let shrinks = products.iter().map(|v| self.terms.shrink_into_corners(v));
        let shrink = shrinks.fold(1.0, f64::min);
        products.iter_mut().flatten().for_each(|v| *v *= shrink);
        slopes.iter_mut().for_each(|u| *u *= shrink);
        let (mut terms, mut magnitudes) = (Vec::new(), Vec::new());
        for (t, u) in slopes.chunks(classes).enumerate() {
            let c = self.data.weight_of(t);
            let conjugate = Softmax::conjugate(u, self.class_of(t));
            let (mut shift, mut size) = (0.0, 0.0);
            if let Some(offsets) = self.data.offsets() {
                for (k, u) in u.iter().enumerate() {
                    let product = u * offsets[(t, k)].to_double();
                    shift += product;
                    size += product.abs();
                }
            }
            terms.push(c * (conjugate - shift));
            magnitudes.push(c * (conjugate.abs() + size));
        }
        let (conjugate, magnitude) = (pairwise_sum(&terms), pairwise_sum(&magnitudes));
        Ok(DualPoint { objective, gradient, derivatives, products, conjugate, magnitude })
    }

    /// The duality gap at a dual point.
    pub(super) fn gap_at(&self, point: &DualPoint) -> f64 {
        let penalty: f64 = point.products.iter().map(|v| self.terms.conjugate(v)).sum();
        point.objective + point.conjugate + penalty
    }

    /// Mixes the probabilities of all rows with one that makes Σ c_t u_tk = 0; false where that holds already.
    fn balance(&self, gradient: &[f64], slopes: &mut [f64]) -> bool {
        let (features, unknowns) = (self.features(), self.unknowns());
        let excess: Vec<f64> =
            gradient.chunks(unknowns).map(|of_class| of_class[features]).collect();
        let totals: Vec<f64> =
            self.class_weights().iter().zip(&excess).map(|(n, d)| n + d).collect();
        let shares = excess.iter().zip(&totals).filter(|(d, _)| **d > 0.0).map(|(d, m)| d / m);
        let share = shares.fold(0.0, f64::max).min(1.0);
        if share == 0.0 {
            return false;
        }
        let level = |(d, m): (&f64, &f64)| (m - d / share).max(0.0) / self.weight;
        let levels: Vec<f64> = excess.iter().zip(&totals).map(level).collect();
        for (t, u) in slopes.chunks_mut(self.classes).enumerate() {
            let class = self.class_of(t);
            u.iter_mut().zip(&levels).for_each(|(u, q)| *u = (1.0 - share) * *u + share * q);
            u[class] = 0.0;
            u[class] = -u.iter().sum::<f64>();
        }
        true
    }
}
