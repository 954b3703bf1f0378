//! Newton's method on the weights of all classes at once.

use super::SoftmaxRegression;
use super::pass::{SoftmaxPass, SoftmaxSums};
use super::separation;
use crate::certificate::{SoftmaxCertificate, SoftmaxSeparation};
use crate::convex::coordinates::Coordinates;
use crate::convex::factor::Factor;
use crate::convex::run::Run;
use crate::convex::vectors::{dot, largest};
use crate::{
    Backend, Certificate, Dataset, Error, Fit, KernelError, LinearModel, Matrix, Report, Rows,
    Scalar, Status,
};

/// The fraction of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;
/// How far a step goes where weights run off, at least, in coordinates of unit deviation.
const STRIDE: f64 = 0.01;
/// Weights below this, in such coordinates, are far from running off.
const RUN_OFF: f64 = 2.0;

/// Newton's method in well-scaled coordinates; unknowns are ordered class by class.
pub(super) struct SoftmaxNewton<'a, T: Scalar> {
    settings: &'a SoftmaxRegression,
    backend: &'a dyn Backend<T>,
    data: &'a Dataset<'a, T>,
    coordinates: Coordinates<T>,
    classes: usize,
    /// v of every class, one after the other.
    v: Vec<f64>,
    passes: usize,
}

/// Where the iteration ended.
pub(super) struct End {
    status: Status,
    objective: f64,
    /// ½gᵀH⁻¹g.
    gap: f64,
    /// The step that would come next.
    step: Vec<f64>,
}

impl<'a, T: Scalar> SoftmaxNewton<'a, T> {
    pub(super) fn new(
        settings: &'a SoftmaxRegression,
        backend: &'a dyn Backend<T>,
        data: &'a Dataset<'a, T>,
        classes: usize,
    ) -> Self {
        let coordinates = Coordinates::of(data, settings.intercept);
        let v = vec![0.0; classes * coordinates.unknowns()];
        Self { settings, backend, data, coordinates, classes, v, passes: 0 }
    }

    /// Iterates until the run ends.
    pub(super) fn iterate(&mut self, run: &mut Run<'_>) -> Result<End, Error> {
        let (mut objective, mut gradient, mut hessian) = self.model(&self.v.clone())?;
        let mut length = 0.0;
        loop {
            let step = self.step(&hessian, &gradient)?;
            let slope = dot(&step, &gradient);
            let norm = largest(&gradient);
            let gap = (-0.5 * slope).max(0.0);
            if let Some(status) = run.report(objective, norm, length, gap) {
                if status == Status::Solved {
                    // The step is known and gains less than the tolerance.
                    self.v.iter_mut().zip(&step).for_each(|(v, s)| *v += s);
                    let (objective, gradient, hessian) = self.model(&self.v.clone())?;
                    let step = self.step(&hessian, &gradient)?;
                    let gap = (-0.5 * dot(&step, &gradient)).max(0.0);
                    return Ok(End { status, objective, gap, step });
                }
                return Ok(End { status, objective, gap, step });
            }
            length = 1.0;
            loop {
                let trial: Vec<f64> =
                    self.v.iter().zip(&step).map(|(v, s)| v + length * s).collect();
                let next = self.model(&trial)?;
                if next.0 <= objective + ARMIJO * length * slope {
                    (objective, gradient, hessian) = next;
                    self.v = trial;
                    break;
                }
                if length * slope.abs() <= 1e-15 * objective.abs() {
                    return Ok(End { status: Status::Solved, objective, gap, step });
                }
                length *= 0.5;
            }
        }
    }

    /// F, its gradient and its Hessian at v.
    fn model(&mut self, v: &[f64]) -> Result<(f64, Vec<f64>, Matrix<T>), Error> {
        self.passes += 1;
        let unknowns = self.coordinates.unknowns();
        let features = self.data.cols();
        let pass = SoftmaxPass {
            backend: self.backend,
            coordinates: &self.coordinates,
            weights: Matrix::from_fn(unknowns, self.classes, |j, k| {
                T::from_double(v[k * unknowns + j])
            }),
        };
        let SoftmaxSums { value, gradient, mut hessian, .. } =
            Rows::Memory(self.data).reduce(&pass)?;
        let mut objective = value;
        let mut gradient: Vec<f64> = gradient.as_slice().iter().map(|g| g.to_double()).collect();
        let ridge = |j: usize| {
            if j < features { self.settings.l2 * self.coordinates.scale(j).powi(2) } else { 0.0 }
        };
        let gauge = self.data.total_weight().to_f64() / self.classes as f64;
        for j in 0..unknowns {
            let sum: f64 = (0..self.classes).map(|k| v[k * unknowns + j]).sum();
            objective += 0.5 * gauge * sum * sum;
            for k in 0..self.classes {
                let at = k * unknowns + j;
                objective += ridge(j) * v[at] * v[at];
                gradient[at] += 2.0 * ridge(j) * v[at] + gauge * sum;
                hessian[(at, at)] += T::from_double(2.0 * ridge(j));
                for l in 0..=k {
                    hessian[(at, l * unknowns + j)] += T::from_double(gauge);
                }
            }
        }
        Ok((objective, gradient, hessian))
    }

    /// −H⁻¹g, with the diagonal lifted where the Hessian is singular.
    fn step(&self, hessian: &Matrix<T>, gradient: &[f64]) -> Result<Vec<f64>, Error> {
        let factor = Factor::lifted(self.backend, hessian);
        let factor = factor.ok_or(KernelError::NotPositiveDefinite { pivot: 0 })?;
        Ok(factor.solve(gradient).iter().map(|s| -s).collect())
    }

    /// The fit of where the iteration ended, or a direction of endless descent.
    pub(super) fn finish(self, end: End, run: Run<'_>) -> Result<Fit<T>, Error> {
        let End { status, objective, gap, .. } = end;
        let (weights, intercepts) = self.by_class(&self.v);
        let rounded = |v: &[f64]| v.iter().map(|&v| T::from_double(v)).collect::<Vec<T>>();
        let model = LinearModel::new(
            weights.iter().map(|weights| rounded(weights)).collect(),
            intercepts.as_deref().map(rounded),
            self.data.names().cloned(),
        )?;
        let gap = gap + 16.0 * f64::EPSILON * objective.abs();
        let relative_gap = gap / objective.abs().max(f64::MIN_POSITIVE);
        let good = relative_gap <= run.tolerance().max(1e-10).max(1e3 * T::unit_roundoff());
        let (status, certificate) = match self.separation(&end.step)? {
            Some(separation) => (Status::NoMinimiser, Certificate::SoftmaxSeparated(separation)),
            None => {
                let l2 = self.settings.l2;
                let certificate = SoftmaxCertificate { l2, objective, gap, relative_gap };
                let limited = status == Status::Solved && !good;
                let status = if limited { Status::LimitedAccuracy } else { status };
                (status, Certificate::Softmax(certificate))
            }
        };
        let report = Report {
            status,
            solver: "Newton".into(),
            backend: self.backend.name().to_string(),
            iterations: run.iterations.saturating_sub(1),
            passes: self.passes,
            objective: vec![objective],
            trace: run.trace,
        };
        Ok(Fit { model, report, certificate })
    }

    /// A direction of endless descent: the weights themselves where all classes are told apart; else what the
    /// steps converge to where some are, if they still go anywhere; else one class against the rest.
    fn separation(&self, step: &[f64]) -> Result<Option<Box<SoftmaxSeparation>>, Error> {
        if self.settings.l2 > 0.0 {
            return Ok(None);
        }
        let direction = |v: &[f64], complete: bool| {
            let (weights, intercepts) = self.by_class(v);
            separation::along(self.data, weights, intercepts, complete)
        };
        let from_step = || if largest(step) > STRIDE { direction(step, false) } else { None };
        match direction(&self.v, true).or_else(from_step) {
            None if largest(&self.v) > RUN_OFF => separation::of_one_class(
                self.backend,
                self.data,
                self.classes,
                self.settings.intercept,
            ),
            found => Ok(found),
        }
    }

    /// Weights and intercepts of every class, for the columns as given.
    fn by_class(&self, v: &[f64]) -> (Vec<Vec<f64>>, Option<Vec<f64>>) {
        let features = self.data.cols();
        let (mut weights, mut intercepts) = (Vec::new(), Vec::new());
        for v in v.chunks(self.coordinates.unknowns()) {
            let mut theta = self.coordinates.step(v);
            intercepts.extend(theta.get(features).copied());
            theta.truncate(features);
            weights.push(theta);
        }
        (weights, self.settings.intercept.then_some(intercepts))
    }
}
