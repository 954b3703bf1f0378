//! Softmax regression with every penalty: judged by `verify`, by logistic regression, and by λ_max.

use minrisk_core::convex::{Auto, SoftmaxRegression};
use minrisk_core::loss::Logistic;
use minrisk_core::penalty::{ElasticNet, Factors, L1, L2, Penalty, PerFeature};
use minrisk_core::{Backend, Erm, Fit, Matrix, Scalar, Solver, View};

use super::sample::{judge, tolerance};
use super::softmax::Coded;
use crate::check::{Failure, Outcome, Tally, ensure};
use crate::random::Random;

/// L1, elastic net and L2, in both scales and with factors: a confirmed gap, with and without intercepts and offsets,
/// and zeros that are zeros.
pub(crate) fn softmax_penalties_are_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for classes in [3, 4] {
        let coded = Coded::<T>::new(31, 120, 9, classes);
        let factors = Factors::new([1.0, 0.0, 2.0, 1.0, 1.0, 0.5, 1.0, 1.0, 3.0])?;
        solved(&mut tally, backend, &coded, L1::total(2.0), true);
        solved(&mut tally, backend, &coded, L1::per_sample(0.05), true);
        solved(&mut tally, backend, &coded, ElasticNet::total(3.0, 0.5), true);
        solved(&mut tally, backend, &coded, ElasticNet::per_sample(0.01, 0.02), true);
        solved(&mut tally, backend, &coded, PerFeature::new(L1::total(4.0), factors.clone()), true);
        solved(&mut tally, backend, &coded, PerFeature::new(L2::total(4.0), factors), false);
        solved(&mut tally, backend, &coded, L2::per_sample(0.01), false);
    }
    tally.outcome()
}

fn solved<T: Scalar, P: Penalty>(
    tally: &mut Tally,
    backend: &dyn Backend<T>,
    coded: &Coded<T>,
    penalty: P,
    sparse: bool,
) {
    for (intercept, shifted) in [(true, false), (true, true), (false, true)] {
        tally.add(|| {
            let data = if shifted { coded.shifted()? } else { coded.data()? };
            let softmax = SoftmaxRegression::new(penalty.clone());
            let softmax = if intercept { softmax } else { softmax.without_intercept() };
            let fit = softmax.fit_on(backend, &data, coded.classes)?;
            judge(&data, &fit, tolerance::<T>())
                .map_err(|failure| failure.within(format_args!("{penalty:?}, {intercept}")))?;
            let nonzero = fit.certificate.softmax().map_or(0, |c| c.nonzero);
            let all = coded.classes * coded.x.cols();
            ensure!(
                (nonzero == all) != sparse && nonzero > 0,
                "{penalty:?}: {nonzero} of {all} weights are not zero"
            );
            Ok(())
        });
    }
}

/// Two classes with λ₁ and λ₂ are logistic regression with λ₁ and λ₂/2: a weight of it is the difference of two, whose
/// penalty is least where they have opposite signs, and halves of it where λ₂ > 0.
pub(crate) fn two_classes_with_corners_are_logistic<T: Scalar>(
    backend: &dyn Backend<T>,
) -> Outcome {
    let digits = if T::unit_roundoff() < 1e-10 { 1e-7 } else { 1e-3 };
    let coded = Coded::<T>::new(32, 90, 6, 2);
    let signs: Vec<T> = coded.codes.iter().map(|&y| y + y - T::one()).collect();
    let mut tally = Tally::default();
    for (l1, l2) in [(0.5, 0.0), (4.0, 0.0), (2.0, 1.0)] {
        tally.add(|| {
            let softmax = SoftmaxRegression::elastic_net(l1, l2);
            let many = softmax.fit_on(backend, &coded.data()?, 2)?;
            let signed = minrisk_core::Dataset::new(coded.x.view(), View::column_vector(&signs))?;
            let problem = Erm::new(Logistic, ElasticNet::total(l1, l2 / 2.0));
            let two = Auto::default().solve(backend, &problem, &signed)?;
            let (found, expected) = (many.report.objective[0], two.report.objective[0]);
            ensure!(
                (found - expected).abs() <= 10.0 * tolerance::<T>() * expected,
                "λ₁ = {l1}, λ₂ = {l2}: objectives {found} and {expected}"
            );
            for (j, w) in two.model.coefficients().iter().enumerate() {
                let of_class = |k: usize| many.model.coefficients_of(k)[j].to_double();
                let (found, expected) = (of_class(1) - of_class(0), w.to_double());
                ensure!(
                    (found - expected).abs() <= digits * (1.0 + expected.abs()),
                    "λ₁ = {l1}, λ₂ = {l2}: {found} for {expected}"
                );
                ensure!(of_class(0) * of_class(1) <= 0.0, "weights {j} have the same sign");
                ensure!((found == 0.0) == (expected == 0.0), "weight {j}: {found}, {expected}");
            }
            Ok(())
        });
    }
    tally.outcome()
}

/// From λ_max on all weights are zero, and the intercepts are those of the frequencies; below it some are not.
pub(crate) fn softmax_weights_vanish_at_the_largest_lambda<T: Scalar>(
    backend: &dyn Backend<T>,
) -> Outcome {
    let coded = Coded::<T>::new(33, 100, 5, 3);
    let rows = coded.codes.len();
    let class = |t: usize| coded.codes[t].to_double();
    let frequency =
        |k: usize| (0..rows).filter(|&t| class(t) == k as f64).count() as f64 / rows as f64;
    let slope = |t: usize, k: usize| frequency(k) - f64::from(class(t) == k as f64);
    let mut largest = 0.0_f64;
    for k in 0..3 {
        for j in 0..5 {
            let terms = (0..rows).map(|t| slope(t, k) * coded.x[(t, j)].to_double());
            largest = largest.max(terms.sum::<f64>().abs());
        }
    }
    let fitted = |lambda: f64| -> Result<Fit<T>, Failure> {
        let data = coded.data()?;
        let fit = SoftmaxRegression::l1(lambda).fit_on(backend, &data, 3)?;
        judge(&data, &fit, tolerance::<T>())?;
        Ok(fit)
    };
    let zeros = |fit: &Fit<T>| {
        (0..3).all(|k| fit.model.coefficients_of(k).iter().all(|w| w.to_double() == 0.0))
    };
    let mut tally = Tally::default();
    for factor in [1.0, 1.5, 1e6] {
        tally.add(|| {
            let fit = fitted(factor * largest)?;
            ensure!(zeros(&fit), "at {factor}·λ_max there are weights");
            for k in 1..3 {
                let level = |k| fit.model.intercept_of(k).map_or(f64::NAN, |b: T| b.to_double());
                let (found, expected) = (level(k) - level(0), (frequency(k) / frequency(0)).ln());
                ensure!((found - expected).abs() <= 1e-5, "intercepts {found} for {expected}");
            }
            Ok(())
        });
    }
    tally.add(|| {
        ensure!(!zeros(&fitted(0.98 * largest)?), "below λ_max there is no weight");
        Ok(())
    });
    tally.outcome()
}

/// More unknowns than a Hessian is made for, in few rows: every penalty, and none.
pub(crate) fn large_softmax_problems_are_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(34);
    let (rows, cols, classes) = (24, 1_100, 4);
    let x = Matrix::from_fn(rows, cols, |_, _| T::from_double(random.normal()));
    let codes = (0..rows).map(|i| T::from_double((i % classes) as f64)).collect();
    let offsets = Matrix::from_fn(rows, classes, |_, _| T::from_double(random.normal()));
    let coded = Coded { x, codes, offsets, classes };
    let mut tally = Tally::default();
    let free = Factors::new((0..cols).map(|j| f64::from(j > 0)).collect::<Vec<f64>>())?;
    let gradients = "conjugate gradients";
    large(&mut tally, backend, &coded, L2::total(0.5), gradients);
    large(&mut tally, backend, &coded, PerFeature::new(L2::total(0.5), free), gradients);
    large(&mut tally, backend, &coded, ElasticNet::total(0.02, 0.5), gradients);
    large(&mut tally, backend, &coded, L1::total(2.0), "proximal Newton");
    tally.add(|| {
        let data = coded.shifted()?;
        let fit = SoftmaxRegression::unpenalised().fit_on(backend, &data, classes)?;
        let status = fit.report.status;
        ensure!(status == minrisk_core::Status::NoMinimiser, "without a penalty: {status:?}");
        let verdict = minrisk_core::verify::verify(&data, &fit)?;
        ensure!(verdict.holds, "verify denies the direction: {:?}", verdict.findings);
        Ok(())
    });
    tally.outcome()
}

fn large<T: Scalar, P: Penalty>(
    tally: &mut Tally,
    backend: &dyn Backend<T>,
    coded: &Coded<T>,
    penalty: P,
    solver: &str,
) {
    tally.add(|| {
        let data = coded.shifted()?;
        let softmax = SoftmaxRegression::new(penalty.clone());
        let fit = softmax.fit_on(backend, &data, coded.classes)?;
        let found = &fit.report.solver;
        ensure!(found.contains(solver), "solved by {found}, not by {solver}");
        judge(&data, &fit, tolerance::<T>())
    });
}
