//! One pass: the curve and its exact Jacobian at a point, reduced to a triangle.
//!
//! With r = y − f and J = ∂f/∂θ by dual numbers, the rows √c·[J·S, r] are stacked into R by Householder
//! reflections, S a diagonal of powers of two that keeps columns near unit length:
//!
//! R = [R_J  q; 0  ρ],  ‖r − Jδ‖² = ‖q − R_J S⁻¹δ‖² + ρ²
//!
//! so that a step, its predicted gain and the angle between residual and tangent space are read off a
//! small triangle.

use num_dual::{Dual2_64, Dual64};

use super::Curve;
use crate::wide::{Dd, Number};
use crate::{Backend, Block, Error, Matrix, Reduction, Rows, Scalar};

/// The problem at hand: data and a curve.
pub(super) struct Objective<'a, 'd, T: Scalar, C> {
    pub(super) backend: &'a dyn Backend<T>,
    pub(super) rows: &'a mut Rows<'d, T>,
    pub(super) curve: &'a C,
    /// The order of the parameters as columns: those to be eliminated first.
    pub(super) order: Vec<usize>,
    /// Exponents of the powers of two that columns are divided by, the residual last.
    pub(super) exponents: Vec<i32>,
    pub(super) passes: usize,
}

/// The objective and its linearisation at a point.
#[derive(Clone, Debug)]
pub(super) struct Linearisation {
    /// Σ c r².
    pub(super) squares: f64,
    /// Σ c (|y| + |f|)²: the size of the numbers whose difference r is.
    pub(super) magnitude: f64,
    /// R of [J, r] in the order of the objective, in the caller's units.
    pub(super) triangle: Matrix<f64>,
}

impl<T: Scalar, C: Curve> Objective<'_, '_, T, C> {
    /// Evaluates everything at θ; `None` where the curve or its derivatives are not finite.
    pub(super) fn linearise(&mut self, theta: &[f64]) -> Result<Option<Linearisation>, Error> {
        if theta.iter().any(|t| !t.is_finite()) {
            return Ok(None);
        }
        if self.exponents.is_empty() {
            self.exponents = self.reduce(theta, &[])?.exponents();
        }
        let mut state = self.reduce(theta, &self.exponents.clone())?;
        if state.is_finite() && !state.in_range {
            // The columns have grown out of the units of the last point.
            self.exponents = state.exponents();
            state = self.reduce(theta, &self.exponents.clone())?;
        }
        if !state.is_finite() || !state.in_range {
            return Ok(None);
        }
        let scale: Vec<f64> = self.exponents.iter().map(|&e| f64::power_of_two(e)).collect();
        let size = scale.len();
        let triangle = Matrix::from_fn(size, size, |i, j| {
            if i <= j { state.triangle[(i, j)].to_double() * scale[j] } else { 0.0 }
        });
        // The next pass scales by the lengths of this one.
        self.exponents = state.exponents();
        let squares = state.squares.to_double();
        Ok(Some(Linearisation { squares, magnitude: state.magnitude, triangle }))
    }

    fn reduce(&mut self, theta: &[f64], exponents: &[i32]) -> Result<State<T>, Error> {
        self.passes += 1;
        self.rows.repeat(&LinearisePass {
            backend: self.backend,
            curve: self.curve,
            theta,
            order: &self.order,
            scales: exponents.iter().map(|&e| f64::power_of_two(-e)).collect(),
        })
    }

    /// JᵀC f″ in the order of the columns, f″ the second derivative of the curve along a direction.
    pub(super) fn curvature(
        &mut self,
        theta: &[f64],
        direction: &[f64],
    ) -> Result<Vec<f64>, Error> {
        self.passes += 1;
        let (curve, order) = (self.curve, &self.order);
        self.rows.repeat(&CurvaturePass { curve, theta, direction, order })
    }

    /// Number of rows with weight.
    pub(super) fn observations(&mut self) -> Result<f64, Error> {
        self.passes += 1;
        self.rows.repeat(&CountPass)
    }
}

/// The pass; without scales only the lengths of the columns are taken.
struct LinearisePass<'a, T: Scalar, C> {
    backend: &'a dyn Backend<T>,
    curve: &'a C,
    theta: &'a [f64],
    order: &'a [usize],
    scales: Vec<f64>,
}

struct State<T> {
    squares: Dd,
    magnitude: f64,
    /// Σ c·(entry)² of every column and of the residual.
    lengths: Vec<f64>,
    /// Whether every scaled entry is within [`REACH`].
    in_range: bool,
    triangle: Matrix<T>,
    block: Vec<T>,
}

/// Scaled entries beyond this are out of their units; squares of it fit in any type.
const REACH: f64 = (1_u64 << 50) as f64;

impl<T> State<T> {
    fn is_finite(&self) -> bool {
        self.squares.to_double().is_finite() && self.lengths.iter().all(|s| s.is_finite())
    }

    fn exponents(&self) -> Vec<i32> {
        self.lengths.iter().map(|s| s.sqrt().exponent()).collect()
    }
}

impl<T: Scalar, C: Curve> Reduction<T> for LinearisePass<'_, T, C> {
    type State = State<T>;

    fn start(&self) -> State<T> {
        let size = self.order.len() + 1;
        State {
            squares: Dd::ZERO,
            magnitude: 0.0,
            lengths: vec![0.0; size],
            in_range: true,
            triangle: Matrix::zeros(size, size),
            block: Vec::new(),
        }
    }

    fn absorb(&self, state: &mut State<T>, block: &Block<'_, T>) {
        let (rows, size) = (block.x.rows(), self.order.len() + 1);
        state.block.clear();
        state.block.resize(rows * size, T::zero());
        let mut x = vec![0.0; block.x.cols()];
        let mut point: Vec<Dual64> = self.theta.iter().map(|&t| Dual64::from_re(t)).collect();
        let mut entries = vec![0.0; size];
        for i in 0..rows {
            for (j, x) in x.iter_mut().enumerate() {
                *x = block.x[(i, j)].to_double();
            }
            let weight = block.weight_of(i);
            if weight == 0.0 {
                continue;
            }
            let root = weight.sqrt();
            let value = self.curve.value(&x, self.theta);
            let y = block.y[(i, 0)].to_double();
            for (entry, &parameter) in entries.iter_mut().zip(self.order) {
                point[parameter].eps = 1.0;
                *entry = self.curve.value(&x, &point).eps * root;
                point[parameter].eps = 0.0;
            }
            entries[size - 1] = (y - value) * root;
            state.squares += Dd::product(entries[size - 1], entries[size - 1]);
            state.magnitude += weight * (y.abs() + value.abs()).powi(2);
            for (length, entry) in state.lengths.iter_mut().zip(&entries) {
                *length += entry * entry;
            }
            for (k, scale) in self.scales.iter().enumerate() {
                let scaled = entries[k] * scale;
                state.in_range &= scaled.abs() <= REACH;
                state.block[k * rows + i] = T::from_double(scaled);
            }
        }
        if state.in_range && !self.scales.is_empty() {
            let stacked = crate::ViewMut::col_major(&mut state.block, rows, size);
            let stacked = stacked.expect("the buffer was filled to this size");
            self.backend.stack_qr(state.triangle.view_mut(), stacked);
        }
    }

    fn merge(&self, left: &mut State<T>, mut right: State<T>) {
        left.squares += right.squares;
        left.magnitude += right.magnitude;
        left.lengths.iter_mut().zip(&right.lengths).for_each(|(a, b)| *a += b);
        left.in_range &= right.in_range;
        if left.in_range && !self.scales.is_empty() {
            self.backend.stack_qr(left.triangle.view_mut(), right.triangle.view_mut());
        }
    }
}

struct CurvaturePass<'a, C> {
    curve: &'a C,
    theta: &'a [f64],
    direction: &'a [f64],
    order: &'a [usize],
}

impl<T: Scalar, C: Curve> Reduction<T> for CurvaturePass<'_, C> {
    type State = Vec<f64>;

    fn start(&self) -> Vec<f64> {
        vec![0.0; self.order.len()]
    }

    fn absorb(&self, state: &mut Vec<f64>, block: &Block<'_, T>) {
        let mut x = vec![0.0; block.x.cols()];
        let mut point: Vec<Dual64> = self.theta.iter().map(|&t| Dual64::from_re(t)).collect();
        let along = self.theta.iter().zip(self.direction);
        let line: Vec<Dual2_64> = along.map(|(&t, &d)| Dual2_64::new(t, d, 0.0)).collect();
        for i in 0..block.x.rows() {
            for (j, x) in x.iter_mut().enumerate() {
                *x = block.x[(i, j)].to_double();
            }
            let weight = block.weight_of(i);
            if weight == 0.0 {
                continue;
            }
            let second = self.curve.value(&x, &line).v2;
            for (sum, &parameter) in state.iter_mut().zip(self.order) {
                point[parameter].eps = 1.0;
                *sum += weight * second * self.curve.value(&x, &point).eps;
                point[parameter].eps = 0.0;
            }
        }
    }

    fn merge(&self, left: &mut Vec<f64>, right: Vec<f64>) {
        left.iter_mut().zip(right).for_each(|(a, b)| *a += b);
    }
}

/// Counts observations: Σc for frequencies is the caller's matter, here rows with weight.
struct CountPass;

impl<T: Scalar> Reduction<T> for CountPass {
    type State = f64;

    fn start(&self) -> f64 {
        0.0
    }

    fn absorb(&self, count: &mut f64, block: &Block<'_, T>) {
        *count += match block.weights {
            None => block.x.rows() as f64,
            Some(weights) => weights.col_iter(0).filter(|c| **c > T::zero()).count() as f64,
        };
    }

    fn merge(&self, left: &mut f64, right: f64) {
        *left += right;
    }
}
