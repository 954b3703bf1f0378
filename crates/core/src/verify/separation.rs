//! The check of a direction of endless descent, in integers.
//!
//! With a_t = y_t (x_t, 1) the claim is that some w has a_t·w ≥ 0 for all rows that count and > 0 for some. The
//! certificate has w rounded. Where w itself is not such a direction, the rows that doubles cannot tell from its
//! hyperplane, |a_t·w| ≤ (n + 4)ε Σ_j |a_tj w_j|, are meant to lie on it, and the nearest direction that they lie on
//! takes its place. Nearest is meant in units of 2^p_j above the largest value of each column.
//!
//! It is found by Gram and Schmidt: a row that is off the hyperplane is made orthogonal to those before it, and w to
//! what is left of it, until no row is off.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Float, One, Signed, Zero};

use super::{Finding, Verdict};
use crate::certificate::Separation;
use crate::{Dataset, Error, LinearModel, Scalar, View};

/// The most rows that w is made orthogonal to, so that the check ends in some seconds. A direction that is exact as it
/// is may have any number of rows on its hyperplane.
const MOST_TIES: usize = 64;

/// Checks that no row is on the wrong side of the direction, and that nothing holds it back.
pub(super) fn check<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    separation: &Separation,
) -> Result<Verdict, Error> {
    let Separation { terms, weights, intercept, complete } = separation;
    let features = model.features();
    let fits = [weights.len(), terms.l1.len(), terms.l2.len()].iter().all(|n| *n == features)
        && intercept.is_some() == model.intercept().is_some();
    if !fits {
        let text = "the direction has another number of weights than the model".into();
        return Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
    }
    if !weights.iter().chain(intercept).all(|w| w.is_finite()) {
        let text = "the direction is not finite".into();
        return Ok(Verdict::of(vec![Finding { holds: false, text }], 0.0));
    }
    let penalised = (0..features).filter(|&j| terms.l1[j] > 0.0 || terms.l2[j] > 0.0);
    let held = penalised.filter(|&j| weights[j] != 0.0).count();
    let crate::Design::Dense(x) = data.design();
    let sides = Rows::new(data, x, intercept.is_some()).sides(weights, *intercept);
    let count = |side: Ordering| sides.iter().filter(|s| **s == side).count();
    let (right, on, wrong) =
        (count(Ordering::Greater), count(Ordering::Equal), count(Ordering::Less));
    let claim = if *complete { on == 0 } else { on > 0 };
    Ok(Verdict::of(
        vec![
            Finding {
                holds: wrong == 0 && right > 0 && claim,
                text: format!(
                    "the direction has {right} rows on their right side, {on} on the hyperplane, {wrong} on the wrong side"
                ),
            },
            Finding {
                holds: held == 0,
                text: format!("the direction has {held} weights that pay a penalty"),
            },
        ],
        0.0,
    ))
}

/// The rows that count.
struct Rows<'a, T> {
    x: View<'a, T>,
    y: View<'a, T>,
    counted: Vec<usize>,
    /// p_j of each coordinate.
    units: Vec<i32>,
    /// The exponent of the last bit of any value in these units.
    last: i32,
}

impl<'a, T: Scalar> Rows<'a, T> {
    fn new(data: &Dataset<'a, T>, x: View<'a, T>, intercept: bool) -> Self {
        let counted = (0..x.rows()).filter(|&t| data.weight_of(t) > 0.0).collect();
        let y = data.target_view();
        let mut rows = Self { x, y, counted, units: Vec::new(), last: 0 };
        for k in 0..x.cols() + usize::from(intercept) {
            let values = || rows.counted.iter().map(|&t| rows.entry(t, k));
            let largest = values().fold(0.0, |max: f64, v| max.max(v.abs()));
            let unit = if largest > 0.0 { Scalar::exponent(largest) } else { 0 };
            let last = values().filter_map(last_bit).min().map_or(0, |last| last - unit);
            rows.units.push(unit);
            rows.last = rows.last.min(last);
        }
        rows
    }

    fn entry(&self, t: usize, k: usize) -> f64 {
        let y = self.y[(t, 0)].to_double();
        if k < self.x.cols() { y * self.x[(t, k)].to_double() } else { y }
    }

    fn row(&self, t: usize) -> Vec<BigInt> {
        (0..self.units.len())
            .map(|k| integer(self.entry(t, k), self.units[k] + self.last))
            .collect()
    }

    /// The side that each row is on: of the direction as it is, or of that with the ties on its hyperplane.
    fn sides(&self, weights: &[f64], intercept: Option<f64>) -> Vec<Ordering> {
        let w: Vec<f64> = weights.iter().copied().chain(intercept).collect();
        let last = w.iter().zip(&self.units).filter_map(|(w, unit)| Some(last_bit(*w)? + unit));
        let last = last.min().unwrap_or(0);
        let exact: Vec<BigInt> =
            w.iter().zip(&self.units).map(|(w, unit)| integer(*w, last - unit)).collect();
        let looks = |t: usize| self.side_in_doubles(t, &w);
        let side = |t: usize, v: &[BigInt]| dot(&self.row(t), v).cmp(&BigInt::zero());
        let given = self.counted.iter().map(|&t| looks(t).unwrap_or_else(|| side(t, &exact)));
        let given: Vec<Ordering> = given.collect();
        let ties: Vec<usize> =
            self.counted.iter().copied().filter(|&t| looks(t).is_none()).collect();
        if ties.is_empty() || !given.contains(&Ordering::Less) {
            return given;
        }
        match self.nearest(exact, &ties) {
            Some(v) => self.counted.iter().map(|&t| side(t, &v)).collect(),
            None => given,
        }
    }

    /// The sign of a_t·w, where doubles tell it.
    fn side_in_doubles(&self, t: usize, w: &[f64]) -> Option<Ordering> {
        let (mut value, mut size) = (0.0, 0.0);
        for (k, w) in w.iter().enumerate() {
            let term = w * self.entry(t, k);
            value += term;
            size += term.abs();
        }
        let width = w.len() as f64;
        let rounding = (width + 4.0) * f64::EPSILON * size + width * f64::MIN_POSITIVE;
        (value.abs() > rounding).then(|| value.total_cmp(&0.0))
    }

    /// The nearest direction to v that all ties are orthogonal to; `None` if they are too many.
    fn nearest(&self, mut v: Vec<BigInt>, ties: &[usize]) -> Option<Vec<BigInt>> {
        let mut basis: Vec<Vec<BigInt>> = Vec::new();
        while let Some(off) = ties.iter().find(|t| !dot(&self.row(**t), &v).is_zero()) {
            if basis.len() == MOST_TIES {
                return None;
            }
            let rest = basis.iter().fold(self.row(*off), |rest, known| orthogonal(rest, known));
            v = orthogonal(v, &rest);
            basis.push(rest);
        }
        Some(v)
    }
}

/// (u·u)v − (v·u)u, divided by what its entries have in common.
fn orthogonal(v: Vec<BigInt>, u: &[BigInt]) -> Vec<BigInt> {
    let (square, product) = (dot(u, u), dot(&v, u));
    let mut rest: Vec<BigInt> = v.iter().zip(u).map(|(v, u)| &square * v - &product * u).collect();
    let divisor = rest.iter().fold(BigInt::zero(), |divisor, v| divisor.gcd(v));
    if divisor > BigInt::one() {
        rest.iter_mut().for_each(|v| *v /= &divisor);
    }
    rest
}

fn dot(a: &[BigInt], b: &[BigInt]) -> BigInt {
    a.iter().zip(b).filter(|(_, b)| !b.is_zero()).map(|(a, b)| a * b).sum()
}

/// The exponent of the last bit of a double; `None` for zero.
fn last_bit(value: f64) -> Option<i32> {
    let (mantissa, exponent, _) = value.integer_decode();
    (mantissa != 0).then(|| i32::from(exponent) + mantissa.trailing_zeros() as i32)
}

/// value·2^−e for an e not above the last bit.
fn integer(value: f64, e: i32) -> BigInt {
    let Some(last) = last_bit(value) else { return BigInt::zero() };
    let (mantissa, _, sign) = value.integer_decode();
    let odd = BigInt::from(mantissa >> mantissa.trailing_zeros()) << (last - e);
    if sign < 0 { -odd } else { odd.abs() }
}
