//! Passes for a loss: value and gradient; with curvature, also a Hessian; gradients in double-double.
//!
//! Each reads the data once: z = Xw + b of a block, ℓ′(z) row by row, Xᵀℓ′ while the block is in cache, and
//! the Hessian XᵀDX from the backend's Gram product of the same block, its rows scaled by √(c_t ℓ″_t). The
//! products do not know the loss and the loss does not know the layout: they are compiled once each.

use super::coordinates::Coordinates;
use super::vectors::add;
use crate::kernels::{FusedKernel, Layout, Packed, Start, load_column};
use crate::loss::{Loss, TwiceSmooth};
use crate::simd::{Kernel, vectorised};
use crate::wide::{Dd, ExactProduct, LANES, Number};
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
    z: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) total: f64,
}

impl<T: Scalar> LossSums<T> {
    fn zero(weights: &[f64]) -> Self {
        Self {
            kernel: FusedKernel::new(weights.to_vec()),
            z: Vec::new(),
            value: 0.0,
            gradient: vec![0.0; weights.len()],
            total: 0.0,
        }
    }

    /// z of a block, a map that turns it into the factors of the rows, and the products with those.
    fn absorb(
        &mut self,
        block: &Block<'_, T>,
        intercept: f64,
        map: impl for<'r> FnOnce(RowData<'r, T>, &'r mut [f64]) -> (f64, f64),
    ) {
        let start = Start { values: block.offsets, shift: intercept };
        self.z.clear();
        self.kernel.forward(block.x, start, &mut self.z);
        let (value, total) = map(RowData::of(block), &mut self.z);
        self.value += value;
        self.total += total;
        self.kernel.backward(block.x, &self.z, &mut self.gradient);
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
        let (rows, strip) = (block.x.rows(), strip_rows(block.x));
        for first in (0..rows).step_by(strip) {
            let strip = block.row_range(first..(first + strip).min(rows));
            sums.absorb(&strip, self.intercept, |rows, z| {
                LossRows::evaluate(
                    #[inline(always)]
                    |z, y| {
                        let (value, first) = self.loss.value_and_derivative(z, y);
                        (value, first, 0.0)
                    },
                    rows,
                    z,
                    &mut [],
                )
            });
        }
    }

    fn merge(&self, left: &mut LossSums<T>, right: LossSums<T>) {
        left.merge(right);
    }
}

/// Rows of a block that are multiplied forward and back before the next ones, so that the way back finds them in the
/// L2 cache: blocks are made for Gram products, and those of many columns are larger. Contiguous columns would only
/// be cut short.
fn strip_rows<T>(x: View<'_, T>) -> usize {
    const STRIP_ELEMENTS: usize = 16 * 1024;
    match Layout::of(x) {
        Layout::Rows => (STRIP_ELEMENTS / x.cols().max(1)).max(LANES) / LANES * LANES,
        _ => x.rows().max(1),
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

/// z ← c·ℓ′(z) for every row, where `at` gives ℓ, ℓ′ and ℓ″ at (z, y); returns Σ c ℓ and Σ c ℓ′. The
/// curvatures c·ℓ″ are kept where there is room for them.
struct LossRows<'b, T, F> {
    at: F,
    rows: RowData<'b, T>,
    z: &'b mut [f64],
    curvature: &'b mut [f64],
}

impl<'b, T: Scalar, F: Fn(f64, f64) -> (f64, f64, f64)> LossRows<'b, T, F> {
    fn evaluate(
        at: F,
        rows: RowData<'b, T>,
        z: &'b mut [f64],
        curvature: &'b mut [f64],
    ) -> (f64, f64) {
        vectorised(Self { at, rows, z, curvature })
    }
}

impl<T: Scalar, F: Fn(f64, f64) -> (f64, f64, f64)> Kernel for LossRows<'_, T, F> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> (f64, f64) {
        let (mut values, mut totals) = ([0.0; LANES], [0.0; LANES]);
        for (q, z) in self.z.chunks_mut(LANES).enumerate() {
            let (y, c) = self.rows.lanes(q * LANES, z.len());
            let (mut lanes, mut bends) = ([0.0; LANES], [0.0; LANES]);
            lanes[..z.len()].copy_from_slice(z);
            for l in 0..LANES {
                let (value, first, second) = (self.at)(lanes[l], y[l]);
                lanes[l] = c[l] * first;
                bends[l] = c[l] * second;
                values[l] += c[l] * value;
                totals[l] += lanes[l];
            }
            z.copy_from_slice(&lanes[..z.len()]);
            let room = self.curvature.iter_mut().skip(q * LANES);
            room.zip(&bends).for_each(|(to, &bend)| *to = bend);
        }
        (values.iter().sum(), totals.iter().sum())
    }
}

/// As [`LossPass`], and the Hessian of the loss in given coordinates, lifted towards that of a majorant.
pub(crate) struct CurvaturePass<'a, L> {
    pub(crate) backend: &'a dyn Backend<f64>,
    pub(crate) loss: &'a L,
    /// From 0, the curvature ℓ″, to 1, that of the [majorant](TwiceSmooth::majorant).
    pub(crate) lift: f64,
    pub(crate) weights: &'a [f64],
    pub(crate) intercept: f64,
    pub(crate) coordinates: &'a Coordinates,
}

/// What a [`CurvaturePass`] adds up.
pub(crate) struct CurvatureSums<T: Scalar> {
    pub(crate) loss: LossSums<T>,
    /// Lower triangle of Σ c ℓ″ ṽṽᵀ, ℓ″ lifted, ṽ the row in the coordinates, 1 for the intercept last.
    pub(crate) hessian: Matrix<f64>,
    packed: Packed<f64>,
    curvature: Vec<f64>,
}

impl<T: Scalar, L: TwiceSmooth> Reduction<T> for CurvaturePass<'_, L> {
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
        curvature.resize(block.x.rows(), 0.0);
        loss.absorb(block, self.intercept, |rows, z| {
            LossRows::evaluate(
                #[inline(always)]
                |z, y| {
                    let (value, first, second) = self.loss.all_derivatives(z, y);
                    if !L::FLAT_IN_PLACES {
                        return (value, first, second);
                    }
                    let majorant = self.loss.majorant(z, y);
                    (value, first, second + self.lift * (majorant - second))
                },
                rows,
                z,
                curvature,
            )
        });
        let weights = View::column_vector(&*curvature);
        let x = self.coordinates.pack(packed, block.x, Some(weights));
        self.backend.add_gram(x, hessian.view_mut());
    }

    fn merge(&self, left: &mut CurvatureSums<T>, right: CurvatureSums<T>) {
        left.loss.merge(right.loss);
        add(left.hessian.as_mut_slice(), right.hessian.as_slice());
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
    z: Vec<Dd>,
    pub(crate) gradient: Vec<Dd>,
    pub(crate) total: Dd,
}

impl<T: Scalar, L: TwiceSmooth> Reduction<T> for WidePass<'_, L> {
    type State = WideSums<T>;

    fn start(&self) -> WideSums<T> {
        WideSums {
            kernel: FusedKernel::new(self.weights.to_vec()),
            z: Vec::new(),
            gradient: vec![Dd::ZERO; self.weights.len()],
            total: Dd::ZERO,
        }
    }

    fn absorb(&self, sums: &mut WideSums<T>, block: &Block<'_, T>) {
        let WideSums { kernel, z, gradient, total } = sums;
        let start = Start { values: block.offsets, shift: self.intercept };
        z.clear();
        kernel.forward(block.x, start, z);
        for (i, z) in z.iter_mut().enumerate() {
            let c = block.weight_of(i);
            *z = self.loss.wide_derivative(*z, block.y[(i, 0)].to_double()) * Dd::from(c);
            *total += *z;
        }
        kernel.backward(block.x, z, gradient);
    }

    fn merge(&self, left: &mut WideSums<T>, right: WideSums<T>) {
        left.gradient.iter_mut().zip(&right.gradient).for_each(|(a, &b)| *a += b);
        left.total += right.total;
    }
}

/// The Gram matrix in given coordinates, rows weighted by given numbers.
pub(crate) struct GramPass<'a> {
    pub(crate) backend: &'a dyn Backend<f64>,
    pub(crate) weights: &'a [f64],
    pub(crate) coordinates: &'a Coordinates,
}

/// What a [`GramPass`] adds up: the lower triangle.
pub(crate) struct GramSums {
    pub(crate) gram: Matrix<f64>,
    packed: Packed<f64>,
}

impl<T: Scalar> Reduction<T> for GramPass<'_> {
    type State = GramSums;

    fn start(&self) -> GramSums {
        let unknowns = self.coordinates.unknowns();
        GramSums { gram: Matrix::zeros(unknowns, unknowns), packed: Packed::default() }
    }

    fn absorb(&self, sums: &mut GramSums, block: &Block<'_, T>) {
        let weights = &self.weights[block.first_row..block.first_row + block.x.rows()];
        let weights = View::column_vector(weights);
        let x = self.coordinates.pack(&mut sums.packed, block.x, Some(weights));
        self.backend.add_gram(x, sums.gram.view_mut());
    }

    fn merge(&self, left: &mut GramSums, right: GramSums) {
        add(left.gram.as_mut_slice(), right.gram.as_slice());
    }
}
