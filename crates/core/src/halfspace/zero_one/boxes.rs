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
//! Boxes are taken best first, a fixed number at a time. Each is [explored](super::subtree) for a fixed
//! number of halvings, depth first, in parallel with the others; what is open then waits again. So the
//! same tree is built on any number of threads.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::super::budget::Clock;
use super::incumbent::{Incumbent, descend, line_search};
use super::leaf::Leaves;
use super::preprocess::Points;
use super::subtree::{Candidate, Explored, Subtree};
use super::whiten::Whitened;
use crate::random::Random;

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

/// A box that is not closed.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// Where it is in the tree.
    pub(super) place: u32,
    /// Halvings above it.
    pub(super) depth: u32,
    pub(super) centre: Vec<f64>,
    pub(super) radius: Vec<f64>,
    /// Cost of the points that are wrong on the whole box.
    pub(super) wrong: u64,
    /// No w of the box costs less.
    pub(super) lower: u64,
    pub(super) undetermined: Vec<u32>,
    /// Undetermined points when they were last seen to fall by a quarter, and halvings since.
    pub(super) seen: usize,
    pub(super) idle: usize,
}

impl Open {
    /// Least bound first, then the deepest, then the oldest.
    fn key(&self) -> (Reverse<u64>, u32, Reverse<u32>) {
        (Reverse(self.lower), self.depth, Reverse(self.place))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Boxes explored at a time.
const BATCH: usize = 32;

pub(crate) struct Search<'a> {
    pub(super) points: &'a Points,
    pub(super) whitened: &'a Whitened,
    pub(super) leaves: Leaves<'a>,
    /// The cost to undercut, where that is enough.
    asked: Option<u64>,
    /// The cost to undercut now: that, or that of the best so far.
    pub(super) goal: u64,
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
        let mut open = BinaryHeap::from(self.roots());
        let mut nodes = tree.len() as u64;
        // Boxes that are too small to halve cost at least this.
        let mut stuck = u64::MAX;
        while !self.is_enough(&best) && !clock.is_spent(nodes) {
            let batch = self.next_batch(&mut open);
            if batch.is_empty() {
                break;
            }
            let share = (clock.steps() - nodes) / (2 * batch.len() as u64);
            let explore = |node: &Open| Subtree::new(&self, node).explore(share.max(1), clock);
            let explored: Vec<Explored> = batch.par_iter().map(explore).collect();
            for (root, found) in batch.iter().zip(explored) {
                nodes += found.branches.len() as u64 - 1;
                stuck = stuck.min(found.stuck);
                let place = graft(&mut tree, root.place, &found.branches);
                let placed = |node: Open| Open { place: place(node.place), ..node };
                open.extend(found.open.into_iter().map(placed));
                for candidate in found.candidates {
                    best = self.consider(best, candidate, &mut random, clock);
                }
            }
            self.aim(&best);
        }
        let waiting = open.peek().map_or(u64::MAX, |node| node.lower);
        let lower = waiting.min(stuck).min(self.goal).max(self.points.base);
        Outcome { best, lower, nodes, tree }
    }

    fn aim(&mut self, best: &Incumbent) {
        self.goal = self.asked.unwrap_or(u64::MAX).min(best.cost);
    }

    fn is_enough(&self, best: &Incumbent) -> bool {
        best.cost <= self.points.base || self.asked.is_some_and(|asked| best.cost < asked)
    }

    fn next_batch(&self, open: &mut BinaryHeap<Open>) -> Vec<Open> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH
            && let Some(node) = open.pop()
        {
            if node.lower < self.goal {
                batch.push(node);
            }
        }
        batch
    }

    /// The faces of the cube.
    fn roots(&self) -> Vec<Open> {
        let (dim, count) = (self.points.dim, self.points.len());
        let faces = (0..dim).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]);
        let root = |(place, (axis, side)): (usize, (usize, f64))| {
            let mut centre = vec![0.0; dim];
            let mut radius = vec![1.0; dim];
            (centre[axis], radius[axis]) = (side, 0.0);
            Open {
                place: place as u32,
                depth: 0,
                centre,
                radius,
                wrong: 0,
                lower: self.points.base,
                undetermined: (0..count as u32).collect(),
                seen: count,
                idle: 0,
            }
        };
        faces.enumerate().map(root).collect()
    }

    fn consider(
        &self,
        best: Incumbent,
        candidate: Candidate,
        random: &mut Random,
        clock: &Clock,
    ) -> Incumbent {
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
        found.better(descend(self.points, self.whitened, weights, random, clock))
    }
}

/// Puts the tree below a box in its place; the map from places in the one to places in the other.
fn graft(tree: &mut Vec<Branch>, root: u32, branches: &[Branch]) -> impl Fn(u32) -> u32 + use<> {
    let base = tree.len() as u32;
    let place = move |local: u32| if local == 0 { root } else { base + local - 1 };
    let mut placed = branches.iter().map(|branch| match *branch {
        Branch::Halved { axis, low } => Branch::Halved { axis, low: place(low) },
        Branch::Leaf => Branch::Leaf,
    });
    if let Some(first) = placed.next() {
        tree[root as usize] = first;
    }
    tree.extend(placed);
    place
}
