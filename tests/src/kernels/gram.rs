//! The lower triangle of C ← C + AᵀA, within 30·m·ε·(|C| + |A|ᵀ|A|), element by element.
//!
//! The strict upper triangle of C is nobody's: it is NaN on entry and not looked at on exit.

use minrisk_core::wide::Dd;
use minrisk_core::{Backend, Matrix, Scalar};

use super::{SIZES, expect_inside, expect_untouched, extreme_exponents, masked, scaled};
use crate::layouts::Layout;
use crate::measure::{self, difference, doubles, product, product_scale, transpose};
use crate::random::Random;
use crate::{Outcome, Tally};

/// Every size, every kind of shape: the error is within the bound of the contract.
pub fn gram_is_accurate<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for rows in SIZES {
        for cols in SIZES {
            tally.add(|| Case::random(rows, cols).run(backend, [Layout::ByColumns; 2], 0));
        }
    }
    tally.outcome()
}

/// All combinations of layouts of A and C, views without elements included.
pub fn gram_takes_any_layout<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for (rows, cols) in [(7, 4), (1, 3), (3, 1), (0, 3), (3, 0), (70, 41)] {
        let case = Case::random(rows, cols);
        for a in Layout::ALL {
            for c in Layout::ALL {
                tally.add(|| case.run(backend, [a, c], 0));
            }
        }
    }
    tally.outcome()
}

/// Elements near the ends of the range, their squares inside it.
pub fn gram_survives_extreme_scales<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for exponent in extreme_exponents::<T>() {
        for (rows, cols) in [(5, 3), (50, 33)] {
            let case = Case::random(rows, cols);
            tally.add(|| case.run(backend, [Layout::ByColumns; 2], exponent));
        }
    }
    tally.outcome()
}

/// Operands, C + AᵀA and |C| + |A|ᵀ|A|.
struct Case<T> {
    a: Matrix<T>,
    c: Matrix<T>,
    exact: Matrix<Dd>,
    scale: Matrix<f64>,
}

impl<T: Scalar> Case<T> {
    fn random(rows: usize, cols: usize) -> Self {
        let mut random = Random::new((rows * 1000 + cols) as u64);
        let (a, c): (Matrix<T>, Matrix<T>) = (random.matrix(rows, cols), random.matrix(cols, cols));
        let (wide_a, wide_c) = (doubles(a.view()), doubles(c.view()));
        let exact = product(&wide_c, &transpose(&wide_a), &wide_a);
        let scale = product_scale(&wide_c, &transpose(&wide_a), &wide_a);
        Self { a, c, exact, scale }
    }

    /// Runs the kernel on 2^exponent·A.
    fn run(&self, backend: &dyn Backend<T>, layouts: [Layout; 2], exponent: i32) -> Outcome {
        let (rows, cols) = (self.a.rows(), self.a.cols());
        let input = scaled(&self.a, exponent);
        let stored_a = layouts[0].store(&input);
        let lower = |i, j| i >= j;
        let mut stored_c = layouts[1].store(&masked(&scaled(&self.c, 2 * exponent), lower));
        backend.add_gram(stored_a.view(), stored_c.view_mut());

        let computed = doubles(scaled(&stored_c.to_matrix(), -2 * exponent).view());
        let error = difference(&self.exact, &computed);
        let ratio = measure::elementwise_ratio::<T>(&error, &self.scale, rows, lower);
        measure::expect_small("the error of the Gram matrix", ratio)
            .and_then(|()| expect_untouched("A", &stored_a, &input))
            .and_then(|()| expect_inside("C", &stored_c))
            .map_err(|failure| {
                let case = format!("{rows} × {cols}, layouts {layouts:?}, scale 2^{exponent}");
                failure.within(case)
            })
    }
}
