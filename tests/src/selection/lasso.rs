//! Lasso and elastic net over a path of penalties: what the moments of the folds find is what refits find.

use minrisk_core::convex::ElasticNet;
use minrisk_core::selection::{Folds, LassoCrossValidation, LassoCv, Score, Subset};
use minrisk_core::{Backend, Dataset, Error, Matrix, Scalar, View};

use crate::check::ensure;
use crate::families::{Residual, targets};
use crate::random::Random;
use crate::{Failure, Outcome, Tally};

/// Cross-validation of a path, as it is judged here.
pub type PathStudy<'a, T> =
    &'a dyn Fn(&LassoCv, &Dataset<'_, T>, &Folds) -> Result<LassoCrossValidation<T>, Error>;

/// Every fold and λ has the coefficients and the scores of a fit to the rows of that fold: with and
/// without weights, intercept and λ₂, shuffled or not.
pub fn cross_validated_lasso_equals_refits<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    judge_lasso_paths(backend, &|lasso, data, folds| lasso.cross_validate_on(backend, data, folds))
}

/// The same for any way to cross-validate a path.
pub fn judge_lasso_paths<T: Scalar>(backend: &dyn Backend<T>, study: PathStudy<'_, T>) -> Outcome {
    let mut tally = Tally::default();
    for (seed, rows, cols) in [(1, 120, 5), (2, 900, 17)] {
        let mut random = Random::new(seed);
        let mut x: Matrix<T> = random.matrix(rows, cols);
        // Columns of other scales and middles, and one that repeats another with some noise.
        for i in 0..rows {
            x[(i, 0)] = T::from_double(40.0) * x[(i, 0)] + T::from_double(7.0);
            x[(i, 2)] = x[(i, 1)] + T::from_double(0.25) * x[(i, 2)];
        }
        let y = targets(&x, 1, Residual::Large, &mut random);
        let weights: Vec<T> = (0..rows).map(|_| T::from_double(random.unit() + 0.1)).collect();
        let plain = Dataset::new(x.view(), y.view())?;
        let weighted =
            Dataset::new(x.view(), y.view())?.with_precisions(View::column_vector(&weights))?;
        for (data, kind) in [(&plain, "plain"), (&weighted, "weighted")] {
            for intercept in [false, true] {
                for ridge in [0.0, 0.3] {
                    for folds in [Folds::contiguous(rows, 4)?, Folds::shuffled(rows, 5, 3)?] {
                        let lasso = LassoCv { intercept, ..LassoCv::new() };
                        let lasso = lasso.with_grid(12, 1e-3).with_ridge(ridge);
                        let case = format!(
                            "{rows} × {cols}, {kind}, intercept {intercept}, ρ = {ridge}, {} folds",
                            folds.count()
                        );
                        tally.add(|| {
                            compare(backend, study, &lasso, data, &folds)
                                .map_err(|failure| failure.within(case))
                        });
                    }
                }
            }
        }
    }
    tally.outcome()
}

fn compare<T: Scalar>(
    backend: &dyn Backend<T>,
    study: PathStudy<'_, T>,
    lasso: &LassoCv,
    data: &Dataset<'_, T>,
    folds: &Folds,
) -> Outcome {
    let (demanded, rounding) = if T::unit_roundoff() < 1e-10 { (12.0, 1e-10) } else { (3.5, 1e-3) };
    let found = study(lasso, data, folds)?;
    ensure!(found.lambdas.len() == 12 && found.models.len() == folds.count(), "a part is missing");
    let zeros = found.models[0][0].coefficients().iter().filter(|w| **w == T::zero()).count();
    ensure!(zeros + 1 >= data.cols(), "{zeros} zeros at the largest λ");
    for fold in 0..folds.count() {
        let split = folds.split(fold);
        let (train, test) = (Subset::of(data, &split.train)?, Subset::of(data, &split.test)?);
        let (train, test) = (train.dataset()?, test.dataset()?);
        let x = train.design().dense().ok_or_else(|| Failure::new("rows of a dense design"))?;
        for (k, &lambda) in found.lambdas.iter().enumerate() {
            let estimator = ElasticNet::per_sample(lambda, lasso.ridge * lambda);
            let estimator = if lasso.intercept { estimator } else { estimator.without_intercept() };
            let fit = estimator.fit_on(backend, &train)?;
            let case = |failure: Failure| failure.within(format!("fold {fold}, λ = {lambda:e}"));
            let pairs: Vec<(f64, f64)> = found.models[fold][k]
                .coefficients()
                .iter()
                .zip(fit.model.coefficients())
                .zip(column_lengths(x))
                .map(|((a, b), length)| (a.to_double() * length, b.to_double() * length))
                .collect();
            let largest = pairs.iter().map(|(_, b)| b.abs()).fold(0.0, f64::max);
            let apart = pairs.iter().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let digits = if apart == 0.0 { f64::INFINITY } else { -(apart / largest).log10() };
            if digits < demanded {
                return Err(case(Failure::new(format!("{digits:.2} digits of a refit"))));
            }
            let predictions = fit.model.predict(test.design())?;
            let scores = [
                (Score::MeanSquaredError, &found.mean_squared_errors),
                (Score::RSquared, &found.r_squared),
            ];
            for (score, values) in scores {
                let expected = score.of(test.target_view(), predictions.view(), test.weights())?;
                let value = values[k].folds[fold];
                if (value - expected).abs() > rounding * (1.0 + expected.abs()) {
                    let text = format!("{score:?} is {value}, a refit has {expected}");
                    return Err(case(Failure::new(text)));
                }
            }
        }
    }
    Ok(())
}

/// ‖x_j‖ around its mean: the units that coefficients are compared in.
fn column_lengths<T: Scalar>(x: View<'_, T>) -> Vec<f64> {
    let length = |j: usize| {
        let mean = x.col_iter(j).map(|v| v.to_double()).sum::<f64>() / x.rows() as f64;
        x.col_iter(j).map(|v| (v.to_double() - mean).powi(2)).sum::<f64>().sqrt()
    };
    (0..x.cols()).map(length).collect()
}

/// The chosen λ keeps the columns that matter, the one-standard-error rule keeps no more, and bad
/// parameters are refused.
pub fn lasso_chooses_the_columns_that_matter<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(21);
    let x: Matrix<T> = random.matrix(400, 20);
    let noise = |random: &mut Random| T::from_double(0.3 * random.normal());
    let y: Vec<T> =
        (0..400).map(|i| x[(i, 3)] - x[(i, 11)] + T::one() + noise(&mut random)).collect();
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let folds = Folds::shuffled(400, 5, 1)?;
    let chosen = LassoCv::new().fit_on(backend, &data, &folds)?;
    let support = |fit: &minrisk_core::Fit<T>| -> Vec<usize> {
        let weights = fit.model.coefficients().iter().enumerate();
        weights.filter(|(_, w)| **w != T::zero()).map(|(j, _)| j).collect()
    };
    let (best, simplest) = (support(&chosen.best), support(&chosen.simplest));
    ensure!(simplest.contains(&3) && simplest.contains(&11), "support {simplest:?}");
    ensure!(
        simplest.len() <= best.len(),
        "{} columns are simpler than {}",
        simplest.len(),
        best.len()
    );
    let (a, b) = (chosen.scores.one_standard_error(), chosen.scores.best());
    ensure!(chosen.scores.lambdas[a] >= chosen.scores.lambdas[b], "a weaker penalty is simpler");
    let curve = chosen.scores.curve();
    ensure!(
        curve.values.len() == 100 && curve.lines[0].means.len() == 100,
        "a curve of 100 points"
    );
    for bad in [
        LassoCv::new().with_ridge(-1.0),
        LassoCv::new().with_lambdas(vec![]),
        LassoCv::new().with_lambdas(vec![f64::NAN]),
        LassoCv::new().with_grid(0, 0.1),
        LassoCv::new().with_grid(10, 0.0),
    ] {
        let refused = bad.cross_validate_on(backend, &data, &folds);
        ensure!(matches!(refused, Err(Error::BadParameter { .. })), "{bad:?} is accepted");
    }
    let short = Folds::contiguous(399, 3)?;
    let refused = LassoCv::new().cross_validate_on(backend, &data, &short);
    ensure!(matches!(refused, Err(Error::LengthMismatch { .. })), "folds of other rows");
    Ok(())
}

/// Fewer rows than columns, constant columns and copies of columns: folds are fitted from their rows
/// where their moments cannot tell.
pub fn hard_paths_are_cross_validated<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(22);
    let wide: Matrix<T> = random.matrix(20, 30);
    let y = targets(&wide, 1, Residual::Large, &mut random);
    let data = Dataset::new(wide.view(), y.view())?;
    let folds = Folds::contiguous(20, 4)?;
    let lasso = LassoCv::new().with_grid(4, 0.1);
    let found = lasso.cross_validate_on(backend, &data, &folds)?;
    ensure!(found.refits == 16, "{} of 16 fits from rows", found.refits);
    let mut x: Matrix<T> = random.matrix(60, 4);
    for i in 0..60 {
        x[(i, 1)] = T::one();
        x[(i, 3)] = x[(i, 0)];
    }
    let y = targets(&x, 1, Residual::Large, &mut random);
    let data = Dataset::new(x.view(), y.view())?;
    let folds = Folds::contiguous(60, 3)?;
    let found = lasso.cross_validate_on(backend, &data, &folds)?;
    let finite = |scores: &minrisk_core::selection::Scores| scores.mean().is_finite();
    ensure!(found.mean_squared_errors.iter().all(finite), "scores that are no numbers");
    Ok(())
}
