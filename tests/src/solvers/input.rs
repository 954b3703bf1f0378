//! Bad input is refused with an error that says what and where; nothing panics.

use minrisk_core::{Backend, Dataset, Error, Fit, Matrix, Scalar, View};

use super::{LeastSquaresSolver, fit};
use crate::Outcome;
use crate::check::ensure;
use crate::layouts::Layout;
use crate::random::Random;

/// NaN and infinities in the design: the first one is named with row and column, whatever the layout.
pub fn missing_values_are_located<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let y: Matrix<T> = Random::new(71).matrix(9, 1);
    let bad = [(T::nan(), "NaN"), (T::infinity(), "inf"), (T::neg_infinity(), "-inf")];
    for (value, text) in bad {
        for layout in Layout::ALL {
            for (row, col) in [(0, 0), (4, 2), (8, 1)] {
                let mut x: Matrix<T> = Random::new(72).matrix(9, 3);
                x[(row, col)] = value;
                let stored = layout.store(&x);
                let data = Dataset::new(stored.view(), y.view())?;
                let expected =
                    Error::NotFinite { row, column: col.to_string(), value: text.into() };
                expect_error(fit(backend, solver, &data, true), &expected)?;
                expect_error(fit(backend, solver, &data, false), &expected)?;
            }
        }
    }
    // Far down in long data, the first of two, by its name.
    let mut x: Matrix<T> = Random::new(73).matrix(30_000, 2);
    let y: Matrix<T> = Random::new(74).matrix(30_000, 1);
    x[(29_999, 0)] = T::nan();
    x[(23_456, 1)] = T::infinity();
    let data = Dataset::new(x.view(), y.view())?.with_names(["width", "height"])?;
    let expected = Error::NotFinite { row: 23_456, column: "height".into(), value: "inf".into() };
    expect_error(fit(backend, solver, &data, true), &expected)
}

/// Shapes, targets and weights that make no training set.
pub fn bad_shapes_and_weights_are_refused<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let number = T::from_double;
    let x = Matrix::from_fn(3, 2, |i, j| number((i * i + j) as f64));
    let y = [1.0, 2.0, 4.0].map(number);
    let attempt = |rows: usize, y: &[T], weights: Option<(&[T], bool)>| {
        let data = Dataset::new(x.view().row_range(0..rows), View::column_vector(y))?;
        let data = match weights {
            None => data,
            Some((weights, true)) => data.with_frequencies(View::column_vector(weights))?,
            Some((weights, false)) => data.with_precisions(View::column_vector(weights))?,
        };
        fit(backend, solver, &data, true)
    };
    let mismatch = |what, expected, found| {
        let per = "row of the design";
        Error::LengthMismatch { what, per, expected, found }
    };
    let nan = T::nan();
    expect_error(attempt(0, &[], None), &Error::NoRows)?;
    expect_error(attempt(3, &y[..2], None), &mismatch("the target", 3, 2))?;
    expect_error(
        attempt(3, &[y[0], nan, y[2]], None),
        &Error::TargetNotFinite { row: 1, target: 0, value: "NaN".into() },
    )?;
    for frequencies in [true, false] {
        let weighted = |weights: &[f64]| {
            let weights: Vec<T> = weights.iter().map(|&c| number(c)).collect();
            attempt(3, &y, Some((&weights, frequencies)))
        };
        let bad = |row, value: &str| Error::BadWeight { row, value: value.into() };
        expect_error(weighted(&[1.0, 2.0]), &mismatch("the sample weights", 3, 2))?;
        expect_error(weighted(&[1.0, 2.0, -1.0]), &bad(2, "-1"))?;
        expect_error(weighted(&[1.0, f64::NAN, 1.0]), &bad(1, "NaN"))?;
        expect_error(weighted(&[f64::INFINITY, 1.0, 1.0]), &bad(0, "inf"))?;
        expect_error(weighted(&[0.0, 0.0, 0.0]), &Error::AllWeightsZero)?;
    }
    expect_error(
        attempt(3, &y, Some((&[number(1.0), number(0.5), number(1.0)], true))),
        &Error::FractionalFrequency { row: 1, value: "0.5".into() },
    )?;
    let nothing = Dataset::new(View::row_major(&[], 3, 0)?, View::column_vector(&y))?;
    expect_error(fit(backend, solver, &nothing, false), &Error::NothingToFit)
}

/// A design with more columns than memory has room for, which a view can describe.
pub fn sizes_that_overflow_are_refused<T: Scalar>(
    backend: &dyn Backend<T>,
    solver: &LeastSquaresSolver<'_, T>,
) -> Outcome {
    let one = [T::one()];
    for exponent in [61, 62] {
        let x = View::strided(&one, 0, 2, 1 << exponent, 0, 0)?;
        let data = Dataset::new(x, View::strided(&one, 0, 2, 1, 0, 0)?)?;
        for intercept in [false, true] {
            match fit(backend, solver, &data, intercept) {
                Err(Error::TooLarge { .. }) => {}
                other => ensure!(
                    false,
                    "2^{exponent} columns do not fit in memory, but the solver returned {:?}",
                    other.map(|fit| fit.report)
                ),
            }
        }
    }
    Ok(())
}

fn expect_error<T: Scalar>(found: Result<Fit<T>, Error>, expected: &Error) -> Outcome {
    match found {
        Err(error) => {
            ensure!(error == *expected, "the error is {error:?}, but {expected:?} is right");
        }
        Ok(fit) => ensure!(
            false,
            "there is a fit, {:?}, where the error {expected:?} was due",
            fit.model.coefficients()
        ),
    }
    Ok(())
}
