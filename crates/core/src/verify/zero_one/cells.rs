//! The cheapest cell of an arrangement, by going through all of its faces.
//!
//! A cell has a facet on the hyperplane of some direction; on it lie the projections of the others,
//! those that become parallel counting together. Every direction is tried at every level.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::halfspace::Clock;

/// Vectors with costs of being on their wrong side.
type Costed = (Vec<BigInt>, BigRational);

/// The least total cost of {z : w·z < 0} over all w that are on no hyperplane; zero, which proves
/// nothing, if the time is over.
pub(super) fn cheapest(points: &[Costed], clock: &Clock) -> BigRational {
    if clock.is_over() {
        return BigRational::zero();
    }
    // The lesser side of a direction is paid by every w.
    let (lines, paid) = lines(points.iter().cloned());
    paid + match lines.first().map(|(z, _)| z.len()) {
        None => BigRational::zero(),
        Some(1) => BigRational::zero(),
        Some(2) => around(lines),
        Some(_) => through(&lines, clock),
    }
}

fn through(lines: &[Costed], clock: &Clock) -> BigRational {
    let facets = lines.iter().enumerate().map(|(at, (pivot, _))| {
        let others = lines.iter().enumerate().filter(|(other, _)| *other != at);
        let projected: Vec<Costed> =
            others.map(|(_, (z, cost))| (project(z, pivot), cost.clone())).collect();
        cheapest(&projected, clock)
    });
    facets.min().unwrap_or_else(BigRational::zero)
}

/// z on the hyperplane of the pivot, without the first coordinate that the pivot has.
fn project(z: &[BigInt], pivot: &[BigInt]) -> Vec<BigInt> {
    let axis = pivot.iter().position(|v| !v.is_zero()).unwrap_or(0);
    // The first coordinate of a line that is not zero is positive, or the last factor turns signs.
    let turn = if pivot[axis].is_negative() { -BigInt::one() } else { BigInt::one() };
    let coordinates = (0..z.len()).filter(|&j| j != axis);
    coordinates.map(|j| (&pivot[axis] * &z[j] - &z[axis] * &pivot[j]) * &turn).collect()
}

/// One vector for every line, on its dearer side, and what is paid in any case. Zero vectors cost
/// nothing: they are the pivot's own line, of which the dearer side is right.
fn lines(points: impl Iterator<Item = Costed>) -> (Vec<Costed>, BigRational) {
    let mut places: HashMap<Vec<BigInt>, usize> = HashMap::new();
    let mut sides: Vec<(Vec<BigInt>, [BigRational; 2])> = Vec::new();
    for (z, cost) in points {
        let Some(first) = z.iter().find(|v| !v.is_zero()) else { continue };
        let against = first.is_negative();
        let divisor = z.iter().fold(BigInt::zero(), |divisor, v| divisor.gcd(v));
        let unit = if against { -divisor } else { divisor };
        let line: Vec<BigInt> = z.iter().map(|v| v / &unit).collect();
        let place = *places.entry(line.clone()).or_insert_with(|| {
            sides.push((line, [BigRational::zero(), BigRational::zero()]));
            sides.len() - 1
        });
        sides[place].1[usize::from(against)] += cost;
    }
    let mut paid = BigRational::zero();
    let mut lines = Vec::new();
    for (z, [along, against]) in sides {
        paid += along.clone().min(against.clone());
        if along > against {
            lines.push((z, along - against));
        } else if against > along {
            lines.push((z.into_iter().map(|v| -v).collect(), against - along));
        }
    }
    (lines, paid)
}

/// Two dimensions: by angle.
fn around(lines: Vec<Costed>) -> BigRational {
    // (direction in the upper half-plane, change of the cost when w turns past it)
    let total: BigRational = lines.iter().map(|(_, cost)| cost.clone()).sum();
    let mut cost = BigRational::zero();
    let mut turns: Vec<(Vec<BigInt>, BigRational)> = Vec::new();
    for (z, own) in lines {
        let upper = z[1].is_positive() || z[1].is_zero() && z[0].is_positive();
        if upper {
            cost += &own;
            turns.push((z, -own));
        } else {
            turns.push((z.into_iter().map(|v| -v).collect(), own));
        }
    }
    turns.sort_by(|(a, _), (b, _)| (&a[1] * &b[0]).cmp(&(&a[0] * &b[1])));
    let mut least = cost.clone().min(&total - &cost);
    for (_, change) in turns {
        cost += change;
        least = least.min(cost.clone()).min(&total - &cost);
    }
    least
}
