//! The checks for softmax fits: the objective, the lower bound, and that there is a minimiser.
//!
//! Row by row in sums of exact products. The dual point behind a bound is made here from the data and the coefficients
//! alone: the derivatives of the rows, moved onto Σ c_t u_tk = 0 for every class where there are intercepts, and
//! shrunk until |v_jk| ≤ λ₁ⱼ where λ₂ⱼ = 0. A Newton decrement ½gᵀH⁻¹g is found by conjugate gradients on centred
//! columns, over the weights that no corner holds.
//!
//! Where weights pay no penalty there is a minimiser iff some α > 0 has Σ α_tk (e_y − e_k) ⊗ x_t = 0, k the classes but
//! that of the row. The α_tk = c_t p_tk that the model gives and Newton's step δ among these weights make one,
//! α_tk (1 + s_tk − s̄_t) with s_tk = x_t·δ_k and s̄_t = Σ_k p_tk s_tk, where s̄_t − s_tk nowhere reaches 1.

mod hessian;

use self::hessian::{Hessian, Newton};
use super::claims::relative_violation;
use super::minimiser::without_free_weights;
use super::sums::Sum;
use super::{Finding, Verdict};
use crate::certificate::{Bound, SoftmaxCertificate};
use crate::loss::Softmax;
use crate::{Dataset, Error, LinearModel, Scalar, Status, View};

/// What rounding does to a derivative, relative to the sum of its terms.
const NOISE: f64 = 16.0 * f64::EPSILON;

/// What conjugate gradients leave of the gradient where the size of the step is asked for, and where the slopes after it
/// are.
const FOR_SIZE: f64 = 1e-4;
const FOR_SLOPES: f64 = 1e-12;

/// Checks the claims of a certificate.
pub(super) fn check<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    certificate: &SoftmaxCertificate,
    status: Status,
) -> Result<Verdict, Error> {
    let (classes, terms) = (model.targets(), &certificate.terms);
    data.check_offsets(classes)?;
    let denied = |text: String| Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
    if terms.l1.len() != model.features() || terms.l2.len() != model.features() {
        return denied("the certificate's penalty is for another number of features".into());
    }
    if !terms.l1.iter().chain(&terms.l2).all(|lambda| (0.0..f64::INFINITY).contains(lambda)) {
        return denied("the certificate's penalty is not one: it rewards weights".into());
    }
    if let Some(text) = unknown_class(data, classes) {
        return denied(text);
    }
    let crate::Design::Dense(x) = data.design();
    let checker = Checker { data, x, model, certificate, classes };
    let rows = checker.rows();
    let mut findings =
        vec![checker.objective(&rows), checker.lower_bound(&rows), checker.gap(), checker.zeros()];
    findings.push(checker.optimality(&rows));
    if status == Status::Solved {
        findings.push(checker.minimiser(&rows));
    }
    Ok(Verdict::of(findings, -certificate.relative_gap.max(f64::EPSILON / 8.0).log10()))
}

/// What is wrong with the first row whose target is no class of the model.
pub(super) fn unknown_class<T: Scalar>(data: &Dataset<'_, T>, classes: usize) -> Option<String> {
    let class = |t: usize| data.target_view()[(t, 0)].to_double();
    let known = |y: f64| y >= 0.0 && y < classes as f64 && y.fract() == 0.0;
    let row = (0..data.rows()).find(|&t| !known(class(t)))?;
    Some(format!("row {row} has class {}, the model has {classes}", class(row)))
}

struct Checker<'a, T> {
    data: &'a Dataset<'a, T>,
    x: View<'a, T>,
    model: &'a LinearModel<T>,
    certificate: &'a SoftmaxCertificate,
    classes: usize,
}

/// The loss of every row, and its derivatives by the predictions of the classes.
struct RowsAt {
    losses: Vec<f64>,
    slopes: Vec<Vec<f64>>,
}

impl<T: Scalar> Checker<'_, T> {
    fn weight(&self, t: usize) -> f64 {
        self.data.weight_of(t)
    }

    fn class(&self, t: usize) -> usize {
        self.data.target_view()[(t, 0)].to_double() as usize
    }

    fn offset(&self, t: usize, k: usize) -> f64 {
        self.data.offsets().map_or(0.0, |offsets| offsets[(t, k)].to_double())
    }

    fn coefficient(&self, j: usize, k: usize) -> f64 {
        self.model.coefficients_of(k)[j].to_double()
    }

    fn has_intercepts(&self) -> bool {
        self.model.intercept_of(0).is_some()
    }

    fn rows(&self) -> RowsAt {
        let score = |t: usize, k: usize| {
            let mut z = Sum::default();
            z.add_product(1.0, self.offset(t, k));
            z.add_product(1.0, self.model.intercept_of(k).map_or(0.0, |b| b.to_double()));
            for j in 0..self.x.cols() {
                z.add_product(self.x[(t, j)].to_double(), self.coefficient(j, k));
            }
            z.value()
        };
        let (mut losses, mut slopes) = (Vec::new(), Vec::new());
        for t in 0..self.x.rows() {
            let mut z: Vec<f64> = (0..self.classes).map(|k| score(t, k)).collect();
            losses.push(Softmax::derivatives(&mut z, self.class(t)));
            slopes.push(z);
        }
        RowsAt { losses, slopes }
    }

    /// What sums in the data's precision may miss by.
    fn rounding() -> f64 {
        1e-11_f64.max(64.0 * T::unit_roundoff())
    }

    /// F is what it is said to be.
    fn objective(&self, rows: &RowsAt) -> Finding {
        let mut found = Sum::default();
        for (t, &loss) in rows.losses.iter().enumerate() {
            found.add_product(self.weight(t), loss);
        }
        let terms = &self.certificate.terms;
        for k in 0..self.classes {
            for j in 0..self.x.cols() {
                let w = self.coefficient(j, k);
                found.add_product(terms.l1[j], w.abs());
                found.add_product(terms.l2[j] * w, w);
            }
        }
        let (found, claimed) = (found.value(), self.certificate.objective);
        Finding::objective(claimed, found, Self::rounding())
    }

    fn lower_bound(&self, rows: &RowsAt) -> Finding {
        let SoftmaxCertificate { objective, lower_bound: claimed, .. } = *self.certificate;
        // The claim and this check round in different ways.
        let slack = Self::rounding() * objective.abs() + 0.5 * (objective - claimed).abs();
        let (found, source) = match self.certificate.bound {
            Bound::NewtonDecrement => (objective - self.decrement(rows), "by the Newton decrement"),
            _ => match self.dual_value(&rows.slopes) {
                found if claimed <= found + slack => (found, "by duality"),
                found => {
                    let moved = self.slopes_of_step(rows).map(|slopes| self.dual_value(&slopes));
                    (moved.unwrap_or(found).max(found), "by duality, a step away")
                }
            },
        };
        Finding {
            holds: claimed <= found + slack,
            text: format!("the objective is nowhere below {claimed:e} {source} ({found:e} found)"),
        }
    }

    fn gap(&self) -> Finding {
        let SoftmaxCertificate { objective, lower_bound, relative_gap, .. } = *self.certificate;
        Finding::gap(relative_gap, objective, lower_bound)
    }

    fn zeros(&self) -> Finding {
        let weights = (0..self.classes).flat_map(|k| self.model.coefficients_of(k));
        let nonzero = weights.filter(|w| **w != T::zero()).count();
        Finding::nonzero(self.certificate.nonzero, nonzero)
    }

    /// The conditions of optimality hold as far as it is said.
    fn optimality(&self, rows: &RowsAt) -> Finding {
        let terms = &self.certificate.terms;
        let root = |square: &dyn Fn(usize) -> f64| {
            (0..self.x.rows()).map(|t| self.weight(t) * square(t)).sum::<f64>().sqrt()
        };
        let length = |j: usize| root(&|t| self.x[(t, j)].to_double().powi(2));
        let lengths: Vec<f64> = (0..self.x.cols()).map(length).collect();
        let of_class = |k: usize| {
            let steepness = root(&|t| rows.slopes[t][k].powi(2));
            let relative = |j: usize| {
                let slope = self.product(&rows.slopes, j, k);
                let size = steepness * lengths[j];
                relative_violation(terms, j, self.coefficient(j, k), slope, size)
            };
            (0..self.x.cols()).map(relative).fold(0.0, f64::max)
        };
        let found = (0..self.classes).map(of_class).fold(0.0, f64::max);
        Finding::optimality(self.certificate.optimality, found, Self::rounding())
    }

    /// There is a minimiser near the model.
    fn minimiser(&self, rows: &RowsAt) -> Finding {
        let (features, terms) = (self.x.cols(), &self.certificate.terms);
        let free = |j: &usize| *j == features || (terms.l1[*j] == 0.0 && terms.l2[*j] == 0.0);
        let all = features + usize::from(self.has_intercepts());
        let columns: Vec<usize> = (0..all).filter(free).collect();
        if columns.first().is_none_or(|&j| j == features) {
            let counted = (0..self.x.rows()).filter(|&t| self.weight(t) > 0.0);
            let classes = counted.map(|t| self.class(t));
            return without_free_weights(self.has_intercepts(), self.classes, classes);
        }
        let of_class = |k: usize| columns.iter().map(move |&j| (j, k));
        let unknowns = (0..self.classes).flat_map(of_class).collect();
        let hessian = Hessian::new(self, rows, unknowns);
        let Some(Newton { step, .. }) = hessian.newton(&hessian.gradient(), FOR_SIZE) else {
            return Finding { holds: false, text: "no step to a minimiser is found".into() };
        };
        let (mut positive, mut farthest) = (true, 0.0_f64);
        for t in (0..self.x.rows()).filter(|&t| self.weight(t) > 0.0) {
            let moved = hessian.moved(t, &step);
            let (class, u) = (self.class(t), &rows.slopes[t]);
            let others = || (0..self.classes).filter(|&k| k != class);
            let mean: f64 = others().map(|k| u[k] * (moved[class] - moved[k])).sum();
            for k in others() {
                positive &= self.weight(t) * u[k] > 0.0;
                let fall = moved[class] - moved[k] - mean;
                // Not a number is no proof either.
                farthest = if fall.is_nan() { f64::INFINITY } else { farthest.max(fall.abs()) };
            }
        }
        Finding {
            holds: positive && farthest < 1.0,
            text: format!("there is a minimiser: a step to it moves predictions by {farthest:.1e}"),
        }
    }

    /// The dual objective at a point made feasible; zero always is, with the value zero.
    fn dual_value(&self, slopes: &[Vec<f64>]) -> f64 {
        self.value_of_slopes(slopes.to_vec()).max(0.0)
    }

    fn value_of_slopes(&self, mut slopes: Vec<Vec<f64>>) -> f64 {
        if self.has_intercepts() {
            self.balance(&mut slopes);
        }
        let terms = &self.certificate.terms;
        let products: Vec<Vec<f64>> = (0..self.classes)
            .map(|k| (0..self.x.cols()).map(|j| self.product(&slopes, j, k)).collect())
            .collect();
        let mut shrink = 1.0_f64;
        for v in &products {
            for (j, v) in v.iter().enumerate() {
                if terms.l2[j] == 0.0 && terms.l1[j] > 0.0 && v.abs() > terms.l1[j] {
                    shrink = shrink.min(terms.l1[j] / v.abs());
                }
            }
        }
        let mut value = Sum::default();
        for (t, slopes) in slopes.iter().enumerate() {
            let u: Vec<f64> = slopes.iter().map(|u| u * shrink).collect();
            value.add_product(-self.weight(t), Softmax::conjugate(&u, self.class(t)));
            for (k, u) in u.iter().enumerate() {
                value.add_product(self.weight(t) * u, self.offset(t, k));
            }
        }
        for v in &products {
            for (j, v) in v.iter().enumerate() {
                let excess = (v.abs() * shrink - terms.l1[j]).max(0.0);
                if excess > 0.0 && terms.l2[j] > 0.0 {
                    value.add_product(-excess, excess / (4.0 * terms.l2[j]));
                } else if excess > 1e-15 * terms.l1[j] {
                    return f64::NEG_INFINITY;
                }
            }
        }
        value.value()
    }

    /// Σ c_t u_tk x_tj.
    fn product(&self, slopes: &[Vec<f64>], j: usize, k: usize) -> f64 {
        let mut sum = Sum::default();
        for (t, u) in slopes.iter().enumerate() {
            sum.add_product(self.weight(t) * u[k], self.x[(t, j)].to_double());
        }
        sum.value()
    }

    /// Mixes the probabilities of all rows with one and the same, so that every class has the weight of its rows.
    fn balance(&self, slopes: &mut [Vec<f64>]) {
        let mut own = vec![Sum::default(); self.classes];
        let mut excess = vec![Sum::default(); self.classes];
        let mut weight = Sum::default();
        for (t, slopes) in slopes.iter().enumerate() {
            let c = self.weight(t);
            weight.add_product(1.0, c);
            own[self.class(t)].add_product(1.0, c);
            excess.iter_mut().zip(slopes).for_each(|(sum, &u)| sum.add_product(c, u));
        }
        let predicted = |k: usize| own[k].value() + excess[k].value();
        let shares = (0..self.classes).filter(|&k| excess[k].value() > 0.0);
        let share = shares.map(|k| excess[k].value() / predicted(k)).fold(0.0, f64::max).min(1.0);
        if share == 0.0 {
            return;
        }
        for (t, slopes) in slopes.iter_mut().enumerate() {
            let class = self.class(t);
            let mut others = 0.0;
            for k in (0..self.classes).filter(|&k| k != class) {
                let level = (predicted(k) - excess[k].value() / share).max(0.0) / weight.value();
                slopes[k] += share * (level - slopes[k]);
                others += slopes[k];
            }
            slopes[class] = -others;
        }
    }

    /// The derivatives of the rows after Newton's step, to first order: p_k(1 + s_k − s̄) − e_y. Coefficients that are
    /// rounded to the data's precision have derivatives that a small λ₂ makes a poor bound of; these are as good as if
    /// nothing had been rounded. `None` where they are no derivatives.
    fn slopes_of_step(&self, rows: &RowsAt) -> Option<Vec<Vec<f64>>> {
        let hessian = Hessian::new(self, rows, self.not_held());
        let Newton { step, .. } = hessian.newton(&hessian.gradient(), FOR_SLOPES)?;
        let of_row = |(t, u): (usize, &Vec<f64>)| {
            let (class, moved) = (self.class(t), hessian.moved(t, &step));
            let others = || (0..self.classes).filter(|&k| k != class);
            let mean: f64 = others().map(|k| u[k] * (moved[class] - moved[k])).sum();
            let mut slopes = vec![0.0; self.classes];
            for k in others() {
                slopes[k] = u[k] * (1.0 + mean - (moved[class] - moved[k]));
            }
            slopes[class] = -slopes.iter().sum::<f64>();
            let are_derivatives = slopes[class] >= -1.0 && others().all(|k| slopes[k] >= 0.0);
            are_derivatives.then_some(slopes)
        };
        rows.slopes.iter().enumerate().map(of_row).collect()
    }

    /// The unknowns that no corner holds.
    fn not_held(&self) -> Vec<(usize, usize)> {
        let (features, l1) = (self.x.cols(), &self.certificate.terms.l1);
        let moves = |j: usize, k: usize| l1[j] == 0.0 || self.coefficient(j, k) != 0.0;
        let mut unknowns = Vec::new();
        for k in 0..self.classes {
            unknowns.extend((0..features).filter(|&j| moves(j, k)).map(|j| (j, k)));
            unknowns.extend(self.has_intercepts().then_some((features, k)));
        }
        unknowns
    }

    /// By how much the minimum of g·δ + ½δᵀHδ + Σ λ₁|w + δ| is below its value at δ = 0, over the weights that no corner
    /// holds: ½gᵀH⁻¹g where no weight would change its sign; infinite where a corner does not hold its weight, or where
    /// conjugate gradients do not get there.
    fn decrement(&self, rows: &RowsAt) -> f64 {
        let l1 = &self.certificate.terms.l1;
        let most = |j: usize| l1[j] * (1.0 + 1e-9) + Self::rounding() * self.size(j);
        let is_held = |j: usize, k: usize| l1[j] > 0.0 && self.coefficient(j, k) == 0.0;
        let escapes =
            |j: usize, k: usize| is_held(j, k) && self.product(&rows.slopes, j, k).abs() > most(j);
        if (0..self.classes).any(|k| (0..self.x.cols()).any(|j| escapes(j, k))) {
            return f64::INFINITY;
        }
        let all = Hessian::new(self, rows, self.not_held());
        let gradient = all.gradient();
        let (mut total, mut moving) = (vec![0.0; gradient.len()], vec![true; gradient.len()]);
        let (mut gain, mut left) = (0.0, 1.0);
        loop {
            let chosen: Vec<usize> = (0..total.len()).filter(|&i| moving[i]).collect();
            let unknowns = chosen.iter().map(|&i| all.unknowns[i]).collect();
            let some = Hessian::new(self, rows, unknowns);
            let slopes = chosen.iter().map(|&i| gradient[i].scaled(left)).collect::<Vec<Sum>>();
            let Some(Newton { step, square }) = some.newton(&slopes, FOR_SIZE) else {
                return f64::INFINITY;
            };
            // The part of the way to the first change of a sign, after which that weight is held at its corner.
            let reach = |(&i, s): (&usize, &f64)| {
                let (j, k) = all.unknowns[i];
                let corner = l1.get(j).is_some_and(|l1| *l1 > 0.0);
                let here =
                    if corner { self.coefficient(j, k) / all.units[j] - total[i] } else { 0.0 };
                (here * s > 0.0 && here.abs() < s.abs()).then_some((here / s, i))
            };
            let first = chosen.iter().zip(&step).filter_map(reach);
            let first = first.min_by(|a, b| a.0.total_cmp(&b.0));
            let part = first.map_or(1.0, |(part, _)| part);
            chosen.iter().zip(&step).for_each(|(&i, s)| total[i] += part * s);
            gain += (part - 0.5 * part * part) * square;
            match first {
                Some((_, stopped)) => moving[stopped] = false,
                None => break,
            }
            // Hs = g: what is left of the slopes of those that move on.
            left *= 1.0 - part;
        }
        if moving.contains(&false) && !all.are_held(&gradient, &total, &moving) {
            return f64::INFINITY;
        }
        gain
    }

    /// Σ c_t |x_tj|.
    fn size(&self, j: usize) -> f64 {
        (0..self.x.rows()).map(|t| self.weight(t) * self.x[(t, j)].to_double().abs()).sum()
    }

    /// The mean of every column where there are intercepts, which take it up.
    fn means(&self) -> Vec<f64> {
        let rows = self.x.rows();
        let mean = |j| (0..rows).map(|t| self.x[(t, j)].to_double()).sum::<f64>() / rows as f64;
        let centred = self.has_intercepts();
        (0..self.x.cols()).map(|j| if centred { mean(j) } else { 0.0 }).collect()
    }
}
