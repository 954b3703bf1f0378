//! Walking a tree of boxes.
//!
//! That the boxes cover all weights is in their construction: the faces of a cube, halved. On every leaf
//! the bound must hold by the points that are wrong on all of it, or by the cheapest cell of those that
//! are undetermined. Coordinates Lz are computed in rational numbers and rounded once; what is right,
//! wrong or undetermined is judged with room for that and for the sums.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use super::cells::cheapest;
use super::points::{Points, exact};
use crate::halfspace::Clock;
use crate::halfspace::zero_one::{BoxTree, Branch};

/// Whether the tree proves, in time, that no w costs less than the bound.
pub(super) fn proves(points: &Points, tree: &BoxTree, bound: &BigRational, clock: &Clock) -> bool {
    let dim = tree.columns.len();
    if tree.transform.len() != dim * dim || tree.scales.len() != dim || !is_basis(points, tree) {
        return false;
    }
    let arranged: Vec<_> = points
        .arranged()
        .into_iter()
        .map(|(z, cost)| (tree.columns.iter().map(|&j| z[j].clone()).collect::<Vec<_>>(), cost))
        .collect();
    let whitened = arranged.iter().map(|(z, _)| rounded(z, tree)).collect();
    let missing = bound - &points.base;
    let walk = Walk { tree, arranged, whitened, missing, dim, clock };
    let all: Vec<usize> = (0..walk.arranged.len()).collect();
    (0..dim).all(|axis| {
        [(-1.0, 2 * axis), (1.0, 2 * axis + 1)].into_iter().all(|(side, place)| {
            let (mut centre, mut radius) = (vec![0.0; dim], vec![1.0; dim]);
            (centre[axis], radius[axis]) = (side, 0.0);
            walk.holds(place, centre, radius, &all, BigRational::zero())
        })
    })
}

/// Whether L is regular, the scales are those of the reading, and the columns span all columns.
fn is_basis(points: &Points, tree: &BoxTree) -> bool {
    let dim = tree.columns.len();
    let triangular = (0..dim).all(|i| {
        tree.transform[i * dim + i] != 0.0
            && tree.transform[i * dim..(i + 1) * dim].iter().all(|v| v.is_finite())
            && tree.transform[i * dim + i + 1..(i + 1) * dim].iter().all(|v| *v == 0.0)
    });
    let known = |(&j, scale): (&usize, &f64)| points.scales.get(j) == Some(scale);
    triangular
        && tree.columns.iter().zip(&tree.scales).all(known)
        && rank(points, None) == rank(points, Some(&tree.columns))
}

/// The rank of the directions, of all columns or of some, by plain elimination.
fn rank(points: &Points, columns: Option<&[usize]>) -> usize {
    let mut echelon: Vec<(usize, Vec<BigRational>)> = Vec::new();
    for direction in &points.directions {
        let value = |v: &BigInt| BigRational::from_integer(v.clone());
        let mut row: Vec<BigRational> = match columns {
            None => direction.z.iter().map(value).collect(),
            Some(columns) => columns.iter().map(|&j| value(&direction.z[j])).collect(),
        };
        if echelon.len() == row.len() {
            break;
        }
        for (pivot, above) in &echelon {
            let factor = row[*pivot].clone();
            row.iter_mut().zip(above).for_each(|(v, a)| *v -= &factor * a);
        }
        if let Some(pivot) = row.iter().position(|v| !v.is_zero()) {
            let unit = row[pivot].clone();
            row.iter_mut().for_each(|v| *v /= &unit);
            echelon.push((pivot, row));
        }
    }
    echelon.len()
}

/// L·z, computed exactly, each coordinate rounded once.
fn rounded(z: &[BigInt], tree: &BoxTree) -> Vec<f64> {
    let coordinate = |row: &[f64]| {
        let terms = row.iter().zip(z).filter(|(l, _)| **l != 0.0);
        let sum: BigRational = terms.map(|(&l, z)| exact(l) * z).sum();
        sum.to_f64().unwrap_or(f64::NAN)
    };
    tree.transform.chunks(z.len()).map(coordinate).collect()
}

struct Walk<'a> {
    tree: &'a BoxTree,
    arranged: Vec<(Vec<BigInt>, BigRational)>,
    whitened: Vec<Vec<f64>>,
    /// What points must cost beyond what all pay.
    missing: BigRational,
    dim: usize,
    clock: &'a Clock,
}

impl Walk<'_> {
    fn holds(
        &self,
        place: usize,
        centre: Vec<f64>,
        radius: Vec<f64>,
        parents: &[usize],
        mut wrong: BigRational,
    ) -> bool {
        if self.clock.is_over() {
            return false;
        }
        let mut undetermined = Vec::new();
        for &i in parents {
            match self.side(i, &centre, &radius) {
                Some(false) => wrong += &self.arranged[i].1,
                Some(true) => {}
                None => undetermined.push(i),
            }
        }
        if wrong >= self.missing {
            return true;
        }
        match self.tree.branches.get(place) {
            None => false,
            Some(Branch::Leaf) => {
                let rest: Vec<_> = undetermined.iter().map(|&i| self.arranged[i].clone()).collect();
                wrong + cheapest(&rest, self.clock) >= self.missing
            }
            Some(&Branch::Halved { axis, low }) => {
                let (axis, low) = (usize::from(axis), low as usize);
                // Halves stand behind their box, so that the walk ends.
                if axis >= self.dim || low <= place {
                    return false;
                }
                let mut half = radius.clone();
                half[axis] /= 2.0;
                [-1.0, 1.0].into_iter().zip([low, low + 1]).all(|(side, child)| {
                    let mut middle = centre.clone();
                    middle[axis] += side * half[axis];
                    // Halving and moving are exact, or the boxes would not fit together.
                    let exact = half[axis] * 2.0 == radius[axis]
                        && middle[axis] - side * half[axis] == centre[axis]
                        && half[axis] > 0.0;
                    exact && self.holds(child, middle, half.clone(), &undetermined, wrong.clone())
                })
            }
        }
    }

    /// Whether a point is right (true) or wrong (false) on a whole box; `None` if neither is sure.
    fn side(&self, i: usize, centre: &[f64], radius: &[f64]) -> Option<bool> {
        let (mut value, mut reach, mut size) = (0.0, 0.0, 0.0);
        for ((z, c), r) in self.whitened[i].iter().zip(centre).zip(radius) {
            value += z * c;
            reach += z.abs() * r;
            size += z.abs() * (c.abs() + r);
        }
        let doubt = 8.0 * (self.dim as f64 + 4.0) * f64::EPSILON * size + f64::MIN_POSITIVE;
        let beyond = value.abs() > reach + doubt;
        beyond.then_some(value > 0.0)
    }
}
