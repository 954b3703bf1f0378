//! Branching on infeasible subsystems: for many dimensions and few mistakes.
//!
//! If no w is right on all points, some of them have Σ a_i z_i = 0 with a_i > 0 (Gordan), at most D + 1
//! of them where the corral of the min-norm point gives them, and every w is wrong on at least one.
//! So one of them is given up, and the rest is searched: in branch j the j-th is a mistake and those
//! before it are right. Disjoint subsystems must each cost the least of their points, which bounds a
//! branch from below (Amaldi, Pfetsch, Trotter 2003). Best first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::budget::Clock;
use super::super::exact_min_norm::ExactCorral;
use super::super::min_norm::{Corral, Oracle, dot};
use super::super::mistakes::is_positive;
use super::incumbent::{Incumbent, descend};
use super::preprocess::Points;
use super::whiten::Whitened;
use crate::random::Random;

/// Points with Σ a_i z_i = 0 for some a_i > 0: no halfspace is right on all of them.
pub(crate) type Subsystem = Vec<u32>;

/// A node of the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Still open when the budget was spent.
    Open,
    /// Disjoint subsystems cost what is missing to the bound.
    Packed(Vec<Subsystem>),
    /// One branch for each point of the subsystem that is not held right, in order: there it is a
    /// mistake, and those before it are held right.
    Branched {
        /// The subsystem.
        subsystem: Subsystem,
        /// The place of the first branch; the others follow.
        first: u32,
    },
}

/// What a search comes to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) best: Incumbent,
    pub(crate) lower: u64,
    pub(crate) nodes: u64,
    pub(crate) tree: Vec<Choice>,
}

struct Node {
    place: u32,
    /// Points that are mistakes, and what they cost.
    given_up: Vec<u32>,
    cost: u64,
    /// Points that must be right.
    held: Vec<u32>,
}

pub(crate) struct Search<'a> {
    points: &'a Points,
    whitened: &'a Whitened,
    /// The cost to undercut, where that is enough.
    asked: Option<u64>,
    /// The cost to undercut now: that, or that of the best so far.
    goal: u64,
}

impl<'a> Search<'a> {
    /// A search for the least cost, or for any below the one that is asked for.
    pub(crate) fn new(points: &'a Points, whitened: &'a Whitened, asked: Option<u64>) -> Self {
        Self { points, whitened, asked, goal: u64::MAX }
    }

    pub(crate) fn run(mut self, start: Incumbent, clock: &Clock, seed: u64) -> Outcome {
        let mut best = start;
        self.aim(&best);
        let mut random = Random::new(seed);
        let mut tree = vec![Choice::Open];
        let root = Node { place: 0, given_up: vec![], cost: self.points.base, held: vec![] };
        let mut open = BinaryHeap::new();
        let mut waiting = vec![Some(root)];
        open.push((Reverse(self.points.base), 0_u32));
        let mut nodes = 1;
        let mut lower = None;
        while self.asked.is_none_or(|asked| best.cost >= asked) && !clock.is_spent(nodes) {
            let Some((Reverse(bound), place)) = open.pop() else {
                lower = Some(self.goal);
                break;
            };
            if bound >= self.goal {
                lower = Some(self.goal);
                break;
            }
            let Some(node) = waiting[place as usize].take() else { continue };
            match self.look_at(&node, clock) {
                Look::Separated(w) => {
                    let found = Incumbent::new(self.points, self.whitened.back(&w));
                    best = best.better(found);
                    best = best.better(descend(self.points, self.whitened, w, &mut random, clock));
                    self.aim(&best);
                    // Nothing in this branch costs less than what was given up.
                    if node.cost < self.goal {
                        open.push((Reverse(node.cost), node.place));
                        lower = Some(node.cost);
                        break;
                    }
                    tree[place as usize] = Choice::Packed(Vec::new());
                }
                Look::Packed(packed, bound) if bound >= self.goal => {
                    tree[place as usize] = Choice::Packed(packed);
                }
                Look::Packed(packed, _) if packed.is_empty() => {
                    // Out of time before anything was known: as open as before.
                    lower = Some(bound);
                    break;
                }
                Look::Packed(mut packed, bound) => {
                    let subsystem = packed.swap_remove(0);
                    let first = tree.len() as u32;
                    for branch in node.branches(&subsystem, self.points, first) {
                        tree.push(Choice::Open);
                        nodes += 1;
                        // A branch costs at least its own points, and what all of the node costs.
                        open.push((Reverse(bound.max(branch.cost)), branch.place));
                        waiting.push(Some(branch));
                    }
                    tree[place as usize] = Choice::Branched { subsystem, first };
                }
            }
        }
        let least = open.peek().map_or(self.goal, |(Reverse(bound), _)| *bound);
        Outcome { best, lower: lower.unwrap_or(least).min(self.goal), nodes, tree }
    }

    fn aim(&mut self, best: &Incumbent) {
        self.goal = self.asked.unwrap_or(u64::MAX).min(best.cost);
    }

    /// Disjoint subsystems until they cost enough, or a w that is right on all that is not given up.
    fn look_at(&self, node: &Node, clock: &Clock) -> Look {
        let mut active: Vec<u32> =
            (0..self.points.len() as u32).filter(|i| !node.given_up.contains(i)).collect();
        let mut packed = Vec::new();
        let mut bound = node.cost;
        while bound < self.goal {
            match self.subsystem(&active, clock) {
                Feasible::Yes(w) if packed.is_empty() => return Look::Separated(w),
                Feasible::Yes(_) | Feasible::Unknown => break,
                Feasible::No(subsystem) => {
                    let loose = subsystem.iter().filter(|i| !node.held.contains(i));
                    let cost = loose.map(|&i| self.points.costs[i as usize]).min();
                    bound = bound.saturating_add(cost.unwrap_or(u64::MAX));
                    active.retain(|i| !subsystem.contains(i));
                    packed.push(subsystem);
                }
            }
            if clock.is_over() {
                break;
            }
        }
        Look::Packed(packed, bound)
    }

    /// A w that is right on all active points, or a subsystem of them.
    fn subsystem(&self, active: &[u32], clock: &Clock) -> Feasible {
        if active.is_empty() {
            return Feasible::Yes(vec![0.0; self.points.dim]);
        }
        let oracle = Active { whitened: self.whitened, active };
        let radius =
            active.iter().map(|&i| norm(self.whitened.point(i as usize))).fold(0.0, f64::max);
        let (key, point) = oracle.lowest(&vec![0.0; self.points.dim]);
        let mut corral = Corral::new(key, point, radius);
        corral.descend(&oracle, radius, 100_000, clock);
        let w = self.whitened.back(&corral.x);
        let right = |&i: &u32| is_positive(&w, self.points.point(i as usize), 0.0, 1.0);
        if active.iter().all(right) {
            return Feasible::Yes(corral.x);
        }
        self.subsystem_exactly(active, &corral.keys, clock)
    }

    fn subsystem_exactly(&self, active: &[u32], proposed: &[u32], clock: &Clock) -> Feasible {
        let exponent = self.points.exponent();
        let exact = |&i: &u32| (i, self.points.integers(i as usize, exponent));
        let clock = clock.without_steps();
        let mut steps = 0;
        let proposal = proposed.iter().map(exact).collect();
        let Some(mut corral) = ExactCorral::of(proposal, &clock, &mut steps) else {
            return Feasible::Unknown;
        };
        if !corral.is_zero() {
            let all: Vec<_> = active.iter().map(exact).collect();
            if !corral.descend(&all, &clock, &mut steps) {
                return Feasible::Unknown;
            }
        }
        if corral.is_zero() {
            return Feasible::No(corral.keys);
        }
        // Weights on whitened coordinates would be rounded; what counts is that there is a w.
        Feasible::Yes(self.whitened.forth(&super::super::exact::proportional(&corral.x)))
    }
}

enum Look {
    Separated(Vec<f64>),
    /// Disjoint subsystems, and what the node costs at least.
    Packed(Vec<Subsystem>, u64),
}

enum Feasible {
    Yes(Vec<f64>),
    No(Subsystem),
    /// The time was over.
    Unknown,
}

impl Node {
    fn branches(&self, subsystem: &Subsystem, points: &Points, first: u32) -> Vec<Node> {
        let loose: Vec<u32> =
            subsystem.iter().copied().filter(|i| !self.held.contains(i)).collect();
        let branch = |(k, &i): (usize, &u32)| Node {
            place: first + k as u32,
            given_up: [&self.given_up[..], &[i]].concat(),
            cost: self.cost + points.costs[i as usize],
            held: [&self.held[..], &loose[..k]].concat(),
        };
        loose.iter().enumerate().map(branch).collect()
    }
}

struct Active<'a> {
    whitened: &'a Whitened,
    active: &'a [u32],
}

impl Oracle<u32> for Active<'_> {
    fn lowest(&self, x: &[f64]) -> (u32, Vec<f64>) {
        let value = |i: u32| dot(self.whitened.point(i as usize), x);
        let values = self.active.iter().map(|&i| (i, value(i)));
        let (lowest, _) =
            values.reduce(|a, b| if b.1 < a.1 { b } else { a }).expect("there are active points");
        (lowest, self.whitened.point(lowest as usize).to_vec())
    }
}

fn norm(z: &[f64]) -> f64 {
    dot(z, z).sqrt()
}
