//! The price of a car by its age: least squares, its summary and its certificate.
//!
//! `cargo run -p minrisk --example cars`

use minrisk::prelude::*;

/// Ages in years and prices in €.
const AGE: [f64; 11] = [4.0, 4.0, 5.0, 5.0, 7.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0];
const PRICE: [f64; 11] =
    [6300., 5800., 5700., 4500., 4500., 4200., 4100., 3100., 2100., 2500., 2200.];

pub(crate) fn fit() -> Result<Fit<f64>, Error> {
    LeastSquares::new().fit(&dataset(&AGE, &PRICE)?.with_names(["age"])?)
}

pub(crate) fn main() -> Result<(), Error> {
    let fit = fit()?;
    println!("{}", summary(&dataset(&AGE, &PRICE)?.with_names(["age"])?, &fit)?);
    let six_years = fit.model.predict(view(&[6.0]))?;
    println!("\nA car of six years: {:.0} €", six_years[(0, 0)]);
    Ok(())
}
