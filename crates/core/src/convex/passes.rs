//! Passes for a loss: value and gradient; with curvature, also a Hessian; gradients in double-double.
//!
//! Each reads the data once: z = Xw + b of a block, ℓ′(z) row by row, Xᵀℓ′ while the block is in cache, and
//! the Hessian XᵀDX from the backend's Gram product of the same block, its rows scaled by √(c_t ℓ″_t). The
//! products do not know the loss and the loss does not know the layout: they are compiled once each.

use super::coordinates::Coordinates;
use crate::kernels::{FusedKernel, Packed, Start, load_column};
use crate::loss::{Loss, TwiceSmooth};
use crate::simd::{Kernel, vectorised};
use crate::wide::{Dd, ExactProduct, LANES, Number};
use crate::{Backend, Block, Dataset, Error, Matrix, Reduction, Rows, Scalar, View};

use rayon::prelude::*;

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
        sums.absorb(block, self.intercept, |rows, z| {
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

/// z ← c·ℓ′(z) for every row, where `at` gives ℓ, ℓ′ and ℓ″ at (z, y); returns Σ c ℓ and Σ c ℓ′. The
/// curvatures c·ℓ″ are kept where there is room for them.
struct LossRows<'b, T, F> {
    at: F,
    rows: RowData<'b, T>,
    z: &'b mut [f64],
    curvature: &'b mut [T],
}

impl<'b, T: Scalar, F: Fn(f64, f64) -> (f64, f64, f64)> LossRows<'b, T, F> {
    fn evaluate(
        at: F,
        rows: RowData<'b, T>,
        z: &'b mut [f64],
        curvature: &'b mut [T],
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
            room.zip(&bends).for_each(|(to, &bend)| *to = T::from_double(bend));
        }
        (values.iter().sum(), totals.iter().sum())
    }
}

/// As [`LossPass`], and the Hessian of the loss in given coordinates, lifted towards that of a majorant.
pub(crate) struct CurvaturePass<'a, T: Scalar, L> {
    pub(crate) backend: &'a dyn Backend<T>,
    pub(crate) loss: &'a L,
    /// From 0, the curvature ℓ″, to 1, that of the [majorant](TwiceSmooth::majorant).
    pub(crate) lift: f64,
    pub(crate) weights: &'a [f64],
    pub(crate) intercept: f64,
    pub(crate) coordinates: &'a Coordinates<T>,
}

/// What a [`CurvaturePass`] adds up.
pub(crate) struct CurvatureSums<T: Scalar> {
    pub(crate) loss: LossSums<T>,
    /// Lower triangle of Σ c ℓ″ ṽṽᵀ, ℓ″ lifted, ṽ the row in the coordinates, 1 for the intercept last.
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
        curvature.resize(block.x.rows(), T::zero());
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
        kernel.forward(block.x, start, z);
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
        let u = &self.u[block.first_row..block.first_row + block.x.rows()];
        kernel.backward(block.x, u, sums);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        add(&mut left.1, &right.1);
    }
}

/// Xᵀu: column by column where they are contiguous, which is fastest where they are many, else in a pass.
pub(crate) fn transposed_product<T: Scalar>(
    data: &Dataset<'_, T>,
    u: &[f64],
) -> Result<Vec<f64>, Error> {
    let crate::Design::Dense(x) = data.design();
    if !has_contiguous_columns(x) || !data.is_known_finite() {
        let pass = TransposedPass { u, cols: x.cols() };
        return Ok(Rows::Memory(data).reduce(&pass)?.1);
    }
    let products = |first: usize| {
        let column = |k: usize| x.col_slice((first + k).min(x.cols() - 1)).unwrap_or_default();
        let dots = vectorised(ColumnDots { columns: std::array::from_fn(column), u });
        dots.into_iter().take(x.cols() - first)
    };
    let firsts = (0..x.cols()).into_par_iter().step_by(ABREAST).with_min_len(GROUPS_A_TASK);
    Ok(firsts.flat_map_iter(products).collect())
}

/// Xw + b + o: over the columns that have a weight where columns are contiguous and many, else in a pass.
pub(crate) fn predictions<T: Scalar>(
    data: &Dataset<'_, T>,
    weights: &[f64],
    intercept: f64,
) -> Result<Vec<f64>, Error> {
    let crate::Design::Dense(x) = data.design();
    if !has_contiguous_columns(x) || x.cols() < MANY_COLUMNS || !data.is_known_finite() {
        let pass = PredictionPass { weights, intercept };
        return Ok(Rows::Memory(data).reduce(&pass)?.1);
    }
    let mut z: Vec<f64> = (0..x.rows()).map(|t| data.offset_of(t) + intercept).collect();
    let support: Vec<usize> = (0..x.cols()).filter(|&j| weights[j] != 0.0).collect();
    z.par_chunks_mut(ROWS_A_TASK).enumerate().for_each(|(k, z)| {
        let rows = k * ROWS_A_TASK..k * ROWS_A_TASK + z.len();
        for group in support.chunks(ABREAST) {
            let column = |k: usize| match group.get(k) {
                Some(&j) => (weights[j], &x.col_slice(j).unwrap_or_default()[rows.clone()]),
                // Any column, without a weight.
                None => (0.0, &x.col_slice(group[0]).unwrap_or_default()[rows.clone()]),
            };
            vectorised(AddColumns { columns: std::array::from_fn(column), z });
        }
    });
    Ok(z)
}

fn has_contiguous_columns<T: Scalar>(x: View<'_, T>) -> bool {
    x.rows() > 0 && (0..x.cols()).all(|j| x.col_slice(j).is_some())
}

/// Columns from which on the blocks of a pass have too few rows for long runs along them.
const MANY_COLUMNS: usize = 256;
/// Rows of a task: z of them stays in the innermost cache.
const ROWS_A_TASK: usize = 2048;

struct AddColumns<'a, T> {
    columns: [(f64, &'a [T]); ABREAST],
    z: &'a mut [f64],
}

impl<T: Scalar> Kernel for AddColumns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<E: ExactProduct>(self) {
        let [(a, p), (b, q), (c, r), (d, s)] = self.columns;
        let columns = p.iter().zip(q).zip(r.iter().zip(s));
        for (z, ((p, q), (r, s))) in self.z.iter_mut().zip(columns) {
            let front = a * p.to_double() + b * q.to_double();
            let back = c * r.to_double() + d * s.to_double();
            *z += front + back;
        }
    }
}

/// Columns that are multiplied with the same vector at once, and groups of them that are worth a task.
const ABREAST: usize = 4;
const GROUPS_A_TASK: usize = 8;

struct ColumnDots<'a, T> {
    columns: [&'a [T]; ABREAST],
    u: &'a [f64],
}

impl<T: Scalar> Kernel for ColumnDots<'_, T> {
    type Output = [f64; ABREAST];

    #[inline(always)]
    fn run<E: ExactProduct>(self) -> [f64; ABREAST] {
        let (groups, rest) = self.u.as_chunks::<LANES>();
        let columns = self.columns.map(|column| column.as_chunks::<LANES>());
        let columns_groups = columns.map(|(chunks, _)| &chunks[..groups.len()]);
        let mut sums = [[0.0; LANES]; ABREAST];
        for (t, u) in groups.iter().enumerate() {
            for k in 0..ABREAST {
                let x = &columns_groups[k][t];
                for l in 0..LANES {
                    sums[k][l] += x[l].to_double() * u[l];
                }
            }
        }
        std::array::from_fn(|k| {
            let tail = columns[k].1.iter().zip(rest).map(|(x, u)| x.to_double() * u);
            sums[k].iter().sum::<f64>() + tail.sum::<f64>()
        })
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
        let weights = View::column_vector(weights);
        let x = self.coordinates.pack(&mut sums.packed, block.x, Some(weights));
        self.backend.add_gram(x, sums.gram.view_mut());
    }

    fn merge(&self, left: &mut GramSums<T>, right: GramSums<T>) {
        add(left.gram.as_mut_slice(), right.gram.as_slice());
    }
}
