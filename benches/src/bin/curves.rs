//! Correct digits on the polynomial and on the nonlinear NIST sets, with default settings.
//!
//! `cargo run --release -p minrisk-benches --bin curves [--features ndarray]`
//!
//! Digits are −log₁₀ of the relative error of the worst parameter, against the certified values of the
//! polynomials (capped at 15) and against 25-digit refinements of those of the curves. For curves the
//! digits from both starting points stand side by side, with the steps that were tried, first without
//! and then with the elimination of parameters that enter linearly.

use minrisk_benches::{Contestant, contestants};
use minrisk_conformance::certified::{Model, NonlinearSet, nist, nist_nonlinear};
use minrisk_conformance::exact::digits;
use minrisk_core::curve::LevenbergMarquardt;
use minrisk_core::polynomial::PolynomialRegression;
use minrisk_core::{Backend, Dataset, Error, View};
use num_rational::BigRational;

fn main() -> Result<(), Error> {
    for Contestant { name, backend, .. } in contestants() {
        println!("polynomials on {name}");
        polynomials(backend)?;
        println!("curves on {name}");
        for set in nist_nonlinear() {
            let plain = LevenbergMarquardt { eliminate: false, ..Default::default() };
            let plain = both_starts(backend, &plain, &set)?;
            let eliminated = both_starts(backend, &LevenbergMarquardt::default(), &set)?;
            println!("{:>10}  {plain}   {eliminated}", set.name);
        }
    }
    Ok(())
}

fn polynomials(backend: &dyn Backend<f64>) -> Result<(), Error> {
    for set in nist::<f64>() {
        if set.name != "Filip" && !set.name.starts_with("Wampler") {
            continue;
        }
        let data = Dataset::new(View::column_vector(set.x.col(0)), View::column_vector(&set.y))?;
        let fit = PolynomialRegression::new(set.x.cols()).fit_on(backend, &data)?;
        let linear = fit.model.linear();
        let found = linear.intercept().into_iter().chain(linear.coefficients().iter().copied());
        let digits = worst(found, &set.fits[0].coefficients).min(15.0);
        println!("{:>10}  {digits:.2} digits", set.name);
    }
    Ok(())
}

fn both_starts(
    backend: &dyn Backend<f64>,
    solver: &LevenbergMarquardt,
    set: &NonlinearSet,
) -> Result<String, Error> {
    let (x, y) = set.rounded::<f64>();
    let data = Dataset::new(x.view(), View::column_vector(&y))?;
    let model = Model::of(&set.name).expect("a model for every set");
    let mut cells = Vec::new();
    for start in &set.starts {
        let fit = solver.fit(backend, &model, &data, start)?;
        let digits = worst(fit.parameters.iter().copied(), &set.parameters);
        cells.push(format!("{digits:>5.1} digits in {:>4} steps", fit.iterations));
    }
    Ok(cells.join(", "))
}

fn worst(found: impl Iterator<Item = f64>, certified: &[BigRational]) -> f64 {
    found.zip(certified).map(|(value, exact)| digits(value, exact)).fold(f64::INFINITY, f64::min)
}
