//! r = y − Xβ − b and g = Xᵀ(c∘r): the fused kernel with weighing as its map.

use super::fused::{CHAIN, FusedKernel, RowMap, Start, load_column, renormalise};
use crate::wide::{ExactProduct, LANES, Number, Precision};
use crate::{Block, Scalar, View};

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

/// Residuals against one linear predictor.
pub(crate) struct ResidualKernel<T: Scalar, P: Precision<T>> {
    /// The fused kernel for −β.
    fused: FusedKernel<T, P>,
    /// −b.
    shift: P,
}

impl<T: Scalar, P: Precision<T>> ResidualKernel<T, P> {
    /// The kernel for the predictor x ↦ β·x + b.
    pub(crate) fn new(coefficients: &[P], intercept: P) -> Self {
        let fused = FusedKernel::new(coefficients.iter().map(|&b| -b).collect());
        Self { fused, shift: -intercept }
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
        let mut weigh = Weigh::new(block.weights);
        let start = self.start(block, target);
        self.fused.absorb(block.x, start, &mut weigh, &mut sums.gradient);
        for total in weigh.totals {
            sums.total += P::sum(total);
        }
        sums.squares += weigh.squares.iter().sum::<f64>();
    }

    /// The residuals of a block's rows, unweighted, in order.
    pub(crate) fn residuals(&mut self, block: &Block<'_, T>, target: usize) -> Vec<P> {
        let mut residuals = Vec::with_capacity(block.x.rows());
        self.fused.forward(block.x, self.start(block, target), &mut residuals);
        residuals
    }

    fn start<'b>(&self, block: &Block<'b, T>, target: usize) -> Start<'b, T, P> {
        let y = block.y.col_range(target..target + 1);
        Start { values: Some(y), shift: self.shift }
    }
}

/// Multiplies the residuals by the weights and adds up Σ c r, in four chains, and Σ c r².
struct Weigh<'b, T, P: Precision<T>> {
    weights: Option<View<'b, T>>,
    totals: [P::Lanes; 4],
    squares: [f64; LANES],
}

impl<'b, T: Scalar, P: Precision<T>> Weigh<'b, T, P> {
    fn new(weights: Option<View<'b, T>>) -> Self {
        Self { weights, totals: [P::splat(P::ZERO); 4], squares: [0.0; LANES] }
    }
}

impl<T: Scalar, P: Precision<T>> RowMap<T, P> for Weigh<'_, T, P> {
    #[inline(always)]
    fn map<E: ExactProduct>(&mut self, first: usize, count: usize, plain: P::Lanes) -> P::Lanes {
        let mut r = plain;
        if let Some(weights) = self.weights {
            r = P::mul_add::<E>(P::splat(P::ZERO), load_column(weights, first, count), plain);
        }
        renormalise::<T, P>(&mut r);
        let q = first / LANES;
        self.totals[q % 4] = P::mul_add::<E>(self.totals[q % 4], [T::one(); LANES], r);
        if q % (4 * CHAIN) == 4 * CHAIN - 1 {
            self.totals.iter_mut().for_each(renormalise::<T, P>);
        }
        for (l, square) in self.squares.iter_mut().enumerate() {
            *square += P::lane(&plain, l).to_double() * P::lane(&r, l).to_double();
        }
        r
    }
}
