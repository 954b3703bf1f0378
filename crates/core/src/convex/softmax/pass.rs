//! One pass for softmax: value, gradient, and the Hessian block by block.

use crate::convex::coordinates::Coordinates;
use crate::kernels::Packed;
use crate::loss::Softmax;
use crate::{Backend, Block, Matrix, Reduction, Scalar, View};

/// Σ c ℓ, its gradient and its Hessian.
pub(super) struct SoftmaxPass<'a, T: Scalar> {
    pub(super) backend: &'a dyn Backend<T>,
    pub(super) coordinates: &'a Coordinates<T>,
    /// v, one column for each class.
    pub(super) weights: Matrix<T>,
}

pub(super) struct SoftmaxSums<T> {
    pub(super) value: f64,
    /// One column for each class.
    pub(super) gradient: Matrix<T>,
    /// Lower triangle of K × K blocks.
    pub(super) hessian: Matrix<T>,
    gram: Matrix<T>,
    x: Packed<T>,
    scaled: Packed<T>,
}

impl<T: Scalar> Reduction<T> for SoftmaxPass<'_, T> {
    type State = SoftmaxSums<T>;

    fn start(&self) -> SoftmaxSums<T> {
        let (unknowns, classes) = (self.weights.rows(), self.weights.cols());
        SoftmaxSums {
            value: 0.0,
            gradient: Matrix::zeros(unknowns, classes),
            hessian: Matrix::zeros(unknowns * classes, unknowns * classes),
            gram: Matrix::zeros(unknowns, unknowns),
            x: Packed::default(),
            scaled: Packed::default(),
        }
    }

    fn absorb(&self, sums: &mut SoftmaxSums<T>, block: &Block<'_, T>) {
        let (rows, classes) = (block.x.rows(), self.weights.cols());
        let unknowns = self.weights.rows();
        let ones = vec![T::one(); rows];
        let x = self.coordinates.pack(&mut sums.x, block.x, View::column_vector(&ones));
        let mut z = Matrix::zeros(rows, classes);
        self.backend.add_product(x, self.weights.view(), z.view_mut());
        // Probabilities, and the derivatives in their place.
        let mut probabilities = Matrix::<f64>::zeros(rows, classes);
        let mut row = vec![0.0; classes];
        for i in 0..rows {
            let c = block.weight_of(i);
            let class = block.y[(i, 0)].to_double() as usize;
            row.iter_mut().enumerate().for_each(|(k, value)| *value = z[(i, k)].to_double());
            let of_class = row[class];
            sums.value += c * (Softmax::probabilities(&mut row) - of_class);
            for (k, &p) in row.iter().enumerate() {
                probabilities[(i, k)] = p;
                let slope = if k == class { p - 1.0 } else { p };
                z[(i, k)] = T::from_double(c * slope);
            }
        }
        self.backend.add_product(x.transpose(), z.view(), sums.gradient.view_mut());
        for k in 0..classes {
            for l in 0..=k {
                let weight = |i: usize| {
                    let c = block.weight_of(i);
                    let (p, q) = (probabilities[(i, k)], probabilities[(i, l)]);
                    T::from_double(c * p * if k == l { 1.0 - p } else { q })
                };
                let weights: Vec<T> = (0..rows).map(weight).collect();
                let scaled =
                    self.coordinates.pack(&mut sums.scaled, block.x, View::column_vector(&weights));
                sums.gram.as_mut_slice().fill(T::zero());
                self.backend.add_gram(scaled, sums.gram.view_mut());
                let sign = if k == l { T::one() } else { -T::one() };
                for j in 0..unknowns {
                    for i in 0..unknowns {
                        let value = sums.gram[(i.max(j), i.min(j))];
                        sums.hessian[(k * unknowns + i, l * unknowns + j)] += sign * value;
                    }
                }
            }
        }
    }

    fn merge(&self, left: &mut SoftmaxSums<T>, right: SoftmaxSums<T>) {
        let add = |into: &mut Matrix<T>, from: &Matrix<T>| {
            into.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(a, &b)| *a += b);
        };
        left.value += right.value;
        add(&mut left.gradient, &right.gradient);
        add(&mut left.hessian, &right.hessian);
    }
}
