//! Standard errors: σ̂·√diag((ZᵀCZ)⁻¹), against exact arithmetic and NIST.

use minrisk_core::inference::{Covariance, Summary};
use minrisk_core::least_squares::{LeastSquares, summarise};
use minrisk_core::{Backend, Dataset, Error, Matrix, Scalar, View};
use num_rational::BigRational;
use num_traits::Zero;

use crate::certified::{Certified, nist};
use crate::check::ensure;
use crate::exact;
use crate::families::{Family, Residual, targets};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// The NIST sets, where errors are not zero: 10 digits of the exact standard errors of the data as
/// given (5 in single precision); for doubles besides 10 digits of the certified ones, 7 of Filip's.
pub fn standard_errors_have_their_digits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let single = T::unit_roundoff() > 1e-10;
    let run = |set: &Certified<T>| {
        let data = set.dataset()?;
        let certified = &set.fits[0];
        let found = standard_errors(&summary(backend, &data, certified.intercept)?);
        // Where the certified errors are zero, rounding the data makes ones that mean nothing.
        let perfect = certified.standard_errors.iter().all(Zero::is_zero);
        if !(perfect || single && set.name == "Filip") {
            let squares = exact_squares(&data, certified.intercept)?;
            expect_digits(&found, &squares, if single { 5.0 } else { 10.0 })?;
        }
        if !single {
            let squares: Vec<BigRational> =
                certified.standard_errors.iter().map(|error| error * error).collect();
            expect_digits(&found, &squares, if set.name == "Filip" { 7.0 } else { 10.0 })?;
        }
        Ok(())
    };
    let mut tally = Tally::default();
    for set in nist() {
        tally.add(|| run(&set).map_err(|failure: Failure| failure.within(&set.name)));
    }
    tally.outcome()
}

/// Ill-conditioned designs up to κ = 10¹²: as many digits.
pub fn standard_errors_survive_bad_condition<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for power in [0.1, 0.3, 0.5, 0.6, 0.75] {
        let condition = T::unit_roundoff().powf(-power);
        for intercept in [false, true] {
            let run = || {
                let mut random = Random::new(111);
                let x: Matrix<T> = Family::Geometric.design(40, 5, condition, &mut random);
                let y = targets(&x, 1, Residual::Large, &mut random);
                let data = Dataset::new(x.view(), y.view())?;
                let found = standard_errors(&summary(backend, &data, intercept)?);
                let least = if T::unit_roundoff() > 1e-10 { 5.0 } else { 10.0 };
                expect_digits(&found, &exact_squares(&data, intercept)?, least)
            };
            tally.add(|| {
                run().map_err(|failure| failure.within(format_args!("κ = {condition:.1e}")))
            });
        }
    }
    tally.outcome()
}

/// Frequencies give the inference of repeated rows; precisions count rows, and their scale does not
/// matter.
pub fn weights_have_their_degrees_of_freedom<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(112);
    let x: Matrix<T> = random.matrix(12, 2);
    let y = targets(&x, 1, Residual::Large, &mut random);
    let counts: Vec<usize> = (0..12).map(|i| [1, 3, 2, 0][i % 4]).collect();
    let repeated: Vec<usize> =
        counts.iter().enumerate().flat_map(|(i, &n)| std::iter::repeat_n(i, n)).collect();
    let long_x = Matrix::from_fn(repeated.len(), 2, |i, j| x[(repeated[i], j)]);
    let long_y = Matrix::from_fn(repeated.len(), 1, |i, _| y[(repeated[i], 0)]);
    let weights = |factor: f64| -> Vec<T> {
        counts.iter().map(|&n| T::from_double(factor * n as f64)).collect()
    };
    let (once, eightfold) = (weights(1.0), weights(8.0));
    let plain = || Dataset::new(x.view(), y.view());
    let frequencies = plain()?.with_frequencies(View::column_vector(&once))?;
    let precisions = plain()?.with_precisions(View::column_vector(&once))?;
    let scaled = plain()?.with_precisions(View::column_vector(&eightfold))?;
    let long = Dataset::new(long_x.view(), long_y.view())?;
    let of = |data: &Dataset<'_, T>| summary(backend, data, true);
    let (counted, written_out) = (of(&frequencies)?, of(&long)?);
    // As many digits as are asked of standard errors.
    let tolerance = if T::unit_roundoff() > 1e-10 { 1e-5 } else { 1e-10 };
    expect_equal("frequencies and repeated rows", &counted, &written_out, tolerance)?;
    let (weighed, rescaled) = (of(&precisions)?, of(&scaled)?);
    expect_equal("precisions and eight times these", &weighed, &rescaled, tolerance)?;
    let rows = counts.iter().filter(|&&n| n > 0).count() as f64;
    let observations = weighed.statistics.observations;
    ensure!(observations == rows, "{rows} rows have precision, but {observations} are counted");
    Ok(())
}

fn summary<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    intercept: bool,
) -> Result<Summary, Error> {
    let estimator = LeastSquares::new();
    let estimator = if intercept { estimator } else { estimator.without_intercept() };
    let fit = estimator.fit_on(backend, data)?;
    Ok(summarise(backend, data, &fit, Covariance::default())?.remove(0))
}

fn standard_errors(summary: &Summary) -> Vec<f64> {
    let errors = summary.coefficients.iter().map(|line| line.standard_error);
    errors.map(|error| error.unwrap_or(f64::NAN)).collect()
}

/// RSS/(n − p)·diag((ZᵀCZ)⁻¹).
fn exact_squares<T: Scalar>(
    data: &Dataset<'_, T>,
    intercept: bool,
) -> Result<Vec<BigRational>, Failure> {
    let solution = &exact::least_squares(data, intercept)[0];
    let squares = exact::residual_sum_of_squares(data, 0, solution);
    let freedom = data.rows() - data.cols() - usize::from(intercept);
    let variance = squares / BigRational::from_integer(freedom.into());
    let diagonal = exact::inverse_gram_diagonal(data, intercept);
    let diagonal = diagonal.ok_or_else(|| Failure::new("the design has not full rank"))?;
    Ok(diagonal.into_iter().map(|entry| entry * &variance).collect())
}

/// Compares squares, which are rational: half an error in the root is a whole one in the square.
fn expect_digits(found: &[f64], squares: &[BigRational], least: f64) -> Outcome {
    ensure!(
        found.len() == squares.len(),
        "{} errors for {} parameters",
        found.len(),
        squares.len()
    );
    for (j, (&found, square)) in found.iter().zip(squares).enumerate() {
        // A perfect fit has no relative digits.
        if square.is_zero() {
            continue;
        }
        ensure!(found.is_finite(), "the standard error of parameter {j} is {found}");
        let relative = (exact::rational(found).pow(2) - square) / square;
        let digits = -(exact::approximate(&relative).abs() / 2.0).log10();
        ensure!(
            digits >= least,
            "the standard error {found:e} of parameter {j} has {digits:.2} digits of {:e}",
            exact::approximate(square).sqrt()
        );
    }
    Ok(())
}

fn expect_equal(what: &str, first: &Summary, second: &Summary, tolerance: f64) -> Outcome {
    let figures = |summary: &Summary| -> Vec<(&'static str, f64)> {
        let of = &summary.statistics;
        let mut all = vec![
            ("degrees of freedom", of.degrees_of_freedom),
            ("R²", of.r_squared.unwrap_or(f64::NAN)),
            ("adjusted R²", of.adjusted_r_squared.unwrap_or(f64::NAN)),
            ("F", of.f_test.map_or(f64::NAN, |test| test.statistic)),
        ];
        all.extend(standard_errors(summary).into_iter().map(|error| ("standard error", error)));
        all
    };
    for ((name, a), (_, b)) in figures(first).into_iter().zip(figures(second)) {
        let close = (a - b).abs() <= tolerance * a.abs().max(b.abs());
        ensure!(close, "{what} differ in {name}: {a:e} and {b:e}");
    }
    Ok(())
}
