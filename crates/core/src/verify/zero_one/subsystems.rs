//! Walking a tree of infeasible subsystems.
//!
//! A subsystem is a set of rows with Σ a_i z_i = 0, a_i > 0: every w is wrong on one of them. Of a
//! branched one each row that is not held right has a branch of its own in which it is a mistake, and
//! those before it are held right, so the branches cover every w. A packing of disjoint subsystems
//! costs at least the least row of each that is not held.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use super::points::Points;
use crate::halfspace::Clock;
use crate::halfspace::zero_one::Given;

/// Whether the tree proves, in time, that no w costs less than the bound.
pub(super) fn proves(points: &Points, tree: &[Given], bound: &BigRational, clock: &Clock) -> bool {
    let missing = bound - &points.base;
    Walk { points, tree, missing, clock }.holds(0, &[], &[], &BigRational::zero())
}

struct Walk<'a> {
    points: &'a Points,
    tree: &'a [Given],
    missing: BigRational,
    clock: &'a Clock,
}

impl Walk<'_> {
    fn holds(&self, place: usize, lost: &[usize], held: &[usize], cost: &BigRational) -> bool {
        if cost >= &self.missing {
            return true;
        }
        if self.clock.is_over() {
            return false;
        }
        match self.tree.get(place) {
            None | Some(Given::Open) => false,
            Some(Given::Packed(packed)) => self.packing_suffices(packed, lost, held, cost),
            Some(Given::Branched { rows, first }) => {
                let Some(members) = self.subsystem(rows) else { return false };
                let first = *first as usize;
                if first <= place || members.iter().any(|i| lost.contains(i)) {
                    return false;
                }
                let loose: Vec<usize> = members.into_iter().filter(|i| !held.contains(i)).collect();
                (0..loose.len()).all(|k| {
                    let lost = [lost, &[loose[k]]].concat();
                    let held = [held, &loose[..k]].concat();
                    let cost = cost + self.points.excess(loose[k]).0;
                    self.holds(first + k, &lost, &held, &cost)
                })
            }
        }
    }

    fn packing_suffices(
        &self,
        packed: &[Vec<usize>],
        lost: &[usize],
        held: &[usize],
        cost: &BigRational,
    ) -> bool {
        let mut used = lost.to_vec();
        let mut cost = cost.clone();
        for rows in packed {
            let Some(members) = self.subsystem(rows) else { return false };
            if members.iter().any(|i| used.contains(i)) {
                return false;
            }
            let loose = members.iter().filter(|i| !held.contains(i));
            match loose.map(|&i| self.points.excess(i).0).min() {
                Some(least) => cost += least,
                // All of it is held right, which no w can do.
                None => return true,
            }
            used.extend(members);
        }
        cost >= self.missing
    }

    /// The directions of rows that stand for the dearer sides and add up to zero with positive
    /// weights; `None` if they do not.
    fn subsystem(&self, rows: &[usize]) -> Option<Vec<usize>> {
        let mut members = Vec::new();
        let mut vectors: Vec<Vec<BigRational>> = Vec::new();
        for &row in rows {
            let (place, against) = (*self.points.places.get(row)?)?;
            if self.points.excess(place).1 != against || members.contains(&place) {
                return None;
            }
            let sign = BigInt::from(if against { -1 } else { 1 });
            let z = self.points.directions[place].z.iter();
            vectors.push(z.map(|v| BigRational::from_integer(v * &sign)).collect());
            members.push(place);
        }
        has_positive_relation(vectors).then_some(members)
    }
}

/// Whether vectors, all but one of them independent, have a relation with all weights positive.
fn has_positive_relation(vectors: Vec<Vec<BigRational>>) -> bool {
    let count = vectors.len();
    let Some(width) = vectors.first().map(Vec::len) else { return false };
    // Columns are the vectors: Gauss–Jordan, with the last column as the right-hand side.
    let mut rows: Vec<Vec<BigRational>> =
        (0..width).map(|j| vectors.iter().map(|z| z[j].clone()).collect()).collect();
    for k in 0..count - 1 {
        let Some(pivot) = (k..width).find(|&i| !rows[i][k].is_zero()) else { return false };
        rows.swap(k, pivot);
        let unit = rows[k][k].clone();
        rows[k].iter_mut().for_each(|v| *v /= &unit);
        let pivot_row = rows[k].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k].clone();
            row.iter_mut().zip(&pivot_row).for_each(|(v, p)| *v -= &factor * p);
        }
    }
    // z_last = Σ c_k z_k, and the relation is −c_k, 1.
    let last = |i: usize| &rows[i][count - 1];
    (0..count - 1).all(|i| last(i).is_negative()) && (count - 1..width).all(|i| last(i).is_zero())
}
