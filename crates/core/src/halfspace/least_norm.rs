//! The point of least norm in a hull: proposed in doubles, finished in integers, checked on every row.
//!
//! Scans of all rows by block products alternate with Wolfe's method on the lowest rows found so far,
//! until a scan brings no new ones. The corral is then solved exactly, and a pass that decides signs
//! exactly looks for rows on its near side; those that there are join, in integers.

use num_bigint::BigInt;

use super::budget::Clock;
use super::exact;
use super::exact_min_norm::ExactCorral;
use super::hull::{Hull, Vertex, Working};
use super::min_norm::{Corral, Oracle, dot};
use crate::{Error, Scalar};

/// The point of least norm, proven, or the length of the shortest found.
pub(super) enum End {
    /// The exact corral, in units of 2^exponent.
    Exact(ExactCorral<Vertex>, i32),
    Short(f64),
}

/// Rows of each class that a scan adds to those that major cycles run on.
const ROWS_PER_SCAN: usize = 128;

/// Bytes that Wolfe's method takes for a number of a row: in the row, in its corral, in the factor.
const DOUBLES: usize = 24;

pub(super) fn least_norm<T: Scalar>(hull: &Hull<'_, T>, clock: &Clock) -> Result<End, Error> {
    let mut steps = 0;
    let kept = hull.examples.rows().min(2 * ROWS_PER_SCAN);
    clock.budget().allows("rows that Wolfe's method runs on", kept, hull.dimension(), DOUBLES)?;
    let mut working = Working::new(hull.pairs);
    let corral = propose(hull, &mut working, clock, &mut steps)?;
    let short = End::Short(dot(&corral.x, &corral.x).sqrt());
    let exponent = hull.exponent();
    let (rows, width) = (corral.keys.len() + 1, hull.dimension());
    clock.budget().allows("rows in exact integers", rows, width, hull.integer_bytes(exponent))?;
    let point = |key: Vertex| (key, hull.exact_point(key, exponent));
    let proposed = corral.keys.iter().copied().map(point).collect();
    let Some(mut exact) = ExactCorral::of(proposed, clock, &mut steps) else {
        return Ok(short);
    };
    // Rows that are below their threshold join, until there is none.
    let mut points: Vec<(Vertex, Vec<BigInt>)> = Vec::new();
    loop {
        if exact.is_zero() {
            return Ok(End::Exact(exact, exponent));
        }
        let fresh = violators(hull, &exact, exponent)?;
        if fresh.is_empty() {
            return Ok(End::Exact(exact, exponent));
        }
        points.extend(fresh.into_iter().map(point));
        if clock.is_spent(steps) || !exact.descend(&points, clock, &mut steps) {
            return Ok(short);
        }
    }
}

/// Wolfe's method in doubles: scans of all rows, and major cycles on the lowest.
fn propose<T: Scalar>(
    hull: &Hull<'_, T>,
    working: &mut Working,
    clock: &Clock,
    steps: &mut u64,
) -> Result<Corral<Vertex>, Error> {
    let radius = hull.radius();
    let zero = vec![0.0; hull.dimension()];
    working.take_in(hull, &hull.scan(&zero, ROWS_PER_SCAN)?);
    let (key, point) = working.lowest(&zero);
    let mut corral = Corral::new(key, point, radius);
    loop {
        let limit = clock.steps().saturating_sub(*steps).min(10_000);
        *steps += corral.descend(working, radius, limit, clock);
        let lowest = hull.scan(&corral.x, ROWS_PER_SCAN)?;
        // Progress ends where the lowest rows are all known.
        if clock.is_spent(*steps) || !working.take_in(hull, &lowest) {
            return Ok(corral);
        }
        *steps += 1;
    }
}

/// Vertices on the near side of the exact point, each a row that is below the value that the corral's
/// rows of its class have.
fn violators<T: Scalar>(
    hull: &Hull<'_, T>,
    corral: &ExactCorral<Vertex>,
    exponent: i32,
) -> Result<Vec<Vertex>, Error> {
    let value = |row: usize| exact::dot(&hull.exact_point((row, None), exponent), &corral.x);
    let (first, second) = corral.keys[0];
    let thresholds = match second {
        None => [value(first), value(first)],
        Some(second) => [value(first), value(second)],
    };
    let below = hull.below(&corral.x, &thresholds, exponent, 32)?;
    let partner = |class: usize, row: usize| match (second, class) {
        (None, _) => (row, None),
        (Some(second), 0) => (row, Some(second)),
        (Some(_), _) => (first, Some(row)),
    };
    let vertices = below
        .iter()
        .enumerate()
        .flat_map(|(class, rows)| rows.iter().map(move |&(_, row)| partner(class, row)));
    Ok(vertices.collect())
}
