//! A bell β exp(−(x − μ)²/σ) by gradient descent and by a method made for it.
//!
//! `cargo run -p minrisk --example bell`

use minrisk::curve::{Bells, Curve, GradientDescent};
use minrisk::prelude::*;

fn main() -> Result<(), Error> {
    let bell = Bells::new(1);
    let x: Vec<f64> = (0..41).map(|i| f64::from(i) / 10.0).collect();
    let disturbance = [0.02, -0.03, 0.01, 0.04, -0.02, -0.01];
    let y: Vec<f64> = x
        .iter()
        .zip(disturbance.iter().cycle())
        .map(|(&x, e)| bell.value(&[x], &[1.5, 2.2, 0.8]) + e)
        .collect();
    let data = dataset(&x, &y)?;

    let descent = GradientDescent::default().fit(&bell, &data, &[1.0, 1.5, 1.0])?;
    let steps = descent.trace.len() - 1;
    println!("gradient descent: {:?} after {steps} steps", descent.parameters);

    let fit = bell.fit_on(default_backend(), &data)?;
    println!("Levenberg–Marquardt from the data's own peak, {} steps:", fit.iterations);
    for (name, k) in [("β", 0), ("μ", 1), ("σ", 2)] {
        println!("  {name} = {:.6} ± {:.6}", fit.parameters[k], fit.standard_errors[k]);
    }
    Ok(())
}
