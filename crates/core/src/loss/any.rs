//! A loss that is known only at run time: what a certificate names and the program chooses.

use super::{
    Absolute, Hinge, Huber, Logistic, Loss, Perceptron, Quantile, Smooth, Squared, SquaredHinge,
    TwiceSmooth,
};
use std::fmt;

/// One of the losses of one prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum AnyLoss {
    /// [`Squared`].
    Squared,
    /// [`Absolute`].
    Absolute,
    /// [`Quantile`].
    Quantile(Quantile),
    /// [`Huber`].
    Huber(Huber),
    /// [`Logistic`].
    Logistic,
    /// [`Hinge`].
    Hinge,
    /// [`SquaredHinge`].
    SquaredHinge,
    /// [`Perceptron`].
    Perceptron,
}

impl AnyLoss {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            AnyLoss::Squared => Squared::NAME,
            AnyLoss::Absolute => Absolute::NAME,
            AnyLoss::Quantile(_) => Quantile::NAME,
            AnyLoss::Huber(_) => Huber::NAME,
            AnyLoss::Logistic => Logistic::NAME,
            AnyLoss::Hinge => Hinge::NAME,
            AnyLoss::SquaredHinge => SquaredHinge::NAME,
            AnyLoss::Perceptron => Perceptron::NAME,
        }
    }

    /// ∂²ℓ/∂z², where it has one.
    pub fn curvature(&self, z: f64, y: f64) -> Option<f64> {
        match self {
            AnyLoss::Squared => Some(Squared.second_derivative(z, y)),
            AnyLoss::Huber(loss) => Some(loss.second_derivative(z, y)),
            AnyLoss::Logistic => Some(Logistic.second_derivative(z, y)),
            AnyLoss::SquaredHinge => Some(SquaredHinge.second_derivative(z, y)),
            _ => None,
        }
    }

    /// The constant of smoothness, where it has one.
    pub fn smoothness(&self) -> Option<f64> {
        match self {
            AnyLoss::Squared => Some(Squared.smoothness()),
            AnyLoss::Huber(loss) => Some(loss.smoothness()),
            AnyLoss::Logistic => Some(Logistic.smoothness()),
            AnyLoss::SquaredHinge => Some(SquaredHinge.smoothness()),
            _ => None,
        }
    }
}

impl fmt::Display for AnyLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyLoss::Quantile(loss) => write!(f, "quantile:{}", loss.q()),
            AnyLoss::Huber(loss) => write!(f, "huber:{}", loss.delta()),
            _ => f.write_str(self.name()),
        }
    }
}

impl Loss for AnyLoss {
    const NAME: &'static str = "chosen";
    const DOMAIN: &'static str = "numbers for regression, -1 or +1 for classification";

    fn value(&self, z: f64, y: f64) -> f64 {
        match self {
            AnyLoss::Squared => Squared.value(z, y),
            AnyLoss::Absolute => Absolute.value(z, y),
            AnyLoss::Quantile(loss) => loss.value(z, y),
            AnyLoss::Huber(loss) => loss.value(z, y),
            AnyLoss::Logistic => Logistic.value(z, y),
            AnyLoss::Hinge => Hinge.value(z, y),
            AnyLoss::SquaredHinge => SquaredHinge.value(z, y),
            AnyLoss::Perceptron => Perceptron.value(z, y),
        }
    }

    fn derivative(&self, z: f64, y: f64) -> f64 {
        match self {
            AnyLoss::Squared => Squared.derivative(z, y),
            AnyLoss::Absolute => Absolute.derivative(z, y),
            AnyLoss::Quantile(loss) => loss.derivative(z, y),
            AnyLoss::Huber(loss) => loss.derivative(z, y),
            AnyLoss::Logistic => Logistic.derivative(z, y),
            AnyLoss::Hinge => Hinge.derivative(z, y),
            AnyLoss::SquaredHinge => SquaredHinge.derivative(z, y),
            AnyLoss::Perceptron => Perceptron.derivative(z, y),
        }
    }

    fn conjugate(&self, u: f64, y: f64) -> f64 {
        match self {
            AnyLoss::Squared => Squared.conjugate(u, y),
            AnyLoss::Absolute => Absolute.conjugate(u, y),
            AnyLoss::Quantile(loss) => loss.conjugate(u, y),
            AnyLoss::Huber(loss) => loss.conjugate(u, y),
            AnyLoss::Logistic => Logistic.conjugate(u, y),
            AnyLoss::Hinge => Hinge.conjugate(u, y),
            AnyLoss::SquaredHinge => SquaredHinge.conjugate(u, y),
            AnyLoss::Perceptron => Perceptron.conjugate(u, y),
        }
    }

    fn lipschitz(&self) -> f64 {
        match self {
            AnyLoss::Squared => Squared.lipschitz(),
            AnyLoss::Absolute => Absolute.lipschitz(),
            AnyLoss::Quantile(loss) => loss.lipschitz(),
            AnyLoss::Huber(loss) => loss.lipschitz(),
            AnyLoss::Logistic => Logistic.lipschitz(),
            AnyLoss::Hinge => Hinge.lipschitz(),
            AnyLoss::SquaredHinge => SquaredHinge.lipschitz(),
            AnyLoss::Perceptron => Perceptron.lipschitz(),
        }
    }

    fn accepts(&self, y: f64) -> bool {
        match self {
            AnyLoss::Squared => Squared.accepts(y),
            AnyLoss::Absolute => Absolute.accepts(y),
            AnyLoss::Quantile(loss) => loss.accepts(y),
            AnyLoss::Huber(loss) => loss.accepts(y),
            AnyLoss::Logistic => Logistic.accepts(y),
            AnyLoss::Hinge => Hinge.accepts(y),
            AnyLoss::SquaredHinge => SquaredHinge.accepts(y),
            AnyLoss::Perceptron => Perceptron.accepts(y),
        }
    }

    fn is_of_residual(&self) -> bool {
        match self {
            AnyLoss::Squared => Squared.is_of_residual(),
            AnyLoss::Absolute => Absolute.is_of_residual(),
            AnyLoss::Quantile(loss) => loss.is_of_residual(),
            AnyLoss::Huber(loss) => loss.is_of_residual(),
            AnyLoss::Logistic => Logistic.is_of_residual(),
            AnyLoss::Hinge => Hinge.is_of_residual(),
            AnyLoss::SquaredHinge => SquaredHinge.is_of_residual(),
            AnyLoss::Perceptron => Perceptron.is_of_residual(),
        }
    }

    fn known(&self) -> Option<AnyLoss> {
        Some(*self)
    }
}
