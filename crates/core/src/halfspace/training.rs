//! A run of the perceptron: epochs, budget, trace and average.

use super::budget::Clock;
use super::perceptron::{Ending, Perceptron, Update};
use super::walk::{Walk, Weights};
use crate::Scalar;
use crate::random::Random;

/// The state of a run.
pub(super) struct Training<'p, T> {
    options: &'p Perceptron<T>,
    weights: Weights<T>,
    /// Σ (visits before the update)·(step), from which the mean of the weights follows.
    lagged: Weights<T>,
    intercept: bool,
    visits: u64,
    pub(super) updates: u64,
    pub(super) epochs: u64,
    pub(super) trace: Vec<Update<T>>,
}

impl<'p, T: Scalar> Training<'p, T> {
    pub(super) fn new(options: &'p Perceptron<T>, start: Vec<T>, intercept: bool) -> Self {
        let mut w = start;
        let b = if intercept { w.pop().unwrap_or(T::zero()) } else { T::zero() };
        let lagged = Weights { w: vec![T::zero(); w.len()], b: T::zero() };
        Self {
            options,
            weights: Weights { w, b },
            lagged,
            intercept,
            visits: 0,
            updates: 0,
            epochs: 0,
            trace: Vec::new(),
        }
    }

    pub(super) fn run(&mut self, cyclic: &Walk<'_, T>) -> Ending {
        let clock = self.options.budget.start();
        let mut random = self.options.shuffle.map(Random::new);
        let mut order: Vec<usize> = match random {
            Some(_) => (0..cyclic.y.len()).collect(),
            None => Vec::new(),
        };
        while self.epochs < self.options.epochs && !clock.is_spent(self.updates) {
            if let Some(random) = &mut random {
                random.shuffle(&mut order);
            }
            let walk = Walk { order: random.is_some().then_some(&order[..]), ..*cyclic };
            self.epochs += 1;
            let before = self.updates;
            if !self.epoch(&walk, &clock) {
                return Ending::BudgetSpent;
            }
            if self.updates == before {
                return Ending::Clean;
            }
        }
        Ending::BudgetSpent
    }

    /// One epoch; false if the budget was spent within it.
    fn epoch(&mut self, walk: &Walk<'_, T>, clock: &Clock) -> bool {
        // Rows between two looks at the clock: some megabytes.
        let run = (1 << 22) / walk.x.cols().max(1) + 1;
        let rows = walk.y.len();
        for from in (0..rows).step_by(run) {
            let to = from.saturating_add(run).min(rows);
            let within_budget = clock.steps() - self.updates > run as u64;
            let plain = !self.options.average && self.trace.len() >= self.options.trace;
            if plain && within_budget {
                self.updates += walk.all(from, to, &mut self.weights);
            } else if !self.step_by_step(walk, from, to, clock) {
                return false;
            }
            if clock.is_over() && to < rows {
                return false;
            }
        }
        true
    }

    fn step_by_step(&mut self, walk: &Walk<'_, T>, from: usize, to: usize, clock: &Clock) -> bool {
        let mut at = from;
        while let Some(position) = walk.next_mistake(at, to, &mut self.weights) {
            self.visits += (position - at) as u64;
            self.record(walk, walk.row(position));
            self.visits += 1;
            at = position + 1;
            if self.updates >= clock.steps() {
                return false;
            }
        }
        self.visits += (to - at) as u64;
        true
    }

    fn record(&mut self, walk: &Walk<'_, T>, row: usize) {
        self.updates += 1;
        if self.options.average {
            let step = walk.rate * walk.y[row] * T::from_double(self.visits as f64);
            let x = walk.x.row_slice(row).expect("rows are contiguous");
            self.lagged.w.iter_mut().zip(x).for_each(|(sum, &x)| *sum += step * x);
            if self.intercept {
                self.lagged.b += step;
            }
        }
        if self.trace.len() < self.options.trace {
            self.trace.push(Update {
                epoch: self.epochs - 1,
                row,
                weights: self.weights.w.clone(),
                intercept: self.weights.b,
            });
        }
    }

    /// The last weights or their mean, the intercept last.
    pub(super) fn result(self) -> Vec<T> {
        let Weights { mut w, mut b } = self.weights;
        if self.options.average && self.visits > 0 {
            // Σ_v w_v = visits·w_end − Σ_updates (visits before it)·step.
            let visits = T::from_double(self.visits as f64);
            w.iter_mut().zip(&self.lagged.w).for_each(|(w, &sum)| *w -= sum / visits);
            b -= self.lagged.b / visits;
        }
        w.extend(self.intercept.then_some(b));
        w
    }
}
