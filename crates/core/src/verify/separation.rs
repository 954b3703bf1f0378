//! The check of a direction of endless descent, in integers.
//!
//! For every row t of class y that counts and every other class k let a_tk = (e_y − e_k) ⊗ (x_t, 1) in the columns
//! whose weights pay no penalty, the last class left out; for two labels ±1 that is y_t (x_t, 1). The claim is that
//! some w has a·w ≥ 0 for all of these and > 0 for some. The certificate has w rounded. Where w itself is not such a
//! direction, the rows that doubles cannot tell from its hyperplane, |a·w| ≤ (n + 4)ε Σ_j |a_j w_j|, are meant to lie
//! on it, and the nearest direction that they lie on takes its place. Nearest is meant in units of 2^p_j above the
//! largest value of each column.
//!
//! It is found by Gram and Schmidt: a row that is off the hyperplane is made orthogonal to those before it, and w to
//! what is left of it, until no row is off.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Float, One, Signed, Zero};

use super::{Finding, Verdict};
use crate::certificate::{Separation, SoftmaxSeparation};
use crate::penalty::Terms;
use crate::{Dataset, Error, LinearModel, Scalar, View};

/// The most rows that w is made orthogonal to, and the most bits of their values together, so that the check ends in some
/// seconds. A direction that is exact as it is may have any number of rows on its hyperplane.
const MOST_TIES: usize = 64;
const MOST_BITS: usize = 1 << 13;

/// Checks a direction of logistic regression.
pub(super) fn check<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    separation: &Separation,
) -> Result<Verdict, Error> {
    let Separation { terms, weights, intercept, complete } = separation;
    if weights.len() != model.features() || intercept.is_some() != model.intercept().is_some() {
        return denied("the direction has another number of weights than the model");
    }
    let sign = |t: usize| data.target_view()[(t, 0)].to_double();
    if (0..data.rows()).any(|t| sign(t).abs() != 1.0) {
        return denied("the targets are not all 1 or −1");
    }
    let labels = (0..data.rows()).map(|t| usize::from(sign(t) < 0.0)).collect();
    let block = weights.iter().chain(intercept).copied().collect();
    Claim { data, terms, labels, blocks: vec![block], complete: *complete }.check()
}

/// Checks a direction of softmax regression.
pub(super) fn check_softmax<T: Scalar>(
    data: &Dataset<'_, T>,
    model: &LinearModel<T>,
    separation: &SoftmaxSeparation,
) -> Result<Verdict, Error> {
    let SoftmaxSeparation { terms, weights, intercepts, complete } = separation;
    let classes = model.targets();
    let levels = intercepts.as_ref().map_or(classes, Vec::len);
    let fits = weights.iter().all(|weights| weights.len() == model.features());
    let same_levels = intercepts.is_some() == model.intercept_of(0).is_some();
    if weights.len() != classes || levels != classes || !fits || !same_levels {
        return denied("the direction has another shape than the model");
    }
    if let Some(text) = super::softmax::unknown_class(data, classes) {
        return denied(&text);
    }
    let level = |k: usize| intercepts.as_ref().map(|levels| levels[k]);
    let of_class = |k: usize| weights[k].iter().copied().chain(level(k)).collect::<Vec<f64>>();
    let mut blocks: Vec<Vec<f64>> = (0..classes).map(of_class).collect();
    if blocks.pop().is_none_or(|last| last.iter().any(|w| *w != 0.0)) {
        return denied("the direction is not relative to the last class");
    }
    let labels = data.target_view().col_iter(0).map(|y| y.to_double() as usize).collect();
    Claim { data, terms, labels, blocks, complete: *complete }.check()
}

fn denied(text: &str) -> Result<Verdict, Error> {
    Ok(Verdict::of(vec![Finding { holds: false, text: text.into() }], 0.0))
}

/// That the loss falls for ever along the weights and intercepts of all classes but the last.
struct Claim<'a, T> {
    data: &'a Dataset<'a, T>,
    terms: &'a Terms,
    labels: Vec<usize>,
    blocks: Vec<Vec<f64>>,
    complete: bool,
}

impl<T: Scalar> Claim<'_, T> {
    /// Checks that no row is on the wrong side of the direction, and that nothing holds it back.
    fn check(self) -> Result<Verdict, Error> {
        let features = self.data.cols();
        let Terms { l1, l2 } = self.terms;
        if l1.len() != features || l2.len() != features {
            return denied("the certificate's penalty is for another number of features");
        }
        if !self.blocks.iter().flatten().all(|w| w.is_finite()) {
            return denied("the direction is not finite");
        }
        let pays = |j: usize| j < features && (l1[j] != 0.0 || l2[j] != 0.0);
        let held = |block: &Vec<f64>| (0..features).filter(|&j| pays(j) && block[j] != 0.0).count();
        let held: usize = self.blocks.iter().map(held).sum();
        let width = self.blocks.first().map_or(0, Vec::len);
        let columns: Vec<usize> = (0..width).filter(|&j| !pays(j)).collect();
        let free = |block: &Vec<f64>| columns.iter().map(|&j| block[j]).collect::<Vec<f64>>();
        let w: Vec<f64> = self.blocks.iter().flat_map(free).collect();
        let sides = Rows::new(self.data, columns, self.labels, self.blocks.len()).sides(&w);
        let count = |side: Ordering| sides.iter().filter(|s| **s == side).count();
        let (right, on, wrong) =
            (count(Ordering::Greater), count(Ordering::Equal), count(Ordering::Less));
        let claim = if self.complete { on == 0 } else { on > 0 };
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
}

/// The rows a_tk that count, as t and k.
struct Rows<'a, T> {
    x: View<'a, T>,
    /// The columns of a block; that after the last is the intercept.
    columns: Vec<usize>,
    labels: Vec<usize>,
    /// Classes but the last.
    blocks: usize,
    counted: Vec<(usize, usize)>,
    /// p_j of each column of a block.
    units: Vec<i32>,
    /// The exponent of the last bit of any value in these units.
    last: i32,
}

impl<'a, T: Scalar> Rows<'a, T> {
    fn new(data: &Dataset<'a, T>, columns: Vec<usize>, labels: Vec<usize>, blocks: usize) -> Self {
        let crate::Design::Dense(x) = data.design();
        let counts: Vec<usize> = (0..x.rows()).filter(|&t| data.weight_of(t) > 0.0).collect();
        let others = |&t: &usize| (0..=blocks).map(move |k| (t, k));
        let counted = counts.iter().flat_map(others).filter(|&(t, k)| k != labels[t]).collect();
        let (units, last) = (Vec::new(), 0);
        let mut rows = Self { x, columns, labels, blocks, counted, units, last };
        for j in 0..rows.columns.len() {
            let values = || counts.iter().map(|&t| rows.value(t, j));
            let largest = values().fold(0.0, |max: f64, v| max.max(v.abs()));
            let unit = if largest > 0.0 { Scalar::exponent(largest) } else { 0 };
            let last = values().filter_map(last_bit).min().map_or(0, |last| last - unit);
            rows.units.push(unit);
            rows.last = rows.last.min(last);
        }
        rows
    }

    fn value(&self, t: usize, j: usize) -> f64 {
        let column = self.columns[j];
        if column < self.x.cols() { self.x[(t, column)].to_double() } else { 1.0 }
    }

    fn unit(&self, at: usize) -> i32 {
        self.units[at % self.columns.len()]
    }

    /// The coordinates of a row that may differ from zero.
    fn entries(&self, (t, k): (usize, usize)) -> Vec<(usize, f64)> {
        let width = self.columns.len();
        let mut entries = Vec::with_capacity(2 * width);
        for (class, sign) in [(self.labels[t], 1.0), (k, -1.0)] {
            if class < self.blocks {
                entries.extend((0..width).map(|j| (class * width + j, sign * self.value(t, j))));
            }
        }
        entries
    }

    fn row(&self, row: (usize, usize)) -> Vec<BigInt> {
        let mut exact = vec![BigInt::zero(); self.blocks * self.columns.len()];
        for (at, value) in self.entries(row) {
            exact[at] = integer(value, self.unit(at) + self.last);
        }
        exact
    }

    fn product(&self, row: (usize, usize), v: &[BigInt]) -> BigInt {
        let entries = self.entries(row).into_iter().filter(|(at, _)| !v[*at].is_zero());
        entries.map(|(at, x)| integer(x, self.unit(at) + self.last) * &v[at]).sum()
    }

    /// The side that each row is on: of the direction as it is, or of that with the ties on its hyperplane.
    fn sides(&self, w: &[f64]) -> Vec<Ordering> {
        let last = w.iter().enumerate().filter_map(|(k, w)| Some(last_bit(*w)? + self.unit(k)));
        let last = last.min().unwrap_or(0);
        let exact = w.iter().enumerate().map(|(k, w)| integer(*w, last - self.unit(k)));
        let exact: Vec<BigInt> = exact.collect();
        let side = |row: (usize, usize), v: &[BigInt]| self.product(row, v).cmp(&BigInt::zero());
        let (mut given, mut ties) = (Vec::new(), Vec::new());
        for &row in &self.counted {
            given.push(self.side_in_doubles(row, w).unwrap_or_else(|| {
                ties.push(row);
                side(row, &exact)
            }));
        }
        if ties.is_empty() || !given.contains(&Ordering::Less) {
            return given;
        }
        match self.nearest(exact, &ties) {
            Some(v) => self.counted.iter().map(|&row| side(row, &v)).collect(),
            None => given,
        }
    }

    /// The sign of a·w, where doubles tell it.
    fn side_in_doubles(&self, row: (usize, usize), w: &[f64]) -> Option<Ordering> {
        let (mut value, mut size) = (0.0, 0.0);
        for (at, x) in self.entries(row) {
            let term = w[at] * x;
            value += term;
            size += term.abs();
        }
        let width = w.len() as f64;
        let rounding = (width + 4.0) * f64::EPSILON * size + width * f64::MIN_POSITIVE;
        (value.abs() > rounding).then(|| value.total_cmp(&0.0))
    }

    /// The nearest direction to v that all ties are orthogonal to; `None` if they are too many.
    fn nearest(&self, mut v: Vec<BigInt>, ties: &[(usize, usize)]) -> Option<Vec<BigInt>> {
        let bits = self.last.unsigned_abs() as usize;
        let mut basis: Vec<Vec<BigInt>> = Vec::new();
        while let Some(off) = ties.iter().find(|row| !self.product(**row, &v).is_zero()) {
            if basis.len() == MOST_TIES || (basis.len() + 1) * bits > MOST_BITS {
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
