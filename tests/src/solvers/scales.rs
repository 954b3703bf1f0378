//! Columns and targets of wildly different sizes: scaling is the solver's business.

use minrisk_core::{Backend, Dataset, Matrix, Scalar};

use super::{Demand, LeastSquaresSolver, conditions, fit, judge};
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Columns whose scales differ by 10³⁰⁰ (10³⁰ in single precision).
pub fn scales_far_apart_are_fitted<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut tally = Tally::default();
    // Coefficients are as far apart as the columns, so both have half of the range.
    let reach = (T::max_value().to_double().log10() / 2.0 - 4.0) as i32;
    for powers in [[reach, 0, -reach, 0], [reach, reach, -reach, -reach], [-reach, 3, reach, -3]] {
        let mut random = Random::new(41);
        let mut x: Matrix<f64> = Family::Geometric.design(25, 4, 30.0, &mut random);
        let y = targets::<T>(&rounded(&x), 1, Residual::Large, &mut random);
        for (j, power) in powers.into_iter().enumerate() {
            x.col_mut(j).iter_mut().for_each(|v| *v *= 10.0_f64.powi(power));
        }
        tally.add(|| run(backend, solver, &rounded(&x), &y, powers));
    }
    tally.outcome()
}

/// All numbers huge, all tiny, or the targets alone.
pub fn extreme_scales_are_fitted<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut tally = Tally::default();
    let reach = (T::max_value().to_double().log10() * 0.9) as i32;
    let half = reach / 2;
    for [of_x, of_y] in
        [[reach, reach], [-reach, -reach], [0, reach], [0, -reach], [half, -half], [-half, half]]
    {
        let mut random = Random::new(42);
        let mut x: Matrix<f64> = Family::Geometric.design(25, 4, 30.0, &mut random);
        let mut y = targets::<f64>(&x, 1, Residual::Small, &mut random);
        x.as_mut_slice().iter_mut().for_each(|v| *v *= 10.0_f64.powi(of_x));
        y.as_mut_slice().iter_mut().for_each(|v| *v *= 10.0_f64.powi(of_y));
        tally.add(|| run(backend, solver, &rounded(&x), &rounded(&y), [of_x, of_y]));
    }
    tally.outcome()
}

/// Features far from zero: a large offset costs no digits that the data has.
pub fn large_offsets_are_fitted<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut tally = Tally::default();
    // Without an intercept the condition is a few times the offset.
    let most = conditions::<T>().last().expect("some conditions") / 10.0;
    for power in [0.3, 0.6, 1.0] {
        let offset = most.powf(power).round();
        let mut random = Random::new(43);
        let mut x: Matrix<f64> = random.matrix(30, 3);
        let y = targets::<T>(&rounded(&x), 1, Residual::Large, &mut random);
        x.as_mut_slice().iter_mut().for_each(|v| *v += offset);
        tally.add(|| run(backend, solver, &rounded(&x), &y, [offset]));
    }
    tally.outcome()
}

fn run<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
    x: &Matrix<T>,
    y: &Matrix<T>,
    case: impl std::fmt::Debug,
) -> Outcome {
    let data = Dataset::new(x.view(), y.view())?;
    for intercept in [false, true] {
        let truth = exact::least_squares(&data, intercept);
        let fit = fit(backend, solver, &data, intercept);
        fit.map_err(Into::into)
            .and_then(|fit| judge(&data, &fit, &truth, Demand::Faithful))
            .map_err(|failure: Failure| {
                let which = if intercept { "with" } else { "without" };
                failure.within(format_args!("scales {case:?}, {which} intercept"))
            })?;
    }
    Ok(())
}

fn rounded<T: Scalar>(x: &Matrix<f64>) -> Matrix<T> {
    Matrix::from_fn(x.rows(), x.cols(), |i, j| T::from_double(x[(i, j)]))
}
