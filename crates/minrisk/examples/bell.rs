//! A bell β exp(−(x − μ)²/σ) by gradient descent and by a method made for it.
//!
//! `cargo run -p minrisk --example bell`

use minrisk::curve::{Bells, Curve, CurveFit, Descent, GradientDescent};
use minrisk::prelude::*;

/// β, μ and σ of the bell that the points come from.
pub(crate) const TRUTH: [f64; 3] = [1.5, 2.2, 0.8];

fn points() -> (Vec<f64>, Vec<f64>) {
    let disturbance = [0.02, -0.03, 0.01, 0.04, -0.02, -0.01];
    let x = (0..41).map(|i| f64::from(i) / 10.0);
    x.zip(disturbance.iter().cycle())
        .map(|(x, e)| (x, Bells::new(1).value(&[x], &TRUTH) + e))
        .unzip()
}

pub(crate) fn fits() -> Result<(Descent, CurveFit), Error> {
    let ((x, y), bell) = (points(), Bells::new(1));
    let data = dataset(&x, &y)?;
    let descent = GradientDescent::default().fit(&bell, &data, &[1.0, 1.5, 1.0])?;
    Ok((descent, bell.fit_on(default_backend(), &data)?))
}

pub(crate) fn main() -> Result<(), Error> {
    let (descent, fit) = fits()?;
    let steps = descent.trace.len() - 1;
    println!("gradient descent: {:?} after {steps} steps", descent.parameters);
    println!("Levenberg–Marquardt from the data's own peak, {} steps:", fit.iterations);
    for (name, k) in [("β", 0), ("μ", 1), ("σ", 2)] {
        println!("  {name} = {:.6} ± {:.6}", fit.parameters[k], fit.standard_errors[k]);
    }
    Ok(())
}
