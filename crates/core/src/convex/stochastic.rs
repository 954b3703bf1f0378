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

use super::finish::Ending;
use super::problem::Problem;
use super::run::{Control, Run};
use super::schedule::Schedule;
use super::vectors::{add_multiple, dot, norm};
use crate::loss::Loss;
use crate::penalty::{Penalty, soft_threshold};
use crate::random::Random;
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
        let mut random = Random::new(self.seed);
        let mut order: Vec<usize> = (0..data.rows()).collect();
        let mut walk = Walk::new(&problem);
        // Also the check that the data is finite.
        let start = problem.evaluate(&walk.theta)?;
        let mut best = (start.objective, walk.theta.clone());
        let mut ended = run.report(start.objective, norm(&start.gradient), 0.0, f64::INFINITY);
        let status = loop {
            if let Some(status) = ended {
                break status;
            }
            if self.shuffle {
                random.shuffle(&mut order);
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
        problem.finish(Ending { theta, status, solver, passes, dual: None, decrement: None }, run)
    }
}

/// The walk of the weights through the rows.
struct Walk<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    theta: Vec<f64>,
    gradient: Vec<f64>,
    sum: Vec<f64>,
    steps: usize,
    in_epoch: usize,
    rate: f64,
}

impl<'p, T: Scalar, L: Loss> Walk<'p, T, L> {
    fn new(problem: &'p Problem<'p, T, L>) -> Self {
        let theta = vec![0.0; problem.unknowns()];
        let (gradient, sum) = (theta.clone(), theta.clone());
        Self { problem, theta, gradient, sum, steps: 0, in_epoch: 0, rate: 0.0 }
    }

    fn epoch(&mut self, order: &[usize], settings: &StochasticGradient) {
        self.sum.fill(0.0);
        self.in_epoch = 0;
        for batch in order.chunks(settings.batch) {
            self.rate = settings.schedule.rate(self.steps, self.in_epoch);
            self.step(batch);
            self.steps += 1;
            self.in_epoch += 1;
            if settings.averaged {
                self.sum.iter_mut().zip(&self.theta).for_each(|(sum, v)| *sum += v);
            }
        }
    }

    fn average(&self) -> Vec<f64> {
        self.sum.iter().map(|sum| sum / self.in_epoch.max(1) as f64).collect()
    }

    fn step(&mut self, batch: &[usize]) {
        let problem = self.problem;
        let (data, features) = (problem.data, problem.features());
        let crate::Design::Dense(x) = data.design();
        self.gradient.fill(0.0);
        let mut weight = 0.0;
        for &t in batch {
            let c = data.weights().map_or(1.0, |c| c[(t, 0)].to_double());
            weight += c;
            let offset = data.offsets().map_or(0.0, |o| o[(t, 0)].to_double());
            let level = self.theta.get(features).copied().unwrap_or(0.0);
            let y = data.target_view()[(t, 0)].to_double();
            match x.row_slice(t) {
                Some(row) => {
                    let z = dot(row, &self.theta[..features]) + level + offset;
                    let slope = c * problem.loss.derivative(z, y);
                    add_multiple(&mut self.gradient, slope, row);
                    self.gradient[features..].iter_mut().for_each(|g| *g += slope);
                }
                None => {
                    let value = |j: usize| x[(t, j)].to_double();
                    let z = (0..features).map(|j| value(j) * self.theta[j]).sum::<f64>()
                        + level
                        + offset;
                    let slope = c * problem.loss.derivative(z, y);
                    (0..features).for_each(|j| self.gradient[j] += slope * value(j));
                    self.gradient[features..].iter_mut().for_each(|g| *g += slope);
                }
            }
        }
        if weight == 0.0 {
            return;
        }
        let step = self.rate / weight;
        let penalty = self.rate / problem.weight;
        for j in 0..features {
            let moved = self.theta[j] - step * self.gradient[j];
            let (l1, l2) = (problem.terms.l1[j], problem.terms.l2[j]);
            self.theta[j] = soft_threshold(moved, penalty * l1) / (1.0 + 2.0 * penalty * l2);
        }
        if problem.intercept {
            self.theta[features] -= step * self.gradient[features];
        }
    }
}
