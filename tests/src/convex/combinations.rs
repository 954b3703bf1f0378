//! Every loss × penalty × solver, on data of every shape: solved, certified, confirmed by `verify`.

use minrisk_core::convex::{
    Auto, Control, CoordinateDescent, DualCoordinateDescent, GradientDescent, InteriorPoint, Lbfgs,
    Newton, ProximalGradient, ProximalNewton, StepRule,
};
use minrisk_core::loss::{Absolute, Hinge, Huber, Logistic, Quantile, Squared, SquaredHinge};
use minrisk_core::penalty::{ElasticNet, Factors, L1, L2, PerFeature, Unpenalised};
use minrisk_core::{Backend, Dataset, Erm, Scalar, Solver, View};

use super::sample::{Sample, cases, judge, tolerance};
use crate::check::{Failure, Outcome, Tally};

/// Every loss × penalty × solver that compiles ends solved, with a gap that `verify` confirms.
pub(crate) fn every_combination_is_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(1, 120, 5);
    let mut tally = Tally::default();
    let gap = tolerance::<T>();
    let factors = || Factors::new([1.0, 0.5, 2.0, 0.0, 1.0]).expect("good factors");
    let positive = || Factors::new([1.0, 0.5, 2.0, 4.0, 1.0]).expect("good factors");
    let quantile = || Quantile::new(0.25).expect("a good quantile");
    let huber = || Huber::new(0.7).expect("a good δ");
    cases!(tally, backend, sample.regression(), gap; Squared;
        [Unpenalised, L2::total(1.0), L2::per_sample(0.1), PerFeature::new(L2::total(3.0), factors())];
        [Auto::default(), Newton::default(), Lbfgs::default(), ProximalNewton::default()]);
    cases!(tally, backend, sample.regression(), gap; Squared;
        [L1::total(30.0), L1::per_sample(0.2), ElasticNet::total(20.0, 3.0),
         PerFeature::new(L1::total(20.0), factors())];
        [Auto::default(), CoordinateDescent::default(), ProximalNewton::default()]);
    cases!(tally, backend, sample.regression(), gap; huber();
        [Unpenalised, L2::total(0.5)];
        [Auto::default(), Newton::default(), Lbfgs::default()]);
    cases!(tally, backend, sample.regression(), gap; huber();
        [L1::total(5.0), ElasticNet::total(2.0, 1.0)];
        [Auto::default(), ProximalNewton::default()]);
    cases!(tally, backend, sample.classification(), gap; Logistic;
        [Unpenalised, L2::total(0.5), L2::per_sample(0.01), PerFeature::new(L2::total(1.0), factors())];
        [Auto::default(), Newton::default(), Lbfgs::default(), ProximalNewton::default()]);
    cases!(tally, backend, sample.classification(), gap; Logistic;
        [L1::total(3.0), L1::per_sample(0.05), ElasticNet::total(1.0, 1.0)];
        [Auto::default(), ProximalNewton::default()]);
    cases!(tally, backend, sample.classification(), gap; SquaredHinge;
        [L2::total(0.5), L1::total(2.0), ElasticNet::total(1.0, 1.0)];
        [Auto::default(), ProximalNewton::default()]);
    let loose = 1e-6_f64.max(2e3 * T::unit_roundoff());
    let control = || Control::to_gap(loose / 10.0);
    cases!(tally, backend, sample.classification(), loose; Hinge;
        [L2::total(0.5), L2::per_sample(0.01), L1::total(2.0), ElasticNet::total(1.0, 1.0)];
        [Auto { control: control() }, InteriorPoint { control: control() }]);
    // A method for a few digits.
    let few = 1e-3;
    cases!(tally, backend, sample.classification(), few; Hinge;
        [L2::total(5.0), L2::per_sample(0.05), PerFeature::new(L2::total(5.0), positive())];
        [DualCoordinateDescent { control: Control::to_gap(few), ..Default::default() }]);
    cases!(tally, backend, sample.regression(), loose; Absolute;
        [Unpenalised, L2::total(0.5), L1::total(5.0)];
        [Auto { control: control() }, InteriorPoint { control: control() }]);
    cases!(tally, backend, sample.regression(), loose; quantile();
        [Unpenalised, L2::total(0.5), ElasticNet::total(1.0, 1.0)];
        [Auto { control: control() }]);
    tally.outcome()
}

/// Rows by the ten thousand, where solvers start from samples and decide rows beforehand: sorted by class, weighted,
/// with offsets, and with a sample that misleads.
pub(crate) fn many_rows_are_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let rows = 24_000;
    let mut sample = Sample::<T>::new(9, rows, 3);
    // Every eighth row, and so every row of a sample, is unlike the others.
    for i in (0..rows).step_by(8) {
        sample.x[(i, 0)] *= T::from_double(-3.0);
    }
    let weights: Vec<T> = (0..rows).map(|i| T::from_double([1.0, 0.5, 2.0, 0.0][i % 4])).collect();
    let offsets: Vec<T> = (0..rows).map(|i| T::from_double([0.25, -0.5][i % 2])).collect();
    fn dress<'a, T: Scalar>(
        data: Result<Dataset<'a, T>, Failure>,
        weights: &'a [T],
        offsets: &'a [T],
    ) -> Result<Dataset<'a, T>, Failure> {
        let weighted = data?.with_precisions(View::column_vector(weights))?;
        Ok(weighted.with_offsets(View::column_vector(offsets))?)
    }
    let classes = || dress(sample.classification(), &weights, &offsets);
    let numbers = || dress(sample.regression(), &weights, &offsets);
    let gap = 1e-7_f64.max(2e3 * T::unit_roundoff());
    let auto = || Auto { control: Control::to_gap(gap / 10.0) };
    let quantile = || Quantile::new(0.9).expect("a good quantile");
    let mut tally = Tally::default();
    cases!(tally, backend, classes(), gap; Logistic;
        [L2::total(0.5), L1::total(30.0)]; [auto()]);
    cases!(tally, backend, classes(), gap; Hinge; [L2::total(0.5)]; [auto()]);
    cases!(tally, backend, numbers(), gap; Absolute; [Unpenalised]; [auto()]);
    cases!(tally, backend, numbers(), gap; quantile(); [L2::total(0.5)]; [auto()]);
    tally.outcome()
}

/// First-order methods get as close as they are asked to.
pub(crate) fn gradient_methods_converge<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(2, 150, 3);
    let mut tally = Tally::default();
    let gap = 1e-6_f64.max(2e3 * T::unit_roundoff());
    let control = || Control { max_iterations: Some(200_000), ..Control::to_gap(gap) };
    let descent = |step| GradientDescent { step, control: control() };
    cases!(tally, backend, sample.classification(), gap; Logistic;
        [L2::total(0.5)];
        [descent(StepRule::Smoothness), descent(StepRule::Backtracking)]);
    cases!(tally, backend, sample.regression(), gap; Squared;
        [L1::total(10.0), ElasticNet::total(5.0, 1.0)];
        [ProximalGradient { control: control(), ..ProximalGradient::default() }]);
    tally.outcome()
}

/// Columns by the hundred, where solvers work on few of them at a time: more than rows and fewer, few and many in
/// the answer, copies, constants, weights and offsets, rows after rows and columns after columns.
pub(crate) fn many_columns_are_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let gap = 1e-8_f64.max(2e3 * T::unit_roundoff());
    // Columns that depend on others in the answer cost no digits.
    let digits = 1e-11_f64.max(2e3 * T::unit_roundoff());
    let quick = || Auto { control: Control::to_gap(gap / 10.0) };
    let exact = || Auto::default();
    let huber = || Huber::new(0.5).expect("a good δ");
    let mut tally = Tally::default();
    for (rows, cols) in [(60, 150), (400, 120), (150, 260)] {
        let mut sample = Sample::<T>::new(31, rows, cols);
        for i in 0..rows {
            // The last columns: a copy, a constant, a sum of others.
            sample.x[(i, cols - 1)] = sample.x[(i, 0)];
            sample.x[(i, cols - 2)] = T::from_double(3.0);
            sample.x[(i, cols - 3)] = sample.x[(i, 1)] + sample.x[(i, 2)];
        }
        let weights: Vec<T> = (0..rows).map(|i| T::from_double([1.0, 0.5, 2.0][i % 3])).collect();
        let offsets: Vec<T> = (0..rows).map(|i| T::from_double([0.25, -0.5][i % 2])).collect();
        let by_rows: Vec<T> = (0..rows * cols).map(|k| sample.x[(k / cols, k % cols)]).collect();
        let numbers = || -> Result<Dataset<'_, T>, Failure> {
            Ok(sample.regression()?.with_precisions(View::column_vector(&weights))?)
        };
        let classes = || -> Result<Dataset<'_, T>, Failure> {
            let x = View::row_major(&by_rows, rows, cols)?;
            let data = Dataset::new(x, View::column_vector(&sample.signs))?;
            Ok(data.with_offsets(View::column_vector(&offsets))?)
        };
        // Five columns go free.
        let factor = |j: usize| if (10..15).contains(&j) { 0.0 } else { [1.0, 0.5, 2.0][j % 3] };
        let factors =
            || Factors::new((0..cols).map(factor).collect::<Vec<_>>()).expect("good factors");
        let level = rows as f64;
        // Small penalties leave residuals so small that rounding the coefficients to single precision hides them.
        let small = level * 0.05_f64.max(1e7 * T::unit_roundoff());
        for (gap, solver) in [(gap, quick()), (digits, exact())] {
            cases!(tally, backend, numbers(), gap; Squared;
                [L1::total(2.0 * level), L1::total(small), L1::total(1e6 * level),
                 ElasticNet::total(0.5 * level, 2.0)];
                [solver.clone()]);
        }
        cases!(tally, backend, numbers(), gap; Squared;
            [PerFeature::new(ElasticNet::total(0.5 * level, 2.0), factors())]; [quick()]);
        cases!(tally, backend, numbers(), gap; huber(); [L1::total(2.0 * small)]; [quick()]);
        cases!(tally, backend, classes(), gap; Logistic;
            [L1::total(0.1 * level), ElasticNet::total(0.02 * level, 0.5)]; [quick(), exact()]);
        cases!(tally, backend, classes(), gap; SquaredHinge;
            [L1::total(0.1 * level), ElasticNet::total(0.05 * level, 1.0)]; [quick()]);
    }
    tally.outcome()
}

/// Huber's loss where all targets are far beyond δ at the start, so that no row has any curvature; residuals then
/// are a small part of the predictions, and so are the digits that are left of them.
pub(crate) fn losses_without_curvature_are_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    let gap = tolerance::<T>();
    // In single precision the coefficients themselves have no more digits than the mild case needs.
    let is_double = T::unit_roundoff() < 1e-10;
    let mild = [(1e-3, 20.0, 0.2), (1.0, 20.0, 0.2), (1e3, 20.0, 0.2)];
    let hard = [(1e-3, 500.0, 0.05), (1.0, 500.0, 0.05), (1e3, 500.0, 0.05)];
    for (scale, level, delta) in mild.into_iter().chain(hard.into_iter().filter(|_| is_double)) {
        let mut sample = Sample::<T>::new(17, 200, 4);
        for y in &mut sample.y {
            *y += T::from_double(level);
        }
        let huber = || Huber::new(delta * scale).expect("a good δ");
        let scaled: Vec<T> = sample.y.iter().map(|y| *y * T::from_double(scale)).collect();
        let data = || -> Result<Dataset<'_, T>, Failure> {
            Ok(Dataset::new(sample.x.view(), View::column_vector(&scaled))?)
        };
        cases!(tally, backend, data(), gap; huber();
            [Unpenalised, L2::total(0.5)]; [Auto::default(), Newton::default(), Lbfgs::default()]);
        cases!(tally, backend, data(), gap; huber();
            [L1::total(scale), ElasticNet::total(scale, 0.5)]; [Auto::default()]);
    }
    tally.outcome()
}
