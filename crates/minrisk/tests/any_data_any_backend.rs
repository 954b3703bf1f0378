//! The same numbers in every matrix type, on every backend compiled in, give the same model.

use minrisk::prelude::*;
use minrisk::{IntoView, Status};

const X: [[f64; 2]; 5] = [[1.0, 0.5], [2.0, -0.25], [3.0, 0.75], [4.0, 1.5], [5.0, -2.0]];
const Y: [f64; 5] = [1.1, 2.3, 2.9, 4.2, 4.8];
const COUNTS: [f64; 5] = [1.0, 2.0, 1.0, 3.0, 1.0];

/// Fits to the given matrices on every backend and compares with the reference.
fn check<'a>(
    x: impl IntoView<'a, f64>,
    y: impl IntoView<'a, f64>,
    counts: impl IntoView<'a, f64>,
) -> Result<(), Error> {
    let reference = LeastSquares::new().fit(&dataset(&X, &Y)?.with_frequencies(view(&COUNTS))?)?;
    let data = dataset(x, y)?.with_frequencies(view(counts))?;
    for backend in BackendKind::ALL {
        let fit = LeastSquares::new().fit_on(backend.backend(), &data)?;
        assert_eq!(fit.model, reference.model, "{backend}");
        assert_eq!(fit.report.status, Status::Solved, "{backend}");
        assert_eq!(fit.report.backend, backend.name());
        assert_eq!(fit.model.predict(data.design())?, reference.model.predict(view(&X))?);
    }
    Ok(())
}

#[test]
fn plain() -> Result<(), Error> {
    check(&X, &Y, &COUNTS)?;
    check(&X.to_vec(), &Y.to_vec(), &COUNTS.to_vec())?;
    check(&X[..], &Y[..], &COUNTS[..])
}

#[cfg(feature = "faer")]
#[test]
fn faer() -> Result<(), Error> {
    use faer::{Col, Mat};
    let x = Mat::from_fn(5, 2, |i, j| X[i][j]);
    let y = Col::from_fn(5, |i| Y[i]);
    let counts = Col::from_fn(5, |i| COUNTS[i]);
    check(&x, &y, &counts)?;
    check(x.as_ref(), y.as_ref(), &COUNTS)?;
    check(x.transpose().to_owned().transpose(), y.as_mat(), counts.as_ref())
}

#[cfg(feature = "nalgebra")]
#[test]
fn nalgebra() -> Result<(), Error> {
    use nalgebra::{DMatrix, DVector};
    let x = DMatrix::from_fn(5, 2, |i, j| X[i][j]);
    let y = DVector::from_fn(5, |i, _| Y[i]);
    let counts = DVector::from_column_slice(&COUNTS);
    check(&x, &y, &counts)?;
    check(x.rows(0, 5), y.rows(0, 5), &COUNTS)?;
    check(&x.transpose().transpose(), &Y, counts.column(0))
}

#[cfg(feature = "ndarray-custom")]
#[test]
fn ndarray() -> Result<(), Error> {
    use ndarray::{Array1, ShapeBuilder, arr1, arr2};
    let (x, y, counts) = (arr2(&X), arr1(&Y), Array1::from_vec(COUNTS.to_vec()));
    check(&x, &y, &counts)?;
    check(x.view(), y.view(), &COUNTS)?;
    let by_columns = ndarray::Array2::from_shape_fn((5, 2).f(), |at| x[at]);
    check(&by_columns, &Y, counts.view())
}

#[test]
fn single_precision() -> Result<(), Error> {
    let (x, y) = ([1.0_f32, 2.0, 3.0], [0.5_f32, 1.0, 1.5]);
    for backend in BackendKind::ALL {
        let fit = LeastSquares::new().fit_on(backend.backend(), &dataset(&x, &y)?)?;
        assert_eq!((fit.model.intercept(), fit.model.coefficients()), (Some(0.0), &[0.5][..]));
    }
    Ok(())
}

#[test]
fn several_targets() -> Result<(), Error> {
    let y = [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]];
    let fit = LeastSquares::new().fit(&dataset(&[1.0, 2.0, 3.0], &y)?)?;
    assert_eq!(fit.model.coefficients_of(0), [1.0]);
    assert_eq!(fit.model.coefficients_of(1), [-1.0]);
    Ok(())
}
