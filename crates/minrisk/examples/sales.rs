//! Monthly sales by advertising, both in 1000 $: least squares, and ridge between it and nothing.
//!
//! `cargo run -p minrisk --example sales`

use minrisk::prelude::*;

const ADVERTISING: [f64; 7] = [1.7, 1.5, 2.8, 5.0, 1.3, 2.2, 1.3];
const SALES: [f64; 7] = [368., 340., 665., 954., 331., 556., 376.];

/// The slope of ridge regression for each penalty.
pub(crate) fn slopes(penalties: &[f64]) -> Result<Vec<f64>, Error> {
    let data = dataset(&ADVERTISING, &SALES)?;
    let fits = Ridge::total(0.0).path_on(default_backend(), &data, penalties)?;
    Ok(fits.iter().map(|fit| fit.model.coefficients()[0]).collect())
}

pub(crate) fn main() -> Result<(), Error> {
    let data = dataset(&ADVERTISING, &SALES)?.with_names(["advertising"])?;
    println!("{}\n", summary(&data, &LeastSquares::new().fit(&data)?)?);
    let penalties = [0.0, 0.1, 1.0, 10.0, 100.0, 1e6];
    for (penalty, slope) in penalties.iter().zip(slopes(&penalties)?) {
        println!("α = {penalty:>7}: {slope:>9.4} more sales for each unit of advertising");
    }
    Ok(())
}
