//! From a cell of the arrangement to weights inside it.

use std::collections::HashSet;

use super::super::Budget;
use super::super::min_norm::{Corral, Oracle, dot};
use super::recursion::Cell;
use super::whiten::Whitened;

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
