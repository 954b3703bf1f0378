//! Residuals of many predictors in one pass: X·[w_1 … w_n] by the backend's product, block by block.

use crate::{Backend, Block, Matrix, Reduction, Scalar, View};

/// Residuals of many predictors at once, and what certificates need of them.
pub(super) struct ResidualsPass<'a, T: Scalar> {
    pub(super) backend: &'a dyn Backend<T>,
    /// One column for each predictor.
    pub(super) weights: &'a Matrix<T>,
    pub(super) levels: &'a [T],
}

/// What a [`ResidualsPass`] adds up.
pub(super) struct ResidualsSums<T> {
    /// Σ c.
    pub(super) weight: f64,
    /// Σ c y.
    pub(super) target: f64,
    /// Σ c x.
    pub(super) columns: Vec<f64>,
    /// Σ c r of each predictor.
    pub(super) total: Vec<f64>,
    /// Σ c r².
    pub(super) squares: Vec<f64>,
    /// Σ c r y.
    pub(super) with_target: Vec<f64>,
    /// Σ c r x.
    pub(super) products: Matrix<T>,
    residuals: Vec<T>,
}

impl<T: Scalar> Reduction<T> for ResidualsPass<'_, T> {
    type State = ResidualsSums<T>;

    fn start(&self) -> ResidualsSums<T> {
        let (features, count) = (self.weights.rows(), self.weights.cols());
        ResidualsSums {
            weight: 0.0,
            target: 0.0,
            columns: vec![0.0; features],
            total: vec![0.0; count],
            squares: vec![0.0; count],
            with_target: vec![0.0; count],
            products: Matrix::zeros(features, count),
            residuals: Vec::new(),
        }
    }

    fn absorb(&self, sums: &mut ResidualsSums<T>, block: &Block<'_, T>) {
        let (rows, count) = (block.x.rows(), self.weights.cols());
        sums.residuals.clear();
        sums.residuals.resize(rows * count, T::zero());
        let mut z = crate::ViewMut::col_major(&mut sums.residuals, rows, count)
            .expect("the buffer has this size");
        self.backend.add_product(block.x, self.weights.view(), z.reborrow());
        let weight = |i: usize| block.weights.map_or(T::one(), |c| c[(i, 0)]);
        let offset = |i: usize| block.offsets.map_or(T::zero(), |o| o[(i, 0)]);
        for (k, column) in sums.residuals.chunks_exact_mut(rows).enumerate() {
            let (mut total, mut squares, mut with_target) = (0.0, 0.0, 0.0);
            for (i, z) in column.iter_mut().enumerate() {
                let y = block.y[(i, 0)];
                let residual = y - (*z + self.levels[k] + offset(i));
                let weighted = weight(i) * residual;
                total += weighted.to_double();
                squares += weighted.to_double() * residual.to_double();
                with_target += weighted.to_double() * (y - offset(i)).to_double();
                *z = weighted;
            }
            sums.total[k] += total;
            sums.squares[k] += squares;
            sums.with_target[k] += with_target;
        }
        let residuals = View::col_major(&sums.residuals, rows, count).expect("the same size");
        self.backend.add_product(block.x.transpose(), residuals, sums.products.view_mut());
        for i in 0..rows {
            sums.weight += weight(i).to_double();
            sums.target += (weight(i) * (block.y[(i, 0)] - offset(i))).to_double();
            let c = weight(i).to_double();
            for (j, column) in sums.columns.iter_mut().enumerate() {
                *column += c * block.x[(i, j)].to_double();
            }
        }
    }

    fn merge(&self, left: &mut ResidualsSums<T>, right: ResidualsSums<T>) {
        let add = |into: &mut [f64], from: &[f64]| {
            into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        };
        left.weight += right.weight;
        left.target += right.target;
        add(&mut left.columns, &right.columns);
        add(&mut left.total, &right.total);
        add(&mut left.squares, &right.squares);
        add(&mut left.with_target, &right.with_target);
        let products = left.products.as_mut_slice().iter_mut().zip(right.products.as_slice());
        products.for_each(|(a, &b)| *a += b);
    }
}
