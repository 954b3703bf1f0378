//! A certificate never claims what does not hold: thousands of small random problems.
//!
//! Small whole numbers make what is rare in real data common: coefficients that are exactly zero,
//! halves and other ties, dependent and constant columns, fits without residual, fewer rows than
//! columns. Other problems mix such columns with full-length numbers of any size.

use minrisk_core::{Backend, Dataset, Matrix, Scalar};

use super::{Demand, LeastSquaresSolver, fit, judge};
use crate::exact;
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// 3000 small problems in small whole numbers, of any rank.
pub fn certificates_hold_on_whole_numbers<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut tally = Tally::default();
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let (rows, cols) = (1 + random.below(9), 1 + random.below(5));
        let reach = 1 + random.below(9);
        let mut whole = |_, _| T::from_double(random.below(2 * reach + 1) as f64 - reach as f64);
        let x = Matrix::from_fn(rows, cols, &mut whole);
        let y = Matrix::from_fn(rows, 2, &mut whole);
        tally.add(|| run(backend, solver, seed, &x, &y));
    }
    tally.outcome()
}

/// 1500 problems in numbers of full length, columns of different sizes, some nearly dependent.
pub fn certificates_hold_on_full_length_numbers<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let digits = -T::unit_roundoff().log10();
    let mut tally = Tally::default();
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let cols = 1 + random.below(5);
        // More rows than unknowns: the rank of fewer is a matter of whole numbers.
        let rows = cols + 2 + random.below(20);
        let mut x: Matrix<T> = random.matrix(rows, cols);
        let distance = 10.0_f64.powf(-random.unit() * (digits - 2.0));
        let size = 10.0_f64.powf(random.signed() * 8.0);
        for i in 0..rows {
            let near = x[(i, 0)].to_double() * size + distance * size * random.signed();
            x[(i, cols - 1)] = T::from_double(near);
        }
        let noise = 10.0_f64.powf(-random.unit() * digits);
        let y = Matrix::from_fn(rows, 2, |i, k| {
            let z: f64 = (0..cols).map(|j| x[(i, j)].to_double() / (1 + j + k) as f64).sum();
            T::from_double(z + noise * random.normal())
        });
        tally.add(|| run(backend, solver, seed, &x, &y));
    }
    tally.outcome()
}

fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
    seed: u64,
    x: &Matrix<T>,
    y: &Matrix<T>,
) -> Outcome {
    let data = Dataset::new(x.view(), y.view())?;
    for intercept in [false, true] {
        let truth = exact::least_squares(&data, intercept);
        fit(backend, solver, &data, intercept)
            .map_err(Failure::from)
            .and_then(|fit| judge(&data, &fit, &truth, Demand::Honesty))
            .map_err(|failure| {
                failure.within(format_args!(
                    "seed {seed}, {} × {}, {} intercept",
                    x.rows(),
                    x.cols(),
                    if intercept { "with" } else { "without" }
                ))
            })?;
    }
    Ok(())
}
