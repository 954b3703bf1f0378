//! The boxes below one box, depth first.
//!
//! What a halving needs of an undetermined point is w·z at the centre, its reach r·|z| over the box and
//! one coordinate: halving axis a moves the first by ±½r_a z_a and shortens the second by ½r_a|z_a|, so a
//! point costs a few operations whatever the dimension. Half-widths are powers of two, so the products
//! are exact; each of the two sums is rounded once a level, which the reach has room for from the start.
//!
//! Lists of points lie one above the other in three arrays that grow to a few times the longest list and
//! are never copied.

use std::collections::HashSet;

use super::super::budget::{Budget, Clock};
use super::super::min_norm::{Corral, Oracle, dot};
use super::boxes::{Branch, Open, Search};
use super::recursion::Cell;
use super::whiten::Whitened;

/// Halvings of one exploration, at most.
const HALVINGS: u64 = 1024;

/// Boxes with more undetermined points are halved once: exploring them would keep others waiting.
const LARGE: usize = 4096;

/// Levels of one exploration, at most: what the reach has room for.
const LEVELS: u32 = 96;

/// Halvings, for each dimension, that must not go by without shedding a quarter of the undetermined points.
const PATIENCE: usize = 3;

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

/// What a look at the points says about one half of a box.
#[derive(Clone, Copy, Default)]
struct Tally {
    wrong: u64,
    /// What the centre gets wrong of the undetermined ones.
    centre_wrong: u64,
    undetermined: usize,
}

/// Undetermined points: which they are, w·z at the centre of their box, and its reach over the box.
#[derive(Default)]
struct Lists {
    ids: Vec<u32>,
    values: Vec<f64>,
    reaches: Vec<f64>,
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
        let chosen = || root.undetermined.iter().map(|&i| i as usize);
        let axis = |j: usize| chosen().map(|i| search.whitened.point(i)[j]).collect();
        let coordinates: Vec<Vec<f64>> = (0..search.points.dim).map(axis).collect();
        let mut subtree = Self {
            search,
            root,
            coordinates,
            costs: chosen().map(|i| search.points.costs[i]).collect(),
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

    fn take_root(&mut self) {
        let Open { centre, radius, wrong, lower, seen, idle, ref undetermined, .. } =
            self.root.clone();
        let count = undetermined.len();
        for (local, &i) in undetermined.iter().enumerate() {
            let (mut value, mut reach, mut size) = (0.0, 0.0, 0.0);
            for (j, z) in self.search.whitened.point(i as usize).iter().enumerate() {
                value += centre[j] * z;
                reach += radius[j] * z.abs();
                size += z.abs();
            }
            let rounding = f64::from(LEVELS + 8) * f64::EPSILON * size;
            self.lists.ids.push(local as u32);
            self.lists.values.push(value);
            self.lists.reaches.push(reach + self.search.whitened.slack[i as usize] + rounding);
        }
        let spread = self.spread(0, count);
        let (place, depth, from) = (0, 0, 0);
        let frame = Frame {
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
            to: count,
            free: count,
        };
        self.stack.push(frame);
    }

    /// Halves boxes until all are closed, or for so many halvings.
    pub(super) fn explore(mut self, most: u64, clock: &Clock) -> Explored {
        let large = self.root.undetermined.len() > LARGE;
        let most = if large { 1 } else { most.min(HALVINGS) };
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
        let count = frame.to - frame.from;
        let tallies = self.lists.divide(
            frame,
            &self.coordinates[axis],
            &self.costs,
            half_width,
            missing - frame.wrong,
        );
        let low = self.explored.branches.len() as u32;
        self.explored.branches[frame.place as usize] = Branch::Halved { axis: axis as u8, low };
        self.explored.branches.extend([Branch::Leaf; 2]);
        let mut halves: Vec<Frame> = Vec::with_capacity(2);
        for (upper, tally) in tallies.into_iter().enumerate() {
            let mut centre = frame.centre.clone();
            centre[axis] += if upper == 1 { half_width } else { -half_width };
            let from = frame.free + upper * count;
            let place = low + upper as u32;
            halves.extend(self.look_at(frame, axis, place, centre, from, tally, clock));
        }
        // The one with the lesser bound is looked at first.
        halves.sort_by_key(|half| std::cmp::Reverse(half.lower));
        for half in halves {
            let below = self.stack.last().map_or(0, |below| below.free);
            self.stack.push(Frame { free: below.max(half.to), ..half });
        }
    }

    /// A half of a box, unless it is closed.
    #[expect(
        clippy::too_many_arguments,
        reason = "what is known of a half comes from three places"
    )]
    fn look_at(
        &mut self,
        parent: &Frame,
        axis: usize,
        place: u32,
        centre: Vec<f64>,
        from: usize,
        tally: Tally,
        clock: &Clock,
    ) -> Option<Frame> {
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
        let ids = self.lists.ids[from..to].iter();
        ids.map(|&local| self.root.undetermined[local as usize]).collect()
    }

    /// Σ|z_j| over a list, axis by axis.
    fn spread(&self, from: usize, to: usize) -> Vec<f64> {
        let sum = |axis: &Vec<f64>| {
            self.lists.ids[from..to].iter().map(|&local| axis[local as usize].abs()).sum()
        };
        self.coordinates.iter().map(sum).collect()
    }
}

/// Half-widths that are not halved any more.
const SMALLEST: f64 = 9.094_947_017_729_282e-13; // 2^−40

impl Lists {
    /// The points of a box as those of its halves: the lower half's list goes where the arrays are
    /// free, the upper one's behind it, with room for all points of the box each. Ends early once both
    /// halves have mistakes of `enough`.
    fn divide(
        &mut self,
        frame: &Frame,
        along: &[f64],
        costs: &[u64],
        half_width: f64,
        enough: u64,
    ) -> [Tally; 2] {
        let count = frame.to - frame.from;
        let room = frame.free + 2 * count;
        if self.ids.len() < room {
            self.ids.resize(room, 0);
            self.values.resize(room, 0.0);
            self.reaches.resize(room, 0.0);
        }
        let (ids, free_ids) = self.ids.split_at_mut(frame.free);
        let (values, free_values) = self.values.split_at_mut(frame.free);
        let (reaches, free_reaches) = self.reaches.split_at_mut(frame.free);
        let (low_ids, high_ids) = free_ids[..2 * count].split_at_mut(count);
        let (low_values, high_values) = free_values[..2 * count].split_at_mut(count);
        let (low_reaches, high_reaches) = free_reaches[..2 * count].split_at_mut(count);
        let mut low = Half {
            ids: low_ids,
            values: low_values,
            reaches: low_reaches,
            tally: Tally::default(),
        };
        let mut high = Half {
            ids: high_ids,
            values: high_values,
            reaches: high_reaches,
            tally: Tally::default(),
        };
        let range = frame.from..frame.to;
        let (ids, values, reaches) = (&ids[range.clone()], &values[range.clone()], &reaches[range]);
        let runs = ids.chunks(RUN).zip(values.chunks(RUN)).zip(reaches.chunks(RUN));
        for ((ids, values), reaches) in runs {
            for ((&id, &value), &reach) in ids.iter().zip(values).zip(reaches) {
                let shift = half_width * along[id as usize];
                let cost = costs[id as usize];
                let reach = reach - shift.abs();
                low.add(id, value - shift, reach, cost);
                high.add(id, value + shift, reach, cost);
            }
            if low.tally.wrong >= enough && high.tally.wrong >= enough {
                break;
            }
        }
        [low.tally, high.tally]
    }
}

/// Points between two looks at whether enough are wrong.
const RUN: usize = 128;

/// The list of a half that is being filled.
struct Half<'a> {
    ids: &'a mut [u32],
    values: &'a mut [f64],
    reaches: &'a mut [f64],
    tally: Tally,
}

impl Half<'_> {
    /// A point whose w·z is within `value` ± `reach` on the half. Without branches, which could not be
    /// predicted: every point is written down, and the next one over it where it is determined.
    #[inline(always)]
    fn add(&mut self, id: u32, value: f64, reach: f64, cost: u64) {
        let at = self.tally.undetermined;
        self.ids[at] = id;
        self.values[at] = value;
        self.reaches[at] = reach;
        let undetermined = value.abs() <= reach;
        self.tally.undetermined += usize::from(undetermined);
        self.tally.wrong += cost * u64::from(value < -reach);
        self.tally.centre_wrong += cost * u64::from(undetermined & (value <= 0.0));
    }
}

/// A direction, in whitened coordinates, that is right on the points that a cell gets right and wrong
/// on the others: the one of widest margin.
pub(super) fn into_cell(whitened: &Whitened, chosen: &[u32], cell: &Cell) -> Vec<f64> {
    let right: HashSet<u32> = cell.right.iter().copied().collect();
    let signed = |&i: &u32| {
        let sign = if right.contains(&i) { 1.0 } else { -1.0 };
        whitened.point(i as usize).iter().map(|z| sign * z).collect::<Vec<f64>>()
    };
    let list = Listed(chosen.iter().map(signed).collect());
    let radius = list.0.iter().map(|z| dot(z, z).sqrt()).fold(0.0, f64::max);
    let mut corral = Corral::new(0, list.0[0].clone(), radius);
    corral.descend(&list, radius, 1000, &Budget::unlimited().start());
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
