//! Good halfspaces, quickly: the upper bound that branch and bound starts from.
//!
//! Starts are the mean of the whitened points (least squares) and a few steps of logistic regression;
//! each is followed by exact line searches on the mistakes: along w + t·v every point changes sides at
//! most once, at t = −(w·z)/(v·z), so sorting these finds the best t in O(m log m). Directions are the
//! axes and random ones, from a seed.

use super::super::budget::Clock;
use super::super::min_norm::dot;
use super::super::mistakes::is_positive;
use super::preprocess::Points;
use super::whiten::Whitened;
use crate::random::Random;

/// Weights on the points' coordinates, and what they cost, exactly.
#[derive(Clone, Debug)]
pub(crate) struct Incumbent {
    pub(crate) w: Vec<f64>,
    pub(crate) cost: u64,
}

impl Incumbent {
    /// The exact cost of weights; points on the hyperplane count as mistakes.
    pub(crate) fn new(points: &Points, w: Vec<f64>) -> Self {
        let wrong = |i: &usize| !is_positive(&w, points.point(*i), 0.0, 1.0);
        let cost = (0..points.len()).filter(wrong).map(|i| points.costs[i]).sum::<u64>();
        let cost = points.base + cost;
        Self { w, cost }
    }

    /// The better of two; the first where they are as good.
    pub(crate) fn better(self, other: Self) -> Self {
        if other.cost < self.cost { other } else { self }
    }
}

/// Searches from the starts.
pub(crate) fn search(points: &Points, whitened: &Whitened, seed: u64, clock: &Clock) -> Incumbent {
    let mut random = Random::new(seed);
    let mut best = Incumbent::new(points, vec![0.0; points.dim]);
    for start in [mean(points, whitened), logistic(points, whitened, clock)] {
        let found = descend(points, whitened, start, &mut random, clock);
        best = best.better(found);
    }
    best
}

/// Line searches from whitened weights until a round of directions brings nothing, or the time is over.
pub(crate) fn descend(
    points: &Points,
    whitened: &Whitened,
    start: Vec<f64>,
    random: &mut Random,
    clock: &Clock,
) -> Incumbent {
    let dim = points.dim;
    let mut w = start;
    let mut best = Incumbent::new(points, whitened.back(&w));
    let mut idle = 0;
    let rounds = 4 * dim;
    while idle < rounds && best.cost > points.base && !clock.is_over() {
        let direction: Vec<f64> = if idle < dim {
            (0..dim).map(|j| if j == idle { 1.0 } else { 0.0 }).collect()
        } else {
            (0..dim).map(|_| random.signed()).collect()
        };
        let moved = line_search(points, whitened, &w, &direction);
        let found = Incumbent::new(points, whitened.back(&moved));
        if found.cost < best.cost {
            (best, w, idle) = (found, moved, 0);
        } else {
            idle += 1;
        }
    }
    best
}

/// The w + t·v with the fewest mistakes, in the middle of the best interval of t.
pub(crate) fn line_search(points: &Points, whitened: &Whitened, w: &[f64], v: &[f64]) -> Vec<f64> {
    // (where a point changes sides, what that adds to the cost as t grows)
    let mut events: Vec<(f64, i64)> = Vec::with_capacity(points.len());
    let mut cost = 0_i64;
    for i in 0..points.len() {
        let z = whitened.point(i);
        let (value, slope) = (dot(z, w), dot(z, v));
        let own = points.costs[i] as i64;
        if slope == 0.0 {
            cost += if value <= 0.0 { own } else { 0 };
            continue;
        }
        // At t = −∞ the point is right iff it falls.
        cost += if slope > 0.0 { own } else { 0 };
        events.push((-value / slope, if slope > 0.0 { -own } else { own }));
    }
    events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut least, mut at) = (i64::MAX, 0.0);
    let mut next = 0;
    while next < events.len() {
        let from = events[next].0;
        while next < events.len() && events[next].0 == from {
            cost += events[next].1;
            next += 1;
        }
        let to = events.get(next).map_or(from + from.abs() + 1.0, |event| event.0);
        if cost < least {
            (least, at) = (cost, 0.5 * (from + to));
        }
    }
    w.iter().zip(v).map(|(w, v)| w + at * v).collect()
}

fn mean(points: &Points, whitened: &Whitened) -> Vec<f64> {
    let mut sum = vec![0.0; points.dim];
    for (i, &cost) in points.costs.iter().enumerate() {
        sum.iter_mut().zip(whitened.point(i)).for_each(|(s, z)| *s += cost as f64 * z);
    }
    normalised(sum)
}

/// Σ log(1 + exp(−w·z)) by gradient steps: in whitened coordinates its Hessian is at most ¼.
fn logistic(points: &Points, whitened: &Whitened, clock: &Clock) -> Vec<f64> {
    const STEPS: usize = 40;
    let total: f64 = points.costs.iter().map(|&cost| cost as f64).sum();
    let mut w = vec![0.0; points.dim];
    for _ in 0..STEPS {
        if clock.is_over() {
            break;
        }
        let mut step = vec![0.0; points.dim];
        for (i, &cost) in points.costs.iter().enumerate() {
            let z = whitened.point(i);
            let pull = cost as f64 / (1.0 + dot(z, &w).exp());
            step.iter_mut().zip(z).for_each(|(s, z)| *s += pull * z);
        }
        w.iter_mut().zip(&step).for_each(|(w, s)| *w += 4.0 * s / total);
    }
    normalised(w)
}

fn normalised(mut w: Vec<f64>) -> Vec<f64> {
    let size = w.iter().fold(0.0, |size: f64, w| size.max(w.abs()));
    if size > 0.0 {
        w.iter_mut().for_each(|w| *w /= size);
    }
    w
}
