//! The exact fewest mistakes on a few points, by recursion through the points.
//!
//! Let z_1 … z_k be vectors of R^D with costs. The vectors w that are on no hyperplane z_i·w = 0 form
//! open cells; the cost of a cell is that of the points with z_i·w < 0. A cell has a facet on some
//! hyperplane i. On that hyperplane, a space of D − 1 dimensions, the facet is a cell of the other
//! points projected along z_i; and at the facet the points parallel to z_i are right on one side and
//! wrong on the other. So
//!
//! cost(Z) = min_i [ cost(Z projected along z_i) + min(cost of z ∥ z_i, cost of z ∥ −z_i) ],
//!
//! ties resolved by the recursion itself. A chain of facets may be taken with increasing index, if
//! points that have become parallel stand under the largest index among them, so that C(k, D−2) chains
//! are enough. In two dimensions the hyperplanes are sorted by angle and swept over, O(k log k).
//! Projections are Bareiss's, so that integers stay minors of the data.

use std::cmp::Ordering;

use super::super::budget::Clock;
use super::number::{Ring, Undecided};

/// A point of the recursion.
#[derive(Clone, Debug)]
pub(crate) struct Item<R> {
    /// Its place among the points given.
    pub(crate) id: u32,
    pub(crate) cost: u64,
    pub(crate) z: Vec<R>,
}

/// The least cost and which points are right there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) cost: u64,
    /// Ids of the points that are right.
    pub(crate) right: Vec<u32>,
}

/// The cell of least cost, if that is below `bound`. No point may be zero. Undecided, too, if the time
/// is over.
pub(crate) fn cheapest_cell<R: Ring>(
    items: &[Item<R>],
    bound: u64,
    clock: &Clock,
) -> Result<Option<Cell>, Undecided> {
    best(items, bound, None, None, clock)
}

fn best<R: Ring>(
    items: &[Item<R>],
    bound: u64,
    last_id: Option<u32>,
    last_pivot: Option<&R>,
    clock: &Clock,
) -> Result<Option<Cell>, Undecided> {
    let Some(first) = items.first() else {
        return Ok((bound > 0).then_some(Cell { cost: 0, right: Vec::new() }));
    };
    match first.z.len() {
        1 => line(items, bound),
        2 => sweep(items, bound, clock),
        _ => through_pivots(items, bound, last_id, last_pivot, clock),
    }
}

fn through_pivots<R: Ring>(
    items: &[Item<R>],
    mut bound: u64,
    last_id: Option<u32>,
    last_pivot: Option<&R>,
    clock: &Clock,
) -> Result<Option<Cell>, Undecided> {
    let mut found = None;
    for pivot in items.iter().filter(|item| last_id.is_none_or(|last| item.id > last)) {
        if clock.is_over() {
            return Err(Undecided);
        }
        let Projection { rest, along, against, pivot_size } = project(items, pivot, last_pivot)?;
        // Parallel points stand under the largest index.
        if along.iter().chain(&against).any(|&(id, _)| id > pivot.id) {
            continue;
        }
        let cost = |side: &[(u32, u64)]| side.iter().map(|&(_, cost)| cost).sum::<u64>();
        let (wrong_side, right_side) =
            if cost(&against) <= cost(&along) { (against, along) } else { (along, against) };
        let wrong = cost(&wrong_side);
        if wrong >= bound {
            continue;
        }
        if let Some(mut cell) =
            best(&rest, bound - wrong, Some(pivot.id), Some(&pivot_size), clock)?
        {
            cell.cost += wrong;
            cell.right.extend(right_side.iter().map(|&(id, _)| id));
            bound = cell.cost;
            found = Some(cell);
        }
    }
    Ok(found)
}

/// The other points on the hyperplane of a pivot.
struct Projection<R> {
    rest: Vec<Item<R>>,
    /// Points in the direction of the pivot, itself included, with their costs.
    along: Vec<(u32, u64)>,
    /// Points in the opposite direction.
    against: Vec<(u32, u64)>,
    /// |the coordinate that was eliminated|, by which the next projection divides.
    pivot_size: R,
}

fn project<R: Ring>(
    items: &[Item<R>],
    pivot: &Item<R>,
    last_pivot: Option<&R>,
) -> Result<Projection<R>, Undecided> {
    let axis = (0..pivot.z.len())
        .max_by(|&i, &j| pivot.z[i].size().total_cmp(&pivot.z[j].size()))
        .unwrap_or(0);
    let axis_sign = pivot.z[axis].sign()?;
    if axis_sign == Ordering::Equal {
        return Err(Undecided);
    }
    let positive = |value: R| if axis_sign == Ordering::Less { value.negate() } else { value };
    let mut projection = Projection {
        rest: Vec::with_capacity(items.len()),
        along: vec![(pivot.id, pivot.cost)],
        against: Vec::new(),
        pivot_size: positive(pivot.z[axis].clone()),
    };
    for item in items.iter().filter(|item| item.id != pivot.id) {
        let mut z = Vec::with_capacity(item.z.len() - 1);
        for q in (0..item.z.len()).filter(|&q| q != axis) {
            let value = R::cross(&pivot.z[axis], &item.z[q], &item.z[axis], &pivot.z[q])?;
            let value = match last_pivot {
                Some(last) => value.divide(last),
                None => value,
            };
            z.push(positive(value));
        }
        if is_zero(&z)? {
            let same = item.z[axis].sign()? == axis_sign;
            let side = if same { &mut projection.along } else { &mut projection.against };
            side.push((item.id, item.cost));
        } else {
            projection.rest.push(Item { id: item.id, cost: item.cost, z });
        }
    }
    Ok(projection)
}

/// Whether all coordinates are zero; one that surely is not settles it.
fn is_zero<R: Ring>(z: &[R]) -> Result<bool, Undecided> {
    let mut undecided = false;
    for value in z {
        match value.sign() {
            Ok(Ordering::Equal) => {}
            Ok(_) => return Ok(false),
            Err(Undecided) => undecided = true,
        }
    }
    if undecided { Err(Undecided) } else { Ok(true) }
}

/// One dimension: w = 1 or w = −1.
fn line<R: Ring>(items: &[Item<R>], bound: u64) -> Result<Option<Cell>, Undecided> {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let (mut up_cost, mut down_cost) = (0, 0);
    for item in items {
        if item.z[0].sign()? == Ordering::Greater {
            up.push(item.id);
            up_cost += item.cost;
        } else {
            down.push(item.id);
            down_cost += item.cost;
        }
    }
    let (cost, right) = if down_cost <= up_cost { (down_cost, up) } else { (up_cost, down) };
    Ok((cost < bound).then_some(Cell { cost, right }))
}

/// Two dimensions: the lines of the points sorted by angle, and w turned past one after another.
///
/// Every point stands as ±u with u in the upper half-plane. Start with w such that no u is right, then
/// cross the lines in order; a line's +u become right and its −u wrong. Half a turn is enough, since
/// −w is right where w is wrong.
fn sweep<R: Ring>(items: &[Item<R>], bound: u64, clock: &Clock) -> Result<Option<Cell>, Undecided> {
    let mut lines = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let upper = match item.z[1].sign()? {
            Ordering::Equal => item.z[0].sign()? == Ordering::Greater,
            sign => sign == Ordering::Greater,
        };
        let turn = |v: &R| if upper { v.clone() } else { v.clone().negate() };
        lines.push((turn(&item.z[0]), turn(&item.z[1]), upper, at));
    }
    let mut undecided = false;
    let mut compare = |a: &(R, R, bool, usize), b: &(R, R, bool, usize)| {
        // a comes before b iff a × b > 0.
        match R::cross(&a.0, &b.1, &a.1, &b.0).and_then(|cross| cross.sign()) {
            Ok(sign) => sign.reverse(),
            Err(Undecided) => {
                undecided = true;
                a.3.cmp(&b.3)
            }
        }
    };
    if !sort_by(&mut lines, &mut compare, clock) {
        return Err(Undecided);
    }
    let starts = line_starts(&lines, &mut compare);
    if undecided {
        return Err(Undecided);
    }
    let total: u64 = items.iter().map(|item| item.cost).sum();
    let mut cost: u64 = lines.iter().filter(|line| line.2).map(|line| items[line.3].cost).sum();
    // (cost, lines crossed, whether w is turned round)
    let mut least = (bound, 0, false);
    for (run, &start) in starts.iter().enumerate() {
        for (turned, cost) in [(false, cost), (true, total - cost)] {
            if cost < least.0 {
                least = (cost, start, turned);
            }
        }
        let end = starts.get(run + 1).copied().unwrap_or(lines.len());
        for line in &lines[start..end] {
            let own = items[line.3].cost;
            cost = if line.2 { cost - own } else { cost + own };
        }
    }
    if least.0 == bound {
        return Ok(None);
    }
    let (cost, crossed, turned) = least;
    let is_right = |&(at, line): &(usize, &(R, R, bool, usize))| {
        // Crossed lines have their upper points right, the others their lower ones.
        ((at < crossed) == line.2) != turned
    };
    let right = lines.iter().enumerate().filter(is_right).map(|(_, line)| items[line.3].id);
    Ok(Some(Cell { cost, right: right.collect() }))
}

/// Where runs of equal lines begin.
fn line_starts<L>(lines: &[L], compare: &mut impl FnMut(&L, &L) -> Ordering) -> Vec<usize> {
    let mut starts = vec![0];
    for at in 1..lines.len() {
        if compare(&lines[at - 1], &lines[at]) != Ordering::Equal {
            starts.push(at);
        }
    }
    starts
}

/// A merge sort that does not mind a comparison that is no order, as one that is undecided may be;
/// false if the time is over.
fn sort_by<L: Clone>(
    lines: &mut Vec<L>,
    compare: &mut impl FnMut(&L, &L) -> Ordering,
    clock: &Clock,
) -> bool {
    let n = lines.len();
    let mut width = 1;
    let mut merged = Vec::with_capacity(n);
    while width < n {
        // Short lists are sorted all the time, and in no time.
        if width >= 1024 && clock.is_over() {
            return false;
        }
        merged.clear();
        for from in (0..n).step_by(2 * width) {
            let (middle, end) = ((from + width).min(n), (from + 2 * width).min(n));
            let (mut left, mut right) = (from, middle);
            while left < middle || right < end {
                let take_left = right >= end
                    || left < middle && compare(&lines[left], &lines[right]) != Ordering::Greater;
                let next = if take_left { &mut left } else { &mut right };
                merged.push(lines[*next].clone());
                *next += 1;
            }
        }
        std::mem::swap(lines, &mut merged);
        width *= 2;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::super::Budget;
    use super::super::super::exact_min_norm::ExactCorral;
    use super::super::number::Filtered;
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn items<R>(z: &[Vec<i64>], costs: &[u64], of: impl Fn(i64) -> R) -> Vec<Item<R>> {
        let rows = z.iter().zip(costs).enumerate();
        rows.map(|(id, (z, &cost))| Item {
            id: id as u32,
            cost,
            z: z.iter().map(|&v| of(v)).collect(),
        })
        .collect()
    }

    /// The least cost over all whole w in a box that meets every cell of such small points.
    fn by_force(z: &[Vec<i64>], costs: &[u64], reach: i64) -> u64 {
        let d = z[0].len() as u32;
        let side = 2 * reach + 1;
        (0..side.pow(d))
            .map(|code| {
                let w: Vec<i64> = (0..d).map(|j| code / side.pow(j) % side - reach).collect();
                let wrong = |z: &Vec<i64>| z.iter().zip(&w).map(|(z, w)| z * w).sum::<i64>() <= 0;
                z.iter().zip(costs).filter(|(z, _)| wrong(z)).map(|(_, cost)| cost).sum()
            })
            .min()
            .unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        #[test]
        fn cells_are_as_cheap_as_by_force(
            entries in prop::collection::vec(-1..2_i64, 3..30),
            costs in prop::collection::vec(1..4_u64, 15), d in 1..4_usize,
        ) {
            let z: Vec<Vec<i64>> = entries
                .chunks_exact(d)
                .map(<[i64]>::to_vec)
                .filter(|z| z.iter().any(|&v| v != 0))
                .take(9)
                .collect();
            prop_assume!(!z.is_empty());
            let expected = by_force(&z, &costs, 6);
            let clock = Budget::unlimited().start();
            let big = cheapest_cell(&items(&z, &costs, BigInt::from), u64::MAX, &clock).unwrap().unwrap();
            let wide = cheapest_cell(&items(&z, &costs, i128::from), u64::MAX, &clock).unwrap().unwrap();
            let quick = cheapest_cell(&items(&z, &costs, |v| Filtered::from(v as f64)), u64::MAX, &clock);
            prop_assert_eq!(big.cost, expected);
            prop_assert_eq!(wide.cost, expected);
            prop_assert_eq!(quick.unwrap().unwrap().cost, expected);
            let right: u64 = big.right.iter().map(|&id| costs[id as usize]).sum();
            prop_assert_eq!(right + big.cost, costs[..z.len()].iter().sum::<u64>());
            let none = cheapest_cell(&items(&z, &costs, BigInt::from), expected, &clock).unwrap();
            prop_assert_eq!(none, None);
        }
    }

    /// Whether some w is right on exactly the points that a cell gets right: its signed points then
    /// have no convex combination that is zero.
    fn exists(z: &[Vec<i64>], cell: &Cell) -> bool {
        let sign = |id: usize| if cell.right.contains(&(id as u32)) { 1 } else { -1 };
        let signed = |(id, z): (usize, &Vec<i64>)| {
            (id, z.iter().map(|v| BigInt::from(sign(id) * v)).collect::<Vec<_>>())
        };
        let points: Vec<_> = z.iter().enumerate().map(signed).collect();
        let clock = Budget::unlimited().start();
        !ExactCorral::of(points, &clock, &mut 0).unwrap().is_zero()
    }

    proptest! {
        #[test]
        fn four_dimensions_too(
            entries in prop::collection::vec(-1..2_i64, 4..32), costs in prop::collection::vec(1..3_u64, 8),
        ) {
            let z: Vec<Vec<i64>> = entries
                .chunks_exact(4)
                .map(<[i64]>::to_vec)
                .filter(|z| z.iter().any(|&v| v != 0))
                .collect();
            prop_assume!(!z.is_empty());
            let clock = Budget::unlimited().start();
            let quick = cheapest_cell(&items(&z, &costs, |v| Filtered::from(v as f64)), u64::MAX, &clock);
            let cell = quick.unwrap().unwrap();
            // Force may miss a narrow cell, but finds none that is cheaper.
            prop_assert!(cell.cost <= by_force(&z, &costs, 4));
            prop_assert!(exists(&z, &cell));
        }
    }
}
