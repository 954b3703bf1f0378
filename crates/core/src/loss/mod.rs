//! Losses ℓ(z, y): how bad it is to say z where y was seen.
//!
//! A loss is a function of two numbers; it sees no matrix, no backend and no intercept. What a solver
//! may use of it is stated by capability traits, so that a solver that needs a second derivative does
//! not compile with a loss that has none.
//!
//! | loss | ℓ(z, y) | traits |
//! |---|---|---|
//! | [`Squared`] | (z − y)² | [`TwiceSmooth`] |
//! | [`Huber`] | (z − y)², linear beyond δ | [`TwiceSmooth`] |
//! | [`Logistic`] | log(1 + e^(−yz)) | [`TwiceSmooth`] |
//! | [`SquaredHinge`] | max(0, 1 − yz)² | [`TwiceSmooth`] |
//! | [`Absolute`] | ∣z − y∣ | [`PiecewiseLinear`] |
//! | [`Quantile`] | q(y − z)₊ + (1 − q)(z − y)₊ | [`PiecewiseLinear`] |
//! | [`Hinge`] | max(0, 1 − yz) | [`PiecewiseLinear`] |
//! | [`Perceptron`] | max(0, −yz) | none: for the stochastic solvers |
//! | [`Softmax`] | log Σ_k e^(z_k) − z_y | a loss of several predictions |
//!
//! Data of any precision meets its loss in double precision.

mod absolute;
mod any;
mod hinge;
mod huber;
mod logistic;
mod perceptron;
mod quantile;
mod risk;
mod softmax;
mod squared;
mod squared_hinge;

use std::fmt::Debug;

pub use absolute::Absolute;
pub use any::AnyLoss;
pub use hinge::Hinge;
pub use huber::Huber;
pub use logistic::Logistic;
pub use perceptron::Perceptron;
pub use quantile::Quantile;
pub use risk::Risk;
pub use softmax::Softmax;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;

use crate::wide::Dd;
use crate::{Dataset, Error, Scalar};

/// A convex loss of a prediction z against a target y.
///
/// ```
/// use minrisk_core::loss::{Huber, Loss, Logistic};
/// assert_eq!(Huber::new(1.0)?.value(5.0, 2.0), 5.0);
/// assert_eq!(Logistic.derivative(0.0, 1.0), -0.5);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
pub trait Loss: Clone + Debug + Send + Sync {
    /// How it is called.
    const NAME: &'static str;
    /// Which targets it takes, in words.
    const DOMAIN: &'static str;

    /// ℓ(z, y).
    fn value(&self, z: f64, y: f64) -> f64;

    /// ∂ℓ/∂z, or a subgradient where there is no derivative.
    fn derivative(&self, z: f64, y: f64) -> f64;

    /// The conjugate in z: ℓ*(u, y) = sup_z uz − ℓ(z, y); +∞ outside its domain.
    fn conjugate(&self, u: f64, y: f64) -> f64;

    /// The least L with |ℓ(z) − ℓ(z′)| ≤ L·|z − z′|; +∞ where there is none.
    fn lipschitz(&self) -> f64;

    /// Whether y is a target the loss is defined for.
    fn accepts(&self, y: f64) -> bool;

    /// The loss by its name, for a certificate; `None` for a loss of the caller's own.
    fn known(&self) -> Option<AnyLoss> {
        None
    }

    /// Whether it is a function of z − y alone: ℓ(z, y) = ℓ(z − y, 0) and ℓ*(u, y) = ℓ*(u, 0) + uy. A certificate
    /// then keeps large targets out of its sums.
    fn is_of_residual(&self) -> bool {
        false
    }

    /// ℓ and ∂ℓ/∂z together, where that saves work.
    #[inline(always)]
    fn value_and_derivative(&self, z: f64, y: f64) -> (f64, f64) {
        (self.value(z, y), self.derivative(z, y))
    }
}

/// A loss with a derivative that is Lipschitz in z.
#[diagnostic::on_unimplemented(
    message = "the loss `{Self}` has no Lipschitz derivative",
    note = "gradient methods need a smooth loss: Squared, Huber, Logistic, SquaredHinge and Softmax are",
    note = "Absolute, Quantile and Hinge are solved by InteriorPoint, Hinge also by DualCoordinateDescent, \
            all of them and Perceptron by StochasticGradient"
)]
pub trait Smooth: Loss {
    /// The least L with |ℓ′(z) − ℓ′(z′)| ≤ L·|z − z′|.
    fn smoothness(&self) -> f64;
}

/// A loss with a second derivative almost everywhere, of which the first is the integral.
#[diagnostic::on_unimplemented(
    message = "the loss `{Self}` has no second derivative",
    note = "Newton's method needs a twice smooth loss: Squared, Huber, Logistic and SquaredHinge are"
)]
pub trait TwiceSmooth: Smooth {
    /// Whether ∂²ℓ/∂z² is the same everywhere, so that one Newton step is exact.
    const QUADRATIC: bool = false;

    /// Whether ∂²ℓ/∂z² is zero in places, so that Newton's model may know nothing of where to go.
    const FLAT_IN_PLACES: bool = false;

    /// ∂²ℓ/∂z².
    fn second_derivative(&self, z: f64, y: f64) -> f64;

    /// The curvature of a parabola that touches the loss at z and lies nowhere below it.
    #[inline(always)]
    fn majorant(&self, _z: f64, _y: f64) -> f64 {
        self.smoothness()
    }

    /// ∂ℓ/∂z at a z of twice the precision: the derivative at its leading part and a first-order
    /// correction, unless a loss knows better.
    #[inline(always)]
    fn wide_derivative(&self, z: Dd, y: f64) -> Dd {
        let (_, first, second) = self.all_derivatives(z.to_f64(), y);
        Dd::from(first) + Dd::from(second * z.low())
    }

    /// ℓ, ∂ℓ/∂z and ∂²ℓ/∂z² together, where that saves work.
    #[inline(always)]
    fn all_derivatives(&self, z: f64, y: f64) -> (f64, f64, f64) {
        let (value, first) = self.value_and_derivative(z, y);
        (value, first, self.second_derivative(z, y))
    }
}

/// A loss made of two straight pieces: slope·(z − kink), with one slope below the kink and one above.
#[diagnostic::on_unimplemented(
    message = "the loss `{Self}` is not piecewise linear with a kink that bounds it below",
    note = "the interior-point method takes Absolute, Quantile and Hinge"
)]
pub trait PiecewiseLinear: Loss {
    /// Where the pieces meet, and their slopes.
    fn kink(&self, y: f64) -> Kink;
}

/// ℓ(z) = below·(z − at) for z ≤ at and above·(z − at) for z ≥ at, with below ≤ 0 ≤ above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kink {
    /// Where the loss is zero.
    pub at: f64,
    /// The slope below, not positive.
    pub below: f64,
    /// The slope above, not negative.
    pub above: f64,
}

/// Fails at the first target that the loss is not defined for.
pub fn check_targets<T: Scalar, L: Loss>(loss: &L, data: &Dataset<'_, T>) -> Result<(), Error> {
    let y = data.target_view();
    for target in 0..y.cols() {
        if let Some(row) = y.col_iter(target).position(|&y| !loss.accepts(y.to_double())) {
            return Err(Error::TargetOutsideDomain {
                row,
                value: y[(row, target)].to_string(),
                loss: L::NAME,
                domain: L::DOMAIN,
            });
        }
    }
    Ok(())
}

/// The words for targets that are classes.
const SIGNS: &str = "-1 or +1";

fn is_sign(y: f64) -> bool {
    y == 1.0 || y == -1.0
}
