//! Anderson's extrapolation of coordinate descent (Bertrand and Massias 2021).
//!
//! Once the support holds still, a round is a linear map towards a fixed point. Of the last points v_0 … v_K the
//! combination Σ c_i v_i, Σ c_i = 1, whose step Σ c_i (v_i − v_{i−1}) is shortest, is far nearer to it than v_K:
//! c = M⁻¹1/(1·M⁻¹1) with M the Gram matrix of the steps. What depends on v linearly is combined alike.

use super::columns::{Group, WIDTH};
use super::factor::Factor;
use super::vectors::dot;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, Number};
use crate::{Backend, Matrix};

/// Steps that are combined.
const STEPS: usize = 5;

/// What is added to the diagonal of M, relative to it: steps in a row are nearly parallel.
const RIDGE: f64 = 1e-10;

/// A point of the descent: the weights, the level, and the change of z and of its derivatives.
pub(super) struct Point<S> {
    pub(super) weights: Vec<f64>,
    pub(super) level: f64,
    pub(super) s: Vec<Group<S>>,
    pub(super) r: Vec<Group<S>>,
}

/// The last points.
pub(super) struct Extrapolation<S> {
    points: Vec<Point<S>>,
}

impl<S> Default for Extrapolation<S> {
    fn default() -> Self {
        Self { points: Vec::new() }
    }
}

impl<S: Number> Extrapolation<S> {
    /// Takes a point in; with enough of them, gives the extrapolated one and starts anew.
    pub(super) fn push(
        &mut self,
        backend: &dyn Backend<f64>,
        point: impl FnOnce() -> Point<S>,
    ) -> Option<Point<S>> {
        self.points.push(point());
        if self.points.len() <= STEPS {
            return None;
        }
        let points = std::mem::take(&mut self.points);
        combination(backend, &points).map(|c| combined(&c, &points[1..]))
    }
}

/// The coefficients c.
fn combination<S>(backend: &dyn Backend<f64>, points: &[Point<S>]) -> Option<Vec<f64>> {
    let step = |pair: &[Point<S>]| -> Vec<f64> {
        let weights = pair[1].weights.iter().zip(&pair[0].weights).map(|(b, a)| b - a);
        weights.chain([pair[1].level - pair[0].level]).collect()
    };
    let steps: Vec<Vec<f64>> = points.windows(2).map(step).collect();
    let size = dot(&steps[0], &steps[0]);
    let gram = Matrix::from_fn(STEPS, STEPS, |i, j| dot(&steps[i], &steps[j]) / size);
    let every: Vec<usize> = (0..STEPS).collect();
    let factor = Factor::of_support(backend, &gram, &every, |i| RIDGE * gram[(i, i)])?;
    let c = factor.solve(&[1.0; STEPS]);
    let total: f64 = c.iter().sum();
    let c: Vec<f64> = c.iter().map(|c| c / total).collect();
    c.iter().all(|c| c.is_finite()).then_some(c)
}

fn combined<S: Number>(c: &[f64], points: &[Point<S>]) -> Point<S> {
    let sum = |part: &dyn Fn(&Point<S>) -> &[Group<S>]| {
        let parts: Vec<_> = c.iter().copied().zip(points.iter().map(part)).collect();
        vectorised(Combined(&parts))
    };
    let weights = |j: usize| c.iter().zip(points).map(|(c, point)| c * point.weights[j]).sum();
    Point {
        weights: (0..points[0].weights.len()).map(weights).collect(),
        level: c.iter().zip(points).map(|(c, point)| c * point.level).sum(),
        s: sum(&|point| &point.s),
        r: sum(&|point| &point.r),
    }
}

/// Σ c_i x_i, in doubles.
struct Combined<'a, S>(&'a [(f64, &'a [Group<S>])]);

impl<S: Number> Kernel for Combined<'_, S> {
    type Output = Vec<Group<S>>;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Vec<Group<S>> {
        let groups = self.0.first().map_or(0, |(_, x)| x.len());
        let combined = |t: usize| {
            let mut sum = [0.0; WIDTH];
            for (c, x) in self.0 {
                for l in 0..WIDTH {
                    sum[l] += c * x[t][l].to_double();
                }
            }
            sum.map(S::from_double)
        };
        (0..groups).map(combined).collect()
    }
}
