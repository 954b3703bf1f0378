//! Designs without full rank: the minimum-norm solution, the rank, and the relation that was found.

use minrisk_core::{Backend, Dataset, Fit, LeastSquaresCertificate, Matrix, Scalar, View};
use num_rational::BigRational;

use super::{Demand, LeastSquaresSolver, fit, judge};
use crate::check::ensure;
use crate::exact;
use crate::families::{Residual, targets, with_spectrum};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Fewer rows than columns: the interpolating solution of smallest norm.
pub fn wide_designs_get_the_minimum_norm<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut tally = Tally::default();
    for (rows, cols) in [(1, 1), (1, 4), (2, 3), (3, 5), (5, 12), (8, 9), (12, 12)] {
        let mut random = Random::new((100 * rows + cols) as u64);
        let (x, y) = (random.matrix(rows, cols), random.matrix(rows, 1));
        tally.add(|| {
            expect_exact(backend, solver, &x, &y)
                .map_err(|failure| failure.within(format_args!("{rows} × {cols}")))
        });
    }
    tally.outcome()
}

/// Columns that are sums of others, repeated, constant or zero, exactly: the solution of smallest norm
/// and the rank.
pub fn dependent_columns_get_the_minimum_norm<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    // Multiples of 1/1024, so that sums of a few columns have no rounding error in any type.
    let mut random = Random::new(61);
    let base = Matrix::from_fn(20, 3, |_, _| (random.signed() * 1024.0).round() / 1024.0);
    let of = |f: &dyn Fn(usize, usize) -> f64, cols: usize| {
        Matrix::from_fn(20, cols, |i, j| T::from_double(f(i, j)))
    };
    let designs = [
        ("a repeated column", of(&|i, j| base[(i, j % 3)], 4)),
        ("three columns, each three times", of(&|i, j| base[(i, j % 3)], 9)),
        (
            "the sum of two columns first",
            of(
                &|i, j| match j {
                    0 => base[(i, 0)] + base[(i, 1)],
                    j => base[(i, j - 1)],
                },
                4,
            ),
        ),
        (
            "two relations",
            of(
                &|i, j| match j {
                    1 => base[(i, 0)] + base[(i, 1)],
                    3 => 2.0 * base[(i, 2)] - base[(i, 0)] / 4.0,
                    j => base[(i, j / 2)],
                },
                5,
            ),
        ),
        ("a zero column", of(&|i, j| if j == 1 { 0.0 } else { base[(i, j)] }, 3)),
        ("a constant column", of(&|i, j| if j == 1 { 2.5 } else { base[(i, j)] }, 3)),
        ("two constant columns", of(&|i, j| if j < 2 { 3.0 - j as f64 } else { base[(i, j)] }, 3)),
        (
            "a column and its distance from 1",
            of(
                &|i, j| match j {
                    0 => base[(i, 0)],
                    1 => 1.0 - base[(i, 0)],
                    _ => base[(i, 1)],
                },
                3,
            ),
        ),
        ("nothing but zeros", of(&|_, _| 0.0, 3)),
        ("nothing but ones", of(&|_, _| 1.0, 3)),
    ];
    let y = targets::<T>(&of(&|i, j| base[(i, j)], 3), 1, Residual::Large, &mut random);
    let mut tally = Tally::default();
    for (what, x) in designs {
        tally.add(|| expect_exact(backend, solver, &x, &y).map_err(|failure| failure.within(what)));
    }
    tally.outcome()
}

/// `x3 = 2·x1 + x2` on data with one decimal, which holds in no row of the rounded data exactly, is
/// found and named.
pub fn relations_among_decimals_are_named<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut random = Random::new(62);
    let tenths: Vec<[i64; 3]> = (0..60)
        .map(|_| {
            let (a, b) = (random.below(1000) as i64, random.below(1000) as i64);
            [a, b, 2 * a + b]
        })
        .collect();
    let x = Matrix::from_fn(60, 3, |i, j| T::from_double(tenths[i][j] as f64 / 10.0));
    let y: Matrix<T> = random.matrix(60, 1);
    let data = Dataset::new(x.view(), y.view())?;
    let independent = Dataset::new(x.view().col_range(0..2), y.view())?;
    for intercept in [false, true] {
        let fit = fit(backend, solver, &data, intercept)?;
        let certificate = certificate(&fit)?;
        ensure!(certificate.rank == 2, "the rank is 2, not {}", certificate.rank);
        let relations: Vec<String> =
            certificate.relations.iter().map(ToString::to_string).collect();
        ensure!(
            relations == ["x3 = 2·x1 + x2"],
            "the relation is x3 = 2·x1 + x2, but {relations:?} was found"
        );
        // With γ the solution on x1 and x2, the weights (γ − C·v, v) with C = (2, 1) predict the same
        // for every v, and have the smallest norm for v = C·γ / (1 + C·C).
        let mut truth = exact::least_squares(&independent, intercept);
        let gamma = std::mem::take(&mut truth[0].coefficients);
        let [two, six] = [2, 6].map(|n: i32| BigRational::from_integer(n.into()));
        let v = (&gamma[0] * &two + &gamma[1]) / six;
        truth[0].coefficients = vec![&gamma[0] - &v * &two, &gamma[1] - &v, v];
        judge(&data, &fit, &truth, Demand::Faithful)?;
    }
    Ok(())
}

/// Constant and zero columns are named as what they are, by the names of the data.
pub fn constant_columns_are_named<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let mut random = Random::new(63);
    let mut x: Matrix<T> = random.matrix(15, 4);
    x.col_mut(1).fill(T::from_double(0.1));
    x.col_mut(3).fill(T::zero());
    let y: Matrix<T> = random.matrix(15, 1);
    let data = Dataset::new(x.view(), y.view())?.with_names(["a", "flat", "b", "none"])?;
    let fit = fit(backend, solver, &data, true)?;
    let certificate = certificate(&fit)?;
    let named = |column: usize| {
        let relation = certificate.relations.iter().find(|relation| relation.column == column);
        relation.map(ToString::to_string).unwrap_or_default()
    };
    let constant = T::from_double(0.1).to_double();
    for (column, expected) in [(1, format!("flat = {constant}")), (3, "none = 0".to_string())] {
        // Single precision may show the constant as the decimal it was meant to be.
        let found = named(column);
        ensure!(
            found == expected || found == expected.replace(&constant.to_string(), "0.1"),
            "column {column} obeys `{expected}`, but `{found}` was found"
        );
    }
    let truth = exact::least_squares(&data, true);
    judge(&data, &fit, &truth, Demand::Faithful)
}

/// A long design of full rank with κ = 10¹³ is not called deficient.
pub fn full_rank_is_not_called_deficient<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let condition = *super::conditions::<T>().last().expect("some conditions");
    let mut random = Random::new(64);
    let spectrum = |k| [1.0, 0.5, 1.0 / condition][k];
    let design = with_spectrum(100_000, 3, spectrum, &mut random);
    let x = Matrix::from_fn(design.rows(), 3, |i, j| T::from_double(design[(i, j)]));
    let y = targets(&x, 1, Residual::Small, &mut random);
    let data = Dataset::new(x.view(), y.view())?;
    let truth = exact::least_squares(&data, false);
    let fit = fit(backend, solver, &data, false)?;
    judge(&data, &fit, &truth, Demand::Faithful)
}

/// A single row, a single column, no column at all: the smallest problems that have an answer.
pub fn smallest_problems_are_fitted<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let [three, seven] = [3.0, 7.0].map(T::from_double);
    let y = [seven, three, three];
    let one_row = Dataset::new(View::column_vector(&y[1..2]), View::column_vector(&y[..1]))?;
    for intercept in [false, true] {
        let truth = exact::least_squares(&one_row, intercept);
        let fit = fit(backend, solver, &one_row, intercept)?;
        judge(&one_row, &fit, &truth, Demand::Faithful)
            .map_err(|failure| failure.within("one row, one column"))?;
    }
    let no_columns = Dataset::new(View::row_major(&[], 3, 0)?, View::column_vector(&y))?;
    let truth = exact::least_squares(&no_columns, true);
    let fit = fit(backend, solver, &no_columns, true)?;
    judge(&no_columns, &fit, &truth, Demand::Faithful)
        .map_err(|failure| failure.within("no columns: the intercept is the mean"))
}

fn expect_exact<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
    x: &Matrix<T>,
    y: &Matrix<T>,
) -> Outcome {
    let data = Dataset::new(x.view(), y.view())?;
    for intercept in [false, true] {
        let truth = exact::least_squares(&data, intercept);
        let fit = fit(backend, solver, &data, intercept).map_err(Failure::from);
        fit.and_then(|fit| judge(&data, &fit, &truth, Demand::Faithful)).map_err(|failure| {
            failure.within(if intercept { "with intercept" } else { "without intercept" })
        })?;
    }
    Ok(())
}

fn certificate<T>(fit: &Fit<T>) -> Result<&LeastSquaresCertificate, Failure> {
    let certificate = fit.certificate.least_squares();
    certificate.ok_or_else(|| Failure::new("there is no certificate to name relations"))
}
