//! The exact recursion on a few of the points, in the cheapest numbers that can tell the signs.

use super::super::budget::Clock;
use super::number::{Filtered, Ring, Undecided};
use super::preprocess::Points;
use super::recursion::{Cell, Item, cheapest_cell};

/// The time was over before the cheapest cell was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfTime;

/// How to run the recursion on the points of a problem.
pub(crate) struct Leaves<'a> {
    points: &'a Points,
    exponent: i32,
    /// Whether all coordinates are whole and short enough for 128 bits.
    whole: bool,
}

impl<'a> Leaves<'a> {
    pub(crate) fn new(points: &'a Points) -> Self {
        let largest = points.z.iter().fold(0.0, |largest: f64, z| largest.max(z.abs()));
        let whole = largest < 9e15 && points.z.iter().all(|z| z.fract() == 0.0);
        Self { points, exponent: points.exponent(), whole }
    }

    /// Whether the recursion is worth its time: for few points, or, where halving boxes does not help
    /// any more, for more.
    pub(crate) fn is_due(&self, count: usize, stagnant: bool) -> bool {
        self.work(count) <= if stagnant { 2e7 } else { 4e3 }
    }

    /// About how many comparisons the recursion takes: C(k, D−2)·k·log k.
    pub(crate) fn work(&self, count: usize) -> f64 {
        let k = count as f64;
        let levels = self.points.dim.saturating_sub(2);
        let chains: f64 = (0..levels).map(|l| (k - l as f64).max(1.0) / (l + 1) as f64).product();
        chains * k * (k + 2.0).log2()
    }

    /// The cheapest cell of some of the points, if it costs less than `bound`. Ids are the points'.
    pub(crate) fn cheapest(
        &self,
        chosen: &[u32],
        bound: u64,
        clock: &Clock,
    ) -> Result<Option<Cell>, OutOfTime> {
        let point = |i: usize| self.points.point(i).iter();
        let filtered =
            self.run(chosen, bound, clock, |i| point(i).map(|&v| Filtered::from(v)).collect());
        if let Ok(cell) = filtered {
            return Ok(cell);
        }
        if self.whole && !clock.is_over() {
            let wide = self.run(chosen, bound, clock, |i| point(i).map(|&v| v as i128).collect());
            if let Ok(cell) = wide {
                return Ok(cell);
            }
        }
        // Big integers decide every sign, if there is time.
        let integers = |i: usize| self.points.integers(i, self.exponent);
        self.run(chosen, bound, clock, integers).map_err(|Undecided| OutOfTime)
    }

    fn run<R: Ring>(
        &self,
        chosen: &[u32],
        bound: u64,
        clock: &Clock,
        coordinates: impl Fn(usize) -> Vec<R>,
    ) -> Result<Option<Cell>, Undecided> {
        let item = |&id: &u32| Item {
            id,
            cost: self.points.costs[id as usize],
            z: coordinates(id as usize),
        };
        let items: Vec<Item<R>> = chosen.iter().map(item).collect();
        cheapest_cell(&items, bound, clock)
    }
}
