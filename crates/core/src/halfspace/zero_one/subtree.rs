//! The boxes below one box, depth first.
//!
//! The undetermined points of the boxes on the way down are [lists](super::lists) one above the other; the
//! children of a box go where the lists of all boxes that still wait end.

use super::super::budget::Clock;
use super::boxes::{Branch, Open, Search};
use super::interior::into_cell;
use super::lists::{Division, Lists, Tally};

/// Halvings of one exploration, at most.
const HALVINGS: u64 = 512;

/// Points that one exploration may go through, about. Boxes with many are halved a few times only, so that
/// those with the least bounds come first: the bound that a spent budget leaves behind is theirs.
const POINTS: u64 = 32_768;

/// Levels of one exploration, at most: what the reach has room for.
const LEVELS: u32 = 96;

/// Halvings, for each dimension, that must not go by without shedding a quarter of the undetermined points.
const PATIENCE: usize = 3;

/// 2^−40: half-widths that are not halved any more.
const SMALLEST: f64 = 1.0 / (1_u64 << 40) as f64;

/// Halvings between two looks at the clock.
const HALVINGS_PER_LOOK: u64 = 16;

/// What was found below a box.
pub(super) struct Explored {
    /// The tree, the box first; places in it are relative.
    pub(super) branches: Vec<Branch>,
    pub(super) open: Vec<Open>,
    /// Weights worth a closer look.
    pub(super) candidates: Vec<Candidate>,
    /// The least bound of boxes that are too small to halve.
    pub(super) stuck: u64,
}

/// Weights that may be better than the best.
pub(super) enum Candidate {
    Centre(Vec<f64>),
    /// A centre, and a direction from it.
    Along(Vec<f64>, Vec<f64>),
}

/// A box on the stack; its list of points is a range of the arrays.
struct Frame {
    place: u32,
    depth: u32,
    wrong: u64,
    lower: u64,
    seen: usize,
    idle: usize,
    centre: Vec<f64>,
    radius: Vec<f64>,
    /// Σ|z_j| over the undetermined points, axis by axis, when it was last looked at.
    spread: Vec<f64>,
    from: usize,
    to: usize,
    /// Where the arrays are free above this frame and those below it.
    free: usize,
}

/// One half of a box, after its points were gone through.
struct Half {
    place: u32,
    /// The axis that was halved.
    axis: usize,
    centre: Vec<f64>,
    /// Where its list begins.
    from: usize,
    tally: Tally,
}

pub(super) struct Subtree<'a> {
    search: &'a Search<'a>,
    root: &'a Open,
    /// The points of the root: coordinates axis after axis, and costs.
    coordinates: Vec<Vec<f64>>,
    costs: Vec<u64>,
    lists: Lists,
    stack: Vec<Frame>,
    explored: Explored,
    /// The least cost of any centre, if that is an improvement, and of any cell in a leaf.
    best_centre: Option<(u64, Vec<f64>)>,
    best_cell: Option<(u64, Vec<f64>, Vec<f64>)>,
}

impl<'a> Subtree<'a> {
    pub(super) fn new(search: &'a Search<'a>, root: &'a Open) -> Self {
        let (dim, count) = (search.points.dim, root.undetermined.len());
        let mut subtree = Self {
            search,
            root,
            coordinates: vec![Vec::with_capacity(count); dim],
            costs: Vec::with_capacity(count),
            lists: Lists::default(),
            stack: Vec::new(),
            explored: Explored {
                branches: vec![Branch::Leaf],
                open: Vec::new(),
                candidates: Vec::new(),
                stuck: u64::MAX,
            },
            best_centre: None,
            best_cell: None,
        };
        subtree.take_root();
        subtree
    }

    /// The points of the root, and the root as the first frame.
    fn take_root(&mut self) {
        let Open { ref centre, ref radius, ref undetermined, .. } = *self.root;
        let mut spread = vec![0.0; centre.len()];
        for (local, &i) in undetermined.iter().enumerate() {
            let (mut value, mut reach, mut size) = (0.0, 0.0, 0.0);
            for (j, &z) in self.search.whitened.point(i as usize).iter().enumerate() {
                value += centre[j] * z;
                reach += radius[j] * z.abs();
                size += z.abs();
                spread[j] += z.abs();
                self.coordinates[j].push(z);
            }
            self.costs.push(self.search.points.costs[i as usize]);
            let rounding = f64::from(LEVELS + 8) * f64::EPSILON * size;
            let reach = reach + self.search.whitened.slack[i as usize] + rounding;
            self.lists.push(local as u32, value, reach);
        }
        self.stack.push(Frame {
            place: 0,
            depth: 0,
            wrong: self.root.wrong,
            lower: self.root.lower,
            seen: self.root.seen,
            idle: self.root.idle,
            centre: centre.clone(),
            radius: radius.clone(),
            spread,
            from: 0,
            to: undetermined.len(),
            free: undetermined.len(),
        });
    }

    /// Halves boxes until all are closed, or for so many halvings.
    pub(super) fn explore(mut self, most: u64, clock: &Clock) -> Explored {
        let count = self.root.undetermined.len().max(1) as u64;
        let most = most.min(POINTS / count).clamp(1, HALVINGS);
        let mut halvings = 0;
        while let Some(frame) = self.stack.pop() {
            let waits = halvings == most
                || frame.depth == LEVELS
                || halvings.is_multiple_of(HALVINGS_PER_LOOK) && clock.is_over();
            if waits {
                self.leave_open(frame);
                continue;
            }
            let Some(axis) = self.widest_axis(&frame) else {
                self.explored.stuck = self.explored.stuck.min(frame.lower);
                continue;
            };
            halvings += 1;
            self.halve(&frame, axis, clock);
        }
        let candidates = &mut self.explored.candidates;
        candidates.extend(self.best_centre.map(|(_, centre)| Candidate::Centre(centre)));
        let along = |(_, centre, direction)| Candidate::Along(centre, direction);
        candidates.extend(self.best_cell.map(along));
        self.explored
    }

    /// The axis along which a box is widest for its points; `None` if it is too small to halve.
    fn widest_axis(&self, frame: &Frame) -> Option<usize> {
        let width = |j: &usize| frame.radius[*j] * frame.spread[*j];
        let halvable = (0..self.coordinates.len()).filter(|&j| frame.radius[j] > SMALLEST);
        halvable.max_by(|i, j| width(i).total_cmp(&width(j)))
    }

    fn halve(&mut self, frame: &Frame, axis: usize, clock: &Clock) {
        let half_width = 0.5 * frame.radius[axis];
        let missing = self.search.goal - self.search.points.base;
        let division = Division {
            from: frame.from,
            to: frame.to,
            free: frame.free,
            along: &self.coordinates[axis],
            costs: &self.costs,
            half_width,
            enough: missing - frame.wrong,
        };
        let tallies = self.lists.divide(&division);
        let low = self.explored.branches.len() as u32;
        self.explored.branches[frame.place as usize] = Branch::Halved { axis: axis as u8, low };
        self.explored.branches.extend([Branch::Leaf; 2]);
        let mut halves: Vec<Frame> = Vec::with_capacity(2);
        for (upper, tally) in tallies.into_iter().enumerate() {
            let mut centre = frame.centre.clone();
            centre[axis] += if upper == 1 { half_width } else { -half_width };
            let from = frame.free + upper * (frame.to - frame.from);
            let half = Half { place: low + upper as u32, axis, centre, from, tally };
            halves.extend(self.look_at(frame, half, clock));
        }
        // The one with the lesser bound is looked at first.
        halves.sort_by_key(|half| std::cmp::Reverse(half.lower));
        for half in halves {
            let below = self.stack.last().map_or(0, |below| below.free);
            self.stack.push(Frame { free: below.max(half.to), ..half });
        }
    }

    /// A half of a box, unless it is closed.
    fn look_at(&mut self, parent: &Frame, half: Half, clock: &Clock) -> Option<Frame> {
        let Half { place, axis, centre, from, tally } = half;
        let Search { points, whitened, ref leaves, goal, .. } = *self.search;
        let wrong = parent.wrong + tally.wrong;
        let certain = points.base + wrong;
        if certain >= goal {
            return None;
        }
        let at_centre = certain + tally.centre_wrong;
        if at_centre < self.best_centre.as_ref().map_or(goal, |best| best.0) {
            self.best_centre = Some((at_centre, centre.clone()));
        }
        let (count, to) = (tally.undetermined, from + tally.undetermined);
        let shed = 4 * count < 3 * parent.seen;
        let (seen, idle) = if shed { (count, 0) } else { (parent.seen, parent.idle + 1) };
        let mut lower = certain.max(parent.lower);
        let stagnant = idle > 0 && idle.is_multiple_of(PATIENCE * (points.dim - 1));
        if leaves.is_due(count, stagnant) {
            let chosen = self.global(from, to);
            match leaves.cheapest(&chosen, goal - certain, clock) {
                Ok(None) => return None,
                Ok(Some(cell)) => {
                    lower = lower.max(certain + cell.cost);
                    if self.best_cell.as_ref().is_none_or(|best| certain + cell.cost < best.0) {
                        let direction = into_cell(whitened, &chosen, &cell);
                        self.best_cell = Some((certain + cell.cost, centre.clone(), direction));
                    }
                }
                // As open as before.
                Err(_) => {}
            }
        }
        let mut radius = parent.radius.clone();
        radius[axis] *= 0.5;
        let look_again = shed || idle.is_multiple_of(points.dim);
        let spread = if look_again { self.spread(from, to) } else { parent.spread.clone() };
        let (depth, free) = (parent.depth + 1, to);
        Some(Frame {
            place,
            depth,
            wrong,
            lower,
            seen,
            idle,
            centre,
            radius,
            spread,
            from,
            to,
            free,
        })
    }

    fn leave_open(&mut self, frame: Frame) {
        let undetermined = self.global(frame.from, frame.to);
        let Frame { place, depth, wrong, lower, seen, idle, centre, radius, .. } = frame;
        let depth = self.root.depth + depth;
        let open = Open { place, depth, centre, radius, wrong, lower, undetermined, seen, idle };
        self.explored.open.push(open);
    }

    /// Points of a list, as those of the whole problem.
    fn global(&self, from: usize, to: usize) -> Vec<u32> {
        let ids = self.lists.ids(from, to).iter();
        ids.map(|&local| self.root.undetermined[local as usize]).collect()
    }

    /// Σ|z_j| over a list, axis by axis.
    fn spread(&self, from: usize, to: usize) -> Vec<f64> {
        let sum = |axis: &Vec<f64>| {
            self.lists.ids(from, to).iter().map(|&local| axis[local as usize].abs()).sum()
        };
        self.coordinates.iter().map(sum).collect()
    }
}
