//! The perceptron with rate 0.2 from (b, w) = (0, 1, 0.5), update by update.
//!
//! `cargo run -p minrisk --example perceptron`

use minrisk::halfspace::{Perceptron, PerceptronFit};
use minrisk::prelude::*;

const POINTS: [[f64; 2]; 6] =
    [[1.0, 1.0], [2.0, -2.0], [-1.0, -1.5], [-2.0, -1.0], [-2.0, 1.0], [1.5, -0.5]];
const LABELS: [f64; 6] = [1.0, -1.0, -1.0, -1.0, 1.0, 1.0];

fn perceptron() -> Perceptron {
    // The intercept is the last of the weights.
    Perceptron::new().with_rate(0.2).starting_at(vec![1.0, 0.5, 0.0]).with_trace(10)
}

pub(crate) fn fit() -> Result<PerceptronFit<f64>, Error> {
    perceptron().fit(&dataset(&POINTS, &LABELS)?)
}

pub(crate) fn main() -> Result<(), Error> {
    let fit = fit()?;
    println!("start: b = 0, w = (1, 0.5)");
    for update in &fit.trace {
        let (w, b, [x, y]) = (&update.weights, update.intercept, POINTS[update.row]);
        println!("mistake at ({x}, {y}): b = {b:.1}, w = ({:.1}, {:.1})", w[0], w[1]);
    }
    println!(
        "{} updates in {} epochs, margin {:.4}",
        fit.updates,
        fit.epochs,
        fit.margin.unwrap_or(0.0)
    );
    let bound = perceptron().mistake_bound_on(default_backend(), &dataset(&POINTS, &LABELS)?)?;
    if let Some(bound) = bound {
        println!("no order of these rows needs more than {} updates", bound.updates);
    }
    Ok(())
}
