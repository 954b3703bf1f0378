//! Newton's method on least squares: one step from anywhere is exact.
//!
//! `cargo run -p minrisk --example newton_least_squares`

use minrisk::convex::{Control, Newton};
use minrisk::loss::Squared;
use minrisk::penalty::Unpenalised;
use minrisk::prelude::*;
use minrisk::{Erm, Solver};

const ADVERTISING: [f64; 7] = [1.7, 1.5, 2.8, 5.0, 1.3, 2.2, 1.3];
const SALES: [f64; 7] = [368., 340., 665., 954., 331., 556., 376.];

/// The fit of Newton's method with every step, and that of the closed form.
pub(crate) fn fits() -> Result<(Fit<f64>, Fit<f64>), Error> {
    let data = dataset(&ADVERTISING, &SALES)?;
    let newton = Newton { control: Control { trace: true, ..Control::default() } };
    let by_newton = newton.solve(default_backend(), &Erm::new(Squared, Unpenalised), &data)?;
    Ok((by_newton, LeastSquares::new().fit(&data)?))
}

pub(crate) fn main() -> Result<(), Error> {
    let (newton, closed_form) = fits()?;
    for step in &newton.report.trace {
        println!("step {}: objective {:.10}", step.iteration, step.objective);
    }
    println!(
        "Newton:      b = {:?}, w = {:?}",
        newton.model.intercept(),
        newton.model.coefficients()
    );
    let model = &closed_form.model;
    println!("closed form: b = {:?}, w = {:?}", model.intercept(), model.coefficients());
    Ok(())
}
