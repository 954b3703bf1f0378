//! Several variables.

use minrisk_core::convex::Lasso;
use minrisk_core::polynomial::{
    PolynomialFeatures, PolynomialModel, PolynomialRegression, Rescaling,
};
use minrisk_core::{Backend, Dataset, Error, Matrix, Scalar, View};

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

/// Lasso over the monomials, with weights, on mapped variables: the zeros and the gap of a lasso on the
/// design, and the same predictions once the map is multiplied out.
pub fn lasso_runs_over_monomials<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(6);
    let x: Matrix<T> = random.matrix(300, 2);
    let noise = |random: &mut Random| T::from_double(0.1 * random.normal());
    let y: Vec<T> =
        (0..300).map(|i| x[(i, 0)] * x[(i, 0)] - x[(i, 1)] + noise(&mut random)).collect();
    let weights: Vec<T> = (0..300).map(|_| T::from_double(random.unit() + 0.5)).collect();
    let data = Dataset::new(x.view(), View::column_vector(&y))?
        .with_precisions(View::column_vector(&weights))?;
    let regression = PolynomialRegression::new(3).rescaled(Rescaling::UnitInterval);
    let fit = regression
        .fit_with(&data, |monomials| Lasso::per_sample(0.05).fit_on(backend, monomials))?;
    let kept: Vec<usize> =
        (0..9).filter(|&k| fit.model.linear().coefficients()[k] != T::zero()).collect();
    // Monomials in the order a, b, a², …
    ensure!(kept.contains(&1) && kept.contains(&2) && kept.len() <= 5, "kept {kept:?} of a … b³");
    let gap = fit.certificate.convex().map_or(f64::INFINITY, |c| c.relative_gap);
    ensure!(gap <= 1e-9_f64.max(1e4 * T::unit_roundoff()), "the gap is {gap:e}");
    let outer = fit.model.in_original_units()?;
    let (inner, outer) = (fit.model.predict(x.view())?, outer.predict(x.view())?);
    for (a, b) in inner.as_slice().iter().zip(outer.as_slice()) {
        let apart = (*a - *b).abs().to_double();
        ensure!(apart <= 1e3 * T::unit_roundoff(), "{a} and {b} in other units");
    }
    Ok(())
}
