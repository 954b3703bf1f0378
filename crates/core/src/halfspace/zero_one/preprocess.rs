//! From data to points: the fewest mistakes are a question about vectors with costs.
//!
//! Every row becomes z_t = y_t (x_t, 1) with its weight as an integer cost. What follows changes no
//! cost of any w, and every step is exact:
//! - **Decimals.** A column whose values are the floats nearest to decimals with few digits is read
//!   as those decimals, k/10^p, and scaled by 10^p: then ties among decimals are ties, and nothing
//!   hangs on how 0.1 was rounded. Other columns are taken as the floats they are.
//! - **Rank.** A column that is a linear combination of others in every row is left out.
//! - **Zero rows** are always mistakes; **equal directions** are merged, and of opposite ones at most
//!   one side can be right, so the lesser cost is paid in any case.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_traits::Zero;

use super::super::budget::Clock;
use super::super::exact::{integer, last_bit};
use super::super::examples::Examples;
use super::super::lifting::span_modulo;
use crate::{Dataset, Error, Scalar};

/// How the numbers of the data are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reading {
    /// Columns of decimals with at most 15 digits as those decimals, others as floats.
    #[default]
    Decimals,
    /// Every number as the float that it is.
    Floats,
}

/// Bytes of an integer of moderate size.
const INTEGER: usize = 64;

/// Bytes that a coordinate of a point takes: as given, whitened, and while equal points are looked for.
const POINT: usize = 32;

/// Vectors with costs.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// Number of coordinates left.
    pub(crate) dim: usize,
    /// The coordinates, point after point: exact.
    pub(crate) z: Vec<f64>,
    pub(crate) costs: Vec<u64>,
    /// For every point, a row in its direction.
    pub(crate) rows: Vec<usize>,
    /// What is paid whatever w is.
    pub(crate) base: u64,
    /// A row's weight is its cost times this.
    pub(crate) unit: f64,
    /// The coordinates that are left, of those of (x, 1), and what each was multiplied by.
    pub(crate) kept: Vec<(usize, f64)>,
}

impl Points {
    /// The points of some data; `None` if the time is over before they are known.
    pub(crate) fn new<T: Scalar>(
        data: &Dataset<'_, T>,
        examples: &Examples<'_, T>,
        reading: Reading,
        clock: &Clock,
    ) -> Result<Option<Self>, Error> {
        let (costs, unit) = integer_costs(data)?;
        let (rows, all) = (examples.rows(), examples.dimension());
        clock.budget().allows(
            "an exact echelon form of the columns",
            rows.min(all),
            all,
            INTEGER,
        )?;
        clock.budget().allows("the points of the search", rows, rows.min(all), POINT)?;
        let scales: Vec<f64> = (0..all)
            .map(|j| {
                match reading {
                    Reading::Decimals if j < examples.x.cols() => decimal_scale(examples, j),
                    _ => None,
                }
                .unwrap_or(1.0)
            })
            .collect();
        let value = |t: usize, j: usize| match (j < examples.x.cols(), scales[j]) {
            (false, _) => examples.sign(t),
            (true, 1.0) => examples.sign(t) * examples.x[(t, j)].to_double(),
            // A whole number by the choice of the scale.
            (true, scale) => (examples.sign(t) * examples.x[(t, j)].to_double() * scale).round(),
        };
        let Some(columns) = independent_columns(rows, all, &value, clock) else {
            return Ok(None);
        };
        let mut points = Self {
            dim: columns.len(),
            z: Vec::new(),
            costs: Vec::new(),
            rows: Vec::new(),
            base: 0,
            unit,
            kept: columns.iter().map(|&j| (j, scales[j])).collect(),
        };
        points.merge(&costs, |t, k| value(t, columns[k]));
        Ok(Some(points))
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.costs.len()
    }

    /// Point i.
    pub(crate) fn point(&self, i: usize) -> &[f64] {
        &self.z[i * self.dim..(i + 1) * self.dim]
    }

    /// A point in integers; the unit is the same for all coordinates.
    pub(crate) fn integers(&self, i: usize, exponent: i32) -> Vec<BigInt> {
        self.point(i).iter().map(|&v| integer(v, exponent)).collect()
    }

    /// The exponent of the last bit of any coordinate.
    pub(crate) fn exponent(&self) -> i32 {
        self.z.iter().filter_map(|&v| last_bit(v)).min().unwrap_or(0)
    }

    /// Weights on the coordinates that are left, as homogeneous weights on (x, 1).
    pub(crate) fn expand(&self, w: &[f64], dimension: usize) -> Vec<f64> {
        let mut full = vec![0.0; dimension];
        for (&(j, scale), w) in self.kept.iter().zip(w) {
            full[j] = w * scale;
        }
        full
    }

    /// Gathers equal and opposite points.
    fn merge(&mut self, costs: &[u64], value: impl Fn(usize, usize) -> f64) {
        let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
        // Costs in the direction of the point kept, and against it.
        let mut sides: Vec<[u64; 2]> = Vec::new();
        // A row on each side.
        let mut rows: Vec<[usize; 2]> = Vec::new();
        let mut z = Vec::with_capacity(self.dim);
        for (t, &cost) in costs.iter().enumerate().filter(|(_, cost)| **cost > 0) {
            z.clear();
            z.extend((0..self.dim).map(|k| value(t, k)));
            let Some(first) = z.iter().find(|v| **v != 0.0) else {
                self.base += cost;
                continue;
            };
            let against = *first < 0.0;
            shorten(&mut z);
            if against {
                z.iter_mut().for_each(|v| *v = -*v);
            }
            // Adding zero makes one zero of both.
            let key = z.iter().map(|v| (v + 0.0).to_bits()).collect();
            let place = *places.entry(key).or_insert_with(|| {
                self.z.extend(&z);
                sides.push([0, 0]);
                rows.push([t, t]);
                sides.len() - 1
            });
            rows[place][usize::from(against)] = t;
            sides[place][usize::from(against)] += cost;
        }
        let mut kept = Vec::with_capacity(self.z.len());
        let pairs = sides.iter().zip(rows);
        for (point, (&[along, against], rows)) in self.z.chunks(self.dim.max(1)).zip(pairs) {
            self.base += along.min(against);
            if along != against {
                let sign = if along > against { 1.0 } else { -1.0 };
                kept.extend(point.iter().map(|v| sign * v));
                self.costs.push(along.abs_diff(against));
                self.rows.push(rows[usize::from(along < against)]);
            }
        }
        self.z = kept;
    }
}

/// Divides whole coordinates by their greatest common divisor: the same direction.
fn shorten(z: &mut [f64]) {
    if z.iter().any(|v| v.fract() != 0.0 || v.abs() > 9e15) {
        return;
    }
    let divisor = z.iter().fold(0, |divisor: u64, v| num_integer::gcd(divisor, v.abs() as u64));
    if divisor > 1 {
        z.iter_mut().for_each(|v| *v /= divisor as f64);
    }
}

/// Weights as integers and the weight of one.
fn integer_costs<T: Scalar>(data: &Dataset<'_, T>) -> Result<(Vec<u64>, f64), Error> {
    let Some(weights) = data.weights() else {
        return Ok((vec![1; data.rows()], 1.0));
    };
    let weights: Vec<f64> = weights.col_iter(0).map(|c| c.to_double()).collect();
    let least = weights.iter().filter_map(|&c| last_bit(c)).min().unwrap_or(0);
    let unit = f64::powi(2.0, least.max(-1000));
    let total: f64 = weights.iter().map(|c| c / unit).sum();
    // Exact below 2^63, where the sum of what are whole numbers is known well enough.
    if total < 9e18 && least >= -1000 {
        return Ok((weights.iter().map(|c| (c / unit) as u64).collect(), unit));
    }
    Err(Error::Unsupported {
        solver: "the exact minimiser of mistakes",
        reason: "the weights have more digits than their sum can hold; round them to a common unit",
    })
}

/// 10^p such that every value of a column is the float nearest to a whole multiple of 10^−p; `None`
/// if there is none, or the column is whole already.
fn decimal_scale<T: Scalar>(examples: &Examples<'_, T>, column: usize) -> Option<f64> {
    let mut digits = 0;
    for &x in examples.x.col_iter(column) {
        let value = x.to_double();
        let fits = |p: i32| {
            let scale = f64::powi(10.0, p);
            let whole = (value * scale).round();
            whole.abs() < 1e15 && T::from_double(whole / scale) == x
        };
        digits = (digits..=15).find(|&p| fits(p))?;
    }
    // The largest scale must keep every value whole and within 15 digits.
    let scale = f64::powi(10.0, digits);
    let fits = |x: &T| (x.to_double() * scale).abs() < 1e15;
    (digits > 0 && examples.x.col_iter(column).all(fits)).then_some(scale)
}

/// A largest set of columns that are linearly independent, exactly; `None` if the time is over.
///
/// Full rank is seen modulo a prime; where it is not, an echelon form in integers decides.
fn independent_columns(
    rows: usize,
    columns: usize,
    value: &impl Fn(usize, usize) -> f64,
    clock: &Clock,
) -> Option<Vec<usize>> {
    let integers = |t: usize| -> Vec<BigInt> {
        let row: Vec<f64> = (0..columns).map(|j| value(t, j)).collect();
        let exponent = row.iter().filter_map(|&v| last_bit(v)).min().unwrap_or(0);
        row.into_iter().map(|v| integer(v, exponent)).collect()
    };
    let in_time = |_: &usize| !clock.is_over();
    if rows >= columns && span_modulo((0..rows).take_while(in_time).map(integers), columns) {
        return Some((0..columns).collect());
    }
    // Echelon rows with their pivot columns.
    let mut echelon: Vec<(usize, Vec<BigInt>)> = Vec::new();
    for t in 0..rows {
        if echelon.len() == columns {
            break;
        }
        if clock.is_over() {
            return None;
        }
        let mut row = integers(t);
        for (pivot, above) in &echelon {
            if !row[*pivot].is_zero() {
                let (p, q) = (above[*pivot].clone(), row[*pivot].clone());
                row.iter_mut().zip(above).for_each(|(r, a)| *r = &*r * &p - a * &q);
            }
        }
        if let Some(pivot) = row.iter().position(|v| !v.is_zero()) {
            echelon.push((pivot, super::super::exact::primitive(row)));
        }
    }
    let mut pivots: Vec<usize> = echelon.into_iter().map(|(pivot, _)| pivot).collect();
    pivots.sort_unstable();
    Some(pivots)
}
