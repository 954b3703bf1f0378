//! Wolfe's method in integers: the exact end of what doubles began.
//!
//! Points are integer vectors; weights are integers n_i > 0, standing for n_i/Σn. With X = Σ n_i p_i
//! and S = Σn the point is X/S, and p is on its near side iff S·(p·X) < X·X. The affine minimiser
//! solves (G + 11ᵀ)·a = 1 with G the Gram matrix of the corral, by fraction-free elimination.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::budget::Clock;
use super::exact::{Solved, dot, primitive, solve};

/// A convex combination, in integers, of affinely independent points.
#[derive(Clone, Debug)]
pub(crate) struct ExactCorral<K> {
    pub(crate) keys: Vec<K>,
    /// Positive, without a common divisor.
    pub(crate) weights: Vec<BigInt>,
    points: Vec<Vec<BigInt>>,
    /// Σ weight·point.
    pub(crate) x: Vec<BigInt>,
}

/// The point of least norm in an affine hull.
enum Affine {
    Weights(Vec<BigInt>),
    /// The points are affinely dependent.
    Dependent,
    OutOfTime,
}

impl<K: Copy + PartialEq> ExactCorral<K> {
    /// The point of least norm in the hull of the points given, which a corral of doubles proposed.
    /// `None` if the budget is spent.
    pub(crate) fn of(
        points: Vec<(K, Vec<BigInt>)>,
        clock: &Clock,
        steps: &mut u64,
    ) -> Option<Self> {
        let proposed = Self {
            keys: points.iter().map(|(key, _)| *key).collect(),
            weights: vec![BigInt::one(); points.len()],
            x: Vec::new(),
            points: points.iter().map(|(_, point)| point.clone()).collect(),
        };
        *steps += 1;
        match proposed.affine_minimiser(clock) {
            Affine::Weights(weights) if weights.iter().all(Signed::is_positive) => {
                return Some(Self { weights, ..proposed }.combined());
            }
            Affine::OutOfTime => return None,
            _ => {}
        }
        let (key, point) = points.first()?.clone();
        let mut corral = Self {
            keys: vec![key],
            weights: vec![BigInt::one()],
            x: point.clone(),
            points: vec![point],
        };
        corral.descend(&points, clock, steps).then_some(corral)
    }

    /// Major cycles over a list of points until none is on the near side; false if the budget is spent.
    pub(crate) fn descend(
        &mut self,
        points: &[(K, Vec<BigInt>)],
        clock: &Clock,
        steps: &mut u64,
    ) -> bool {
        while !self.is_zero() {
            let values = points.iter().map(|(_, point)| dot(point, &self.x)).enumerate();
            let Some((lowest, value)) = values.min_by(|a, b| a.1.cmp(&b.1)) else {
                return true;
            };
            if value * self.total() >= dot(&self.x, &self.x) {
                return true;
            }
            if clock.is_spent(*steps) {
                return false;
            }
            *steps += 1;
            let (key, point) = points[lowest].clone();
            if !self.take_in(key, point, clock) {
                return false;
            }
        }
        true
    }

    /// Whether the point of least norm is the origin.
    pub(crate) fn is_zero(&self) -> bool {
        self.x.iter().all(Zero::is_zero)
    }

    /// Σ weights.
    pub(crate) fn total(&self) -> BigInt {
        self.weights.iter().sum()
    }

    /// A point enters; minor cycles restore the corral. False if the time is over, and the corral is
    /// then of no use.
    fn take_in(&mut self, key: K, point: Vec<BigInt>, clock: &Clock) -> bool {
        self.keys.push(key);
        self.points.push(point);
        self.weights.push(BigInt::zero());
        loop {
            match self.affine_minimiser(clock) {
                Affine::Weights(target) if target.iter().all(Signed::is_positive) => {
                    self.weights = target;
                    break;
                }
                Affine::Weights(target) => self.step_towards(&target),
                // The new point is affinely independent of the others, because x is the affine
                // minimiser of those and it is on the near side; so this does not happen.
                Affine::Dependent => break,
                Affine::OutOfTime => return false,
            }
        }
        *self = std::mem::replace(self, Self::empty()).combined();
        true
    }

    fn empty() -> Self {
        Self { keys: Vec::new(), weights: Vec::new(), points: Vec::new(), x: Vec::new() }
    }

    /// Goes towards the target until the first weight is zero, and leaves out what is zero.
    fn step_towards(&mut self, target: &[BigInt]) {
        let (total, target_total) = (self.total(), target.iter().sum::<BigInt>());
        // Both over the common denominator total·target_total.
        let from: Vec<BigInt> = self.weights.iter().map(|a| a * &target_total).collect();
        let to: Vec<BigInt> = target.iter().map(|b| b * &total).collect();
        // The least from/(from − to) among the falling ones, compared crosswise.
        let blocking = (0..from.len()).filter(|&i| !target[i].is_positive());
        let length = |i: usize| &from[i] - &to[i];
        let first = blocking
            .min_by(|&i, &j| (&from[i] * length(j)).cmp(&(&from[j] * length(i))))
            .unwrap_or(0);
        let (step, whole) = (from[first].clone(), length(first));
        let moved = from.iter().zip(&to).map(|(from, to)| from * &whole + &step * (to - from));
        self.weights = primitive(moved.collect());
        for i in (0..self.keys.len()).rev() {
            if !self.weights[i].is_positive() {
                self.keys.remove(i);
                self.weights.remove(i);
                self.points.remove(i);
            }
        }
    }

    /// Weights of the point of least norm in the affine hull, without a common divisor.
    fn affine_minimiser(&self, clock: &Clock) -> Affine {
        let entry = |p: &Vec<BigInt>, q: &Vec<BigInt>| dot(p, q) + 1;
        let gram = self.points.iter().map(|p| self.points.iter().map(|q| entry(p, q)).collect());
        match solve(gram.collect(), vec![BigInt::one(); self.points.len()], clock) {
            Solved::Unique { numerators, .. } => Affine::Weights(primitive(numerators)),
            Solved::Singular => Affine::Dependent,
            Solved::OutOfTime => Affine::OutOfTime,
        }
    }

    fn combined(mut self) -> Self {
        let divisor = self.weights.iter().fold(BigInt::zero(), |d, a| d.gcd(a));
        self.weights.iter_mut().for_each(|a| *a /= &divisor);
        let dimension = self.points.first().map_or(0, Vec::len);
        let coordinate = |j: usize| {
            let terms = self.points.iter().zip(&self.weights);
            terms.map(|(point, weight)| &point[j] * weight).sum::<BigInt>()
        };
        self.x = (0..dimension).map(coordinate).collect();
        self
    }
}
