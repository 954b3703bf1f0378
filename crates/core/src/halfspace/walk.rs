//! Walking over the rows with the perceptron's step: the loop that perceptron and pocket share.
//!
//! At a row with y (w·x + b) ≤ 0: w ← w + ηyx, b ← b + ηy. The dot product of a row is taken in
//! eight lanes, so that its bits do not depend on the machine; the loop over a run of rows is compiled
//! for each instruction set, so that a walk costs little more than reading the rows.

use crate::Scalar;
use crate::View;
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES};

/// Weights that are being trained.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights<T> {
    pub(crate) w: Vec<T>,
    pub(crate) b: T,
}

/// The rows in the order they are visited, cyclic where there is no other.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a, T> {
    pub(crate) x: View<'a, T>,
    pub(crate) y: &'a [T],
    pub(crate) order: Option<&'a [usize]>,
    pub(crate) intercept: bool,
    pub(crate) rate: T,
}

impl<T: Scalar> Walk<'_, T> {
    /// Goes through the positions `from..to` up to the first mistake, makes the step there and
    /// returns its position.
    pub(crate) fn next_mistake(
        &self,
        from: usize,
        to: usize,
        weights: &mut Weights<T>,
    ) -> Option<usize> {
        vectorised(Seek { walk: self, from, to, weights, steps: 1 }).last
    }

    /// Goes through all of `from..to` and makes every step; returns how many.
    pub(crate) fn all(&self, from: usize, to: usize, weights: &mut Weights<T>) -> u64 {
        vectorised(Seek { walk: self, from, to, weights, steps: u64::MAX }).steps
    }

    /// The row at a position.
    pub(crate) fn row(&self, position: usize) -> usize {
        self.order.map_or(position, |order| order[position])
    }

    /// Number of rows with y (w·x + b) ≤ 0.
    pub(crate) fn mistakes(&self, weights: &Weights<T>) -> usize {
        vectorised(Count { walk: self, weights })
    }
}

struct Seek<'a, 'w, T> {
    walk: &'a Walk<'a, T>,
    from: usize,
    to: usize,
    weights: &'w mut Weights<T>,
    steps: u64,
}

struct Sought {
    steps: u64,
    last: Option<usize>,
}

impl<T: Scalar> Kernel for Seek<'_, '_, T> {
    type Output = Sought;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> Sought {
        let Walk { x, y, order, intercept, rate } = *self.walk;
        let Weights { w, b } = self.weights;
        let mut sought = Sought { steps: 0, last: None };
        for position in self.from..self.to {
            let t = order.map_or(position, |order| order[position]);
            let row = x.row_slice(t).expect("rows are contiguous");
            if y[t] * (dot(row, w) + *b) <= T::zero() {
                let step = rate * y[t];
                w.iter_mut().zip(row).for_each(|(w, &x)| *w += step * x);
                if intercept {
                    *b += step;
                }
                sought.steps += 1;
                sought.last = Some(position);
                if sought.steps == self.steps {
                    break;
                }
            }
        }
        sought
    }
}

struct Count<'a, T> {
    walk: &'a Walk<'a, T>,
    weights: &'a Weights<T>,
}

impl<T: Scalar> Kernel for Count<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> usize {
        let wrong = |&t: &usize| {
            let row = self.walk.x.row_slice(t).expect("rows are contiguous");
            self.walk.y[t] * (dot(row, &self.weights.w) + self.weights.b) <= T::zero()
        };
        (0..self.walk.y.len()).filter(wrong).count()
    }
}

/// w·x in eight lanes.
#[inline(always)]
pub(crate) fn dot<T: Scalar>(x: &[T], w: &[T]) -> T {
    let (x_groups, x_rest) = x.as_chunks::<LANES>();
    let (w_groups, w_rest) = w.as_chunks::<LANES>();
    let mut lanes = [T::zero(); LANES];
    for (x, w) in x_groups.iter().zip(w_groups) {
        for k in 0..LANES {
            lanes[k] += x[k] * w[k];
        }
    }
    for ((lane, &x), &w) in lanes.iter_mut().zip(x_rest).zip(w_rest) {
        *lane += x * w;
    }
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = lanes.split_at_mut(width);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        width /= 2;
    }
    lanes[0]
}
