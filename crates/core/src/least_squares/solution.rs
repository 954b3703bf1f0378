//! A solution in the wide precision, and its way into a fit: rounded once, with what is known of it.

use super::minimum_norm::MinimumNorm;
use super::rank::Dependencies;
use crate::wide::{Dd, Number};
use crate::{
    Backend, Certificate, Error, Fit, LeastSquaresCertificate, LinearModel, Names, Report,
    RidgePenalty, Scalar, Status,
};

/// Bounds for the errors of a solution before it is rounded.
#[derive(Clone, Debug, Default)]
pub(super) struct Accuracies {
    /// For each target, one bound for each coefficient.
    pub(super) coefficients: Vec<Vec<f64>>,
    /// One bound for each intercept.
    pub(super) intercepts: Vec<f64>,
    /// Backward error of the rounded solution.
    pub(super) backward: f64,
}

/// Coefficients in the wide precision with everything that is known about them.
pub(super) struct Solution<T: Scalar> {
    pub(super) coefficients: Vec<Vec<T::Wide>>,
    /// One for each target; empty without an intercept.
    pub(super) intercepts: Vec<T::Wide>,
    pub(super) accuracies: Accuracies,
    /// Σ c r² of each target.
    pub(super) squares: Vec<f64>,
    pub(super) accurate: bool,
    pub(super) condition: f64,
    pub(super) rank: usize,
    /// Columns that others determine; their coefficients are zero until the norm is minimised.
    pub(super) dependencies: Option<Dependencies<T>>,
    pub(super) rows: usize,
    pub(super) weight: Dd,
    pub(super) steps: usize,
    pub(super) passes: usize,
    pub(super) path: &'static str,
}

/// A wide value rounded to the type of the data, with a bound for its error and its digits.
struct Rounded<T> {
    value: T,
    bound: f64,
    digits: f64,
    /// Whether it is certainly the nearest number of its type.
    nearest: bool,
}

fn round<T: Scalar>(wide: T::Wide, error: f64) -> Rounded<T> {
    let u = T::unit_roundoff();
    let magnitude = wide.to_double().abs();
    // Nothing but an error remains of a coefficient that is not told from zero.
    if magnitude <= error {
        let nearest = error == 0.0;
        let digits = if nearest { -u.log10() } else { 0.0 };
        return Rounded { value: T::zero(), bound: magnitude + error, digits, nearest };
    }
    let value = T::from_wide(wide);
    let rounding = (wide - value.into()).to_double().abs();
    let bound = (rounding + error) * (1.0 + 4.0 * f64::EPSILON);
    let half_gap = u * power_below(value.to_double().abs());
    let digits = if bound == 0.0 { f64::INFINITY } else { -(bound / magnitude).log10() };
    Rounded {
        value,
        bound,
        digits: digits.clamp(0.0, -u.log10()),
        nearest: bound < half_gap || bound == 0.0,
    }
}

/// The greatest power of two that is not above a positive value.
fn power_below(value: f64) -> f64 {
    f64::power_of_two(value.exponent() - 1)
}

impl<T: Scalar> Solution<T> {
    /// The fit for a caller.
    pub(super) fn into_fit(
        mut self,
        backend: &dyn Backend<T>,
        names: Option<&Names>,
        penalty: RidgePenalty,
        objective: impl Fn(f64, &[f64]) -> f64,
    ) -> Result<Fit<T>, Error> {
        let dependencies = self.dependencies.take();
        if let Some(dependencies) = &dependencies
            && !dependencies.relations.is_empty()
        {
            MinimumNorm::of(dependencies).apply(&mut self);
        }
        let mut certificate = LeastSquaresCertificate {
            coefficient_bounds: Vec::new(),
            intercept_bounds: Vec::new(),
            digits: Vec::new(),
            intercept_digits: Vec::new(),
            correctly_rounded: true,
            condition: self.condition,
            rank: self.rank,
            cut: dependencies.as_ref().and_then(|found| found.cut),
            relations: dependencies.map_or(Vec::new(), |found| found.describe(names)),
            backward_error: self.accuracies.backward,
            rows: self.rows,
            penalty,
        };
        let mut weights = Vec::new();
        let mut objectives = Vec::new();
        for (target, coefficients) in self.coefficients.iter().enumerate() {
            let errors = &self.accuracies.coefficients[target];
            let rounded: Vec<Rounded<T>> =
                coefficients.iter().zip(errors).map(|(&w, &error)| round(w, error)).collect();
            if rounded.iter().any(|w| !w.value.is_finite()) {
                return Err(Error::Overflow {
                    what: "a coefficient",
                    remedy: "the columns or the target",
                });
            }
            certificate.coefficient_bounds.push(rounded.iter().map(|w| w.bound).collect());
            certificate.digits.push(rounded.iter().map(|w| w.digits).collect());
            certificate.correctly_rounded &= rounded.iter().all(|w| w.nearest);
            let values: Vec<T> = rounded.into_iter().map(|w| w.value).collect();
            let as_doubles: Vec<f64> = values.iter().map(|w| w.to_double()).collect();
            objectives.push(objective(self.squares[target], &as_doubles));
            weights.push(values);
        }
        let mut intercepts = Vec::new();
        for (&intercept, &error) in self.intercepts.iter().zip(&self.accuracies.intercepts) {
            let rounded = round::<T>(intercept, error);
            certificate.intercept_bounds.push(rounded.bound);
            certificate.intercept_digits.push(rounded.digits);
            certificate.correctly_rounded &= rounded.nearest;
            intercepts.push(rounded.value);
        }
        let intercepts = (!intercepts.is_empty()).then_some(intercepts);
        Ok(Fit {
            model: LinearModel::new(weights, intercepts, names.cloned())?,
            report: Report {
                status: if self.accurate { Status::Solved } else { Status::LimitedAccuracy },
                solver: self.path.to_string(),
                backend: backend.name().to_string(),
                iterations: self.steps,
                passes: self.passes,
                objective: objectives,
                trace: Vec::new(),
            },
            certificate: Certificate::LeastSquares(Box::new(certificate)),
        })
    }
}
