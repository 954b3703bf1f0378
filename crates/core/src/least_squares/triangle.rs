//! One pass for a triangle: R with RᵀR = AᵀA by Householder reflections, never forming AᵀA.
//!
//! A is the design as the factorisation sees it: √c_t·2^(−e_j)·(x_tj − s_j), after a leading column
//! √c_t·2^(−e_0) when there is an intercept. Tall-skinny QR (Demmel, Grigori, Hoemmen, Langou 2012):
//! the R of a set of rows and the R of another stack to the R of their union. The condition number
//! enters the error once, not squared as in a Gram matrix.

use crate::kernels::{Packed, Transform};
use crate::{Backend, Block, Matrix, Reduction, Scalar, ViewMut};

/// How the factorisation sees the columns of the design.
#[derive(Clone, Debug)]
pub(super) struct Coordinates<T> {
    /// Whether a column of ones leads.
    pub(super) intercept: bool,
    /// s_j, subtracted from column j; zeros without an intercept.
    pub(super) shifts: Vec<T>,
    /// e_j: column j is divided by 2^(e_j).
    pub(super) exponents: Vec<i32>,
    /// The same for the leading column of ones.
    pub(super) intercept_exponent: i32,
}

impl<T: Scalar> Coordinates<T> {
    /// Number of columns, the leading one included.
    pub(super) fn len(&self) -> usize {
        self.shifts.len() + usize::from(self.intercept)
    }

    /// The factors 2^(−e_j).
    pub(super) fn scales(&self) -> Vec<T> {
        self.exponents.iter().map(|&e| T::power_of_two(-e)).collect()
    }

    /// The exponent of coordinate `k`, the intercept being coordinate 0 where there is one.
    pub(super) fn exponent(&self, k: usize) -> i32 {
        match (self.intercept, k) {
            (true, 0) => self.intercept_exponent,
            (true, k) => self.exponents[k - 1],
            (false, k) => self.exponents[k],
        }
    }
}

/// The pass that makes the triangle.
pub(super) struct TrianglePass<'a, T: Scalar> {
    pub(super) backend: &'a dyn Backend<T>,
    pub(super) coordinates: &'a Coordinates<T>,
}

/// A triangle and the room to pack blocks in.
pub(super) struct Triangle<T: Scalar> {
    pub(super) r: Matrix<T>,
    packed: FactorBlock<T>,
}

/// Room for a block as a factorisation sees it.
#[derive(Default)]
pub(super) struct FactorBlock<T: Scalar> {
    packed: Packed<T>,
    augmented: Vec<T>,
}

impl<T: Scalar> FactorBlock<T> {
    /// The columns of a block, in the order of the coordinates, shifted, scaled and weighted, after
    /// the column of ones where there is an intercept.
    pub(super) fn pack(
        &mut self,
        coordinates: &Coordinates<T>,
        block: &Block<'_, T>,
        columns: &[usize],
    ) -> ViewMut<'_, T> {
        let all = columns.len() == block.x.cols();
        let scales = coordinates.scales();
        let transform = Transform {
            shifts: coordinates.intercept.then_some(&coordinates.shifts[..]),
            scales: Some(&scales),
            ones: false,
        };
        if all && !coordinates.intercept {
            return self.packed.pack_mut(block.x, block.weights, &transform);
        }
        let rows = block.x.rows();
        self.augmented.clear();
        if coordinates.intercept {
            let one = T::power_of_two(-coordinates.intercept_exponent);
            self.augmented.extend((0..rows).map(|i| match block.weights {
                None => one,
                Some(weights) => one * weights[(i, 0)].sqrt(),
            }));
        }
        if all {
            let packed = self.packed.pack(block.x, block.weights, &transform);
            for j in 0..columns.len() {
                self.augmented.extend(packed.col_iter(j));
            }
        } else {
            let root = |i: usize| block.weights.map_or(T::one(), |c| c[(i, 0)].sqrt());
            for (k, &j) in columns.iter().enumerate() {
                let (shift, scale) = (coordinates.shifts[k], scales[k]);
                let column = block.x.col_iter(j).enumerate();
                self.augmented.extend(column.map(|(i, &v)| (v - shift) * scale * root(i)));
            }
        }
        ViewMut::col_major(&mut self.augmented, rows, coordinates.len())
            .expect("the buffer was filled to this size")
    }
}

impl<T: Scalar> Reduction<T> for TrianglePass<'_, T> {
    type State = Triangle<T>;

    fn start(&self) -> Triangle<T> {
        let size = self.coordinates.len();
        Triangle { r: Matrix::zeros(size, size), packed: FactorBlock::default() }
    }

    fn absorb(&self, state: &mut Triangle<T>, block: &Block<'_, T>) {
        let columns: Vec<usize> = (0..block.x.cols()).collect();
        let rows = state.packed.pack(self.coordinates, block, &columns);
        self.backend.stack_qr(state.r.view_mut(), rows);
    }

    fn merge(&self, left: &mut Triangle<T>, mut right: Triangle<T>) {
        self.backend.stack_qr(left.r.view_mut(), right.r.view_mut());
    }
}
