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
        // Plain chains are as long as a block; wide ones are renormalised after CHAIN terms, whose
        // error (CHAIN·u)² or (CHAIN·u)³ exceeds that of the sums of renormalised chains.
        const LONGEST: f64 = 4096.0;
        if P::UNIT >= f64::EPSILON / 4.0 { LONGEST * P::UNIT } else { LONGEST * 4.0 * P::UNIT }
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
        self.start_residuals(block.y, target);
        if Layout::of(x) == Layout::Rows {
            self.gradient_lanes.clear();
            self.gradient_lanes.resize(self.coefficient_lanes.len(), P::splat(P::ZERO));
            vectorised(ByRows { kernel: self, x, weights: block.weights, sums });
            for (j, sum) in sums.gradient.iter_mut().enumerate() {
                *sum += P::lane(&self.gradient_lanes[j / LANES], j % LANES);
            }
        } else {
            vectorised(ByColumns { kernel: self, x, weights: block.weights, sums });
        }
        self.packed = packed;
    }

    /// The residuals of a block's rows, unweighted, in order.
    pub(crate) fn residuals(&mut self, block: &Block<'_, T>, target: usize) -> Vec<P> {
        let unweighted = Block { weights: None, ..*block };
        self.absorb(&unweighted, target, &mut ResidualSums::zero(self.coefficients.len()));
        (0..block.x.rows()).map(|i| P::lane(&self.residuals[i / LANES], i % LANES)).collect()
    }

    /// r = y − b in lanes of rows; rows past the last are zero.
    fn start_residuals(&mut self, y: View<'_, T>, target: usize) {
        self.residuals.clear();
        let column = y.col_range(target..target + 1);
        for start in (0..y.rows()).step_by(LANES) {
            let count = LANES.min(y.rows() - start);
            let mut values = [T::zero(); LANES];
            for (l, value) in values[..count].iter_mut().enumerate() {
                *value = column[(start + l, 0)];
            }
            let mut ones = [T::zero(); LANES];
            ones[..count].fill(T::one());
            let lifted = P::lift(values);
            let shifted = P::mul_add::<crate::wide::Fused>(lifted, ones, P::splat(self.intercept));
            self.residuals.push(shifted);
        }
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
    weights: Option<View<'b, T>>,
    sums: &'k mut ResidualSums<P>,
}

impl<T: Scalar, P: Precision<T>> Kernel for ByColumns<'_, '_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let (rows, cols) = (self.x.rows(), self.x.cols());
        let full = rows / LANES;
        let residuals = &mut self.kernel.residuals[..];
        // Four columns at a time: the residuals are loaded and stored once for all four.
        for first in (0..cols).step_by(4) {
            let group = first..(first + 4).min(cols);
            let last_of_chain = group.end % CHAIN == 0;
            let mut factors = [P::splat(P::ZERO); 4];
            let mut columns: [&[T]; 4] = [&[]; 4];
            for (k, j) in group.clone().enumerate() {
                factors[k] = P::splat(self.kernel.coefficients[j]);
                columns[k] = column(self.x, j);
            }
            if group.len() == 4 {
                for (q, r) in residuals[..full].iter_mut().enumerate() {
                    let mut sum = *r;
                    for k in 0..4 {
                        sum = P::mul_add::<E>(sum, load(columns[k], q * LANES), factors[k]);
                    }
                    *r = sum;
                }
            } else {
                for k in 0..group.len() {
                    for (q, r) in residuals[..full].iter_mut().enumerate() {
                        *r = P::mul_add::<E>(*r, load(columns[k], q * LANES), factors[k]);
                    }
                }
            }
            if full < residuals.len() {
                for k in 0..group.len() {
                    let tail = load(columns[k], full * LANES);
                    residuals[full] = P::mul_add::<E>(residuals[full], tail, factors[k]);
                }
            }
            if last_of_chain {
                residuals.iter_mut().for_each(renormalise::<T, P>);
            }
        }
        weigh::<T, P, E>(residuals, self.weights, self.sums);
        for (j, gradient) in self.sums.gradient.iter_mut().enumerate() {
            let column = column(self.x, j);
            let mut chains = [P::splat(P::ZERO); 4];
            let (groups, _) = residuals[..full].as_chunks::<4>();
            for (g, group) in groups.iter().enumerate() {
                for k in 0..4 {
                    let x = load(column, (4 * g + k) * LANES);
                    chains[k] = P::mul_add::<E>(chains[k], x, group[k]);
                }
                if g % CHAIN == CHAIN - 1 {
                    chains.iter_mut().for_each(renormalise::<T, P>);
                }
            }
            for q in groups.len() * 4..residuals.len() {
                let x = load(column, q * LANES);
                chains[0] = P::mul_add::<E>(chains[0], x, residuals[q]);
            }
            for chain in chains {
                *gradient += P::sum(chain);
            }
        }
    }
}

struct ByRows<'k, 'b, T: Scalar, P: Precision<T>> {
    kernel: &'k mut ResidualKernel<T, P>,
    x: View<'b, T>,
    weights: Option<View<'b, T>>,
    sums: &'k mut ResidualSums<P>,
}

impl<T: Scalar, P: Precision<T>> Kernel for ByRows<'_, '_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let ResidualKernel { coefficient_lanes, residuals, gradient_lanes, .. } = self.kernel;
        let rows = self.x.rows();
        for (q, r) in residuals.iter_mut().enumerate() {
            let first = q * LANES;
            let mut slices: [&[T]; LANES] = [&[]; LANES];
            let count = LANES.min(rows - first);
            for (i, slice) in slices[..count].iter_mut().enumerate() {
                *slice = row(self.x, first + i);
            }
            // Eight dot products, one per row …
            let mut dots = [P::splat(P::ZERO); LANES];
            for (dot, slice) in dots[..count].iter_mut().zip(&slices) {
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
