//! The perceptron and its bound.

use minrisk_core::halfspace::{Ending, Perceptron, Pocket};
use minrisk_core::{Backend, Dataset, Matrix, Scalar, View};

use crate::Outcome;
use crate::check::ensure;
use crate::layouts::Layout;

/// z_i = e_i − Σ_{j<i} e_j in R^d: separable with B² = (4^d − 1)/3 and R² = d.
pub(super) fn nested<T: Scalar>(d: usize) -> Matrix<T> {
    Matrix::from_fn(d, d, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => T::zero(),
        std::cmp::Ordering::Equal => T::one(),
        std::cmp::Ordering::Greater => -T::one(),
    })
}

/// η = 0.2 from (0, 1, 0.5): three updates, each with the weights of the notes, in every layout.
pub fn the_perceptron_goes_as_in_the_notes<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let points = [[1.0, 1.0], [2.0, -2.0], [-1.0, -1.5], [-2.0, -1.0], [-2.0, 1.0], [1.5, -0.5]];
    let x = Matrix::from_fn(6, 2, |i, j| T::from_double(points[i][j]));
    let y = [1.0, -1.0, -1.0, -1.0, 1.0, 1.0].map(T::from_double);
    let start = [1.0, 0.5, 0.0].map(T::from_double).to_vec();
    let perceptron =
        Perceptron::new().with_rate(T::from_double(0.2)).starting_at(start).with_trace(9);
    let expected = [[-0.2, 0.6, 0.9], [0.0, 0.2, 1.1], [0.2, 0.5, 1.0]];
    for layout in Layout::ALL {
        let stored = layout.store(&x);
        let data = Dataset::new(stored.view(), View::column_vector(&y))?;
        let fit = perceptron.fit(&data)?;
        ensure!(fit.updates == 3 && fit.ending == Ending::Clean, "{layout:?}: {fit:?}");
        for (update, expected) in fit.trace.iter().zip(expected) {
            let found = [update.intercept, update.weights[0], update.weights[1]];
            let close = |(found, expected): (T, f64)| {
                (found.to_double() - expected).abs() < 8.0 * T::unit_roundoff()
            };
            ensure!(found.into_iter().zip(expected).all(close), "{layout:?}: {found:?}");
        }
        ensure!(fit.margin.is_some_and(|margin| margin > 0.0), "margin {:?}", fit.margin);
        let bound = perceptron.mistake_bound_on(backend, &data)?;
        ensure!(bound.is_some_and(|bound| bound.holds_for(fit.updates)), "the bound fails");
    }
    Ok(())
}

/// Without intercept, from 0 in cyclic order, nested rows take exactly B² updates.
pub fn nested_rows_take_as_many_updates_as_can_be<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    for (d, updates) in [(1, 1), (3, 21), (5, 341), (10, 349_525)] {
        let (x, y) = (nested::<T>(d), vec![T::one(); d]);
        let data = Dataset::new(x.view(), View::column_vector(&y))?;
        let perceptron = Perceptron::new().without_intercept().with_epochs(u64::MAX);
        let fit = perceptron.fit(&data)?;
        ensure!(fit.updates == updates, "d = {d}: {} updates, {updates} expected", fit.updates);
        let bound = perceptron.mistake_bound_on(backend, &data)?;
        let Some(bound) = bound else { return Err(crate::Failure::new("no bound")) };
        let squared = (bound.b * bound.b, bound.radius * bound.radius);
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        ensure!(
            close(squared.0, updates as f64) && close(squared.1, d as f64),
            "d = {d}: B², R² = {squared:?}"
        );
        ensure!(bound.holds_for(fit.updates), "d = {d}: {} of {}", fit.updates, bound.updates);
    }
    Ok(())
}

/// The pocket keeps the best weights met, and says how many mistakes they make.
pub fn the_pocket_keeps_the_best<T: Scalar>(_backend: &dyn Backend<T>) -> Outcome {
    let set =
        super::sets::Labelled::<T>::read(include_str!("../../data/zero-one/zo_iris_vv_plpw.csv"));
    let (x, y) = set.pair("1", "-1", &["petal_length", "petal_width"]);
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let fit = Pocket::new().with_epochs(300).fit(&data)?;
    let wrong = |&t: &usize| {
        let w = fit.model.coefficients();
        let b = fit.model.intercept().unwrap_or(T::zero());
        y[t] * (w[0] * x[(t, 0)] + w[1] * x[(t, 1)] + b) <= T::zero()
    };
    let counted = (0..y.len()).filter(wrong).count();
    // The optimum is 3; the pocket comes near, and says what is true.
    ensure!(fit.mistakes == counted, "{} mistakes claimed, {counted} made", fit.mistakes);
    ensure!((3..=7).contains(&counted), "{counted} mistakes");
    ensure!(Pocket::new().with_epochs(300).fit(&data)? == fit, "a second run differs");
    Ok(())
}
