//! B ← L⁻¹·B and B ← U⁻¹·B: each column x solves (L + E)x = b with |E| ≤ 30·d·ε·|L|.
//!
//! The other triangle is nobody's: it is NaN.

use minrisk_core::{Backend, Matrix, Scalar};

use super::{SIZES, expect_inside, expect_untouched, masked, scaled};
use crate::layouts::Layout;
use crate::measure::{self, difference, doubles, product, product_scale};
use crate::random::Random;
use crate::{Outcome, Tally};

/// Every order and number of right-hand sides, good and graded matrices.
pub fn triangular_solves_are_accurate<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for triangle in Triangle::BOTH {
        for n in SIZES {
            for columns in [0, 1, 2, 5, 33] {
                for grading in [1.0, 2.0_f64.powf(-20.0 / n.max(1) as f64)] {
                    let a = triangle.random(n, grading);
                    tally.add(|| {
                        run(backend, triangle, &a, columns, [Layout::ByColumns; 2], [0; 2])
                    });
                }
            }
        }
    }
    tally.outcome()
}

/// All combinations of layouts of the matrix and the right-hand sides.
pub fn triangular_solves_take_any_layout<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for triangle in Triangle::BOTH {
        for (n, columns) in [(5, 3), (1, 2), (4, 1), (0, 2), (3, 0), (40, 7)] {
            let a = triangle.random(n, 1.0);
            for first in Layout::ALL {
                for second in Layout::ALL {
                    tally.add(|| run(backend, triangle, &a, columns, [first, second], [0; 2]));
                }
            }
        }
    }
    tally.outcome()
}

/// Elements near the ends of the range, quotients inside it.
pub fn triangular_solves_survive_extreme_scales<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let reach = T::max_value().exponent() * 7 / 10;
    for triangle in Triangle::BOTH {
        for exponents in [[reach, reach], [-reach, -reach], [reach, 0], [-reach, 0]] {
            for n in [3, 40] {
                let a = triangle.random(n, 1.0);
                tally.add(|| run(backend, triangle, &a, 3, [Layout::ByColumns; 2], exponents));
            }
        }
    }
    tally.outcome()
}

#[derive(Clone, Copy, Debug)]
enum Triangle {
    Lower,
    Upper,
}

impl Triangle {
    const BOTH: [Triangle; 2] = [Triangle::Lower, Triangle::Upper];

    fn holds(self, i: usize, j: usize) -> bool {
        match self {
            Triangle::Lower => i >= j,
            Triangle::Upper => i <= j,
        }
    }

    /// A well-conditioned triangle whose rows shrink by a factor.
    fn random<T: Scalar>(self, n: usize, grading: f64) -> Matrix<T> {
        let mut random = Random::new(n as u64);
        Matrix::from_fn(n, n, |i, j| {
            let size = grading.powi(i as i32);
            let value = match self.holds(i, j) {
                true if i == j => {
                    (1.0 + random.unit()) * if random.unit() < 0.5 { 1.0 } else { -1.0 }
                }
                true => random.signed() / (n as f64).sqrt(),
                false => 0.0,
            };
            T::from_double(value * size)
        })
    }
}

/// Solves with 2^p·A and 2^q·B, so that the solution is 2^(q − p) times that of A and B.
fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    triangle: Triangle,
    a: &Matrix<T>,
    columns: usize,
    layouts: [Layout; 2],
    [p, q]: [i32; 2],
) -> Outcome {
    let n = a.rows();
    let b: Matrix<T> = Random::new(columns as u64).matrix(n, columns);
    let input = masked(&scaled(a, p), |i, j| triangle.holds(i, j));
    let stored_a = layouts[0].store(&input);
    let mut stored_b = layouts[1].store(&scaled(&b, q));
    match triangle {
        Triangle::Lower => backend.solve_lower(stored_a.view(), stored_b.view_mut()),
        Triangle::Upper => backend.solve_upper(stored_a.view(), stored_b.view_mut()),
    }
    let (a, x) = (doubles(a.view()), doubles(scaled(&stored_b.to_matrix(), p - q).view()));
    let nothing = Matrix::zeros(n, columns);
    let error = difference(&product(&nothing, &a, &x), &doubles(b.view()));
    let bound = product_scale(&nothing, &a, &x);
    let ratio = measure::elementwise_ratio::<T>(&error, &bound, n, |_, _| true);
    measure::expect_small("the residual", ratio)
        .and_then(|()| expect_untouched("the triangle", &stored_a, &input))
        .and_then(|()| expect_inside("B", &stored_b))
        .map_err(|failure| {
            failure.within(format_args!(
                "{triangle:?}, order {n}, {columns} right-hand sides, layouts {layouts:?}, scales 2^{p}, 2^{q}"
            ))
        })
}
