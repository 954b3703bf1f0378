//! Coordinates in which a problem is well scaled: v_j = w_j/s_j, β = b + Σ μ_j w_j.
//!
//! z = Σ v_j·s_j(x_j − μ_j) + β: columns are scaled by powers of two to about unit deviation, and centred
//! where there is an intercept. Both come from a sample of the rows, which is enough: any numbers are
//! right, some are better. Gradients turn by the transposed map, g̃_j = s_j(g_j − μ_j g_b).

use super::sample::a_few;
use super::vectors::dot;
use crate::kernels::{Packed, Transform};
use crate::simd::{Kernel, vectorised};
use crate::wide::{Dd, ExactProduct, LANES, Number};
use crate::{Dataset, Scalar, View, ViewMut};

/// Rows that are looked at to find the coordinates: at most and at least; fewer, the more columns there are.
const MOST_ROWS: usize = 512;
const LEAST_ROWS: usize = 64;
/// Values that are looked at, about.
const VALUES: usize = 1 << 17;

/// Scales are within 2^±this, so that their squares, which penalties and Hessians have, are numbers.
const MOST_SCALED: i32 = 500;

/// Shifts μ and scales s of the columns.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    shifts: Vec<f64>,
    scales: Vec<f64>,
    /// e, 2^e about the deviation of each column; 1/s_j but for columns of extreme size.
    exponents: Vec<i32>,
    intercept: bool,
}

impl Coordinates {
    /// Coordinates for the columns of a dataset.
    pub(crate) fn of<T: Scalar>(data: &Dataset<'_, T>, intercept: bool) -> Self {
        let crate::Design::Dense(x) = data.design();
        let wanted = (VALUES / x.cols().max(1)).clamp(LEAST_ROWS, MOST_ROWS);
        let sample = a_few(data.rows(), wanted);
        let runs: Vec<_> =
            sample.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len()).collect();
        let (mut shifts, mut scales, mut exponents) = (Vec::new(), Vec::new(), Vec::new());
        let mut values = Vec::with_capacity(sample.len());
        for j in 0..x.cols() {
            values.clear();
            match x.col_slice(j) {
                Some(column) => {
                    runs.iter().for_each(|run| values.extend_from_slice(&column[run.clone()]));
                }
                None => values.extend(sample.iter().map(|&t| x[(t, j)])),
            }
            let (shift, exponent) = vectorised(Standardisation { values: &values, intercept });
            shifts.push(if shift.is_finite() { shift } else { 0.0 });
            exponents.push(exponent);
            scales.push(f64::power_of_two(-exponent.clamp(-MOST_SCALED, MOST_SCALED)));
        }
        Self { shifts, scales, exponents, intercept }
    }

    /// Number of columns.
    pub(crate) fn features(&self) -> usize {
        self.scales.len()
    }

    /// Number of unknowns.
    pub(crate) fn unknowns(&self) -> usize {
        self.scales.len() + usize::from(self.intercept)
    }

    /// A sum over a column in units of its deviation, which may be too small or too large for a scale.
    pub(crate) fn in_deviations(&self, j: usize, sum: f64) -> f64 {
        let half = self.exponents[j] / 2;
        sum * f64::power_of_two(-half) * f64::power_of_two(half - self.exponents[j])
    }

    /// s_j.
    pub(crate) fn scale(&self, j: usize) -> f64 {
        self.scales[j]
    }

    /// μ_j (zero where nothing is centred) and s_j.
    pub(crate) fn standardisation(&self, j: usize) -> (f64, f64) {
        let shift = if self.intercept { self.shifts[j] } else { 0.0 };
        (shift, self.scale(j))
    }

    /// A block in these coordinates, its rows multiplied by the roots of the weights, where there are any.
    pub(crate) fn pack<'p, T: Scalar>(
        &self,
        packed: &'p mut Packed<f64>,
        x: View<'_, T>,
        weights: Option<View<'_, f64>>,
    ) -> View<'p, f64> {
        packed.pack(x, weights, &self.transform())
    }

    /// The squares of a block in these coordinates.
    pub(crate) fn pack_squares<'p, T: Scalar>(
        &self,
        packed: &'p mut Packed<f64>,
        x: View<'_, T>,
    ) -> ViewMut<'p, f64> {
        let mut block = packed.pack_mut(x, None, &self.transform());
        for j in 0..block.cols() {
            for i in 0..block.rows() {
                let value = block[(i, j)];
                block[(i, j)] = value * value;
            }
        }
        block
    }

    fn transform(&self) -> Transform<'_, f64> {
        Transform {
            shifts: self.intercept.then_some(&self.shifts),
            scales: Some(&self.scales),
            ones: self.intercept,
        }
    }

    /// The gradient in these coordinates.
    pub(crate) fn gradient(&self, gradient: &[f64]) -> Vec<f64> {
        let d = self.scales.len();
        let level = gradient.get(d).copied();
        let along = |j: usize| {
            let shift = level.map_or(0.0, |g| self.shifts[j] * g);
            self.scales[j] * (gradient[j] - shift)
        };
        (0..d).map(along).chain(level).collect()
    }

    /// The same in double-double, where the two terms may cancel.
    pub(crate) fn wide_gradient(&self, gradient: &[Dd]) -> Vec<Dd> {
        let d = self.scales.len();
        let level = gradient.get(d).copied();
        let along = |j: usize| {
            let shift = level.map_or(Dd::ZERO, |g| g * Dd::from(self.shifts[j]));
            (gradient[j] - shift) * Dd::from(self.scales[j])
        };
        (0..d).map(along).chain(level).collect()
    }

    /// A step in these coordinates as a step in θ.
    pub(crate) fn step(&self, step: &[f64]) -> Vec<f64> {
        let d = self.scales.len();
        let mut outer: Vec<f64> = (0..d).map(|j| self.scales[j] * step[j]).collect();
        if self.intercept {
            let shift: f64 = outer.iter().zip(&self.shifts).map(|(w, s)| w * s).sum();
            outer.push(step[d] - shift);
        }
        outer
    }

    /// θ in these coordinates.
    pub(crate) fn inner(&self, theta: &[f64]) -> Vec<f64> {
        let d = self.scales.len();
        let mut inner: Vec<f64> = (0..d).map(|j| theta[j] / self.scales[j]).collect();
        if self.intercept {
            let shift: f64 = theta.iter().zip(&self.shifts).map(|(w, s)| w * s).sum();
            inner.push(theta[d] + shift);
        }
        inner
    }
}

/// The mean of some values, where an intercept makes up for it, and the exponent of their deviation from it.
struct Standardisation<'a, T> {
    values: &'a [T],
    intercept: bool,
}

impl<T: Scalar> Kernel for Standardisation<'_, T> {
    type Output = (f64, i32);

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> (f64, i32) {
        let Self { values, intercept } = self;
        let mut values: Vec<f64> = values.iter().map(|v| v.to_double()).collect();
        let first = values.first().copied().unwrap_or_default();
        let mean = match intercept {
            false => 0.0,
            // Exactly, or what rounding leaves of a constant would be scaled up to a copy of the intercept.
            true if largest_distance(&values, first) == 0.0 => first,
            true => sum(&values) / values.len() as f64,
        };
        values.iter_mut().for_each(|v| *v -= mean);
        (mean, deviation_exponent(&mut values))
    }
}

/// The exponent of √(Σ v²/n); zero where there is nothing to scale.
#[inline(always)]
fn deviation_exponent(values: &mut [f64]) -> i32 {
    let largest = largest_distance(values, 0.0);
    if !(largest > 0.0 && largest.is_finite()) {
        return 0;
    }
    // Around the largest value, for squares of others may be no numbers.
    let top = largest.exponent();
    let half = top / 2;
    let (first, second) = (f64::power_of_two(-half), f64::power_of_two(half - top));
    values.iter_mut().for_each(|v| *v = *v * first * second);
    let deviation = (dot(values, values) / values.len() as f64).sqrt();
    top + deviation.exponent()
}

/// max |v − from|; what is no number stays none.
#[inline(always)]
fn largest_distance(values: &[f64], from: f64) -> f64 {
    let (groups, rest) = values.as_chunks::<LANES>();
    // The other way round, what is no number would be left out.
    let larger = |most: f64, distance: f64| if distance <= most { most } else { distance };
    let mut lanes = [0.0; LANES];
    for group in groups {
        for l in 0..LANES {
            lanes[l] = larger(lanes[l], (group[l] - from).abs());
        }
    }
    let rest = rest.iter().map(|v| (v - from).abs());
    lanes.into_iter().chain(rest).fold(0.0, larger)
}

/// Σ v in eight chains.
#[inline(always)]
fn sum(values: &[f64]) -> f64 {
    let (groups, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for group in groups {
        for l in 0..LANES {
            lanes[l] += group[l];
        }
    }
    lanes.iter().chain(rest).sum()
}
