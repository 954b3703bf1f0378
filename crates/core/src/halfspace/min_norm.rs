//! The point of least norm in a polytope, by Wolfe's method (1976), in doubles.
//!
//! x is kept as a convex combination of a few affinely independent points, the corral. A **major**
//! cycle takes in the point p with the least x·p; if that is not below x·x, x is the point of least
//! norm. **Minor** cycles go to the point of least norm in the affine hull of the corral, or as far
//! towards it as all weights stay positive, leave out what has reached zero, and repeat. The norm falls
//! in every major cycle, so no corral comes back and the method ends.
//!
//! What it finds here is a proposal: [`exact_min_norm`](super::exact_min_norm) finishes it.

use super::active_set::ActiveSet;
use super::budget::Clock;

/// A convex combination of affinely independent points.
#[derive(Clone, Debug)]
pub(crate) struct Corral<K> {
    pub(crate) keys: Vec<K>,
    pub(crate) weights: Vec<f64>,
    points: Vec<Vec<f64>>,
    factor: ActiveSet,
    /// Σ weight·point.
    pub(crate) x: Vec<f64>,
}

/// Where major cycles get their points from.
pub(crate) trait Oracle<K> {
    /// The point p with about the least x·p.
    fn lowest(&self, x: &[f64]) -> (K, Vec<f64>);
}

impl<K: Copy + PartialEq> Corral<K> {
    /// One point; `radius` bounds the lengths of all.
    pub(crate) fn new(key: K, point: Vec<f64>, radius: f64) -> Self {
        let mut factor = ActiveSet::new(radius.max(f64::MIN_POSITIVE));
        factor.push(&point);
        Self { keys: vec![key], weights: vec![1.0], x: point.clone(), points: vec![point], factor }
    }

    /// Major cycles until the oracle has no better point, `limit` is reached, or the time is over; how
    /// many were made.
    pub(crate) fn descend(
        &mut self,
        oracle: &impl Oracle<K>,
        radius: f64,
        limit: u64,
        clock: &Clock,
    ) -> u64 {
        for cycle in 0..limit {
            if clock.is_over() {
                return cycle;
            }
            let (key, point) = oracle.lowest(&self.x);
            let square = dot(&self.x, &self.x);
            let rounding = 8.0 * point.len() as f64 * f64::EPSILON * radius * square.sqrt();
            if dot(&self.x, &point) >= square * (1.0 - 1e-12) - rounding
                || self.keys.contains(&key)
                || !self.take_in(key, point)
            {
                return cycle;
            }
            // A cycle that does not shorten x has met the limits of doubles.
            if dot(&self.x, &self.x) >= square * (1.0 - 1e-15) {
                return cycle + 1;
            }
        }
        limit
    }

    /// A point enters; minor cycles restore the corral. False if it is numerically dependent.
    fn take_in(&mut self, key: K, point: Vec<f64>) -> bool {
        if !self.factor.push(&point) {
            return false;
        }
        self.keys.push(key);
        self.points.push(point);
        self.weights.push(0.0);
        loop {
            let target = self.factor.affine_minimiser();
            if target.iter().all(|&a| a > 1e-14) {
                self.weights = target;
                break;
            }
            let pairs = self.weights.iter().zip(&target);
            let blocking = pairs.filter(|&(_, &to)| to <= 1e-14);
            let step = blocking.map(|(from, to)| from / (from - to)).fold(1.0, f64::min);
            let step = if step.is_finite() { step.clamp(0.0, 1.0) } else { 0.0 };
            for (from, to) in self.weights.iter_mut().zip(&target) {
                *from += step * (to - *from);
            }
            if !self.leave_out_zeros(&target) {
                break;
            }
        }
        self.combine();
        true
    }

    /// Takes out the points whose weight has reached zero, at least one; false if one point is left.
    fn leave_out_zeros(&mut self, target: &[f64]) -> bool {
        let falling = |i: &usize| target[*i] <= 1e-14;
        let candidates = (0..self.keys.len()).filter(falling);
        let least =
            candidates.min_by(|&i, &j| self.weights[i].total_cmp(&self.weights[j])).unwrap_or(0);
        for i in (0..self.keys.len()).rev() {
            if self.keys.len() > 1 && (i == least || self.weights[i] <= 0.0) {
                self.keys.remove(i);
                self.weights.remove(i);
                self.points.remove(i);
                self.factor.remove(i);
            }
        }
        self.keys.len() > 1 || {
            self.weights[0] = 1.0;
            false
        }
    }

    fn combine(&mut self) {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|a| *a /= sum);
        self.x.fill(0.0);
        for (point, &weight) in self.points.iter().zip(&self.weights) {
            self.x.iter_mut().zip(point).for_each(|(x, p)| *x += weight * p);
        }
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Budget;
    use super::*;
    use proptest::prelude::*;

    struct Listed<'a>(&'a [[f64; 4]]);

    impl Oracle<usize> for Listed<'_> {
        fn lowest(&self, x: &[f64]) -> (usize, Vec<f64>) {
            let value = |i: &usize| dot(&self.0[*i], x);
            let lowest = (0..self.0.len()).min_by(|i, j| value(i).total_cmp(&value(j))).unwrap();
            (lowest, self.0[lowest].to_vec())
        }
    }

    proptest! {
        #[test]
        fn every_point_is_beyond_the_nearest(
            points in prop::collection::vec(prop::array::uniform4(-1.0..2.0_f64), 1..30),
        ) {
            let mut corral = Corral::new(0, points[0].to_vec(), 4.0);
            corral.descend(&Listed(&points), 4.0, 1000, &Budget::unlimited().start());
            let square = dot(&corral.x, &corral.x);
            for point in &points {
                prop_assert!(dot(point, &corral.x) >= square - 1e-10);
            }
            prop_assert!(corral.weights.iter().all(|a| *a >= 0.0));
            prop_assert!((corral.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
