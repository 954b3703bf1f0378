//! Stochastic and minibatch gradient descent, for any loss.
//!
//! Every epoch visits the rows in a new random order, in batches of k. With the mean over the batch,
//! g = Σ_B c_t ℓ′(z_t)x_t/Σ_B c_t, on the objective divided by Σ c_t:
//!
//! w ← prox_η(w − η·g), b ← b − η·g_b,
//!
//! the penalty (λ₁, λ₂ divided by Σ c_t) in its proximal form, so that zeros are exact and large λ₂ does not
//! diverge. Robbins and Monro (1951). The order of the rows comes from a seed: same seed, same bits. At the
//! end the best of the epochs' last points, or of their averages where asked for, is returned; as nothing is
//! known about its distance from the minimiser, the certificate's gap says how good it is.

use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

use super::finish::{Ending, Proof};
use super::problem::Problem;
use super::run::{Control, Run};
use super::schedule::Schedule;
use super::vectors::{add_multiple, norm};
use super::visits::Visits;
use crate::loss::Loss;
use crate::penalty::{Penalty, Terms, soft_threshold};
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, Number};
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver};

/// Epochs unless the control says otherwise.
const LIMIT: usize = 100;

/// Stochastic gradient descent: one row at a time, or a batch.
#[derive(Clone, Debug)]
pub struct StochasticGradient {
    /// The rate of every step.
    pub schedule: Schedule,
    /// Rows of a batch; 1 is the classic method.
    pub batch: usize,
    /// Whether rows are shuffled every epoch, or visited in order.
    pub shuffle: bool,
    /// Where the shuffling starts from.
    pub seed: u64,
    /// Whether the average of an epoch's points is returned instead of its last (Polyak and Juditsky 1992).
    pub averaged: bool,
    /// When to stop; an iteration is an epoch.
    pub control: Control,
}

impl Default for StochasticGradient {
    fn default() -> Self {
        Self {
            schedule: Schedule::inverse_square_root(0.1),
            batch: 1,
            shuffle: true,
            seed: 0,
            averaged: false,
            control: Control::default(),
        }
    }
}

impl<T: Scalar, L: Loss, P: Penalty> Solver<T, L, P> for StochasticGradient {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let problem = Problem::new(backend, problem, data)?;
        if self.batch == 0 {
            let (what, value) = ("the batch size", "0".to_string());
            return Err(Error::BadParameter { what, value, expected: "at least 1" });
        }
        let mut run = Run::new(&self.control, LIMIT);
        let mut random = StdRng::seed_from_u64(self.seed);
        let mut order: Vec<usize> = (0..data.rows()).collect();
        let mut walk = Walk::new(&problem)?;
        // Also the check that the data is finite.
        let start = problem.evaluate(&walk.theta)?;
        let mut best = (start.objective, walk.theta.clone());
        let mut ended = run.report(start.objective, norm(&start.gradient), 0.0, f64::INFINITY);
        let status = loop {
            if let Some(status) = ended {
                break status;
            }
            if self.shuffle {
                order.shuffle(&mut random);
            }
            walk.epoch(&order, self);
            let point = if self.averaged { walk.average() } else { walk.theta.clone() };
            let evaluation = problem.evaluate(&point)?;
            if evaluation.objective < best.0 {
                best = (evaluation.objective, point);
            }
            ended = run.report(
                evaluation.objective,
                norm(&evaluation.gradient),
                walk.rate,
                f64::INFINITY,
            );
        };
        let (passes, theta) = (run.iterations * 2, best.1);
        let solver = format!("stochastic gradient, batches of {}", self.batch);
        problem.finish(Ending { theta, status, solver, passes, proof: Proof::Derivatives }, run)
    }
}

/// The walk of the weights through the rows.
struct Walk<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    visits: Visits<'p, T>,
    pull: Pull,
    theta: Vec<f64>,
    gradient: Vec<f64>,
    sum: Vec<f64>,
    steps: usize,
    in_epoch: usize,
    rate: f64,
}

/// What the penalty does to a weight after a step.
#[derive(Clone, Copy)]
enum Pull {
    /// Nothing.
    None,
    /// Divides all by 1 + 2ηλ₂, the same λ₂ for each.
    Shrink(f64),
    /// To each its own λ₁ and λ₂.
    Each,
}

impl Pull {
    fn of(terms: &Terms) -> Self {
        let l2 = terms.l2.first().copied().unwrap_or(0.0);
        match terms.is_smooth() && terms.l2.iter().all(|&other| other == l2) {
            true if l2 == 0.0 => Self::None,
            true => Self::Shrink(l2),
            false => Self::Each,
        }
    }
}

impl<'p, T: Scalar, L: Loss> Walk<'p, T, L> {
    fn new(problem: &'p Problem<'p, T, L>) -> Result<Self, Error> {
        let theta = vec![0.0; problem.unknowns()];
        Ok(Self {
            problem,
            visits: Visits::of(problem)?,
            pull: Pull::of(&problem.terms),
            gradient: theta.clone(),
            sum: theta.clone(),
            theta,
            steps: 0,
            in_epoch: 0,
            rate: 0.0,
        })
    }

    fn epoch(&mut self, order: &[usize], settings: &StochasticGradient) {
        self.sum.fill(0.0);
        self.in_epoch = 0;
        vectorised(Epoch { walk: self, order, settings });
    }

    fn average(&self) -> Vec<f64> {
        self.sum.iter().map(|sum| sum / self.in_epoch.max(1) as f64).collect()
    }

    /// c·ℓ′ at a row.
    #[inline(always)]
    fn slope(&self, t: usize) -> f64 {
        let (weights, level) = self.problem.split(&self.theta);
        let z = self.visits.prediction(t, weights, level);
        self.visits.weights[t] * self.problem.loss.derivative(z, self.visits.targets[t])
    }

    #[inline(always)]
    fn step(&mut self, batch: &[usize]) {
        let weight: f64 = batch.iter().map(|&t| self.visits.weights[t]).sum();
        if weight == 0.0 {
            return;
        }
        let length = self.rate / weight;
        let features = self.problem.features();
        let problem = self.problem;
        let penalty = Penalised {
            terms: &problem.terms,
            pull: self.pull,
            length: self.rate / problem.weight,
        };
        if let &[t] = batch {
            let step = length * self.slope(t);
            let (weights, level) = self.theta.split_at_mut(features);
            penalty.advance(weights, step, self.visits.row(t));
            level.iter_mut().for_each(|b| *b -= step);
            return;
        }
        self.gradient.fill(0.0);
        for &t in batch {
            let slope = self.slope(t);
            let (gradient, level) = self.gradient.split_at_mut(features);
            add_multiple(gradient, slope, self.visits.row(t));
            level.iter_mut().for_each(|g| *g += slope);
        }
        let (weights, level) = self.theta.split_at_mut(features);
        penalty.advance(weights, length, &self.gradient[..features]);
        level.iter_mut().zip(&self.gradient[features..]).for_each(|(b, g)| *b -= length * g);
    }
}

/// The penalty at one step.
struct Penalised<'a> {
    terms: &'a Terms,
    pull: Pull,
    /// η/Σ c_t.
    length: f64,
}

impl Penalised<'_> {
    /// w ← prox(w − step·direction).
    #[inline(always)]
    fn advance<N: Number>(&self, weights: &mut [f64], step: f64, direction: &[N]) {
        let moves = weights.iter_mut().zip(direction);
        match self.pull {
            Pull::None => moves.for_each(|(w, d)| *w -= step * d.to_double()),
            Pull::Shrink(l2) => {
                let shrink = 1.0 / (1.0 + 2.0 * self.length * l2);
                moves.for_each(|(w, d)| *w = (*w - step * d.to_double()) * shrink);
            }
            Pull::Each => {
                let terms = self.terms.l1.iter().zip(&self.terms.l2);
                for ((w, d), (l1, l2)) in moves.zip(terms) {
                    let moved = soft_threshold(*w - step * d.to_double(), self.length * l1);
                    *w = moved / (1.0 + 2.0 * self.length * l2);
                }
            }
        }
    }
}

/// One epoch, compiled for the instruction set.
struct Epoch<'e, 'p, T: Scalar, L> {
    walk: &'e mut Walk<'p, T, L>,
    order: &'e [usize],
    settings: &'e StochasticGradient,
}

impl<T: Scalar, L: Loss> Kernel for Epoch<'_, '_, T, L> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let Self { walk, order, settings } = self;
        for batch in order.chunks(settings.batch) {
            walk.rate = settings.schedule.rate(walk.steps, walk.in_epoch);
            walk.step(batch);
            walk.steps += 1;
            walk.in_epoch += 1;
            if settings.averaged {
                walk.sum.iter_mut().zip(&walk.theta).for_each(|(sum, v)| *sum += v);
            }
        }
    }
}
