//! Anderson's extrapolation of coordinate descent (Bertrand and Massias 2021).
//!
//! Once the support holds still, a round is a linear map towards a fixed point. Of the last points v_0 … v_K the
//! combination Σ c_i v_i, Σ c_i = 1, whose step Σ c_i (v_i − v_{i−1}) is shortest, is far nearer to it than v_K:
//! c = M⁻¹1/(1·M⁻¹1) with M the Gram matrix of the steps. What depends on v linearly is combined alike.

use super::columns::Group;
use super::factor::Factor;
use super::vectors::dot;
use crate::{Backend, Matrix, Scalar};

/// Steps that are combined.
const STEPS: usize = 5;

/// What is added to the diagonal of M, relative to it: steps in a row are nearly parallel.
const RIDGE: f64 = 1e-10;

/// A point of the descent: the weights, the intercept last, and the change of z and of its derivatives.
#[derive(Clone, Default)]
pub(super) struct Point {
    pub(super) weights: Vec<f64>,
    pub(super) s: Vec<Group>,
    pub(super) r: Vec<Group>,
}

/// The last points.
#[derive(Default)]
pub(super) struct Extrapolation {
    points: Vec<Point>,
}

impl Extrapolation {
    /// Takes a point in; with enough of them, gives the extrapolated one and starts anew.
    pub(super) fn push<T: Scalar>(
        &mut self,
        backend: &dyn Backend<T>,
        point: impl FnOnce() -> Point,
    ) -> Option<Point> {
        self.points.push(point());
        if self.points.len() <= STEPS {
            return None;
        }
        let points = std::mem::take(&mut self.points);
        combination(backend, &points).map(|c| combined(&c, &points[1..]))
    }
}

/// The coefficients c.
fn combination<T: Scalar>(backend: &dyn Backend<T>, points: &[Point]) -> Option<Vec<f64>> {
    let step = |pair: &[Point]| -> Vec<f64> {
        pair[1].weights.iter().zip(&pair[0].weights).map(|(b, a)| b - a).collect()
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

fn combined(c: &[f64], points: &[Point]) -> Point {
    let mut sum = Point {
        weights: vec![0.0; points[0].weights.len()],
        s: vec![Group::default(); points[0].s.len()],
        r: vec![Group::default(); points[0].r.len()],
    };
    for (c, point) in c.iter().zip(points) {
        let add = |sum: &mut [f64], from: &[f64]| {
            sum.iter_mut().zip(from).for_each(|(sum, from)| *sum += c * from);
        };
        add(&mut sum.weights, &point.weights);
        add(sum.s.as_flattened_mut(), point.s.as_flattened());
        add(sum.r.as_flattened_mut(), point.r.as_flattened());
    }
    sum
}
