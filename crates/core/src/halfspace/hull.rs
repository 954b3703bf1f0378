//! The polytope whose point of least norm decides separability, and how all its points are scanned.
//!
//! Two of them, from the same signed rows z_t:
//! - conv{z_t}: the origin is outside iff a halfspace is right on every row;
//! - conv{z_i + z_j : y_i = +1, y_j = −1} without the intercept's coordinate, that is, the differences of
//!   the two class hulls: its point of least norm is the normal of the widest margin.
//!
//! A vertex is one row, or one row of each class, so the vertex with the least x·p is found from the
//! rows with the least x·z_t in each class. Scans run as passes: block products by the backend for
//! proposals, and doubles with a bound for the rounding, then big integers, for decisions.

use num_bigint::BigInt;
use num_traits::Signed;

use super::exact::{self, integer, last_bit};
use super::examples::Examples;
use super::min_norm::Oracle;
use crate::{Backend, Block, Dataset, Error, Matrix, Reduction, Rows, Scalar, View};

/// A vertex: a row, and one of the other class where vertices are pairs.
pub(crate) type Vertex = (usize, Option<usize>);

/// A row with its value x·z.
type Valued = (f64, usize);

/// The rows with the least values, class by class: +1 first.
type Lowest = [Vec<Valued>; 2];

pub(crate) struct Hull<'a, T> {
    pub(crate) data: &'a Dataset<'a, T>,
    pub(crate) examples: Examples<'a, T>,
    backend: &'a dyn Backend<T>,
    /// Whether vertices are pairs of rows of different classes.
    pub(crate) pairs: bool,
}

impl<'a, T: Scalar> Hull<'a, T> {
    pub(crate) fn new(
        backend: &'a dyn Backend<T>,
        data: &'a Dataset<'a, T>,
        examples: Examples<'a, T>,
        pairs: bool,
    ) -> Self {
        Self { data, examples, backend, pairs }
    }

    /// Coordinates of a vertex.
    pub(crate) fn dimension(&self) -> usize {
        if self.pairs { self.examples.x.cols() } else { self.examples.dimension() }
    }

    fn row(&self, row: usize) -> Vec<f64> {
        let mut z = Vec::with_capacity(self.examples.dimension());
        self.examples.signed_row(row, &mut z);
        z.truncate(self.dimension());
        z
    }

    /// Whether a row counts at all.
    fn counts(&self, row: usize) -> bool {
        self.data.weights().is_none_or(|weights| weights[(row, 0)] > T::zero())
    }

    /// The largest |coordinate| of any row, times √dimension: a bound for the lengths of vertices.
    pub(crate) fn radius(&self) -> f64 {
        let largest = (0..self.examples.x.cols())
            .flat_map(|j| self.examples.x.col_iter(j))
            .fold(1.0_f64, |largest, x| largest.max(x.to_double().abs()));
        largest * (self.dimension() as f64).sqrt() * if self.pairs { 2.0 } else { 1.0 }
    }

    /// The rows, up to `count` of each class, with the least x·z by the backend's products.
    pub(crate) fn scan(&self, x: &[f64], count: usize) -> Result<Lowest, Error> {
        let weights = x[..self.examples.x.cols()].iter().map(|&w| T::from_double(w)).collect();
        let constant = x.get(self.examples.x.cols()).copied().unwrap_or(0.0);
        Rows::Memory(self.data).reduce(&Scan { hull: self, weights, constant, count })
    }

    /// The exponent of the last bit of any value, over which all rows are integers.
    pub(crate) fn exponent(&self) -> i32 {
        let x = self.examples.x;
        let bits =
            (0..x.cols()).flat_map(|j| x.col_iter(j)).filter_map(|x| last_bit(x.to_double()));
        let least = bits.min().unwrap_or(0);
        if self.examples.intercept && !self.pairs { least.min(0) } else { least }
    }

    /// About the bytes of a coordinate in integers of 2^exponent.
    pub(crate) fn integer_bytes(&self, exponent: i32) -> usize {
        let bits = self.radius().log2() - f64::from(exponent);
        size_of::<BigInt>() + 16 + (bits.max(0.0) as usize) / 8
    }

    fn exact_row(&self, row: usize, exponent: i32) -> Vec<BigInt> {
        self.row(row).into_iter().map(|z| integer(z, exponent)).collect()
    }

    /// A vertex in integers, in units of 2^exponent.
    pub(crate) fn exact_point(&self, (first, second): Vertex, exponent: i32) -> Vec<BigInt> {
        let mut point = self.exact_row(first, exponent);
        if let Some(second) = second {
            let other = self.exact_row(second, exponent);
            point.iter_mut().zip(other).for_each(|(a, b)| *a += b);
        }
        point
    }

    /// The rows with x·z below the threshold of their class, exactly, the lowest first.
    ///
    /// x and the thresholds are integers in units that cancel: x·z is taken in units of 2^exponent.
    pub(crate) fn below(
        &self,
        x: &[BigInt],
        thresholds: &[BigInt; 2],
        exponent: i32,
        count: usize,
    ) -> Result<Lowest, Error> {
        let bits = x.iter().map(BigInt::bits).max().unwrap_or(0) as i64;
        let approximate = x.iter().map(|v| exact::ratio(v, bits)).collect();
        let levels = thresholds.each_ref().map(|t| exact::ratio(t, bits - i64::from(exponent)));
        let below = Below { hull: self, x, approximate, thresholds, levels, exponent, count };
        Rows::Memory(self.data).reduce(&below)
    }
}

/// Rows kept for major cycles between two scans, and the oracle over them.
pub(crate) struct Working {
    /// The rows of the classes, or all in the first list where vertices are single rows.
    rows: [Vec<(usize, Vec<f64>)>; 2],
    pairs: bool,
}

impl Working {
    pub(crate) fn new(pairs: bool) -> Self {
        Self { rows: [Vec::new(), Vec::new()], pairs }
    }

    /// Takes in rows; whether any of them is new.
    pub(crate) fn take_in<T: Scalar>(&mut self, hull: &Hull<'_, T>, lowest: &Lowest) -> bool {
        let mut grown = false;
        for (class, list) in lowest.iter().enumerate() {
            let rows = &mut self.rows[if self.pairs { class } else { 0 }];
            for &(_, row) in list {
                if rows.iter().all(|(known, _)| *known != row) {
                    rows.push((row, hull.row(row)));
                    grown = true;
                }
            }
        }
        grown
    }
}

impl Oracle<Vertex> for Working {
    fn lowest(&self, x: &[f64]) -> (Vertex, Vec<f64>) {
        let lowest = |rows: &[(usize, Vec<f64>)]| {
            let values = rows.iter().map(|(_, z)| super::min_norm::dot(z, x)).enumerate();
            values.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at)
        };
        let (first, z) = &self.rows[0][lowest(&self.rows[0])];
        if !self.pairs {
            return ((*first, None), z.clone());
        }
        let (second, other) = &self.rows[1][lowest(&self.rows[1])];
        ((*first, Some(*second)), z.iter().zip(other).map(|(a, b)| a + b).collect())
    }
}

/// The rows with the least x·z by the backend's products.
struct Scan<'h, T> {
    hull: &'h Hull<'h, T>,
    weights: Vec<T>,
    constant: f64,
    count: usize,
}

impl<T: Scalar> Reduction<T> for Scan<'_, T> {
    type State = Lowest;

    fn start(&self) -> Lowest {
        Default::default()
    }

    fn absorb(&self, lowest: &mut Lowest, block: &Block<'_, T>) {
        let mut values = Matrix::zeros(block.x.rows(), 1);
        self.hull.backend.add_product(
            block.x,
            View::column_vector(&self.weights),
            values.view_mut(),
        );
        for (i, value) in values.as_slice().iter().enumerate() {
            let sign = block.y[(i, 0)].to_double();
            let value = sign * (value.to_double() + self.constant);
            let list = &mut lowest[usize::from(sign < 0.0)];
            if is_among_lowest(list, value, self.count) && self.hull.counts(block.first_row + i) {
                list.push((value, block.first_row + i));
                trim(list, self.count);
            }
        }
    }

    fn merge(&self, left: &mut Lowest, right: Lowest) {
        merge(left, right, self.count);
    }
}

/// The rows with x·z below a threshold, decided exactly.
struct Below<'h, T> {
    hull: &'h Hull<'h, T>,
    x: &'h [BigInt],
    approximate: Vec<f64>,
    thresholds: &'h [BigInt; 2],
    levels: [f64; 2],
    exponent: i32,
    count: usize,
}

impl<T: Scalar> Reduction<T> for Below<'_, T> {
    type State = Lowest;

    fn start(&self) -> Lowest {
        Default::default()
    }

    fn absorb(&self, lowest: &mut Lowest, block: &Block<'_, T>) {
        let n = self.approximate.len();
        for i in 0..block.x.rows() {
            let sign = block.y[(i, 0)].to_double();
            let class = usize::from(sign < 0.0);
            let (mut value, mut size) = (0.0, 0.0);
            for (j, x) in self.approximate.iter().enumerate() {
                let z = if j < block.x.cols() { block.x[(i, j)].to_double() } else { 1.0 };
                value += x * z;
                size += (x * z).abs();
            }
            let excess = sign * value - self.levels[class];
            // Rounding of x, of the products, of the sums and of the level, and of this bound itself.
            let rounding = (n as f64 + 4.0) * f64::EPSILON * (size + self.levels[class].abs())
                + n as f64 * f64::MIN_POSITIVE;
            let row = block.first_row + i;
            let is_below = if excess.abs() > rounding {
                excess < 0.0
            } else {
                self.exact_excess(row, class).is_negative()
            };
            if is_below && self.hull.counts(row) {
                lowest[class].push((excess, row));
                trim(&mut lowest[class], self.count);
            }
        }
    }

    fn merge(&self, left: &mut Lowest, right: Lowest) {
        merge(left, right, self.count);
    }
}

impl<T: Scalar> Below<'_, T> {
    fn exact_excess(&self, row: usize, class: usize) -> BigInt {
        exact::dot(&self.hull.exact_row(row, self.exponent), self.x) - &self.thresholds[class]
    }
}

fn is_among_lowest(list: &[Valued], value: f64, count: usize) -> bool {
    list.len() < count || value < list[count - 1].0
}

/// Sorts and cuts a list once it is twice as long as it may be. Its first `count` entries are then
/// the lowest so far, in order; what is behind them came later and is lower than the last of them.
fn trim(list: &mut Vec<Valued>, count: usize) {
    if list.len() == count || list.len() >= 2 * count {
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        list.truncate(count);
    }
}

fn merge(left: &mut Lowest, right: Lowest, count: usize) {
    for (left, right) in left.iter_mut().zip(right) {
        left.extend(right);
        left.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        left.truncate(count);
    }
}
