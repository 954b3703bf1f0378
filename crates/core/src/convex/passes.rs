//! Passes for a loss: value and gradient; with curvature, also a Hessian; gradients in double-double.
//!
//! Each reads the data once: z, ℓ′(z) and Xᵀℓ′ come from the fused kernel, and the Hessian XᵀDX from the
//! backend's Gram product of the same block, its rows scaled by √(c_t ℓ″_t), while it is in cache.

use super::coordinates::Coordinates;
use crate::kernels::{FusedKernel, Packed, RowMap, Start, load_column};
use crate::loss::{Loss, TwiceSmooth};
use crate::wide::{Dd, ExactProduct, LANES, Number, Precision};
use crate::{Backend, Block, Matrix, Reduction, Scalar, View};

/// Σ c ℓ, Σ c ℓ′ x and Σ c ℓ′ at w, b.
pub(crate) struct LossPass<'a, L> {
    pub(crate) loss: &'a L,
    pub(crate) weights: &'a [f64],
    pub(crate) intercept: f64,
}

/// What a [`LossPass`] adds up.
pub(crate) struct LossSums<T: Scalar> {
    kernel: FusedKernel<T, f64>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) total: f64,
}

impl<T: Scalar> LossSums<T> {
    fn zero(weights: &[f64]) -> Self {
        Self {
            kernel: FusedKernel::new(weights.to_vec()),
            value: 0.0,
            gradient: vec![0.0; weights.len()],
            total: 0.0,
        }
    }

    fn merge(&mut self, other: Self) {
        add(&mut self.gradient, &other.gradient);
        self.value += other.value;
        self.total += other.total;
    }
}

impl<T: Scalar, L: Loss> Reduction<T> for LossPass<'_, L> {
    type State = LossSums<T>;

    fn start(&self) -> LossSums<T> {
        LossSums::zero(self.weights)
    }

    fn absorb(&self, sums: &mut LossSums<T>, block: &Block<'_, T>) {
        let mut map = LossMap { loss: self.loss, rows: RowData::of(block), sums: Sums::default() };
        let start = Start { values: block.offsets, shift: self.intercept };
        sums.kernel.absorb(block.x, start, &mut map, &mut sums.gradient);
        sums.value += map.sums.value.iter().sum::<f64>();
        sums.total += map.sums.total.iter().sum::<f64>();
    }

    fn merge(&self, left: &mut LossSums<T>, right: LossSums<T>) {
        left.merge(right);
    }
}

/// Targets and weights of the rows of a block, eight at a time.
#[derive(Clone, Copy)]
struct RowData<'b, T> {
    y: View<'b, T>,
    weights: Option<View<'b, T>>,
}

impl<'b, T: Scalar> RowData<'b, T> {
    fn of(block: &Block<'b, T>) -> Self {
        Self { y: block.y, weights: block.weights }
    }

    /// y and c of the rows; a weight of zero where there is no row.
    #[inline(always)]
    fn lanes(&self, first: usize, count: usize) -> ([f64; LANES], [f64; LANES]) {
        let y = load_column(self.y, first, count);
        let c = match self.weights {
            Some(weights) => load_column(weights, first, count),
            None => {
                let mut ones = [T::one(); LANES];
                ones[count..].fill(T::zero());
                ones
            }
        };
        let (mut y_lanes, mut c_lanes) = ([0.0; LANES], [0.0; LANES]);
        for l in 0..LANES {
            y_lanes[l] = y[l].to_double();
            c_lanes[l] = c[l].to_double();
        }
        (y_lanes, c_lanes)
    }
}

#[derive(Default)]
struct Sums {
    value: [f64; LANES],
    total: [f64; LANES],
}

struct LossMap<'b, T, L> {
    loss: &'b L,
    rows: RowData<'b, T>,
    sums: Sums,
}

impl<T: Scalar, L: Loss> RowMap<T, f64> for LossMap<'_, T, L> {
    #[inline(always)]
    fn map<E: ExactProduct>(
        &mut self,
        first: usize,
        count: usize,
        z: [f64; LANES],
    ) -> [f64; LANES] {
        let (y, c) = self.rows.lanes(first, count);
        let mut factors = [0.0; LANES];
        for l in 0..LANES {
            let (value, derivative) = self.loss.value_and_derivative(z[l], y[l]);
            factors[l] = c[l] * derivative;
            self.sums.value[l] += c[l] * value;
            self.sums.total[l] += factors[l];
        }
        factors
    }
}

/// As [`LossPass`], and the Hessian of the loss in given coordinates.
pub(crate) struct CurvaturePass<'a, T: Scalar, L> {
    pub(crate) backend: &'a dyn Backend<T>,
    pub(crate) loss: &'a L,
    pub(crate) weights: &'a [f64],
    pub(crate) intercept: f64,
    pub(crate) coordinates: &'a Coordinates<T>,
}

/// What a [`CurvaturePass`] adds up.
pub(crate) struct CurvatureSums<T: Scalar> {
    pub(crate) loss: LossSums<T>,
    /// Lower triangle of Σ c ℓ″ ṽṽᵀ, ṽ the row in the coordinates, 1 for the intercept last.
    pub(crate) hessian: Matrix<T>,
    packed: Packed<T>,
    curvature: Vec<T>,
}

impl<T: Scalar, L: TwiceSmooth> Reduction<T> for CurvaturePass<'_, T, L> {
    type State = CurvatureSums<T>;

    fn start(&self) -> CurvatureSums<T> {
        let unknowns = self.coordinates.unknowns();
        CurvatureSums {
            loss: LossSums::zero(self.weights),
            hessian: Matrix::zeros(unknowns, unknowns),
            packed: Packed::default(),
            curvature: Vec::new(),
        }
    }

    fn absorb(&self, sums: &mut CurvatureSums<T>, block: &Block<'_, T>) {
        let CurvatureSums { loss, hessian, packed, curvature } = sums;
        curvature.clear();
        let rows = RowData::of(block);
        let mut map = CurvatureMap { loss: self.loss, rows, sums: Sums::default(), curvature };
        let start = Start { values: block.offsets, shift: self.intercept };
        loss.kernel.absorb(block.x, start, &mut map, &mut loss.gradient);
        loss.value += map.sums.value.iter().sum::<f64>();
        loss.total += map.sums.total.iter().sum::<f64>();
        let weights = View::column_vector(&*curvature);
        let x = self.coordinates.pack(packed, block.x, weights);
        self.backend.add_gram(x, hessian.view_mut());
    }

    fn merge(&self, left: &mut CurvatureSums<T>, right: CurvatureSums<T>) {
        left.loss.merge(right.loss);
        add(left.hessian.as_mut_slice(), right.hessian.as_slice());
    }
}

struct CurvatureMap<'b, T, L> {
    loss: &'b L,
    rows: RowData<'b, T>,
    sums: Sums,
    curvature: &'b mut Vec<T>,
}

impl<T: Scalar, L: TwiceSmooth> RowMap<T, f64> for CurvatureMap<'_, T, L> {
    #[inline(always)]
    fn map<E: ExactProduct>(
        &mut self,
        first: usize,
        count: usize,
        z: [f64; LANES],
    ) -> [f64; LANES] {
        let (y, c) = self.rows.lanes(first, count);
        let (mut factors, mut curvature) = ([0.0; LANES], [T::zero(); LANES]);
        for l in 0..LANES {
            let (value, derivative, second) = self.loss.all_derivatives(z[l], y[l]);
            factors[l] = c[l] * derivative;
            curvature[l] = T::from_double(c[l] * second);
            self.sums.value[l] += c[l] * value;
            self.sums.total[l] += factors[l];
        }
        self.curvature.extend_from_slice(&curvature[..count]);
        factors
    }
}

/// Σ c ℓ′ x and Σ c ℓ′ in double-double, at double-double weights.
pub(crate) struct WidePass<'a, L> {
    pub(crate) loss: &'a L,
    pub(crate) weights: &'a [Dd],
    pub(crate) intercept: Dd,
}

/// What a [`WidePass`] adds up.
pub(crate) struct WideSums<T: Scalar> {
    kernel: FusedKernel<T, Dd>,
    pub(crate) gradient: Vec<Dd>,
    pub(crate) total: Dd,
}

impl<T: Scalar, L: TwiceSmooth> Reduction<T> for WidePass<'_, L> {
    type State = WideSums<T>;

    fn start(&self) -> WideSums<T> {
        WideSums {
            kernel: FusedKernel::new(self.weights.to_vec()),
            gradient: vec![Dd::ZERO; self.weights.len()],
            total: Dd::ZERO,
        }
    }

    fn absorb(&self, sums: &mut WideSums<T>, block: &Block<'_, T>) {
        let mut map = WideMap { loss: self.loss, rows: RowData::of(block), total: Dd::ZERO };
        let start = Start { values: block.offsets, shift: self.intercept };
        sums.kernel.absorb(block.x, start, &mut map, &mut sums.gradient);
        sums.total += map.total;
    }

    fn merge(&self, left: &mut WideSums<T>, right: WideSums<T>) {
        left.gradient.iter_mut().zip(&right.gradient).for_each(|(a, &b)| *a += b);
        left.total += right.total;
    }
}

struct WideMap<'b, T, L> {
    loss: &'b L,
    rows: RowData<'b, T>,
    total: Dd,
}

impl<T: Scalar, L: TwiceSmooth> RowMap<T, Dd> for WideMap<'_, T, L> {
    #[inline(always)]
    fn map<E: ExactProduct>(
        &mut self,
        first: usize,
        count: usize,
        z: <Dd as Precision<T>>::Lanes,
    ) -> <Dd as Precision<T>>::Lanes {
        let (y, c) = self.rows.lanes(first, count);
        let mut factors = <Dd as Precision<T>>::splat(Dd::ZERO);
        for l in 0..count {
            let z = <Dd as Precision<T>>::lane(&z, l);
            let factor = self.loss.wide_derivative(z, y[l]) * Dd::from(c[l]);
            <Dd as Precision<T>>::set_lane(&mut factors, l, factor);
            self.total += factor;
        }
        factors
    }
}

/// z of every row, in order.
pub(crate) struct PredictionPass<'a> {
    pub(crate) weights: &'a [f64],
    pub(crate) intercept: f64,
}

impl<T: Scalar> Reduction<T> for PredictionPass<'_> {
    type State = (FusedKernel<T, f64>, Vec<f64>);

    fn start(&self) -> Self::State {
        (FusedKernel::new(self.weights.to_vec()), Vec::new())
    }

    fn absorb(&self, (kernel, z): &mut Self::State, block: &Block<'_, T>) {
        let start = Start { values: block.offsets, shift: self.intercept };
        kernel.forward(block.x, start, &mut crate::kernels::Record(z));
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.1.extend(right.1);
    }
}

/// Xᵀu and Σu for a number u of each row.
pub(crate) struct TransposedPass<'a> {
    pub(crate) u: &'a [f64],
    pub(crate) cols: usize,
}

impl<T: Scalar> Reduction<T> for TransposedPass<'_> {
    type State = (FusedKernel<T, f64>, Vec<f64>);

    fn start(&self) -> Self::State {
        (FusedKernel::new(vec![0.0; self.cols]), vec![0.0; self.cols])
    }

    fn absorb(&self, (kernel, sums): &mut Self::State, block: &Block<'_, T>) {
        let mut map = Given(&self.u[block.first_row..]);
        kernel.absorb(block.x, Start { values: None, shift: 0.0 }, &mut map, sums);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        add(&mut left.1, &right.1);
    }
}

struct Given<'b>(&'b [f64]);

impl<T: Scalar> RowMap<T, f64> for Given<'_> {
    #[inline(always)]
    fn map<E: ExactProduct>(
        &mut self,
        first: usize,
        count: usize,
        _sums: [f64; LANES],
    ) -> [f64; LANES] {
        let mut factors = [0.0; LANES];
        factors[..count].copy_from_slice(&self.0[first..first + count]);
        factors
    }
}

fn add<N: std::ops::AddAssign + Copy>(into: &mut [N], from: &[N]) {
    into.iter_mut().zip(from).for_each(|(a, &b)| *a += b);
}

/// The Gram matrix in given coordinates, rows weighted by given numbers.
pub(crate) struct GramPass<'a, T: Scalar> {
    pub(crate) backend: &'a dyn Backend<T>,
    pub(crate) weights: &'a [T],
    pub(crate) coordinates: &'a Coordinates<T>,
}

/// What a [`GramPass`] adds up: the lower triangle.
pub(crate) struct GramSums<T> {
    pub(crate) gram: Matrix<T>,
    packed: Packed<T>,
}

impl<T: Scalar> Reduction<T> for GramPass<'_, T> {
    type State = GramSums<T>;

    fn start(&self) -> GramSums<T> {
        let unknowns = self.coordinates.unknowns();
        GramSums { gram: Matrix::zeros(unknowns, unknowns), packed: Packed::default() }
    }

    fn absorb(&self, sums: &mut GramSums<T>, block: &Block<'_, T>) {
        let weights = &self.weights[block.first_row..block.first_row + block.x.rows()];
        let x = self.coordinates.pack(&mut sums.packed, block.x, View::column_vector(weights));
        self.backend.add_gram(x, sums.gram.view_mut());
    }

    fn merge(&self, left: &mut GramSums<T>, right: GramSums<T>) {
        add(left.gram.as_mut_slice(), right.gram.as_slice());
    }
}
