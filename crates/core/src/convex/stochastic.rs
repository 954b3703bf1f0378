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

use super::finish::{Ending, Proof};
use super::problem::Problem;
use super::run::{Control, Run};
use super::schedule::Schedule;
use super::vectors::{add_multiple, norm};
use super::visits::{AHEAD, About, Visits};
use crate::loss::Loss;
use crate::penalty::{Penalty, Terms, soft_threshold};
use crate::random::Random;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES};
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
        let mut walk = Walk::new(&problem)?;
        // Also the check that the data is finite.
        let start = problem.evaluate(&walk.theta())?;
        let mut best = (start.objective, walk.theta());
        let mut ended = run.report(start.objective, norm(&start.gradient), 0.0, f64::INFINITY);
        let status = loop {
            if let Some(status) = ended {
                break status;
            }
            if self.shuffle {
                random.shuffle(&mut order);
            }
            walk.epoch(&order, self);
            let point = if self.averaged { walk.average() } else { walk.theta() };
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

/// Rows that are brought together before the walk visits them, so that no step waits for one.
const GATHERED: usize = 8;

/// The walk of the weights through the rows.
struct Walk<'p, T: Scalar, L> {
    problem: &'p Problem<'p, T, L>,
    visits: Visits<'p, T>,
    penalty: Pull,
    gathered: Gathered,
    /// Filled up with zeros to groups of [`LANES`].
    weights: Vec<f64>,
    level: f64,
    batch: Batch,
    /// The sum of an epoch's points, for their average.
    sum: (Vec<f64>, f64),
    steps: usize,
    in_epoch: usize,
    rate: f64,
}

/// Rows side by side, filled up with zeros to groups of [`LANES`].
struct Gathered {
    width: usize,
    rows: Vec<f64>,
    about: [About; GATHERED],
}

/// The gradient over the rows of a batch so far.
struct Batch {
    rows: usize,
    weight: f64,
    gradient: Vec<f64>,
    level: f64,
}

impl<'p, T: Scalar, L: Loss> Walk<'p, T, L> {
    fn new(problem: &'p Problem<'p, T, L>) -> Result<Self, Error> {
        let width = problem.features().next_multiple_of(LANES);
        let about = [About::default(); GATHERED];
        let gathered = Gathered { width, rows: vec![0.0; width * GATHERED], about };
        Ok(Self {
            problem,
            visits: Visits::of(problem)?,
            penalty: Pull::of(&problem.terms, width),
            gathered,
            weights: vec![0.0; width],
            level: 0.0,
            batch: Batch { rows: 0, weight: 0.0, gradient: vec![0.0; width], level: 0.0 },
            sum: (vec![0.0; width], 0.0),
            steps: 0,
            in_epoch: 0,
            rate: 0.0,
        })
    }

    fn epoch(&mut self, order: &[usize], settings: &StochasticGradient) {
        self.sum.0.fill(0.0);
        self.sum.1 = 0.0;
        self.in_epoch = 0;
        vectorised(Epoch { walk: self, order, settings });
    }

    /// Where it stands.
    fn theta(&self) -> Vec<f64> {
        self.as_theta(&self.weights, self.level)
    }

    /// The average over the last epoch.
    fn average(&self) -> Vec<f64> {
        let count = self.in_epoch.max(1) as f64;
        let weights: Vec<f64> = self.sum.0.iter().map(|sum| sum / count).collect();
        self.as_theta(&weights, self.sum.1 / count)
    }

    fn as_theta(&self, weights: &[f64], level: f64) -> Vec<f64> {
        let weights = weights[..self.problem.features()].iter().copied();
        weights.chain(self.problem.intercept.then_some(level)).collect()
    }

    #[inline(always)]
    fn gather(&mut self, order: &[usize]) {
        let Gathered { width, rows, about } = &mut self.gathered;
        for (k, &t) in order.iter().enumerate() {
            copy_in_groups(self.visits.row(t), &mut rows[k * *width..(k + 1) * *width]);
            about[k] = self.visits.about[t];
        }
    }

    /// Visits a gathered row; it steps at once where a batch is one row.
    #[inline(always)]
    fn visit(&mut self, k: usize, alone: bool) {
        let Gathered { width, rows, about } = &self.gathered;
        let row = &rows[k * width..(k + 1) * width];
        let About { target, weight, offset } = about[k];
        let z = dot_of_groups(row, &self.weights) + (self.level + offset);
        let slope = self.problem.loss.derivative(z, target);
        let length = self.rate / self.problem.weight;
        if alone {
            // A row that weighs nothing is no step.
            if weight > 0.0 {
                let step = self.rate * slope;
                self.penalty.advance(&mut self.weights, step, row, length);
                self.level -= if self.problem.intercept { step } else { 0.0 };
            }
            return;
        }
        let slope = weight * slope;
        self.batch.rows += 1;
        self.batch.weight += weight;
        self.batch.level += slope;
        add_multiple(&mut self.batch.gradient, slope, row);
    }

    /// The step of a batch.
    #[inline(always)]
    fn step(&mut self) {
        let Batch { rows, weight, gradient, level } = &mut self.batch;
        if *weight > 0.0 {
            let step = self.rate / *weight;
            self.penalty.advance(
                &mut self.weights,
                step,
                gradient,
                self.rate / self.problem.weight,
            );
            self.level -= if self.problem.intercept { step * *level } else { 0.0 };
        }
        gradient.fill(0.0);
        (*rows, *weight, *level) = (0, 0.0, 0.0);
    }
}

/// x in doubles, a group at a time, so that many rows are under way at once.
#[inline(always)]
fn copy_in_groups<T: Scalar>(x: &[T], into: &mut [f64]) {
    let (groups, rest) = x.as_chunks::<LANES>();
    let (into, _) = into.as_chunks_mut::<LANES>();
    for (into, x) in into.iter_mut().zip(groups) {
        *into = std::array::from_fn(|l| x[l].to_double());
    }
    if let Some(last) = into.get_mut(groups.len()) {
        last.iter_mut().zip(rest).for_each(|(to, x)| *to = x.to_double());
    }
}

/// Σ x_j w_j over whole groups, in two chains of them.
#[inline(always)]
fn dot_of_groups(x: &[f64], weights: &[f64]) -> f64 {
    let add = |sums: [f64; LANES], x: &[f64; LANES], w: &[f64; LANES]| {
        std::array::from_fn(|l| sums[l] + x[l] * w[l])
    };
    let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
    let (x, last_x) = x.as_chunks::<LANES>().0.as_chunks::<2>();
    let (weights, last_weights) = weights.as_chunks::<LANES>().0.as_chunks::<2>();
    for (x, w) in x.iter().zip(weights) {
        (even, odd) = (add(even, &x[0], &w[0]), add(odd, &x[1], &w[1]));
    }
    for (x, w) in last_x.iter().zip(last_weights) {
        even = add(even, x, w);
    }
    // By halves, because every step waits for this sum.
    let lanes: [f64; LANES] = std::array::from_fn(|l| even[l] + odd[l]);
    let fours: [f64; 4] = std::array::from_fn(|l| lanes[l] + lanes[l + 4]);
    (fours[0] + fours[2]) + (fours[1] + fours[3])
}

/// w ← f(w, d) over whole groups.
#[inline(always)]
fn in_groups(weights: &mut [f64], direction: &[f64], f: impl Fn(f64, f64) -> f64) {
    let groups = weights.as_chunks_mut::<LANES>().0.iter_mut();
    for (w, d) in groups.zip(direction.as_chunks::<LANES>().0) {
        *w = std::array::from_fn(|l| f(w[l], d[l]));
    }
}

/// What the penalty does to the weights after a step.
enum Pull {
    /// Nothing.
    None,
    /// Divides all by 1 + 2ηλ₂, the same λ₂ for each.
    Shrink(f64),
    /// To each its own λ₁ and λ₂.
    Each(Terms),
}

impl Pull {
    fn of(terms: &Terms, width: usize) -> Self {
        let l2 = terms.l2.first().copied().unwrap_or(0.0);
        match terms.is_smooth() && terms.l2.iter().all(|&other| other == l2) {
            true if l2 == 0.0 => Self::None,
            true => Self::Shrink(l2),
            false => {
                let mut terms = terms.clone();
                terms.l1.resize(width, 0.0);
                terms.l2.resize(width, 0.0);
                Self::Each(terms)
            }
        }
    }

    /// w ← prox(w − step·direction), with η/Σ c_t for the penalty.
    #[inline(always)]
    fn advance(&self, weights: &mut [f64], step: f64, direction: &[f64], length: f64) {
        match self {
            Self::None => in_groups(weights, direction, |w, d| w - step * d),
            Self::Shrink(l2) => {
                let shrink = 1.0 / (1.0 + 2.0 * length * l2);
                in_groups(weights, direction, |w, d| (w - step * d) * shrink);
            }
            Self::Each(terms) => {
                let moves = weights.iter_mut().zip(direction);
                for ((w, d), (l1, l2)) in moves.zip(terms.l1.iter().zip(&terms.l2)) {
                    let moved = soft_threshold(*w - step * d, length * l1);
                    *w = moved / (1.0 + 2.0 * length * l2);
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
        let alone = settings.batch == 1;
        let mut left = order.len();
        for chunk in order.chunks(GATHERED) {
            walk.gather(chunk);
            for k in 0..chunk.len() {
                if let Some(&ahead) = order.get(order.len() - left + AHEAD) {
                    walk.visits.prefetch(ahead);
                }
                left -= 1;
                if walk.batch.rows == 0 {
                    walk.rate = settings.schedule.rate(walk.steps, walk.in_epoch);
                }
                walk.visit(k, alone);
                if !alone {
                    if walk.batch.rows < settings.batch && left > 0 {
                        continue;
                    }
                    walk.step();
                }
                walk.steps += 1;
                walk.in_epoch += 1;
                if settings.averaged {
                    add_multiple(&mut walk.sum.0, 1.0, &walk.weights);
                    walk.sum.1 += walk.level;
                }
            }
        }
    }
}
