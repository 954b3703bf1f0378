//! Newton's step on softmax, by conjugate gradients.

use super::super::sums::Sum;
use super::{Checker, NOISE, RowsAt};
use crate::Scalar;

/// The Hessian of F by the unknowns that may move, each the column and the class of a weight; the column after the
/// last is the intercept. Columns are centred, and measured in units that bring them to about 1.
pub(super) struct Hessian<'c, T> {
    checker: &'c Checker<'c, T>,
    rows: &'c RowsAt,
    pub(super) unknowns: Vec<(usize, usize)>,
    means: Vec<f64>,
    pub(super) units: Vec<f64>,
}

impl<'c, T: Scalar> Hessian<'c, T> {
    pub(super) fn new(
        checker: &'c Checker<'c, T>,
        rows: &'c RowsAt,
        unknowns: Vec<(usize, usize)>,
    ) -> Self {
        let means = checker.means();
        let unit = |(j, mean): (usize, &f64)| {
            let values = (0..checker.x.rows()).map(|t| checker.x[(t, j)].to_double() - mean);
            let largest = values.fold(0.0, |max: f64, v| max.max(v.abs()));
            let usable = largest > 0.0 && largest.is_finite();
            // Squares of units are to be numbers as well.
            let exponent = if usable { largest.exponent().clamp(-500, 500) } else { 0 };
            f64::power_of_two(-exponent)
        };
        let units = means.iter().enumerate().map(unit).collect();
        Self { checker, rows, unknowns, means, units }
    }

    fn entry(&self, t: usize, j: usize) -> f64 {
        match self.means.get(j) {
            Some(mean) => (self.checker.x[(t, j)].to_double() - mean) * self.units[j],
            None => 1.0,
        }
    }

    /// What a step against the gradient adds to the predictions of a row.
    pub(super) fn moved(&self, t: usize, step: &[f64]) -> Vec<f64> {
        let mut moved = vec![0.0; self.checker.classes];
        for (&(j, k), s) in self.unknowns.iter().zip(step) {
            moved[k] -= s * self.entry(t, j);
        }
        moved
    }

    fn ridge(&self, j: usize) -> f64 {
        let l2 = self.checker.certificate.terms.l2.get(j);
        l2.map_or(0.0, |l2| 2.0 * l2 * self.units[j] * self.units[j])
    }

    /// A number added to an unknown of all classes changes no prediction: that direction gets curvature here.
    fn gauge(&self) -> Vec<f64> {
        let (classes, rows) = (self.checker.classes, self.checker.x.rows());
        let mut free = vec![0; self.means.len() + 1];
        self.unknowns.iter().for_each(|&(j, _)| free[j] += 1);
        let size = |j: usize| {
            (0..rows).map(|t| self.checker.weight(t) * self.entry(t, j).powi(2)).sum::<f64>()
        };
        let pull = |(j, &free): (usize, &usize)| {
            if free == classes { size(j) / classes as f64 } else { 0.0 }
        };
        free.iter().enumerate().map(pull).collect()
    }

    pub(super) fn gradient(&self) -> Vec<Sum> {
        let terms = &self.checker.certificate.terms;
        let derivative = |&(j, k): &(usize, usize)| {
            let mut g = Sum::default();
            for (t, u) in self.rows.slopes.iter().enumerate() {
                g.add_product(self.checker.weight(t) * u[k], self.entry(t, j));
            }
            if j < terms.l1.len() {
                let w = self.checker.coefficient(j, k);
                let unit = self.units[j];
                g.add_product(2.0 * terms.l2[j] * unit, w);
                g.add_product(terms.l1[j] * unit, if w == 0.0 { 0.0 } else { w.signum() });
            }
            g
        };
        self.unknowns.iter().map(derivative).collect()
    }

    /// Hs, with the gauge.
    fn times(&self, s: &[f64], gauge: &[f64]) -> Vec<f64> {
        let classes = self.checker.classes;
        let mut product: Vec<f64> =
            self.unknowns.iter().zip(s).map(|(&(j, _), s)| self.ridge(j) * s).collect();
        let mut sums = vec![0.0; gauge.len()];
        self.unknowns.iter().zip(s).for_each(|(&(j, _), s)| sums[j] += s);
        for (t, u) in self.rows.slopes.iter().enumerate() {
            let mut a = vec![0.0; classes];
            self.unknowns.iter().zip(s).for_each(|(&(j, k), s)| a[k] += self.entry(t, j) * s);
            let class = self.checker.class(t);
            let p = |k: usize| if k == class { 1.0 + u[k] } else { u[k] };
            let mean: f64 = (0..classes).map(|k| p(k) * a[k]).sum();
            for (&(j, k), product) in self.unknowns.iter().zip(&mut product) {
                *product += self.checker.weight(t) * p(k) * (a[k] - mean) * self.entry(t, j);
            }
        }
        for (&(j, _), product) in self.unknowns.iter().zip(&mut product) {
            *product += gauge[j] * sums[j];
        }
        product
    }

    fn diagonal(&self, gauge: &[f64]) -> Vec<f64> {
        let mut diagonal: Vec<f64> =
            self.unknowns.iter().map(|&(j, _)| self.ridge(j) + gauge[j]).collect();
        for (t, u) in self.rows.slopes.iter().enumerate() {
            let class = self.checker.class(t);
            for (&(j, k), diagonal) in self.unknowns.iter().zip(&mut diagonal) {
                let p = if k == class { 1.0 + u[k] } else { u[k] };
                *diagonal += self.checker.weight(t) * p * (1.0 - p) * self.entry(t, j).powi(2);
            }
        }
        diagonal.iter().map(|&d| if d > 0.0 { d } else { 1.0 }).collect()
    }

    /// Whether the corners hold the weights that do not move once the others have made a step.
    pub(super) fn are_held(&self, gradient: &[Sum], step: &[f64], moving: &[bool]) -> bool {
        let change = self.times(step, &vec![0.0; self.means.len() + 1]);
        (0..step.len()).filter(|&i| !moving[i]).all(|i| {
            let (j, k) = self.unknowns[i];
            let corner = self.checker.certificate.terms.l1[j] * self.units[j];
            let sign = self.checker.coefficient(j, k).signum();
            let slope = gradient[i].value() - change[i] - corner * sign;
            slope.abs() <= corner * (1.0 + 1e-9) + NOISE * gradient[i].magnitude()
        })
    }

    /// H⁻¹g, up to a share of g in the metric of the diagonal; `None` where it is not found.
    pub(super) fn newton(&self, gradient: &[Sum], share: f64) -> Option<Newton> {
        let g: Vec<f64> = gradient.iter().map(Sum::value).collect();
        let gauge = self.gauge();
        let diagonal = self.diagonal(&gauge);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scaled = |r: &[f64]| r.iter().zip(&diagonal).map(|(r, d)| r / d).collect::<Vec<f64>>();
        // Derivatives are rounded, and what that puts across dependent columns is no slope of theirs.
        let noise =
            gradient.iter().zip(&diagonal).map(|(g, d)| (NOISE * g.magnitude()).powi(2) / d);
        let noise: f64 = noise.sum();
        let mut residual = g.to_vec();
        let mut direction = scaled(&residual);
        let mut size = dot(&residual, &direction);
        let first = size;
        let mut newton = Newton { step: vec![0.0; g.len()], square: 0.0 };
        let mut enough = None;
        for _ in 0..20 * g.len() + 200 {
            if size <= share * share * first {
                return Some(newton);
            }
            if size <= noise && enough.is_none() {
                enough = Some(newton.clone());
            }
            let image = self.times(&direction, &gauge);
            let length = size / dot(&direction, &image);
            if !length.is_finite() {
                break;
            }
            // Each step adds its own square in the metric of the inverse.
            newton.square += length * size;
            newton.step.iter_mut().zip(&direction).for_each(|(s, d)| *s += length * d);
            residual.iter_mut().zip(&image).for_each(|(r, h)| *r -= length * h);
            let next = scaled(&residual);
            let before = std::mem::replace(&mut size, dot(&residual, &next));
            direction.iter_mut().zip(&next).for_each(|(d, z)| *d = z + size / before * *d);
        }
        enough
    }
}

/// H⁻¹g and gᵀH⁻¹g.
#[derive(Clone)]
pub(super) struct Newton {
    pub(super) step: Vec<f64>,
    pub(super) square: f64,
}
