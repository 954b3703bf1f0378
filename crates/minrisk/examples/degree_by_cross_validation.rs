//! The degree of a polynomial by cross-validation, and ridge for a degree chosen too high.
//!
//! `cargo run -p minrisk --example degree_by_cross_validation`

use minrisk::least_squares::Ridge;
use minrisk::polynomial::{PolynomialRegression, Rescaling};
use minrisk::prelude::*;
use minrisk::selection::{Folds, Grid, Score, cross_validate};

/// y = x³ − 3x and a disturbance that repeats every seven points.
fn points() -> (Vec<f64>, Vec<f64>) {
    let disturbance = [0.6, -0.9, 0.4, 1.1, -0.7, -1.0, 0.5];
    let x = (0..35).map(|i| -2.0 + 4.0 * f64::from(i) / 34.0);
    x.zip(disturbance.iter().cycle()).map(|(x, e)| (x, x.powi(3) - 3.0 * x + e)).unzip()
}

/// Degrees 1 to 12 with their R² on held-out rows.
pub(crate) fn degrees() -> Result<Grid<usize>, Error> {
    let (x, y) = points();
    let data = dataset(&x, &y)?;
    let folds = Folds::shuffled(data.rows(), 5, 42)?;
    Grid::search(&data, &folds, Score::RSquared, 1..=12, |&degree, train| {
        PolynomialRegression::new(degree)
            .rescaled(Rescaling::UnitInterval)
            .fit_on(default_backend(), train)
    })
}

/// R² on held-out rows of degree 15 with a ridge penalty.
pub(crate) fn damped(alpha: f64) -> Result<f64, Error> {
    let (x, y) = points();
    let data = dataset(&x, &y)?;
    let folds = Folds::shuffled(data.rows(), 5, 42)?;
    let scores = cross_validate(&data, &folds, Score::RSquared, |train| {
        PolynomialRegression::of(15, Ridge::total(alpha))
            .rescaled(Rescaling::UnitInterval)
            .fit_on(default_backend(), train)
    })?;
    Ok(scores.mean())
}

pub(crate) fn main() -> Result<(), Error> {
    let grid = degrees()?;
    println!("degree  R² on held-out rows");
    for (degree, scores) in grid.candidates.iter().zip(&grid.scores) {
        println!("{degree:>6}  {:>8.4} ± {:.4}", scores.mean(), scores.standard_error());
    }
    println!("best: {}", grid.best_candidate());
    println!("simplest within one standard error: {}", grid.simplest_candidate());
    println!("\nα for degree 15  R² on held-out rows");
    for alpha in [0.0, 1e-4, 1e-2, 1.0] {
        println!("{alpha:>15}  {:>8.4}", damped(alpha)?);
    }
    Ok(())
}
