//! Softmax regression with offsets, at the edges of what has an answer, and beyond them.

use minrisk_core::convex::SoftmaxRegression;
use minrisk_core::penalty::L1;
use minrisk_core::verify::verify;
use minrisk_core::{
    Backend, Certificate, Dataset, Error, LinearModel, Matrix, Scalar, Status, View,
};

use super::sample::{judge, tolerance};
use super::softmax::Coded;
use crate::check::{Failure, Outcome, Tally, ensure};

/// Offsets a_k·x + β_k take a_k and β_k from the weights, up to what all classes share; equal ones change nothing.
pub(crate) fn softmax_offsets_are_added<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let coded = Coded::<T>::new(41, 150, 3, 3);
    let digits = if T::unit_roundoff() < 1e-10 { 1e-9 } else { 2e-3 };
    // Multiples of 1/8, so that nothing is lost to rounding but in the products.
    let moves = [[0.5, -0.125, 1.0], [-0.25, 0.0, 0.5], [0.0, 0.125, -1.5]];
    let levels = [0.75, 0.0, -0.5];
    let mut tally = Tally::default();
    tally.add(|| {
        let offsets = Matrix::from_fn(150, 3, |t, k| {
            let terms = (0..3).map(|j| coded.x[(t, j)].to_double() * moves[k][j]);
            T::from_double(levels[k] + terms.sum::<f64>())
        });
        let plain = SoftmaxRegression::unpenalised().fit_on(backend, &coded.data()?, 3)?;
        let data = coded.data()?.with_offsets(offsets.view())?;
        let shifted = SoftmaxRegression::unpenalised().fit_on(backend, &data, 3)?;
        judge(&data, &shifted, tolerance::<T>())?;
        for (k, own) in moves.iter().enumerate() {
            for (j, own) in own.iter().enumerate() {
                let shared = moves.iter().map(|moves| moves[j]).sum::<f64>() / 3.0;
                let weight = |model: &LinearModel<T>| model.coefficients_of(k)[j].to_double();
                let expected = weight(&plain.model) - (own - shared);
                let found = weight(&shifted.model);
                ensure!(
                    (found - expected).abs() <= digits * (1.0 + expected.abs()),
                    "class {k}, weight {j}: {found} for {expected}"
                );
            }
        }
        Ok(())
    });
    tally.add(|| {
        let same = Matrix::from_fn(150, 3, |t, _| coded.offsets[(t, 0)]);
        let plain = SoftmaxRegression::l2(1.0).fit_on(backend, &coded.data()?, 3)?;
        let data = coded.data()?.with_offsets(same.view())?;
        let shifted = SoftmaxRegression::l2(1.0).fit_on(backend, &data, 3)?;
        let difference = (plain.report.objective[0] - shifted.report.objective[0]).abs();
        ensure!(
            difference <= tolerance::<T>() * plain.report.objective[0],
            "equal offsets change the objective by {difference:e}"
        );
        Ok(())
    });
    tally.add(|| {
        let column = coded.offsets.view().col_range(0..1);
        let data = coded.data()?.with_offsets(column)?;
        let refused = SoftmaxRegression::l2(1.0).fit_on(backend, &data, 3).err();
        let (what, per) = ("a row of offsets", "prediction");
        let expected = Error::LengthMismatch { what, per, expected: 3, found: 1 };
        ensure!(refused == Some(expected), "one column of offsets: {refused:?}");
        let mut broken = coded.offsets.clone();
        broken[(7, 2)] = T::from_double(f64::NAN);
        let refused = coded.data()?.with_offsets(broken.view()).err();
        ensure!(
            matches!(refused, Some(Error::BadOffset { row: 7, .. })),
            "an offset that is no number: {refused:?}"
        );
        Ok(())
    });
    tally.outcome()
}

/// Missing classes, single rows, constant columns, columns of any size; and what is refused.
pub(crate) fn softmax_edges_are_answered<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for classes in [4, 7] {
        tally.add(|| missing_classes(backend, classes));
    }
    tally.add(|| {
        // One row has one class: its intercept grows for ever, its weights do not.
        let (x, y) = ([T::one(), T::from_double(2.0)], [T::one()]);
        let data = Dataset::new(View::row_major(&x, 1, 2)?, View::column_vector(&y))?;
        let fit = SoftmaxRegression::l1(0.1).fit_on(backend, &data, 2)?;
        ensure!(fit.report.status == Status::NoMinimiser, "{:?}", fit.report.status);
        ensure!(verify(&data, &fit)?.holds, "verify denies the direction of one row");
        let origin = SoftmaxRegression::l2(0.1).without_intercept();
        judge(&data, &origin.fit_on(backend, &data, 2)?, tolerance::<T>())?;
        // A single class costs nothing, and so does its model.
        let zero = [T::zero()];
        let data = Dataset::new(View::row_major(&x, 1, 2)?, View::column_vector(&zero))?;
        judge(&data, &SoftmaxRegression::l2(0.1).fit_on(backend, &data, 1)?, tolerance::<T>())
    });
    tally.add(|| {
        let mut coded = Coded::<T>::new(42, 60, 4, 3);
        (0..60).for_each(|t| coded.x[(t, 2)] = T::from_double(0.1));
        let data = coded.shifted()?;
        for lambda in [0.0, 0.5] {
            let fit = SoftmaxRegression::elastic_net(lambda, lambda).fit_on(backend, &data, 3)?;
            judge(&data, &fit, tolerance::<T>())
                .map_err(|failure| failure.within(format_args!("a constant column, {lambda}")))?;
        }
        Ok(())
    });
    let powers: &[i32] = if T::unit_roundoff() < 1e-10 { &[90, -90] } else { &[30, -30] };
    for &power in powers {
        tally.add(|| scaled_columns(backend, power));
    }
    tally.add(|| refusals(backend));
    tally.outcome()
}

/// A class that no row has leaves no minimiser, whatever the weights pay.
fn missing_classes<T: Scalar>(backend: &dyn Backend<T>, classes: usize) -> Outcome {
    let coded = Coded::<T>::new(43, 80, 3, 3);
    let data = coded.data()?;
    for lambda in [0.0, 1.0] {
        let fit = SoftmaxRegression::elastic_net(lambda, lambda).fit_on(backend, &data, classes)?;
        let status = fit.report.status;
        ensure!(status == Status::NoMinimiser, "{classes} classes, λ = {lambda}: {status:?}");
        let Certificate::SoftmaxSeparated(direction) = &fit.certificate else {
            return Err(Failure::new("no direction in the certificate"));
        };
        ensure!(
            direction.weights.iter().flatten().all(|&w| w == 0.0),
            "the direction has weights, which pay a penalty"
        );
        ensure!(verify(&data, &fit)?.holds, "verify denies the direction");
        let origin = SoftmaxRegression::l2(1.0).without_intercept();
        judge(&data, &origin.fit_on(backend, &data, classes)?, tolerance::<T>())?;
    }
    Ok(())
}

/// Columns times a power of two, with penalties that undo it, have the same fit in other units.
fn scaled_columns<T: Scalar>(backend: &dyn Backend<T>, power: i32) -> Outcome {
    let coded = Coded::<T>::new(44, 80, 3, 3);
    let factor = 2.0_f64.powi(power);
    let x = Matrix::from_fn(80, 3, |t, j| T::from_double(coded.x[(t, j)].to_double() * factor));
    let scaled =
        Coded { x, codes: coded.codes.clone(), offsets: coded.offsets.clone(), classes: 3 };
    let plain = SoftmaxRegression::elastic_net(1.0, 0.5).fit_on(backend, &coded.shifted()?, 3)?;
    let data = scaled.shifted()?;
    let softmax = SoftmaxRegression::elastic_net(factor, 0.5 * factor * factor);
    let fit = softmax.fit_on(backend, &data, 3)?;
    judge(&data, &fit, tolerance::<T>())
        .map_err(|failure| failure.within(format_args!("columns times 2^{power}")))?;
    let (found, expected) = (fit.report.objective[0], plain.report.objective[0]);
    ensure!(
        (found - expected).abs() <= tolerance::<T>() * expected,
        "columns times 2^{power}: an objective of {found} for {expected}"
    );
    Ok(())
}

fn refusals<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let coded = Coded::<T>::new(45, 30, 2, 3);
    let data = coded.data()?;
    let l2 = |lambda: f64, classes: usize| {
        SoftmaxRegression::l2(lambda).fit_on(backend, &data, classes).err()
    };
    ensure!(
        matches!(l2(1.0, 2), Some(Error::TargetOutsideDomain { .. })),
        "more classes than said"
    );
    ensure!(matches!(l2(1.0, 0), Some(Error::TargetOutsideDomain { .. })), "no class at all");
    ensure!(matches!(l2(1.0, usize::MAX), Some(Error::TooLarge { .. })), "2⁶⁴ − 1 classes");
    ensure!(matches!(l2(-1.0, 3), Some(Error::BadParameter { .. })), "λ₂ = −1");
    ensure!(matches!(l2(f64::NAN, 3), Some(Error::BadParameter { .. })), "λ₂ is no number");
    let l1 = SoftmaxRegression::new(L1::per_sample(f64::INFINITY)).fit_on(backend, &data, 3);
    ensure!(matches!(l1.err(), Some(Error::BadParameter { .. })), "λ₁ = ∞");
    let empty = Dataset::new(View::row_major(&[], 30, 0)?, View::column_vector(&coded.codes))?;
    let nothing = SoftmaxRegression::l2(1.0).without_intercept().fit_on(backend, &empty, 3).err();
    ensure!(nothing == Some(Error::NothingToFit), "nothing to fit: {nothing:?}");
    // Intercepts alone are the logarithms of the frequencies.
    judge(&empty, &SoftmaxRegression::l1(1.0).fit_on(backend, &empty, 3)?, tolerance::<T>())
}
