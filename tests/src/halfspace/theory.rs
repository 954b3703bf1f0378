//! Constants of losses on data: no risk changes faster than they say, and some change as fast.

use minrisk_core::halfspace::theory::LossShape;
use minrisk_core::{Backend, Dataset, Matrix, Scalar, View};

use crate::Outcome;
use crate::check::ensure;
use crate::random::Random;

const SHAPES: [LossShape; 6] = [
    LossShape::ZeroOne,
    LossShape::Squared,
    LossShape::Absolute,
    LossShape::Logistic,
    LossShape::Perceptron,
    LossShape::Hinge,
];

/// Lipschitz and smoothness constants bound the mean risk and its gradient between any two weights,
/// convex risks lie below their chords, and on one row the bounds are attained.
pub fn constants_of_losses_hold<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(91);
    for _ in 0..60 {
        let rows = 1 + random.below(12);
        let x: Matrix<T> = Matrix::from_fn(rows, 2, |_, _| T::from_double(3.0 * random.signed()));
        let y: Vec<T> = (0..rows).map(|_| T::from_double(random.signed().signum())).collect();
        let weights: Vec<T> = (0..rows).map(|_| T::from_double(random.unit() + 0.1)).collect();
        let data = Dataset::new(x.view(), View::column_vector(&y))?
            .with_precisions(View::column_vector(&weights))?;
        for shape in SHAPES {
            let constants = shape.on(backend, &data, true)?;
            let risk = Risk { shape, x: &x, y: &y, weights: &weights };
            for _ in 0..20 {
                let [v, w]: [[f64; 3]; 2] =
                    [(); 2].map(|()| [(); 3].map(|()| 2.0 * random.signed()));
                let middle = [0, 1, 2].map(|j| 0.5 * (v[j] + w[j]));
                let ((a, slope_a), (b, slope_b)) = (risk.at(&v), risk.at(&w));
                let apart = distance(&v, &w);
                if let Some(most) = constants.lipschitz {
                    let change = (a - b).abs();
                    ensure!(
                        change <= most * apart + 1e-12,
                        "{shape:?}: {change}, at most {most}·{apart}"
                    );
                }
                if let Some(most) = constants.smoothness {
                    let change = distance(&slope_a, &slope_b);
                    ensure!(
                        change <= most * apart + 1e-12,
                        "{shape:?}: {change}, at most {most}·{apart}"
                    );
                }
                ensure!(
                    !constants.convex || risk.at(&middle).0 <= 0.5 * (a + b) + 1e-12,
                    "{shape:?} lies above a chord"
                );
            }
        }
    }
    attained(backend)
}

/// On one row the risk is a function of x·w alone.
fn attained<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    let x = [[T::from_double(3.0), T::from_double(4.0)]];
    let y = [T::one()];
    let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y))?;
    let squared = LossShape::Squared.on(backend, &data, false)?;
    let smoothness = squared.smoothness.unwrap_or(0.0);
    ensure!(
        (smoothness / 50.0 - 1.0).abs() <= 1e3 * T::unit_roundoff(),
        "β = {smoothness}, not 50"
    );
    ensure!(squared.lipschitz.is_none(), "squares have no Lipschitz constant");
    let hinge = LossShape::Hinge.on(backend, &data, false)?;
    ensure!(hinge.lipschitz == Some(5.0) && hinge.smoothness.is_none(), "{hinge:?}");
    Ok(())
}

struct Risk<'a, T> {
    shape: LossShape,
    x: &'a Matrix<T>,
    y: &'a [T],
    weights: &'a [T],
}

impl<T: Scalar> Risk<'_, T> {
    /// The mean risk and its gradient, the intercept last.
    fn at(&self, w: &[f64; 3]) -> (f64, [f64; 3]) {
        let total: f64 = self.weights.iter().map(|c| c.to_double()).sum();
        let (mut value, mut gradient) = (0.0, [0.0; 3]);
        for (t, y) in self.y.iter().enumerate() {
            let row = [self.x[(t, 0)].to_double(), self.x[(t, 1)].to_double(), 1.0];
            let z: f64 = row.iter().zip(w).map(|(x, w)| x * w).sum();
            let (loss, slope) = loss(self.shape, z, y.to_double());
            let share = self.weights[t].to_double() / total;
            value += share * loss;
            gradient.iter_mut().zip(row).for_each(|(g, x)| *g += share * slope * x);
        }
        (value, gradient)
    }
}

/// ℓ and a derivative.
fn loss(shape: LossShape, z: f64, y: f64) -> (f64, f64) {
    let margin = y * z;
    match shape {
        LossShape::ZeroOne => (f64::from(u8::from(margin <= 0.0)), 0.0),
        LossShape::Squared => ((z - y) * (z - y), 2.0 * (z - y)),
        LossShape::Absolute => ((z - y).abs(), (z - y).signum()),
        LossShape::Logistic => ((-margin).exp().ln_1p(), -y / (1.0 + margin.exp())),
        LossShape::Perceptron => ((-margin).max(0.0), if margin < 0.0 { -y } else { 0.0 }),
        LossShape::Hinge => ((1.0 - margin).max(0.0), if margin < 1.0 { -y } else { 0.0 }),
    }
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
