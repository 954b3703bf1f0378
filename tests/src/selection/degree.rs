//! The degree of a polynomial by cross-validation.

use minrisk_core::least_squares::Ridge;
use minrisk_core::polynomial::{PolynomialFit, PolynomialRegression, Rescaling};
use minrisk_core::selection::{
    Folds, Grid, Score, cross_validate, learning_curve, validation_curve,
};
use minrisk_core::{Backend, Dataset, Error, Scalar, View};

use crate::Outcome;
use crate::check::ensure;
use crate::random::Random;

const SAMPLES: u64 = 12;
const ROWS: usize = 30;

/// Samples from a cubic with noise: over all of them R² on held-out rows peaks at degree 3 and falls
/// later, and ridge damps a degree that is too high.
pub fn the_true_degree_is_found<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let folds = Folds::shuffled(ROWS, 5, 42)?;
    let mut means = [0.0; 10];
    let (mut damped, mut wild) = (Vec::new(), Vec::new());
    let mut chosen = Vec::new();
    for seed in 0..SAMPLES {
        let (x, y) = sample::<T>(seed);
        let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
        let fit = |&degree: &usize, train: &Dataset<'_, T>| fit(backend, degree, train);
        let grid = Grid::search(&data, &folds, Score::RSquared, 1..=10, fit)?;
        chosen.push(*grid.simplest_candidate());
        for (mean, scores) in means.iter_mut().zip(&grid.scores) {
            *mean += scores.mean() / SAMPLES as f64;
        }
        let penalties = [10.0, 1.0, 0.1, 0.01, 0.001];
        let ridge = |&alpha: &f64, train: &Dataset<'_, T>| {
            PolynomialRegression::of(15, Ridge::total(alpha))
                .rescaled(Rescaling::UnitInterval)
                .fit_on(backend, train)
        };
        let ridge = Grid::search(&data, &folds, Score::RSquared, penalties, ridge)?;
        damped.push(ridge.scores[ridge.best()].mean());
        let plain = cross_validate(&data, &folds, Score::RSquared, |train| fit(&15, train))?;
        wild.push(plain.mean());
    }
    let best = (0..10).fold(0, |best, k| if means[k] > means[best] { k } else { best }) + 1;
    ensure!(best == 3, "R² is largest at degree {best}: {means:?}");
    ensure!(means[9] < means[2] - 0.02, "degree 10 is hardly worse: {means:?}");
    let right = chosen.iter().filter(|degree| **degree == 3).count();
    ensure!(right >= 10, "one standard error picks the degrees {chosen:?}");
    // Medians: a fold that has to extrapolate with degree 15 can be off by any amount.
    let (damped, wild) = (median(damped), median(wild));
    ensure!(
        damped > means[2] - 0.15 && wild < damped - 0.1,
        "degree 15: R² is {damped} with ridge, {wild} without, {} for the cubic",
        means[2]
    );
    Ok(())
}

/// Validation curves are the scores of a grid, with those on the training rows beside them; learning
/// curves rise.
pub fn curves_of_scores_are_consistent<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let (x, y) = sample::<T>(3);
    let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
    let folds = Folds::shuffled(ROWS, 5, 42)?;
    let fit = |&degree: &usize, train: &Dataset<'_, T>| fit(backend, degree, train);
    let grid = Grid::search(&data, &folds, Score::RSquared, 1..=6, fit)?;
    let curve = validation_curve(&data, &folds, Score::RSquared, 1..=6, fit)?;
    ensure!(curve.test == grid.scores, "the validation curve is not that of the grid");
    let train: Vec<f64> = curve.train.iter().map(|scores| scores.mean()).collect();
    ensure!(train.is_sorted_by(|a, b| *b >= a - 1e-4), "training R² falls: {train:?}");
    let sizes = [6, 12, 24];
    let cubic = |train: &Dataset<'_, T>| fit(&3, train);
    let learning = learning_curve(&data, &folds, Score::RSquared, &sizes, 1, cubic)?;
    let (few, all) = (learning.test[0].mean(), learning.test[2].mean());
    ensure!(all > few && learning.rows == sizes, "R² {few} of 6 rows, {all} of 24");
    let too_many = learning_curve(&data, &folds, Score::RSquared, &[25], 1, cubic);
    ensure!(matches!(too_many, Err(Error::BadParameter { .. })), "25 of 24 rows: {too_many:?}");
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn fit<T: Scalar>(
    backend: &dyn Backend<T>,
    degree: usize,
    train: &Dataset<'_, T>,
) -> Result<PolynomialFit<T>, Error> {
    PolynomialRegression::new(degree).rescaled(Rescaling::UnitInterval).fit_on(backend, train)
}

/// y = 1 − 2x − x² + 2x³ with noise of variance 1, x in [−2, 2].
fn sample<T: Scalar>(seed: u64) -> (Vec<T>, Vec<T>) {
    let mut random = Random::new(1000 + seed);
    let x: Vec<T> = (0..ROWS).map(|_| T::from_double(2.0 * random.signed())).collect();
    let cubic = |x: f64| 1.0 - 2.0 * x - x * x + 2.0 * x * x * x;
    let y = x.iter().map(|x| T::from_double(cubic(x.to_double()) + random.normal())).collect();
    (x, y)
}
