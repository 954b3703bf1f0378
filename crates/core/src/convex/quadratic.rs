//! min_v c·v + ½vᵀHv + Σ λ₁ⱼ|v_j| + λ₂ⱼv_j²: a quadratic with corners, from its Gram matrix.
//!
//! Coordinate descent finds which weights are zero: with r = c + Hv,
//! v_j ← S(H_jj v_j − r_j, λ₁ⱼ)/(H_jj + 2λ₂ⱼ), S the soft threshold, at O(k) a step. Once the support and
//! its signs s hold still, they are solved for at once, (H_SS + 2Λ₂)v_S = −c_S − λ₁s, by Cholesky: exact
//! where coordinate descent crawls on correlated columns. Weights whose sign would flip on the way become
//! zero, and coordinate descent goes on from there; where it brings them back again and again, the rest is
//! solved for first (feature-sign search; Lee, Battle, Raina, Ng 2007). Each step lowers the objective.

use super::factor::Factor;
use super::vectors::add_multiple;
use crate::penalty::{Terms, soft_threshold};
use crate::simd::{Kernel, vectorised};
use crate::wide::ExactProduct;
use crate::{Backend, Matrix};

/// The quadratic: H in full, both triangles, and the terms in the same coordinates.
pub(crate) struct Quadratic<'a> {
    pub(crate) backend: &'a dyn Backend<f64>,
    pub(crate) hessian: &'a Matrix<f64>,
    pub(crate) linear: &'a [f64],
    pub(crate) terms: &'a Terms,
}

/// Sweeps over the coordinates at most.
const MAX_ROUNDS: usize = 10_000;
/// Flips after which weights that would flip stay out until the rest is solved for.
const PATIENCE: usize = 3;
/// Changes of so many tolerances are rounding.
const STANDSTILL: f64 = 10.0;
/// A fraction of the objective that is rounding.
const ROUNDING: f64 = 1e-15;

impl Quadratic<'_> {
    /// Moves `v` to the minimiser; the gradient c + Hv is returned. Violations below `tolerance`, in
    /// units of the gradient, are left.
    pub(crate) fn minimise(&self, v: &mut [f64], tolerance: f64) -> Vec<f64> {
        if self.terms.is_smooth() && self.solve_support(v) == Support::Solved {
            // No corners: there was nothing to find out before solving.
            return self.gradient(v);
        }
        let mut gradient = self.gradient(v);
        let mut signs = signs_of(v);
        // The signs that were last solved for, and what came of it.
        let mut tried: Option<(Vec<i8>, Support)> = None;
        let mut best = f64::MAX;
        let mut blocked = 0;
        for _ in 0..MAX_ROUNDS {
            if self.violation(v, &gradient) <= tolerance {
                break;
            }
            let moved = self.sweep(v, &mut gradient);
            let now = signs_of(v);
            let still = now == signs;
            signs = now;
            match tried.as_ref().filter(|(tried, _)| *tried == signs) {
                // Solved for these signs before: what is left is rounding.
                Some((_, Support::Solved)) => break,
                // More columns than their rows can tell apart: sweeps alone go on until they stand still.
                Some((_, Support::Singular)) if moved <= STANDSTILL * tolerance => break,
                None if still => {
                    let mut support = self.solve_support(v);
                    // Weights that depend on each other may come and go for ever: each turn of this leaves one out.
                    while support == Support::Blocked && blocked >= PATIENCE {
                        support = self.solve_support(v);
                    }
                    gradient = self.gradient(v);
                    signs = signs_of(v);
                    tried = (support != Support::Blocked).then(|| (signs.clone(), support));
                    blocked += usize::from(support == Support::Blocked);
                    // Supports may take turns for ever where only rounding tells them apart.
                    if support == Support::Solved {
                        let value = self.value(v, &gradient);
                        if value >= best - ROUNDING * best.abs() {
                            break;
                        }
                        best = value;
                    }
                }
                _ => {}
            }
        }
        gradient
    }

    /// c + Hv.
    fn gradient(&self, v: &[f64]) -> Vec<f64> {
        vectorised(Gradient { hessian: self.hessian, linear: self.linear, v })
    }

    /// The objective, from v and c + Hv.
    fn value(&self, v: &[f64], gradient: &[f64]) -> f64 {
        let twice: f64 = (0..v.len()).map(|j| v[j] * (self.linear[j] + gradient[j])).sum();
        0.5 * twice + self.terms.value(v)
    }

    fn violation(&self, v: &[f64], gradient: &[f64]) -> f64 {
        let violations = (0..v.len()).map(|j| self.terms.violation(j, v[j], gradient[j]));
        violations.fold(0.0, f64::max)
    }

    /// One round of coordinate descent; the largest change, in units of the gradient.
    fn sweep(&self, v: &mut [f64], gradient: &mut [f64]) -> f64 {
        vectorised(Sweep { hessian: self.hessian, terms: self.terms, v, gradient })
    }

    /// Solves for the support with its signs held, and goes there. Weights whose sign would flip become zero; if
    /// that is no better, as far of the way as it is better, or to the first flip at least.
    fn solve_support(&self, v: &mut [f64]) -> Support {
        let signs = signs_of(v);
        let free =
            |j: &usize| signs[*j] != 0 || self.terms.l1[*j] == 0.0 && self.hessian[(*j, *j)] > 0.0;
        let support: Vec<usize> = (0..v.len()).filter(free).collect();
        let Some(goal) = self.support_solution(&support, &signs) else {
            return Support::Singular;
        };
        let steps = || support.iter().copied().zip(goal.iter().copied());
        let keeps = |j: usize, v: f64| self.terms.l1[j] == 0.0 || v * f64::from(signs[j]) > 0.0;
        let reach = |(j, goal): (usize, f64)| (!keeps(j, goal)).then(|| v[j] / (v[j] - goal));
        let Some(reach) = steps().filter_map(reach).min_by(f64::total_cmp) else {
            steps().for_each(|(j, goal)| v[j] = goal);
            return Support::Solved;
        };
        let before = self.value_at(v);
        let mut fraction = 1.0;
        loop {
            let mut there = v.to_vec();
            for (j, goal) in steps() {
                let part = if fraction < 1.0 { v[j] + fraction * (goal - v[j]) } else { goal };
                there[j] = if keeps(j, part) { part } else { 0.0 };
            }
            if fraction <= reach || self.value_at(&there) < before {
                v.copy_from_slice(&there);
                return Support::Blocked;
            }
            fraction = (0.5 * fraction).max(reach);
        }
    }

    fn value_at(&self, v: &[f64]) -> f64 {
        self.value(v, &self.gradient(v))
    }

    fn support_solution(&self, support: &[usize], signs: &[i8]) -> Option<Vec<f64>> {
        let ridge = |j: usize| 2.0 * self.terms.l2[j];
        let factor = Factor::of_support(self.backend, self.hessian, support, ridge)?;
        let side = |&j: &usize| -self.linear[j] - self.terms.l1[j] * f64::from(signs[j]);
        let solution = factor.solve(&support.iter().map(side).collect::<Vec<f64>>());
        solution.iter().all(|v| v.is_finite()).then_some(solution)
    }
}

/// See [`Quadratic::gradient`].
struct Gradient<'a> {
    hessian: &'a Matrix<f64>,
    linear: &'a [f64],
    v: &'a [f64],
}

impl Kernel for Gradient<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Vec<f64> {
        let mut gradient = self.linear.to_vec();
        for (j, &value) in self.v.iter().enumerate() {
            if value != 0.0 {
                add_multiple(&mut gradient, value, self.hessian.col(j));
            }
        }
        gradient
    }
}

/// See [`Quadratic::sweep`].
struct Sweep<'a> {
    hessian: &'a Matrix<f64>,
    terms: &'a Terms,
    v: &'a mut [f64],
    gradient: &'a mut [f64],
}

impl Kernel for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> f64 {
        let Self { hessian, terms, v, gradient } = self;
        let mut largest = 0.0_f64;
        for j in 0..v.len() {
            let curvature = hessian[(j, j)];
            let divisor = curvature + 2.0 * terms.l2[j];
            if divisor <= 0.0 {
                continue;
            }
            let target = soft_threshold(curvature * v[j] - gradient[j], terms.l1[j]) / divisor;
            let change = target - v[j];
            if change != 0.0 {
                v[j] = target;
                add_multiple(gradient, change, hessian.col(j));
                largest = largest.max((change * divisor).abs());
            }
        }
        largest
    }
}

/// What came of solving for a support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    /// It has its exact solution, with no sign flipped.
    Solved,
    /// Some signs would flip: those weights are zero now.
    Blocked,
    /// It has columns that depend on the others.
    Singular,
}

fn signs_of(v: &[f64]) -> Vec<i8> {
    v.iter().map(|v| i8::from(*v > 0.0) - i8::from(*v < 0.0)).collect()
}
