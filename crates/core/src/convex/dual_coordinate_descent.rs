//! Dual coordinate descent for the hinge loss with λ₂ > 0 (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008).
//!
//! The dual of Σ c_t max(0, 1 − y_t z_t) + Σ λ₂ⱼw_j², z = w·x + b + o, has one number 0 ≤ α_t ≤ c_t for each row, with
//!
//! w_j = Σ_t α_t y_t x_tj/2λ₂ⱼ,  and  Σ_t α_t y_t = 0  for an intercept.
//!
//! One α at a time has its best value at once: α_t ← clamp(α_t + (1 − y_t z_t)/Q_t, 0, c_t), Q_t = Σ_j x_tj²/2λ₂ⱼ, and w
//! moves along x_t. The equation that a free intercept brings is met by the method of multipliers: b = β + Σ αy/2ρ is
//! one more weight of penalty ρ(b − β)², and β ← b after every epoch. Without one, rows that sit at an end of
//! their interval and want to stay there are left out of all but the first epoch of a round. The sum Σ ℓ_t − α_t(1 − y_t z_t) of a round's
//! end is the duality gap. No d × d matrix and no copy of the data: for many columns, or a few digits.

use super::finish::{Ending, Proof};
use super::problem::Problem;
use super::run::{Control, Run};
use super::visits::{AHEAD, Visits};
use crate::loss::Hinge;
use crate::penalty::SmoothPenalty;
use crate::random::Random;
use crate::simd::{Kernel, vectorised};
use crate::wide::ExactProduct;
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver, Status};

/// Rounds unless the control says otherwise.
const LIMIT: usize = 500;
/// Epochs of a round.
const EPOCHS: usize = 10;

/// Dual coordinate descent for linear support vector machines.
///
/// ```
/// # use minrisk_core::{Dataset, Erm, Solver, convex::DualCoordinateDescent, loss::Hinge, penalty::L2};
/// # fn example(backend: &dyn minrisk_core::Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), minrisk_core::Error> {
/// let fit = DualCoordinateDescent::default().solve(backend, &Erm::new(Hinge, L2::total(0.5)), data)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct DualCoordinateDescent {
    /// Where the order of the rows comes from.
    pub seed: u64,
    /// When to stop; an iteration is a round of ten epochs.
    pub control: Control,
}

impl<T: Scalar, P: SmoothPenalty> Solver<T, Hinge, P> for DualCoordinateDescent {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Hinge, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let problem = Problem::new(backend, problem, data)?;
        if problem.terms.l2.iter().any(|&l2| l2 <= 0.0) {
            return Err(Error::Unsupported {
                solver: "dual coordinate descent",
                reason: "every weight needs a λ₂ above zero; use InteriorPoint without",
            });
        }
        // Also the check that the data is finite.
        let start = problem.evaluate(&vec![0.0; problem.unknowns()])?.objective;
        let mut run = Run::new(&self.control, LIMIT);
        run.tighten(0.5);
        // What rises without fail is the dual objective.
        run.without_patience();
        let mut descent = Descent::new(&problem, Random::new(self.seed))?;
        let mut ended = run.report(start, f64::INFINITY, 0.0, f64::INFINITY);
        let status = loop {
            if let Some(status) = ended {
                break status;
            }
            descent.round();
            let Standing { objective, gap, violation } = descent.standing();
            ended = run.report(objective, violation, 1.0, gap);
            // A round that changes nothing has nothing left to change.
            ended = ended.or((!descent.moved).then_some(Status::Solved));
        };
        let signed = descent.alpha.iter().zip(&descent.visits.about).map(|(alpha, about)| {
            let c = about.weight;
            if c > 0.0 { -about.target * alpha / c } else { 0.0 }
        });
        let proof = Proof::Dual(Some(signed.collect()));
        let passes = run.iterations * (EPOCHS + 1);
        let solver = "dual coordinate descent".to_string();
        problem.finish(Ending { theta: descent.theta, status, solver, passes, proof }, run)
    }
}

/// The dual point, and the weights that belong to it.
struct Descent<'p, T: Scalar> {
    problem: &'p Problem<'p, T, Hinge>,
    visits: Visits<'p, T>,
    alpha: Vec<f64>,
    theta: Vec<f64>,
    /// 1/2λ₂ⱼ, and 1/2ρ for an intercept.
    compliance: Vec<f64>,
    /// 1/Q_t.
    steps: Vec<f64>,
    order: Vec<usize>,
    random: Random,
    /// The largest violation of the last full epoch: what counts as wanting to stay.
    slack: f64,
    moved: bool,
}

struct Standing {
    objective: f64,
    gap: f64,
    violation: f64,
}

impl<'p, T: Scalar> Descent<'p, T> {
    fn new(problem: &'p Problem<'p, T, Hinge>, random: Random) -> Result<Self, Error> {
        let visits = Visits::of(problem)?;
        let l2 = &problem.terms.l2;
        let mut compliance: Vec<f64> = l2.iter().map(|l2| 0.5 / l2).collect();
        let typical = compliance.iter().sum::<f64>() / compliance.len().max(1) as f64;
        compliance.extend(problem.intercept.then_some(if typical > 0.0 { typical } else { 0.5 }));
        let stiffness = |t: usize| {
            let squares = visits.row(t).iter().zip(&compliance);
            let squares: f64 = squares.map(|(x, d)| x.to_double().powi(2) * d).sum();
            squares + compliance[problem.features()..].iter().sum::<f64>()
        };
        let steps = (0..visits.len()).map(|t| match stiffness(t) {
            q if q > 0.0 && q.is_finite() => 1.0 / q,
            _ => 0.0,
        });
        Ok(Self {
            problem,
            alpha: vec![0.0; visits.len()],
            theta: vec![0.0; problem.unknowns()],
            steps: steps.collect(),
            compliance,
            order: Vec::new(),
            visits,
            random,
            slack: f64::INFINITY,
            moved: false,
        })
    }

    /// A full epoch, and more over the rows that may still move.
    fn round(&mut self) {
        self.order =
            (0..self.visits.len()).filter(|&t| self.visits.about[t].weight > 0.0).collect();
        self.moved = false;
        for epoch in 0..EPOCHS {
            self.random.shuffle(&mut self.order);
            vectorised(Epoch { descent: self });
            // A free intercept moves all rows at once: none of them stays for long.
            if epoch == 0 && !self.problem.intercept {
                let order = std::mem::take(&mut self.order);
                self.order = order.into_iter().filter(|&t| !self.stays(t)).collect();
            }
            self.recentre();
        }
    }

    /// Whether α_t is at an end that it wants to stay at.
    fn stays(&self, t: usize) -> bool {
        let margin = self.margin(t);
        let (alpha, most) = (self.alpha[t], self.visits.about[t].weight);
        alpha == 0.0 && margin < -self.slack || alpha == most && margin > self.slack
    }

    /// 1 − y_t z_t.
    #[inline(always)]
    fn margin(&self, t: usize) -> f64 {
        let (weights, level) = self.problem.split(&self.theta);
        1.0 - self.visits.about[t].target * self.visits.prediction(t, weights, level)
    }

    /// The best value for one α.
    #[inline(always)]
    fn visit(&mut self, t: usize) {
        let before = self.alpha[t];
        let most = self.visits.about[t].weight;
        let after = (before + self.margin(t) * self.steps[t]).clamp(0.0, most);
        if after == before {
            return;
        }
        self.moved = true;
        self.alpha[t] = after;
        let change = (after - before) * self.visits.about[t].target;
        let features = self.problem.features();
        let (weights, level) = self.theta.split_at_mut(features);
        let (weight_compliance, level_compliance) = self.compliance.split_at(features);
        for ((w, x), d) in weights.iter_mut().zip(self.visits.row(t)).zip(weight_compliance) {
            *w += change * d * x.to_double();
        }
        level.iter_mut().zip(level_compliance).for_each(|(b, d)| *b += change * d);
    }

    /// β ← b, as the method of multipliers has it: b moves on by Σ αy/2ρ.
    fn recentre(&mut self) {
        let imbalance = self.imbalance();
        let features = self.problem.features();
        for (b, d) in self.theta[features..].iter_mut().zip(&self.compliance[features..]) {
            *b += imbalance * d;
        }
    }

    /// Σ α_t y_t.
    fn imbalance(&self) -> f64 {
        self.alpha.iter().zip(&self.visits.about).map(|(alpha, t)| alpha * t.target).sum()
    }

    /// F, the duality gap and the largest violation, from all rows.
    fn standing(&mut self) -> Standing {
        let (weights, level) = self.problem.split(&self.theta);
        let mut objective = self.problem.terms.value(weights);
        let mut gap = if self.problem.intercept { (self.imbalance() * level).abs() } else { 0.0 };
        let mut violation = 0.0_f64;
        for t in 0..self.visits.len() {
            let margin = self.margin(t);
            let (c, alpha) = (self.visits.about[t].weight, self.alpha[t]);
            let loss = c * margin.max(0.0);
            objective += loss;
            gap += loss - alpha * margin;
            let wants = if margin > 0.0 { alpha < c } else { alpha > 0.0 };
            violation = violation.max(if wants { margin.abs() } else { 0.0 });
        }
        self.slack = violation;
        Standing { objective, gap, violation }
    }
}

/// One epoch over the rows in order, compiled for the instruction set.
struct Epoch<'e, 'p, T: Scalar> {
    descent: &'e mut Descent<'p, T>,
}

impl<T: Scalar> Kernel for Epoch<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        for k in 0..self.descent.order.len() {
            if let Some(&ahead) = self.descent.order.get(k + AHEAD) {
                self.descent.visits.prefetch(ahead);
            }
            self.descent.visit(self.descent.order[k]);
        }
    }
}
