//! Branch and bound over boxes of weights.
//!
//! Up to their length, all w ≠ 0 lie on the faces of the cube max|w_j| = 1. On a box with centre c and
//! half-widths r a point's w·z is within c·z ± r·|z|: it is right, wrong or undetermined on the whole
//! box, and only the undetermined ones are handed down to its two halves. The wrong ones are a lower
//! bound. A box is closed when the bound reaches the best cost known, or when the exact recursion over
//! the undetermined points, which bounds what any w could do with them, brings it there; that is tried
//! when few are left, and when halving no longer sheds any, as with points that tie. Rounding is always
//! outward.
//!
//! Boxes are taken best first, a fixed number at a time, which are halved in parallel: so the same tree
//! is built on any number of threads.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};

use rayon::prelude::*;

use super::super::budget::Clock;
use super::super::min_norm::{Corral, Oracle, dot};
use super::super::random::Random;
use super::incumbent::{Incumbent, descend, line_search};
use super::leaf::Leaves;
use super::preprocess::Points;
use super::recursion::Cell;
use super::whiten::Whitened;

/// A box in the tree that a certificate keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Branch {
    /// Halved along an axis.
    Halved {
        /// The axis.
        axis: u8,
        /// Where the lower half is; the upper one is next to it.
        low: u32,
    },
    /// Closed, or still open when the budget was spent.
    Leaf,
}

/// What a search comes to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) best: Incumbent,
    /// No w costs less than this.
    pub(crate) lower: u64,
    pub(crate) nodes: u64,
    pub(crate) tree: Vec<Branch>,
}

/// Boxes halved at a time.
const BATCH: usize = 256;

/// Halvings that must not go by without shedding a quarter of the undetermined points.
const PATIENCE: usize = 3;

struct Open {
    place: u32,
    centre: Vec<f64>,
    radius: Vec<f64>,
    /// Cost of the points that are wrong on the whole box.
    wrong: u64,
    /// No w of the box costs less.
    lower: u64,
    undetermined: Vec<u32>,
    /// Σ|z_j| over them, axis by axis.
    spread: Vec<f64>,
    /// Undetermined points when they were last seen to fall by a quarter, and halvings since.
    seen: usize,
    idle: usize,
}

/// An open box in the order they are taken: least bound first, then the deepest, then the oldest.
struct Waiting {
    depth: u32,
    node: Open,
}

impl Waiting {
    fn key(&self) -> (Reverse<u64>, u32, Reverse<u32>) {
        (Reverse(self.node.lower), self.depth, Reverse(self.node.place))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// One half, after a look at it.
struct Half {
    open: Option<Open>,
    axis: usize,
    /// Weights worth a closer look.
    candidate: Option<Candidate>,
}

/// The points of a half, as they are gone through.
struct Tally {
    wrong: u64,
    /// What the centre gets wrong of the undetermined ones.
    centre_wrong: u64,
    undetermined: Vec<u32>,
    spread: Vec<f64>,
}

impl Tally {
    fn new(parent: &Open) -> Self {
        let undetermined = Vec::with_capacity(parent.undetermined.len());
        let spread = vec![0.0; parent.spread.len()];
        Self { wrong: parent.wrong, centre_wrong: 0, undetermined, spread }
    }

    /// A point whose w·z is within `value` ± `reach` on the half.
    #[inline]
    fn add(&mut self, i: u32, z: &[f64], value: f64, reach: f64, cost: u64) {
        if value < -reach {
            self.wrong += cost;
        } else if value <= reach {
            self.undetermined.push(i);
            self.centre_wrong += if value <= 0.0 { cost } else { 0 };
            self.spread.iter_mut().zip(z).for_each(|(sum, z)| *sum += z.abs());
        }
    }
}

enum Candidate {
    Centre(Vec<f64>),
    /// A centre, and a direction from it.
    Along(Vec<f64>, Vec<f64>),
}

pub(crate) struct Search<'a> {
    points: &'a Points,
    whitened: &'a Whitened,
    leaves: Leaves<'a>,
    /// The cost to undercut, where that is enough.
    asked: Option<u64>,
    /// The cost to undercut now: that, or that of the best so far.
    goal: u64,
}

impl<'a> Search<'a> {
    /// A search for the least cost, or for any below the one that is asked for.
    pub(crate) fn new(points: &'a Points, whitened: &'a Whitened, asked: Option<u64>) -> Self {
        Self { points, whitened, leaves: Leaves::new(points), asked, goal: u64::MAX }
    }

    pub(crate) fn run(mut self, start: Incumbent, clock: &Clock, seed: u64) -> Outcome {
        let mut best = start;
        self.aim(&best);
        let mut random = Random::new(seed);
        let mut tree = vec![Branch::Leaf; 2 * self.points.dim];
        let mut open: BinaryHeap<Waiting> =
            self.roots().into_iter().map(|node| Waiting { depth: 0, node }).collect();
        let mut nodes = tree.len() as u64;
        // Boxes that are too small to halve cost at least this.
        let mut stuck = u64::MAX;
        let mut batch = Vec::with_capacity(BATCH);
        while !self.is_enough(&best) && !clock.is_spent(nodes) {
            batch.clear();
            while batch.len() < BATCH
                && let Some(waiting) = open.pop()
            {
                if waiting.node.lower < self.goal {
                    batch.push(waiting);
                }
            }
            if batch.is_empty() {
                break;
            }
            let halves: Vec<_> =
                batch.par_iter().map(|waiting| self.halve(&waiting.node)).collect();
            for (Waiting { depth, node }, halves) in batch.iter().zip(halves) {
                let Some(halves) = halves else {
                    stuck = stuck.min(node.lower);
                    continue;
                };
                nodes += 2;
                let low = tree.len() as u32;
                tree[node.place as usize] = Branch::Halved { axis: halves[0].axis as u8, low };
                for half in halves {
                    let place = tree.len() as u32;
                    tree.push(Branch::Leaf);
                    if let Some(candidate) = half.candidate {
                        best = self.consider(best, candidate, &mut random);
                        self.aim(&best);
                    }
                    if let Some(node) = half.open {
                        let node = Open { place, ..node };
                        open.push(Waiting { depth: depth + 1, node });
                    }
                }
            }
        }
        let waiting = open.peek().map_or(u64::MAX, |waiting| waiting.node.lower);
        let lower = waiting.min(stuck).min(self.goal).max(self.points.base);
        Outcome { best, lower, nodes, tree }
    }

    fn aim(&mut self, best: &Incumbent) {
        self.goal = self.asked.unwrap_or(u64::MAX).min(best.cost);
    }

    fn is_enough(&self, best: &Incumbent) -> bool {
        best.cost <= self.points.base || self.asked.is_some_and(|asked| best.cost < asked)
    }

    /// The faces of the cube.
    fn roots(&self) -> Vec<Open> {
        let dim = self.points.dim;
        let mut spread = vec![0.0; dim];
        for i in 0..self.points.len() {
            spread.iter_mut().zip(self.whitened.point(i)).for_each(|(sum, z)| *sum += z.abs());
        }
        let faces = (0..dim).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]);
        let root = |(place, (axis, side)): (usize, (usize, f64))| {
            let mut centre = vec![0.0; dim];
            let mut radius = vec![1.0; dim];
            (centre[axis], radius[axis]) = (side, 0.0);
            Open {
                place: place as u32,
                centre,
                radius,
                wrong: 0,
                lower: self.points.base,
                undetermined: (0..self.points.len() as u32).collect(),
                spread: spread.clone(),
                seen: self.points.len(),
                idle: 0,
            }
        };
        faces.enumerate().map(root).collect()
    }

    /// Both halves of a box, closed or not; `None` if the box is too small to halve.
    fn halve(&self, node: &Open) -> Option<[Half; 2]> {
        let width = |j: &usize| node.radius[*j] * node.spread[*j];
        let axis = (0..self.points.dim)
            .filter(|&j| node.radius[j] > f64::powi(2.0, -40))
            .max_by(|i, j| width(i).total_cmp(&width(j)))?;
        let half_width = 0.5 * node.radius[axis];
        let missing = self.goal - self.points.base;
        let mut tallies = [Tally::new(node), Tally::new(node)];
        for &i in &node.undetermined {
            let z = self.whitened.point(i as usize);
            let (mut value, mut reach) = (0.0, self.whitened.slack[i as usize]);
            for ((z, c), r) in z.iter().zip(&node.centre).zip(&node.radius) {
                value += c * z;
                reach += r * z.abs();
            }
            let (shift, cost) = (half_width * z[axis], self.points.costs[i as usize]);
            reach -= shift.abs();
            tallies[0].add(i, z, value - shift, reach, cost);
            tallies[1].add(i, z, value + shift, reach, cost);
            if tallies[0].wrong >= missing && tallies[1].wrong >= missing {
                break;
            }
        }
        let mut radius = node.radius.clone();
        radius[axis] = half_width;
        let [low, high] = tallies;
        let half = |side: f64, tally: Tally| {
            let mut centre = node.centre.clone();
            centre[axis] += side * half_width;
            self.look_at(node, axis, centre, radius.clone(), tally)
        };
        Some([half(-1.0, low), half(1.0, high)])
    }

    fn look_at(
        &self,
        parent: &Open,
        axis: usize,
        centre: Vec<f64>,
        radius: Vec<f64>,
        tally: Tally,
    ) -> Half {
        let Tally { wrong, centre_wrong, undetermined, spread } = tally;
        let certain = self.points.base + wrong;
        if certain >= self.goal {
            return Half { open: None, axis, candidate: None };
        }
        let mut candidate =
            (certain + centre_wrong < self.goal).then(|| Candidate::Centre(centre.clone()));
        let (seen, idle) = if 4 * undetermined.len() < 3 * parent.seen {
            (undetermined.len(), 0)
        } else {
            (parent.seen, parent.idle + 1)
        };
        let mut lower = certain.max(parent.lower);
        let patience = PATIENCE * (self.points.dim - 1);
        let stagnant = idle > 0 && idle.is_multiple_of(patience);
        if self.leaves.is_due(undetermined.len(), stagnant) {
            match self.leaves.cheapest(&undetermined, self.goal - certain) {
                None => return Half { open: None, axis, candidate },
                Some(cell) => {
                    lower = lower.max(certain + cell.cost);
                    if candidate.is_none() {
                        let direction = into_cell(self.whitened, &undetermined, &cell);
                        candidate = Some(Candidate::Along(centre.clone(), direction));
                    }
                }
            }
        }
        let place = 0;
        let open = Open { place, centre, radius, wrong, lower, undetermined, spread, seen, idle };
        Half { open: Some(open), axis, candidate }
    }

    fn consider(&self, best: Incumbent, candidate: Candidate, random: &mut Random) -> Incumbent {
        let weights = match candidate {
            Candidate::Centre(centre) => centre,
            Candidate::Along(centre, direction) => {
                line_search(self.points, self.whitened, &centre, &direction)
            }
        };
        let found = Incumbent::new(self.points, self.whitened.back(&weights));
        if found.cost >= best.cost {
            return best;
        }
        found.better(descend(self.points, self.whitened, weights, random))
    }
}

/// A direction, in whitened coordinates, that is right on the points that a cell gets right and wrong
/// on the others: the one of widest margin.
pub(crate) fn into_cell(whitened: &Whitened, chosen: &[u32], cell: &Cell) -> Vec<f64> {
    let right: HashSet<u32> = cell.right.iter().copied().collect();
    let signed = |&i: &u32| {
        let sign = if right.contains(&i) { 1.0 } else { -1.0 };
        whitened.point(i as usize).iter().map(|z| sign * z).collect::<Vec<f64>>()
    };
    let list = Listed(chosen.iter().map(signed).collect());
    let radius = list.0.iter().map(|z| dot(z, z).sqrt()).fold(0.0, f64::max);
    let mut corral = Corral::new(0, list.0[0].clone(), radius);
    corral.descend(&list, radius, 1000);
    corral.x
}

struct Listed(Vec<Vec<f64>>);

impl Oracle<usize> for Listed {
    fn lowest(&self, x: &[f64]) -> (usize, Vec<f64>) {
        let values = self.0.iter().map(|z| dot(z, x)).enumerate();
        let at = values.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at);
        (at, self.0[at].clone())
    }
}
