//! The degree of a polynomial by cross-validation, and ridge for a degree chosen too high.
//!
//! `cargo run -p minrisk --example degree_by_cross_validation`

use minrisk::least_squares::Ridge;
use minrisk::polynomial::{PolynomialRegression, Rescaling};
use minrisk::prelude::*;
use minrisk::selection::{Folds, Grid, Score, cross_validate};

fn main() -> Result<(), Error> {
    // y = x³ − 3x and a disturbance that repeats every seven points.
    let x: Vec<f64> = (0..35).map(|i| -2.0 + 4.0 * f64::from(i) / 34.0).collect();
    let disturbance = [0.6, -0.9, 0.4, 1.1, -0.7, -1.0, 0.5];
    let y: Vec<f64> =
        x.iter().zip(disturbance.iter().cycle()).map(|(x, e)| x.powi(3) - 3.0 * x + e).collect();
    let data = dataset(&x, &y)?;
    let folds = Folds::shuffled(data.rows(), 5, 42)?;
    let grid = Grid::search(&data, &folds, Score::RSquared, 1..=12, |&degree, train| {
        PolynomialRegression::new(degree)
            .rescaled(Rescaling::UnitInterval)
            .fit_on(default_backend(), train)
    })?;
    println!("degree  R² on held-out rows");
    for (degree, scores) in grid.candidates.iter().zip(&grid.scores) {
        println!("{degree:>6}  {:>8.4} ± {:.4}", scores.mean(), scores.standard_error());
    }
    println!("best: {}", grid.best_candidate());
    println!("simplest within one standard error: {}", grid.simplest_candidate());
    println!("\nα for degree 15  R² on held-out rows");
    for alpha in [0.0, 1e-4, 1e-2, 1.0] {
        let scores = cross_validate(&data, &folds, Score::RSquared, |train| {
            PolynomialRegression::of(15, Ridge::total(alpha))
                .rescaled(Rescaling::UnitInterval)
                .fit_on(default_backend(), train)
        })?;
        println!("{alpha:>15}  {:>8.4}", scores.mean());
    }
    Ok(())
}
