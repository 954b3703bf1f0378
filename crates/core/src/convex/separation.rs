//! Logistic regression without a penalty on separable data has no minimiser.
//!
//! If some (w, b) has y_t(w·x_t + b) ≥ 0 for all rows and > 0 for some, the loss falls for ever along it. At
//! an iterate where every row is on its right side (a loss below log 2 each) the iterate itself is such a
//! direction. Where only part of the rows can be separated the iterates run off along one, while the others come to
//! rest: there the direction is what Newton's steps converge to, each as long as the last, and rows with a share
//! of it below rounding lie on the hyperplane. (In single precision a Hessian does not tell the two apart: there only
//! complete separation is sure to be seen.)

use super::factor::Factor;
use super::newton::NewtonState;
use super::passes::PredictionPass;
use super::problem::Problem;
use crate::certificate::Separation;
use crate::loss::{AnyLoss, TwiceSmooth};
use crate::{Error, Matrix, Rows, Scalar};

/// Predictions below this are far from running off.
const RUN_OFF: f64 = 6.0;
/// Predictions above this are probabilities that can hardly be told from 0 or 1.
const FAR_OFF: f64 = 15.0;
/// How far a step moves the predictions of rows that run off, at least.
const STRIDE: f64 = 0.1;
/// A share of the largest margin below which a row lies on the hyperplane.
pub(super) fn on_hyperplane<T: Scalar>() -> f64 {
    1e-6_f64.max(1e4 * T::unit_roundoff())
}

/// A direction of endless descent, if θ shows one.
pub(super) fn find<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    theta: &[f64],
) -> Result<Option<Separation>, Error> {
    if problem.loss.known() != Some(AnyLoss::Logistic) || !problem.terms.is_zero() {
        return Ok(None);
    }
    let margins = Margins::along(problem, theta)?;
    if margins.least > 0.0 && problem.data.offsets().is_none() {
        return Ok(Some(separation(problem, theta, true)));
    }
    if margins.largest <= RUN_OFF {
        return Ok(None);
    }
    if margins.largest > FAR_OFF && margins.least > -on_hyperplane::<f64>() * margins.largest {
        // Nothing has come to rest anywhere but on the hyperplane.
        return Ok(Some(separation(problem, theta, false)));
    }
    let Some(step) = newton_step(problem, theta)? else { return Ok(None) };
    let Margins { least, largest } = Margins::along(problem, &step)?;
    let runs_off = largest > STRIDE && least > -on_hyperplane::<T>() * largest;
    Ok(runs_off.then(|| separation(problem, &step, false)))
}

/// The least and the largest y_t(w·x_t + b) of the rows that count.
struct Margins {
    least: f64,
    largest: f64,
}

impl Margins {
    fn along<T: Scalar, L: TwiceSmooth>(
        problem: &Problem<'_, T, L>,
        direction: &[f64],
    ) -> Result<Self, Error> {
        let (weights, intercept) = problem.split(direction);
        let (_, z) = Rows::Memory(problem.data).reduce(&PredictionPass { weights, intercept })?;
        let y = problem.data.target_view();
        let offset = |t: usize| problem.data.offset_of(t);
        let counts = |t: &usize| problem.data.weight_of(*t) > 0.0;
        let rows = (0..z.len()).filter(counts);
        let margins = rows.map(|t| (z[t] - offset(t)) * y[(t, 0)].to_double());
        let start = Self { least: f64::INFINITY, largest: 0.0 };
        Ok(margins.fold(start, |Self { least, largest }, margin| Self {
            least: least.min(margin),
            largest: largest.max(margin),
        }))
    }
}

/// −H⁻¹g at θ; `None` where the Hessian has no digits left.
fn newton_step<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    theta: &[f64],
) -> Result<Option<Vec<f64>>, Error> {
    let mut newton = NewtonState::new(problem, theta.to_vec());
    let (_, gradient) = newton.model()?;
    let NewtonState { coordinates, hessian, .. } = newton;
    let size = hessian.rows();
    let hessian = Matrix::from_fn(size, size, |i, j| T::from_double(hessian[(i, j)]));
    let factor = Factor::lifted(problem.backend, &hessian);
    let step = factor.map(|factor| factor.solve(&gradient).iter().map(|s| -s).collect::<Vec<_>>());
    Ok(step.map(|step| coordinates.step(&step)))
}

fn separation<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    direction: &[f64],
    complete: bool,
) -> Separation {
    let largest = super::vectors::largest(direction);
    let direction: Vec<f64> = direction.iter().map(|w| w / largest).collect();
    let (weights, intercept) = problem.split(&direction);
    Separation {
        weights: weights.to_vec(),
        intercept: problem.intercept.then_some(intercept),
        complete,
    }
}
