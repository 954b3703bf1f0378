//! Several variables.

use minrisk_core::polynomial::{PolynomialFeatures, PolynomialModel, PolynomialRegression};
use minrisk_core::{Backend, Dataset, Error, Matrix, Scalar};

use crate::Outcome;
use crate::check::ensure;
use crate::random::Random;

/// A polynomial of three variables is found again to the last digits; a design that is too large is
/// refused with its size.
pub fn several_variables_are_fitted<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(5);
    let x: Matrix<T> = random.matrix(200, 3);
    let weights: Vec<T> = (0..19).map(|k| T::from_double(f64::from(k) - 9.5)).collect();
    let features = PolynomialFeatures::new(3);
    let design = features.transform(x.view())?;
    let value = |i: usize| -> T { (0..19).map(|k| weights[k] * design[(i, k)]).sum() };
    let y: Vec<T> = (0..200).map(|i| value(i) + T::one()).collect();
    let data = Dataset::new(x.view(), minrisk_core::View::column_vector(&y))?
        .with_names(["a", "b", "c"])?;
    let fit = PolynomialRegression::new(3).fit_on(backend, &data)?;
    let linear = fit.model.linear();
    let names = linear.names().map(|names| names.as_slice().to_vec()).unwrap_or_default();
    ensure!(
        names[..4] == ["a", "b", "c", "a^2"] && names[18] == "c^3" && names[13] == "a·b·c",
        "the monomials are called {names:?}"
    );
    let near = |a: T, b: T| (a - b).abs().to_double() <= 1e3 * T::unit_roundoff() * 10.0;
    for (k, (&found, &planted)) in linear.coefficients().iter().zip(&weights).enumerate() {
        ensure!(near(found, planted), "{} has {found}, {planted} was planted", names[k]);
    }
    let predictions = fit.model.predict(x.view())?;
    for (&z, &y) in predictions.as_slice().iter().zip(&y) {
        ensure!(near(z, y), "{z} is predicted for {y}");
    }
    let verdict = minrisk_core::verify::verify_polynomial(&data, &fit)?;
    ensure!(verdict.holds, "verification finds {:?}", verdict.findings);
    let mut tampered = fit.clone();
    let mut changed = weights.clone();
    changed[4] += T::from_double(1e4 * T::unit_roundoff());
    let linear = minrisk_core::LinearModel::new(
        vec![changed],
        fit.model.linear().intercept().map(|b| vec![b]),
        fit.model.linear().names().cloned(),
    )?;
    tampered.model = PolynomialModel::new(features, fit.model.rescale().clone(), linear)?;
    let verdict = minrisk_core::verify::verify_polynomial(&data, &tampered)?;
    ensure!(!verdict.holds, "a changed coefficient passes verification");
    let refused = PolynomialRegression::new(3).with_budget(1000).fit_on(backend, &data);
    ensure!(
        matches!(refused, Err(Error::OverBudget { columns: 19, rows: 200, .. })),
        "19 × 200 numbers in 1000 bytes give {refused:?}"
    );
    Ok(())
}
