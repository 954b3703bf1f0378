//! What must not matter: layout, order of rows and columns, company of other targets, a second call.

use minrisk_core::{Backend, Dataset, Matrix, Scalar, View};

use super::{Demand, LeastSquaresSolver, fit, judge};
use crate::Outcome;
use crate::check::ensure;
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::layouts::Layout;
use crate::random::Random;

/// Every layout of design and targets gives the exact solution, and stays as it was.
pub fn any_layout_is_fitted<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let (x, y) = problem::<T>(31, 2);
    let data = Dataset::new(x.view(), y.view())?;
    for intercept in [false, true] {
        let truth = exact::least_squares(&data, intercept);
        for of_x in Layout::ALL {
            for of_y in Layout::ALL {
                let (stored_x, stored_y) = (of_x.store(&x), of_y.store(&y));
                let data = Dataset::new(stored_x.view(), stored_y.view())?;
                let fit = fit(backend, solver, &data, intercept)?;
                judge(&data, &fit, &truth, Demand::Faithful).map_err(|failure| {
                    failure.within(format_args!("design {of_x:?}, targets {of_y:?}"))
                })?;
                ensure!(
                    stored_x.to_matrix() == x && stored_y.to_matrix() == y,
                    "the data was changed, layouts {of_x:?} and {of_y:?}"
                );
                ensure!(
                    stored_x.surroundings_are_intact() && stored_y.surroundings_are_intact(),
                    "memory around the data was written, layouts {of_x:?} and {of_y:?}"
                );
            }
        }
    }
    Ok(())
}

/// Rows and columns in another order give the same coefficients, but for the last bit.
pub fn order_does_not_matter<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let (x, y) = problem::<T>(32, 1);
    let mut random = Random::new(33);
    for intercept in [false, true] {
        let data = Dataset::new(x.view(), y.view())?;
        let in_order = exact::least_squares(&data, intercept);
        for _ in 0..8 {
            let (rows, cols) = (random.permutation(x.rows()), random.permutation(x.cols()));
            let mixed_x = Matrix::from_fn(x.rows(), x.cols(), |i, j| x[(rows[i], cols[j])]);
            let mixed_y = Matrix::from_fn(x.rows(), 1, |i, _| y[(rows[i], 0)]);
            let data = Dataset::new(mixed_x.view(), mixed_y.view())?;
            let mut truth = in_order.clone();
            let in_order = &in_order[0].coefficients;
            truth[0].coefficients = cols.iter().map(|&j| in_order[j].clone()).collect();
            let fit = fit(backend, solver, &data, intercept)?;
            judge(&data, &fit, &truth, Demand::Faithful)?;
        }
    }
    Ok(())
}

/// Several targets at once give each the solution it has alone.
pub fn several_targets_are_fitted_as_one<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let (x, mut y) = problem::<T>(34, 5);
    // Targets of other sizes must not spoil each other; the last one is zero.
    for (k, power) in [0, 9, -9, 3].into_iter().enumerate() {
        let factor = T::from_double(10.0_f64.powi(power));
        y.col_mut(k).iter_mut().for_each(|v| *v *= factor);
    }
    y.col_mut(4).fill(T::zero());
    let data = Dataset::new(x.view(), y.view())?;
    for intercept in [false, true] {
        let truth = exact::least_squares(&data, intercept);
        let together = fit(backend, solver, &data, intercept)?;
        judge(&data, &together, &truth, Demand::Faithful)?;
        for (k, exact) in truth.into_iter().enumerate() {
            let alone = Dataset::new(x.view(), View::column_vector(y.col(k)))?;
            let fit = fit(backend, solver, &alone, intercept)?;
            judge(&alone, &fit, &[exact], Demand::Faithful)
                .map_err(|failure| failure.within(format_args!("target {k} alone")))?;
        }
    }
    Ok(())
}

/// A second fit of the same data gives the same bits.
pub fn fits_repeat<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let (x, y) = problem::<T>(35, 2);
    for intercept in [false, true] {
        let data = Dataset::new(x.view(), y.view())?;
        let first = fit(backend, solver, &data, intercept)?;
        let second = fit(backend, solver, &data, intercept)?;
        ensure!(first == second, "two fits of the same data differ: {first:?} and {second:?}");
    }
    Ok(())
}

fn problem<T: Scalar>(seed: u64, count: usize) -> (Matrix<T>, Matrix<T>) {
    let mut random = Random::new(seed);
    let x = Family::Geometric.design(30, 5, 1000.0, &mut random);
    let y = targets(&x, count, Residual::Large, &mut random);
    (x, y)
}
