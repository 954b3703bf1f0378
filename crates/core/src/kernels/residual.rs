//! r = y − Xβ − b and g = Xᵀ(c∘r), fused: the block is read from memory once and from cache once.
//!
//! Written over [`Precision`], so the same loops run in the data's own precision (a gradient) and in
//! the wide ones (a refinement step). Two walks, by the layout of the block:
//!
//! - contiguous columns: r lives in lanes of eight rows; a column updates them all (axpy), then each
//!   column is reduced against them (dot) in four independent chains;
//! - contiguous rows: a row is reduced in lanes of eight columns (dot), eight rows at a time, then the
//!   same eight rows update the lanes of g (axpy).
//!
//! Chains are renormalised after a few dozen terms, which keeps their error at
//! [`ResidualKernel::relative_error`] times the sum of the magnitudes of their terms.

use super::{Layout, Packed, Transform};
use crate::simd::{Kernel, vectorised};
use crate::wide::{ExactProduct, LANES, Number, Precision};
use crate::{Block, Scalar, View};

/// Columns (or rows) accumulated before a chain is renormalised.
const CHAIN: usize = 16;

/// What one target's residuals add up to over some rows.
#[derive(Clone, Debug)]
pub(crate) struct ResidualSums<P> {
    /// Σ c_t r_t x_t.
    pub(crate) gradient: Vec<P>,
    /// Σ c_t r_t.
    pub(crate) total: P,
    /// Σ c_t r_t², in double precision.
    pub(crate) squares: f64,
}

impl<P: Number> ResidualSums<P> {
    pub(crate) fn zero(cols: usize) -> Self {
        Self { gradient: vec![P::ZERO; cols], total: P::ZERO, squares: 0.0 }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, &term) in self.gradient.iter_mut().zip(&other.gradient) {
            *sum += term;
        }
        self.total += other.total;
        self.squares += other.squares;
    }
}

/// The fused kernel for one linear predictor, with the buffers it works in.
pub(crate) struct ResidualKernel<T: Scalar, P: Precision<T>> {
    /// −β, once per column.
    coefficients: Vec<P>,
    /// −b.
    intercept: P,
    /// Whether β = 0, so that the residuals are y − b.
    constant: bool,
    /// −β in lanes of columns, padded with zeros.
    coefficient_lanes: Vec<P::Lanes>,
    residuals: Vec<P::Lanes>,
    gradient_lanes: Vec<P::Lanes>,
    packed: Packed<T>,
}

impl<T: Scalar, P: Precision<T>> ResidualKernel<T, P> {
    /// The kernel for the predictor x ↦ β·x + b.
    pub(crate) fn new(coefficients: &[P], intercept: P) -> Self {
        let coefficients: Vec<P> = coefficients.iter().map(|&b| -b).collect();
        let coefficient_lanes = coefficients
            .chunks(LANES)
            .map(|chunk| {
                let mut lanes = P::splat(P::ZERO);
                for (l, &value) in chunk.iter().enumerate() {
                    P::set_lane(&mut lanes, l, value);
                }
                lanes
            })
            .collect();
        Self {
            constant: coefficients.iter().all(|&b| b == P::ZERO),
            coefficients,
            intercept: -intercept,
            coefficient_lanes,
            residuals: Vec::new(),
            gradient_lanes: Vec::new(),
            packed: Packed::default(),
        }
    }

    /// A bound for the error of each sum, relative to the sum of the magnitudes of its terms.
    pub(crate) fn relative_error() -> f64 {
        P::CHAIN_ERROR
    }

    /// Adds the rows of a block, for the target `target`, to the sums.
    pub(crate) fn absorb(
        &mut self,
        block: &Block<'_, T>,
        target: usize,
        sums: &mut ResidualSums<P>,
    ) {
        let layout = Layout::of(block.x);
        // The buffer leaves `self` while its view is in use.
        let mut packed = std::mem::take(&mut self.packed);
        let x = match layout {
            Layout::Scattered => packed.pack(block.x, None, &Transform::default()),
            _ => block.x,
        };
        let y = block.y.col_range(target..target + 1);
        if Layout::of(x) == Layout::Rows {
            self.gradient_lanes.clear();
            self.gradient_lanes.resize(self.coefficient_lanes.len(), P::splat(P::ZERO));
            vectorised(ByRows { kernel: self, x, y, weights: block.weights, sums });
            for (j, sum) in sums.gradient.iter_mut().enumerate() {
                *sum += P::lane(&self.gradient_lanes[j / LANES], j % LANES);
            }
        } else {
            vectorised(ByColumns { kernel: self, x, y, weights: block.weights, sums });
        }
        self.packed = packed;
    }

    /// The residuals of a block's rows, unweighted, in order.
    pub(crate) fn residuals(&mut self, block: &Block<'_, T>, target: usize) -> Vec<P> {
        let unweighted = Block { weights: None, ..*block };
        self.absorb(&unweighted, target, &mut ResidualSums::zero(self.coefficients.len()));
        (0..block.x.rows()).map(|i| P::lane(&self.residuals[i / LANES], i % LANES)).collect()
    }
}

/// r = y − b in lanes of rows; rows past the last are zero.
#[inline(always)]
fn start_residuals<T: Scalar, P: Precision<T>, E: ExactProduct>(
    residuals: &mut Vec<P::Lanes>,
    y: View<'_, T>,
    intercept: P,
) {
    residuals.clear();
    let shift = P::splat(intercept);
    let contiguous = y.col_slice(0);
    for start in (0..y.rows()).step_by(LANES) {
        let count = LANES.min(y.rows() - start);
        let values = match contiguous {
            Some(slice) => load(slice, start),
            None => std::array::from_fn(|l| if l < count { y[(start + l, 0)] } else { T::zero() }),
        };
        let ones = std::array::from_fn(|l| if l < count { T::one() } else { T::zero() });
        residuals.push(P::mul_add::<E>(P::lift(values), ones, shift));
    }
}

/// Eight elements from `start`, with zeros past the end.
#[inline(always)]
fn load<T: Scalar>(slice: &[T], start: usize) -> [T; LANES] {
    match slice[start..].first_chunk::<LANES>() {
        Some(full) => *full,
        None => {
            let mut padded = [T::zero(); LANES];
            padded[..slice.len() - start].copy_from_slice(&slice[start..]);
            padded
        }
    }
}

#[inline(always)]
fn renormalise<T, P: Precision<T>>(lanes: &mut P::Lanes) {
    for l in 0..LANES {
        let value = P::lane(lanes, l);
        P::set_lane(lanes, l, value);
    }
}

/// Multiplies the residuals by the weights and adds up Σ c r and Σ c r².
#[inline(always)]
fn weigh<T: Scalar, P: Precision<T>, E: ExactProduct>(
    residuals: &mut [P::Lanes],
    weights: Option<View<'_, T>>,
    sums: &mut ResidualSums<P>,
) {
    let mut totals = [P::splat(P::ZERO); 4];
    let mut squares = [0.0; LANES];
    for (q, r) in residuals.iter_mut().enumerate() {
        let plain = *r;
        if let Some(weights) = weights {
            let mut c = [T::zero(); LANES];
            for (l, c) in c.iter_mut().enumerate() {
                *c = weights.get(q * LANES + l, 0).copied().unwrap_or(T::zero());
            }
            *r = P::mul_add::<E>(P::splat(P::ZERO), c, plain);
        }
        renormalise::<T, P>(r);
        totals[q % 4] = P::mul_add::<E>(totals[q % 4], [T::one(); LANES], *r);
        if q % (4 * CHAIN) == 4 * CHAIN - 1 {
            totals.iter_mut().for_each(renormalise::<T, P>);
        }
        for (l, square) in squares.iter_mut().enumerate() {
            *square += P::lane(&plain, l).to_double() * P::lane(r, l).to_double();
        }
    }
    for total in totals {
        sums.total += P::sum(total);
    }
    sums.squares += squares.iter().sum::<f64>();
}

struct ByColumns<'k, 'b, T: Scalar, P: Precision<T>> {
    kernel: &'k mut ResidualKernel<T, P>,
    x: View<'b, T>,
    y: View<'b, T>,
    weights: Option<View<'b, T>>,
    sums: &'k mut ResidualSums<P>,
}

impl<T: Scalar, P: Precision<T>> Kernel for ByColumns<'_, '_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let ResidualKernel { coefficients, intercept, constant, residuals, .. } = self.kernel;
        let (rows, cols) = (self.x.rows(), self.x.cols());
        start_residuals::<T, P, E>(residuals, self.y, *intercept);
        let (full, tail) = residuals.split_at_mut(rows / LANES);
        // Four columns at a time: the residuals are loaded and stored once for all four.
        let subtracted = if *constant { 0 } else { cols };
        for first in (0..subtracted).step_by(4) {
            let group = first..(first + 4).min(cols);
            if group.len() == 4 {
                let columns: [&[T]; 4] = std::array::from_fn(|k| column(self.x, first + k));
                let factors: [P::Lanes; 4] =
                    std::array::from_fn(|k| P::splat(coefficients[first + k]));
                subtract_four::<T, P, E>(full, columns, factors);
            } else {
                for j in group.clone() {
                    let (chunks, _) = column(self.x, j).as_chunks::<LANES>();
                    let factor = P::splat(coefficients[j]);
                    for (r, x) in full.iter_mut().zip(chunks) {
                        *r = P::mul_add::<E>(*r, *x, factor);
                    }
                }
            }
            if let Some(last) = tail.first_mut() {
                for j in group.clone() {
                    let x = load(column(self.x, j), rows / LANES * LANES);
                    *last = P::mul_add::<E>(*last, x, P::splat(coefficients[j]));
                }
            }
            if group.end % CHAIN == 0 {
                full.iter_mut().chain(&mut *tail).for_each(renormalise::<T, P>);
            }
        }
        weigh::<T, P, E>(residuals, self.weights, self.sums);
        let (fours, rest) = residuals[..rows / LANES].as_chunks::<4>();
        for (j, gradient) in self.sums.gradient.iter_mut().enumerate() {
            let column = column(self.x, j);
            let (chunks, _) = column.as_chunks::<LANES>();
            let (four_chunks, rest_chunks) = chunks.as_chunks::<4>();
            let mut chains = [P::splat(P::ZERO); 4];
            for (r, x) in fours.chunks(CHAIN).zip(four_chunks.chunks(CHAIN)) {
                for (r, x) in r.iter().zip(x) {
                    for k in 0..4 {
                        chains[k] = P::mul_add::<E>(chains[k], x[k], r[k]);
                    }
                }
                chains.iter_mut().for_each(renormalise::<T, P>);
            }
            for (r, x) in rest.iter().zip(rest_chunks) {
                chains[0] = P::mul_add::<E>(chains[0], *x, *r);
            }
            if let Some(last) = residuals.get(rows / LANES) {
                chains[0] = P::mul_add::<E>(chains[0], load(column, rows / LANES * LANES), *last);
            }
            for chain in chains {
                *gradient += P::sum(chain);
            }
        }
    }
}

/// r ← r + Σ_k x_k·factor_k for four columns.
#[inline(always)]
fn subtract_four<T: Scalar, P: Precision<T>, E: ExactProduct>(
    residuals: &mut [P::Lanes],
    columns: [&[T]; 4],
    factors: [P::Lanes; 4],
) {
    let [a, b, c, d] = columns.map(|column| column.as_chunks::<LANES>().0);
    for ((((r, a), b), c), d) in residuals.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let mut sum = P::mul_add::<E>(*r, *a, factors[0]);
        sum = P::mul_add::<E>(sum, *b, factors[1]);
        sum = P::mul_add::<E>(sum, *c, factors[2]);
        *r = P::mul_add::<E>(sum, *d, factors[3]);
    }
}

struct ByRows<'k, 'b, T: Scalar, P: Precision<T>> {
    kernel: &'k mut ResidualKernel<T, P>,
    x: View<'b, T>,
    y: View<'b, T>,
    weights: Option<View<'b, T>>,
    sums: &'k mut ResidualSums<P>,
}

impl<T: Scalar, P: Precision<T>> Kernel for ByRows<'_, '_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let ResidualKernel {
            intercept,
            constant,
            coefficient_lanes,
            residuals,
            gradient_lanes,
            ..
        } = self.kernel;
        let rows = self.x.rows();
        start_residuals::<T, P, E>(residuals, self.y, *intercept);
        for (q, r) in residuals.iter_mut().enumerate() {
            let first = q * LANES;
            let mut slices: [&[T]; LANES] = [&[]; LANES];
            let count = LANES.min(rows - first);
            for (i, slice) in slices[..count].iter_mut().enumerate() {
                *slice = row(self.x, first + i);
            }
            // Eight dot products, one per row …
            let mut dots = [P::splat(P::ZERO); LANES];
            let subtracted = if *constant { 0 } else { count };
            for (dot, slice) in dots[..subtracted].iter_mut().zip(&slices) {
                for (k, &factor) in coefficient_lanes.iter().enumerate() {
                    *dot = P::mul_add::<E>(*dot, load(slice, k * LANES), factor);
                    if k % CHAIN == CHAIN - 1 {
                        renormalise::<T, P>(dot);
                    }
                }
            }
            // … whose lanes, transposed, are added to the residuals of the eight rows.
            for l in 0..LANES {
                let mut across = P::splat(P::ZERO);
                for (i, dot) in dots.iter().enumerate() {
                    P::set_lane(&mut across, i, P::lane(dot, l));
                }
                *r = P::mul_add::<E>(*r, [T::one(); LANES], across);
            }
            let this_weights = self.weights.map(|c| c.row_range(first..first + count));
            weigh::<T, P, E>(std::slice::from_mut(r), this_weights, self.sums);
            let mut factors = [P::splat(P::ZERO); LANES];
            for (i, factor) in factors.iter_mut().enumerate() {
                *factor = P::splat(P::lane(r, i));
            }
            for (k, gradient) in gradient_lanes.iter_mut().enumerate() {
                let mut sum = *gradient;
                for (slice, &factor) in slices[..count].iter().zip(&factors) {
                    sum = P::mul_add::<E>(sum, load(slice, k * LANES), factor);
                }
                renormalise::<T, P>(&mut sum);
                *gradient = sum;
            }
        }
    }
}

#[inline(always)]
fn column<'b, T>(x: View<'b, T>, j: usize) -> &'b [T] {
    x.col_slice(j).expect("the layout has contiguous columns")
}

#[inline(always)]
fn row<'b, T>(x: View<'b, T>, i: usize) -> &'b [T] {
    x.row_slice(i).expect("the layout has contiguous rows")
}
