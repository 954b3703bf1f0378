//! Passes for softmax: value, gradient and curvature.
//!
//! With p the probabilities of a row and x̃ the row in the coordinates, the Hessian is Σ c (diag p − ppᵀ) ⊗ x̃x̃ᵀ. It is
//! either added up block by block, each of its K × K blocks a Gram matrix, or multiplied with a vector: X̃V, then
//! c (diag p − ppᵀ) row by row, then X̃ᵀ, all while a block of rows is in cache.

use crate::convex::coordinates::Coordinates;
use crate::kernels::{FusedKernel, Packed, Start};
use crate::loss::Softmax;
use crate::{Backend, Block, Matrix, Reduction, Scalar, View, ViewMut};

/// c ℓ and ∂ℓ/∂z of every row, and Σ c ∂ℓ/∂z_k x at θ.
pub(super) struct SlopePass<'a> {
    pub(super) theta: &'a [f64],
    /// Unknowns of a class; one more than columns with intercepts.
    pub(super) unknowns: usize,
    pub(super) classes: usize,
}

/// What a [`SlopePass`] adds up.
pub(super) struct SlopeSums<T: Scalar> {
    kernels: Vec<FusedKernel<T, f64>>,
    /// Predictions of a block, class by class.
    z: Vec<Vec<f64>>,
    /// c ℓ of every row.
    pub(super) losses: Vec<f64>,
    /// ∂ℓ/∂z of every row, its classes side by side.
    pub(super) slopes: Vec<f64>,
    pub(super) gradient: Vec<f64>,
}

impl<T: Scalar> Reduction<T> for SlopePass<'_> {
    type State = SlopeSums<T>;

    fn start(&self) -> SlopeSums<T> {
        SlopeSums {
            kernels: Vec::new(),
            z: vec![Vec::new(); self.classes],
            losses: Vec::new(),
            slopes: Vec::new(),
            gradient: vec![0.0; self.theta.len()],
        }
    }

    fn absorb(&self, sums: &mut SlopeSums<T>, block: &Block<'_, T>) {
        let SlopeSums { kernels, z, losses, slopes, gradient } = sums;
        let features = block.x.cols();
        if kernels.is_empty() {
            let of_class = |theta: &[f64]| FusedKernel::new(theta[..features].to_vec());
            kernels.extend(self.theta.chunks(self.unknowns).map(of_class));
        }
        for (k, (kernel, z)) in kernels.iter_mut().zip(&mut *z).enumerate() {
            let values = block.offsets.map(|offsets| offsets.col_range(k..k + 1));
            let level = self.theta[k * self.unknowns..(k + 1) * self.unknowns].get(features);
            z.clear();
            kernel.forward(block.x, Start { values, shift: level.copied().unwrap_or(0.0) }, z);
        }
        for i in 0..block.x.rows() {
            let (c, class) = (block.weight_of(i), class_of(block, i));
            let first = slopes.len();
            slopes.extend(z.iter().map(|z| z[i]));
            losses.push(c * Softmax::derivatives(&mut slopes[first..], class));
            z.iter_mut().zip(&slopes[first..]).for_each(|(z, u)| z[i] = c * u);
        }
        add_products(kernels, block.x, z, gradient);
    }

    fn merge(&self, left: &mut SlopeSums<T>, right: SlopeSums<T>) {
        left.losses.extend(right.losses);
        left.slopes.extend(right.slopes);
        left.gradient.iter_mut().zip(&right.gradient).for_each(|(a, b)| *a += b);
    }
}

/// Σ c u_k x and Σ c u_k for numbers u of every row and class.
pub(super) struct TransposedPass<'a> {
    pub(super) slopes: &'a [f64],
    pub(super) unknowns: usize,
    pub(super) classes: usize,
}

impl<T: Scalar> Reduction<T> for TransposedPass<'_> {
    type State = (Vec<FusedKernel<T, f64>>, Vec<Vec<f64>>, Vec<f64>);

    fn start(&self) -> Self::State {
        let sums = vec![0.0; self.unknowns * self.classes];
        (Vec::new(), vec![Vec::new(); self.classes], sums)
    }

    fn absorb(&self, (kernels, weighted, sums): &mut Self::State, block: &Block<'_, T>) {
        if kernels.is_empty() {
            kernels.extend((0..self.classes).map(|_| FusedKernel::new(vec![0.0; block.x.cols()])));
        }
        let rows = block.first_row..block.first_row + block.x.rows();
        for (k, weighted) in weighted.iter_mut().enumerate() {
            let slope = |t: usize| self.slopes[t * self.classes + k];
            weighted.clear();
            weighted.extend(rows.clone().map(|t| block.weight_of(t - block.first_row) * slope(t)));
        }
        add_products(kernels, block.x, weighted, sums);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.2.iter_mut().zip(&right.2).for_each(|(a, b)| *a += b);
    }
}

/// Adds the products of a block with numbers of its rows, class by class, and the sums of those for the intercepts.
fn add_products<T: Scalar>(
    kernels: &mut [FusedKernel<T, f64>],
    x: View<'_, T>,
    factors: &[Vec<f64>],
    sums: &mut [f64],
) {
    let (features, unknowns) = (x.cols(), sums.len() / kernels.len());
    let classes = kernels.iter_mut().zip(factors).zip(sums.chunks_mut(unknowns));
    for ((kernel, factors), sums) in classes {
        let (weights, level) = sums.split_at_mut(features);
        kernel.backward(x, factors, weights);
        level.iter_mut().for_each(|level| *level += factors.iter().sum::<f64>());
    }
}

fn class_of<T: Scalar>(block: &Block<'_, T>, row: usize) -> usize {
    block.y[(row, 0)].to_double() as usize
}

/// The Hessian of the loss where the slopes are given.
pub(super) struct HessianPass<'a> {
    pub(super) backend: &'a dyn Backend<f64>,
    pub(super) coordinates: &'a Coordinates,
    pub(super) slopes: &'a [f64],
    pub(super) classes: usize,
}

/// What a [`HessianPass`] adds up.
pub(super) struct HessianSums {
    /// Lower triangle of K × K blocks.
    pub(super) hessian: Matrix<f64>,
    gram: Matrix<f64>,
    packed: Packed<f64>,
    weights: Vec<f64>,
}

impl<T: Scalar> Reduction<T> for HessianPass<'_> {
    type State = HessianSums;

    fn start(&self) -> HessianSums {
        let unknowns = self.coordinates.unknowns();
        HessianSums {
            hessian: Matrix::zeros(unknowns * self.classes, unknowns * self.classes),
            gram: Matrix::zeros(unknowns, unknowns),
            packed: Packed::default(),
            weights: Vec::new(),
        }
    }

    fn absorb(&self, sums: &mut HessianSums, block: &Block<'_, T>) {
        let HessianSums { hessian, gram, packed, weights } = sums;
        let unknowns = gram.rows();
        for k in 0..self.classes {
            for l in 0..=k {
                weights.clear();
                weights.extend((0..block.x.rows()).map(|i| {
                    let row = RowCurvature::of(self.slopes, self.classes, block, i);
                    row.c * row.probability(k) * row.complement(k, l)
                }));
                let scaled =
                    self.coordinates.pack(packed, block.x, Some(View::column_vector(weights)));
                gram.as_mut_slice().fill(0.0);
                self.backend.add_gram(scaled, gram.view_mut());
                let sign = if k == l { 1.0 } else { -1.0 };
                for j in 0..unknowns {
                    for i in 0..unknowns {
                        let value = gram[(i.max(j), i.min(j))];
                        hessian[(k * unknowns + i, l * unknowns + j)] += sign * value;
                    }
                }
            }
        }
    }

    fn merge(&self, left: &mut HessianSums, right: HessianSums) {
        add(&mut left.hessian, &right.hessian);
    }
}

/// The Hessian of the loss times a vector.
pub(super) struct ProductPass<'a> {
    pub(super) backend: &'a dyn Backend<f64>,
    pub(super) coordinates: &'a Coordinates,
    pub(super) slopes: &'a [f64],
    /// The vector, one column for each class.
    pub(super) vector: &'a Matrix<f64>,
}

/// Sums of one number for each unknown and class, and the buffers that they are made in.
pub(super) struct ProductSums {
    pub(super) sums: Matrix<f64>,
    packed: Packed<f64>,
    rows: Vec<f64>,
}

impl ProductSums {
    fn zero(unknowns: usize, classes: usize) -> Self {
        let sums = Matrix::zeros(unknowns, classes);
        Self { sums, packed: Packed::default(), rows: Vec::new() }
    }
}

impl<T: Scalar> Reduction<T> for ProductPass<'_> {
    type State = ProductSums;

    fn start(&self) -> ProductSums {
        ProductSums::zero(self.vector.rows(), self.vector.cols())
    }

    fn absorb(&self, state: &mut ProductSums, block: &Block<'_, T>) {
        let (count, classes) = (block.x.rows(), self.vector.cols());
        let ProductSums { sums, packed, rows } = state;
        let x = self.coordinates.pack(packed, block.x, None);
        rows.clear();
        rows.resize(count * classes, 0.0);
        self.backend.add_product(x, self.vector.view(), by_class(rows, count, classes));
        for i in 0..count {
            let row = RowCurvature::of(self.slopes, classes, block, i);
            row.multiply(|k| k * count + i, rows);
        }
        let z = by_class(rows, count, classes);
        self.backend.add_product(x.transpose(), z.as_view(), sums.view_mut());
    }

    fn merge(&self, left: &mut ProductSums, right: ProductSums) {
        add(&mut left.sums, &right.sums);
    }
}

/// The diagonal of the Hessian of the loss.
pub(super) struct DiagonalPass<'a> {
    pub(super) backend: &'a dyn Backend<f64>,
    pub(super) coordinates: &'a Coordinates,
    pub(super) slopes: &'a [f64],
    pub(super) classes: usize,
}

impl<T: Scalar> Reduction<T> for DiagonalPass<'_> {
    type State = ProductSums;

    fn start(&self) -> ProductSums {
        ProductSums::zero(self.coordinates.unknowns(), self.classes)
    }

    fn absorb(&self, state: &mut ProductSums, block: &Block<'_, T>) {
        let (count, classes) = (block.x.rows(), self.classes);
        let ProductSums { sums, packed, rows } = state;
        let squares = self.coordinates.pack_squares(packed, block.x);
        rows.clear();
        for k in 0..classes {
            rows.extend((0..count).map(|i| {
                let row = RowCurvature::of(self.slopes, classes, block, i);
                row.c * row.probability(k) * row.complement(k, k)
            }));
        }
        let weights = by_class(rows, count, classes);
        self.backend.add_product(squares.as_view().transpose(), weights.as_view(), sums.view_mut());
    }

    fn merge(&self, left: &mut ProductSums, right: ProductSums) {
        add(&mut left.sums, &right.sums);
    }
}

/// c (diag p − ppᵀ) of one row, from its slopes p − e_y.
struct RowCurvature<'a> {
    slopes: &'a [f64],
    class: usize,
    c: f64,
}

impl<'a> RowCurvature<'a> {
    fn of<T: Scalar>(slopes: &'a [f64], classes: usize, block: &Block<'_, T>, row: usize) -> Self {
        let first = (block.first_row + row) * classes;
        let slopes = &slopes[first..first + classes];
        Self { slopes, class: class_of(block, row), c: block.weight_of(row) }
    }

    fn probability(&self, k: usize) -> f64 {
        if k == self.class { (1.0 + self.slopes[k]).max(0.0) } else { self.slopes[k] }
    }

    /// 1 − p_k where k = l, else p_l: what p_k stands beside in the matrix, its sign left out.
    fn complement(&self, k: usize, l: usize) -> f64 {
        match k == l {
            true if k == self.class => -self.slopes[k],
            true => 1.0 - self.slopes[k],
            false => self.probability(l),
        }
    }

    /// a ← c (diag p − ppᵀ)a for the numbers a_k at the places given. Differences from a of the row's own class keep
    /// their digits where that is nearly certain.
    fn multiply(&self, place: impl Fn(usize) -> usize, a: &mut [f64]) {
        let own = a[place(self.class)];
        let others = || (0..self.slopes.len()).filter(|&k| k != self.class);
        let mean: f64 = others().map(|k| self.slopes[k] * (a[place(k)] - own)).sum();
        let mut rest = 0.0;
        for k in others() {
            let value = self.c * self.slopes[k] * (a[place(k)] - own - mean);
            a[place(k)] = value;
            rest += value;
        }
        a[place(self.class)] = -rest;
    }
}

/// A buffer as a matrix with one column for each class.
fn by_class(buffer: &mut [f64], rows: usize, classes: usize) -> ViewMut<'_, f64> {
    ViewMut::col_major(buffer, rows, classes).expect("the buffer has this size")
}

fn add(into: &mut Matrix<f64>, from: &Matrix<f64>) {
    into.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(a, &b)| *a += b);
}
