//! Ridge over a grid of penalties: what one pass finds is what refits find.

use minrisk_core::least_squares::Ridge;
use minrisk_core::penalty::Scale;
use minrisk_core::selection::{Folds, LassoCv, RidgeCrossValidation, Score, Subset};
use minrisk_core::{Backend, Dataset, Matrix, Scalar, View};

use crate::check::ensure;
use crate::families::{Family, Residual, targets};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Digits that the coefficients of a fold share with those of a refit, relative to the largest.
fn demanded<T: Scalar>() -> f64 {
    if T::unit_roundoff() < 1e-10 { 12.0 } else { 3.5 }
}

/// Every fold and penalty has the coefficients and the scores of a fit to the rows of that fold: with
/// and without weights, intercept and several targets, in both scales, shuffled or not.
pub fn cross_validated_ridge_equals_refits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut tally = Tally::default();
    for (seed, rows, cols, count) in [(1, 90, 4, 1), (2, 400, 12, 2), (3, 3000, 20, 1)] {
        let mut random = Random::new(seed);
        let mut x: Matrix<T> = random.matrix(rows, cols);
        x.as_mut_slice().iter_mut().for_each(|x| *x += T::from_double(0.3));
        let mut y = targets(&x, count, Residual::Large, &mut random);
        y.as_mut_slice().iter_mut().for_each(|y| *y += T::one());
        let weights: Vec<T> = (0..rows).map(|_| T::from_double(random.unit() + 0.1)).collect();
        for weighted in [false, true] {
            for intercept in [false, true] {
                for shuffled in [false, true] {
                    let run = || {
                        let data = dataset(&x, &y, weighted.then_some(&weights[..]))?;
                        let folds = if shuffled {
                            Folds::shuffled(rows, 5, 9)?
                        } else {
                            Folds::contiguous(rows, 5)?
                        };
                        let total = Ridge::total(0.0);
                        let mean = Ridge::per_sample(0.0);
                        if intercept {
                            compare(backend, &total, &data, &folds, Some(0))?;
                            compare(backend, &mean, &data, &folds, Some(0))
                        } else {
                            let total = total.without_intercept();
                            compare(backend, &total, &data, &folds, Some(0))?;
                            compare(backend, &mean.without_intercept(), &data, &folds, Some(0))
                        }
                    };
                    tally.add(|| {
                        run().map_err(|failure: Failure| {
                            failure.within(format_args!(
                                "{rows} × {cols}, weighted {weighted}, intercept {intercept}, \
                                 shuffled {shuffled}"
                            ))
                        })
                    });
                }
            }
        }
    }
    tally.outcome()
}

/// Where the moments do not have the digits, folds are fitted from their rows.
pub fn hard_folds_are_fitted_from_their_rows<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(4);
    let condition = 0.1 / T::unit_roundoff().sqrt();
    let x: Matrix<T> = Family::Geometric.design(200, 5, condition, &mut random);
    let noisy = targets(&x, 1, Residual::Large, &mut random);
    let folds = Folds::shuffled(200, 4, 1)?;
    let data = dataset(&x, &noisy, None)?;
    compare(backend, &Ridge::total(0.0), &data, &folds, None)?;
    // A target that is explained to the last digit.
    let x: Matrix<T> = random.matrix(200, 3);
    let exact = Matrix::from_fn(200, 1, |i, _| x[(i, 0)] - x[(i, 1)]);
    let data = dataset(&x, &exact, None)?;
    let found = Ridge::total(0.0).cross_validate_on(backend, &data, &folds, &[0.0])?;
    ensure!(found.refits == 4, "{} of 4 folds were fitted from their rows", found.refits);
    let worst = found.mean_squared_errors[0].mean();
    ensure!(worst <= T::unit_roundoff().powi(2), "the mean squared error is {worst:e}");
    Ok(())
}

fn compare<T: Scalar, S: Scale>(
    backend: &dyn Backend<T>,
    ridge: &Ridge<S>,
    data: &Dataset<'_, T>,
    folds: &Folds,
    refits: Option<usize>,
) -> Outcome {
    let alphas = [0.0, 1e-3, 0.1, 1.0, 30.0, 1e4];
    let found = ridge.cross_validate_on(backend, data, folds, &alphas)?;
    match refits {
        Some(expected) => ensure!(
            found.refits == expected,
            "{} fits from rows, {expected} expected; digits {:?}",
            found.refits,
            found.digits
        ),
        None => ensure!(found.refits > 0, "no fit from rows; digits {:?}", found.digits),
    }
    for fold in 0..folds.count() {
        let split = folds.split(fold);
        let (train, test) = (Subset::of(data, &split.train)?, Subset::of(data, &split.test)?);
        let (train, test) = (train.dataset()?, test.dataset()?);
        let fits = ridge.path_on(backend, &train, &alphas)?;
        for (k, fit) in fits.iter().enumerate() {
            let case =
                |failure: Failure| failure.within(format_args!("fold {fold}, α = {:e}", alphas[k]));
            let model = &found.models[fold][k];
            for target in 0..data.targets() {
                let pairs = model.coefficients_of(target).iter();
                let pairs: Vec<(f64, f64)> = pairs
                    .zip(fit.model.coefficients_of(target))
                    .map(|(a, b)| (a.to_double(), b.to_double()))
                    .collect();
                let largest = pairs.iter().map(|(_, b)| b.abs()).fold(0.0, f64::max);
                let apart = pairs.iter().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                let digits = -(apart / largest).log10();
                let claimed = found.digits[fold][k].min(demanded::<T>());
                ensure!(
                    digits >= demanded::<T>() && digits >= claimed,
                    "{:?}",
                    case(Failure::new(format!("{digits:.2} digits of a refit, {claimed} claimed")))
                );
            }
            let predictions = fit.model.predict(test.design())?;
            expect_score(&found, fold, k, Score::MeanSquaredError, &test, &predictions)
                .map_err(case)?;
            expect_score(&found, fold, k, Score::RSquared, &test, &predictions).map_err(case)?;
        }
    }
    Ok(())
}

fn expect_score<T: Scalar>(
    found: &RidgeCrossValidation<T>,
    fold: usize,
    k: usize,
    score: Score,
    test: &Dataset<'_, T>,
    predictions: &Matrix<T>,
) -> Outcome {
    let expected = score.of(test.target_view(), predictions.view(), test.weights())?;
    let scores =
        if score == Score::RSquared { &found.r_squared } else { &found.mean_squared_errors };
    let value = scores[k].folds[fold];
    let tolerance = 1e4 * T::unit_roundoff() * (1.0 + expected.abs());
    ensure!((value - expected).abs() <= tolerance, "{score:?} is {value}, a refit has {expected}");
    Ok(())
}

/// Leave-one-out errors are those of as many fits as there are rows.
pub fn leave_one_out_equals_refits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(6);
    let rows = 40;
    let x: Matrix<T> = random.matrix(rows, 3);
    let y = targets(&x, 2, Residual::Large, &mut random);
    let mut weights: Vec<T> = (0..rows).map(|_| T::from_double(random.unit() + 0.1)).collect();
    weights[7] = T::zero();
    let alphas = [0.0, 0.01, 1.0, 50.0];
    for weighted in [false, true] {
        for intercept in [false, true] {
            let data = dataset(&x, &y, weighted.then_some(&weights[..]))?;
            let ridge = Ridge::total(0.0);
            let ridge = if intercept { ridge } else { ridge.without_intercept() };
            let found = ridge.leave_one_out_on(backend, &data, &alphas)?;
            let mut sums = vec![0.0; alphas.len()];
            let mut total = 0.0;
            for (row, weight) in weights.iter().enumerate() {
                let weight = if weighted { weight.to_double() } else { 1.0 };
                total += weight;
                let others: Vec<usize> = (0..rows).filter(|&i| i != row).collect();
                let (train, test) = (Subset::of(&data, &others)?, Subset::of(&data, &[row])?);
                if weight == 0.0 {
                    continue;
                }
                let test = test.dataset()?;
                for (k, fit) in
                    ridge.path_on(backend, &train.dataset()?, &alphas)?.iter().enumerate()
                {
                    let z = fit.model.predict(test.design())?;
                    for target in 0..2 {
                        let error = (test.target_view()[(0, target)] - z[(0, target)]).to_double();
                        sums[k] += weight * error * error / 2.0;
                    }
                }
            }
            for (k, &error) in found.mean_squared_errors.iter().enumerate() {
                let expected = sums[k] / total;
                ensure!(
                    (error / expected - 1.0).abs() <= 1e4 * T::unit_roundoff(),
                    "weighted {weighted}, intercept {intercept}, α = {}: {error}, refits have {expected}",
                    alphas[k]
                );
            }
        }
    }
    Ok(())
}

/// More columns than rows: folds are fitted from their rows, leaving one out has a closed form still,
/// and without a penalty no row can be predicted from the others.
pub fn wide_designs_are_cross_validated<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(12);
    let x: Matrix<T> = random.matrix(12, 30);
    let y = targets(&x, 1, Residual::Large, &mut random);
    let data = dataset(&x, &y, None)?;
    let folds = Folds::leave_one_out(12)?;
    let ridge = Ridge::total(0.0);
    let alphas = [0.5, 4.0];
    let found = ridge.cross_validate_on(backend, &data, &folds, &alphas)?;
    ensure!(found.refits == 24, "{} fits from rows", found.refits);
    let closed = ridge.leave_one_out_on(backend, &data, &[0.5, 4.0, 0.0])?;
    for (k, scores) in found.mean_squared_errors.iter().enumerate() {
        let (error, expected) = (closed.mean_squared_errors[k], scores.mean());
        ensure!(
            (error / expected - 1.0).abs() <= 1e5 * T::unit_roundoff(),
            "α = {}: {error} in closed form, refits have {expected}",
            alphas[k]
        );
    }
    let interpolating = closed.mean_squared_errors[2];
    ensure!(interpolating == f64::INFINITY, "α = 0: {interpolating}");
    ensure!(closed.best() < 2, "the interpolant is called best");
    Ok(())
}

/// Pools of any size give the same bits.
pub fn threads_do_not_change_a_selection<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(8);
    let x: Matrix<T> = random.matrix(20_000, 6);
    let y = targets(&x, 1, Residual::Large, &mut random);
    let data = dataset(&x, &y, None)?;
    let folds = Folds::shuffled(20_000, 5, 3)?;
    let alphas = [0.1, 1.0, 10.0];
    let mut results = Vec::new();
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::new(error.to_string()))?;
        let ridge = Ridge::total(0.0);
        results.push(pool.install(|| -> Result<_, minrisk_core::Error> {
            let folded = ridge.cross_validate_on(backend, &data, &folds, &alphas)?;
            let lasso = LassoCv::new().with_grid(20, 1e-2);
            let path = lasso.cross_validate_on(backend, &data, &folds)?;
            Ok((folded, ridge.leave_one_out_on(backend, &data, &alphas)?, path))
        })?);
    }
    ensure!(results[0] == results[1] && results[0] == results[2], "results differ by threads");
    Ok(())
}

fn dataset<'a, T: Scalar>(
    x: &'a Matrix<T>,
    y: &'a Matrix<T>,
    weights: Option<&'a [T]>,
) -> Result<Dataset<'a, T>, minrisk_core::Error> {
    let data = Dataset::new(x.view(), y.view())?;
    match weights {
        None => Ok(data),
        Some(weights) => data.with_precisions(View::column_vector(weights)),
    }
}
