//! What holds for convex fits whatever the data: repetition, weights, offsets, paths, threads, and honesty where
//! there is nothing to solve.

use minrisk_core::convex::{
    Accuracy, Auto, Control, CoordinateDescent, GradientDescent, InteriorPoint, Lbfgs, Newton,
    ProximalNewton, Schedule, SoftmaxRegression, StepRule, StochasticGradient, lasso_path,
    rate_search,
};
use minrisk_core::loss::{Hinge, Logistic, Loss, Perceptron, Squared};
use minrisk_core::penalty::{L1, L2, Unpenalised};
use minrisk_core::{Backend, Dataset, Erm, Fit, Matrix, Scalar, Solver, Status, View};

use super::sample::{Sample, cases, judge, tolerance};
use crate::check::{Failure, Outcome, Tally, ensure};
use crate::random::Random;

/// Stochastic gradients: the same seed gives the same bits, another seed another walk; all losses go.
pub(crate) fn stochastic_gradients_repeat<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(3, 200, 4);
    fn run<T: Scalar, L: Loss>(
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        loss: L,
        seed: u64,
        batch: usize,
    ) -> Result<Fit<T>, Failure> {
        let control = Control { max_iterations: Some(20), ..Control::default() };
        let schedule = Schedule::inverse_square_root(0.02);
        let solver = StochasticGradient { seed, batch, schedule, control, ..Default::default() };
        Ok(solver.solve(backend, &Erm::new(loss, L2::per_sample(0.01)), data)?)
    }
    let mut tally = Tally::default();
    for batch in [1, 16] {
        tally.add(|| {
            let data = sample.classification()?;
            let first = run(backend, &data, Logistic, 7, batch)?;
            let again = run(backend, &data, Logistic, 7, batch)?;
            let other = run(backend, &data, Logistic, 8, batch)?;
            ensure!(first.model == again.model, "batches of {batch}: the same seed, other bits");
            ensure!(first.model != other.model, "batches of {batch}: another seed, the same walk");
            let start = data.rows() as f64 * 2.0_f64.ln();
            let reached = first.certificate.convex().map_or(f64::INFINITY, |c| c.objective);
            ensure!(reached < 0.98 * start, "no progress: {reached} from {start}");
            run(backend, &data, Hinge, 7, batch)?;
            run(backend, &data, Perceptron, 7, batch)?;
            Ok(())
        });
    }
    tally.outcome()
}

/// The rate of a grid with the least objective is found; one that diverges loses.
pub(crate) fn rates_are_searched<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(8, 100, 3);
    let data = sample.regression()?;
    let problem = Erm::new(Squared, L2::total(1.0));
    let effort = Control { max_iterations: Some(30), ..Control::default() };
    let rates = [1e-7, 1e-5, 1e-4, 10.0];
    let found = rate_search(backend, &problem, &data, &rates, |rate| GradientDescent {
        step: StepRule::Given(Schedule::constant(rate)),
        control: effort.clone(),
    })?;
    let least = found.trials.iter().map(|trial| trial.objective).fold(f64::INFINITY, f64::min);
    let best = found.trials[found.best];
    ensure!(found.trials.len() == 4 && best.objective == least, "{:?}", found.trials);
    ensure!(found.trials[3].status == Status::Diverged, "{:?}", found.trials[3]);
    ensure!(found.fit.report.objective == [best.objective], "the fit is not that of the best rate");
    let nothing = rate_search(backend, &problem, &data, &[], |_| Auto::default());
    let negative = rate_search(backend, &problem, &data, &[-1.0], |_| Auto::default());
    ensure!(nothing.is_err() && negative.is_err(), "a grid without a usable rate is accepted");
    Ok(())
}

/// A step that is too large is called divergence, within a bounded number of steps.
pub(crate) fn divergence_is_reported<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(4, 100, 3);
    let mut tally = Tally::default();
    for rate in [10.0, 1e3] {
        tally.add(|| {
            let data = sample.regression()?;
            let step = StepRule::Given(Schedule::constant(rate));
            let solver = GradientDescent { step, control: Control::default() };
            let fit = solver.solve(backend, &Erm::new(Squared, L2::total(1.0)), &data)?;
            ensure!(
                fit.report.status == Status::Diverged && fit.report.iterations <= 300,
                "rate {rate}: {:?} after {} steps",
                fit.report.status,
                fit.report.iterations
            );
            let finite = fit.model.coefficients().iter().all(|w| w.is_finite());
            ensure!(finite, "the best point is not finite");
            Ok(())
        });
    }
    tally.outcome()
}

/// Columns from 10⁻³ to 10⁵: the gap is small, or the status says otherwise.
pub(crate) fn ill_scaled_columns_are_solved<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(5);
    let scales = [1e-3, 1.0, 1e5, 10.0, 1e-2];
    let x: Matrix<T> =
        Matrix::from_fn(400, 5, |_, j| T::from_double((random.normal() + 3.0) * scales[j]));
    let score = |i: usize| (0..5).map(|j| x[(i, j)].to_double() / scales[j] - 3.0).sum::<f64>();
    let y: Vec<T> = (0..400)
        .map(|i| if score(i) + 2.0 * random.normal() > 0.0 { T::one() } else { -T::one() })
        .collect();
    let mut tally = Tally::default();
    if T::unit_roundoff() > 1e-10 {
        // Coefficients of single precision cannot say z to many digits here; the status must not hide it.
        let data = Dataset::new(x.view(), View::column_vector(&y))?;
        let fit = Auto::default().solve(backend, &Erm::new(Logistic, L2::total(1e-6)), &data)?;
        let gap = fit.certificate.convex().map_or(f64::INFINITY, |c| c.relative_gap);
        ensure!(gap < 1e-3 || fit.report.status != Status::Solved, "solved, with a gap of {gap:e}");
        return Ok(());
    }
    let gap = 1e-10;
    let data = || -> Result<_, Failure> { Ok(Dataset::new(x.view(), View::column_vector(&y))?) };
    cases!(tally, backend, data(), gap; Logistic;
        [Unpenalised, L2::total(1e-6), L2::total(0.5), L1::total(0.5)];
        [Auto::default(), ProximalNewton::default()]);
    tally.outcome()
}

/// Frequencies equal repetition, for every kind of solver.
pub(crate) fn frequencies_repeat_rows<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(6, 60, 3);
    let frequency = |i: usize| [1, 3, 0, 2][i % 4];
    let repeated: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, frequency(i))).collect();
    let x = Matrix::from_fn(repeated.len(), 3, |i, j| sample.x[(repeated[i], j)]);
    let y: Vec<T> = repeated.iter().map(|&i| sample.signs[i]).collect();
    let weights: Vec<T> = (0..60).map(|i| T::from_double(frequency(i) as f64)).collect();
    let compare = |weighted: Fit<T>, long: Fit<T>| -> Outcome {
        let digits = if T::unit_roundoff() < 1e-10 { 1e-6 } else { 1e-2 };
        let both = weighted.model.coefficients().iter().zip(long.model.coefficients());
        for (a, b) in both {
            let (a, b) = (a.to_double(), b.to_double());
            ensure!((a - b).abs() <= digits * (1.0 + b.abs()), "{a} weighted, {b} repeated");
        }
        Ok(())
    };
    let mut tally = Tally::default();
    macro_rules! same {
        ($loss:expr, $penalty:expr, $solver:expr) => {
            tally.add(|| {
                let short =
                    sample.classification()?.with_frequencies(View::column_vector(&weights))?;
                let long = Dataset::new(x.view(), View::column_vector(&y))?;
                let problem = Erm::new($loss, $penalty);
                compare(
                    $solver.solve(backend, &problem, &short)?,
                    $solver.solve(backend, &problem, &long)?,
                )
            })
        };
    }
    same!(Logistic, L2::per_sample(0.01), Newton::default());
    same!(Logistic, L1::per_sample(0.01), ProximalNewton::default());
    same!(Squared, L1::per_sample(0.05), CoordinateDescent::default());
    same!(Hinge, L2::per_sample(0.05), InteriorPoint::default());
    tally.outcome()
}

/// Offsets move the target of squared loss, and the prediction of every loss.
pub(crate) fn offsets_are_added<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(7, 80, 3);
    let offsets: Vec<T> = (0..80).map(|i| T::from_double((i % 5) as f64 * 0.5)).collect();
    let shifted: Vec<T> = sample.y.iter().zip(&offsets).map(|(&y, &o)| y - o).collect();
    let mut tally = Tally::default();
    tally.add(|| {
        let problem = Erm::new(Squared, L1::total(5.0));
        let with = sample.regression()?.with_offsets(View::column_vector(&offsets))?;
        let without = Dataset::new(sample.x.view(), View::column_vector(&shifted))?;
        let with_fit = Auto::default().solve(backend, &problem, &with)?;
        judge(&with, &with_fit, tolerance::<T>())?;
        let without_fit = Auto::default().solve(backend, &problem, &without)?;
        let slack = if T::unit_roundoff() < 1e-10 { 1e-10 } else { 1e-3 };
        for (a, b) in with_fit.model.coefficients().iter().zip(without_fit.model.coefficients()) {
            ensure!((a.to_double() - b.to_double()).abs() <= slack, "{a} with, {b} without");
        }
        Ok(())
    });
    let loose = 1e-6_f64.max(2e3 * T::unit_roundoff());
    let data = || -> Result<_, Failure> {
        Ok(sample.classification()?.with_offsets(View::column_vector(&offsets))?)
    };
    cases!(tally, backend, data(), loose; Logistic; [L2::total(0.5), L1::total(1.0)]; [Auto::default()]);
    cases!(tally, backend, data(), loose; Hinge; [L2::total(0.5)];
        [InteriorPoint { control: Control { accuracy: Accuracy::Gap(loose / 10.0), ..Control::default() } }]);
    tally.outcome()
}

/// A path of fits equals single fits, zeros included.
pub(crate) fn paths_equal_single_fits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(8, 90, 6);
    let mut tally = Tally::default();
    tally.add(|| {
        let data = sample.regression()?;
        let problems: Vec<_> = [200.0, 50.0, 10.0, 1.0]
            .map(|lambda| Erm::new(Squared, L1::total(lambda)))
            .into_iter()
            .collect();
        for (problem, fit) in problems.iter().zip(lasso_path(backend, &problems, &data)?) {
            judge(&data, &fit, tolerance::<T>())?;
            let single = CoordinateDescent::default().solve(backend, problem, &data)?;
            let slack = if T::unit_roundoff() < 1e-10 { 1e-11 } else { 1e-3 };
            for (a, b) in fit.model.coefficients().iter().zip(single.model.coefficients()) {
                let (a, b) = (a.to_double(), b.to_double());
                ensure!((a - b).abs() <= slack * (1.0 + b.abs()), "{a} on the path, {b} alone");
                ensure!((a == 0.0) == (b == 0.0) || T::unit_roundoff() > 1e-10, "{a} and {b}");
            }
        }
        Ok(())
    });
    tally.outcome()
}

/// The same bits with pools of 1, 2 and 3 threads.
pub(crate) fn threads_do_not_change_a_convex_fit<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let sample = Sample::<T>::new(9, 20_000, 6);
    let codes: Vec<T> = sample.signs.iter().map(|sign| sign.max(T::zero())).collect();
    let fits = |threads: usize| -> Result<Vec<Fit<T>>, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::new(error.to_string()))?;
        pool.install(|| {
            let (regression, classes) = (sample.regression()?, sample.classification()?);
            let coded = Dataset::new(sample.x.view(), View::column_vector(&codes))?;
            Ok(vec![
                Newton::default().solve(backend, &Erm::new(Logistic, L2::total(1.0)), &classes)?,
                Lbfgs::default().solve(backend, &Erm::new(Logistic, L2::total(1.0)), &classes)?,
                CoordinateDescent::default().solve(
                    backend,
                    &Erm::new(Squared, L1::total(9.0)),
                    &regression,
                )?,
                SoftmaxRegression::l2(1.0).fit_on(backend, &coded, 2)?,
                SoftmaxRegression::l1(9.0).fit_on(backend, &coded, 2)?,
            ])
        })
    };
    let one = fits(1)?;
    for threads in [2, 3] {
        ensure!(fits(threads)? == one, "{threads} threads give other bits than one");
    }
    Ok(())
}
