//! Levenberg–Marquardt with scale-free steps and stopping.
//!
//! At θ, with R and q of the [linearisation](super::linearise) and D the largest column lengths of J
//! met so far, a step solves
//!
//! minimise ‖q − Rδ‖² + λ‖Dδ‖²
//!
//! ([`super::step`]); λ follows the ratio of actual to predicted gain (Nielsen 1999). D makes steps
//! independent of the units of the parameters (Moré 1978); it forgets slowly, so that a parameter whose
//! column shrinks by orders of magnitude on the way is not held back for ever. No step is longer than
//! the parameters have been large, ‖Dδ‖ ≤ ‖D·max|θ|‖, so that a first step from a poor start does not
//! jump on to a plateau.
//!
//! **Curved valleys** are followed by adding half the geodesic acceleration to a step, from the exact
//! second derivative along it (Transtrum and Sethna 2012); steps whose acceleration is not small beside
//! them are not tried at all.
//!
//! **Linear parameters** are eliminated (Golub and Pereyra 1973, in Kaufman's form): their columns come
//! first, so the trailing triangle belongs to the Jacobian projected away from them, and they are solved
//! for at every point.
//!
//! **Stopping** is by the cosine of the angle between r and the tangent space, ‖q‖/‖r‖, down to what
//! the rounding of r itself, u·(|y| + |f|), leaves visible. Once the gain of a step is too small to be
//! seen in Σ r², a step is judged by that cosine instead.

use super::linearise::{Linearisation, Objective};
use super::step::{DampedStep, solve_upper};
use super::{Curve, CurveFit, CurveStatus, CurveStep};
use crate::{Backend, Dataset, Error, Matrix, Rows, Scalar, WeightKind};

/// Nonlinear least squares.
///
/// ```
/// use minrisk_core::curve::{Exponentials, LevenbergMarquardt};
/// # use minrisk_core::{Backend, Dataset, Error};
/// # fn example(backend: &dyn Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), Error> {
/// let curve = Exponentials::new(1);
/// let fit = LevenbergMarquardt::default().fit(backend, &curve, data, &[1.0, 0.5])?;
/// println!("{:?} ± {:?}", fit.parameters, fit.standard_errors);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevenbergMarquardt {
    /// Steps to try before giving up.
    pub max_iterations: usize,
    /// The cosine at which the search ends, if rounding does not end it before.
    pub tolerance: f64,
    /// Whether parameters that enter linearly are eliminated.
    pub eliminate: bool,
}

impl Default for LevenbergMarquardt {
    fn default() -> Self {
        Self { max_iterations: 5000, tolerance: 1e-12, eliminate: true }
    }
}

/// Damping of the first step, relative to the squared lengths of the columns.
const FIRST_DAMPING: f64 = 1e-3;

/// Damping below which a step is as good as undamped.
const LEAST_DAMPING: f64 = 1e-30;

/// Damping at which a step is too short to change anything.
const LARGEST_DAMPING: f64 = 1e30;

/// The share of its length that a column keeps in D when it shrinks.
const MEMORY: f64 = 0.8;

/// The largest half acceleration relative to its step.
const SHARPEST_TURN: f64 = 0.375;

/// Predicted gains below this share of Σ r² are lost in its rounding.
const INVISIBLE_GAIN: f64 = 1e-9;

impl LevenbergMarquardt {
    /// Fits a curve to the first target of a dataset, from a starting point.
    pub fn fit<T: Scalar, C: Curve>(
        &self,
        backend: &dyn Backend<T>,
        curve: &C,
        data: &Dataset<'_, T>,
        start: &[f64],
    ) -> Result<CurveFit, Error> {
        data.refuse_offsets("curve fitting")?;
        check_start(curve, start)?;
        let eliminated: &[usize] = if self.eliminate { curve.linear() } else { &[] };
        for (at, k) in eliminated.iter().enumerate() {
            if *k >= start.len() || eliminated[..at].contains(k) {
                return Err(Error::BadParameter {
                    what: "the index of a linear parameter",
                    value: k.to_string(),
                    expected: "below the number of parameters, and given once",
                });
            }
        }
        let rest = (0..start.len()).filter(|k| !eliminated.contains(k));
        let order: Vec<usize> = eliminated.iter().copied().chain(rest).collect();
        let mut rows = Rows::from(data);
        let objective =
            Objective { backend, rows: &mut rows, curve, order, exponents: Vec::new(), passes: 0 };
        let mut search = Search { objective, eliminated: eliminated.len(), settings: *self };
        let Some(first) = search.evaluate(start.to_vec())? else {
            return Err(Error::BadParameter {
                what: "the curve or its derivative at the starting point",
                value: "not finite".into(),
                expected: "finite in every row; start elsewhere",
            });
        };
        let (point, status, iterations, trace) = search.run(first)?;
        let count = match data.weight_kind() {
            WeightKind::Frequencies => {
                data.weights().map_or(0.0, |c| c.col_iter(0).map(|c| c.to_double()).sum())
            }
            _ => search.objective.observations()?,
        };
        Ok(search.finish(point, status, iterations, trace, count))
    }
}

pub(super) fn check_start<C: Curve>(curve: &C, start: &[f64]) -> Result<(), Error> {
    if start.len() != curve.parameters() {
        return Err(Error::LengthMismatch {
            what: "the starting point",
            per: "parameter of the curve",
            expected: curve.parameters(),
            found: start.len(),
        });
    }
    if start.is_empty() {
        return Err(Error::NothingToFit);
    }
    match start.iter().find(|t| !t.is_finite()) {
        None => Ok(()),
        Some(bad) => Err(Error::BadParameter {
            what: "a coordinate of the starting point",
            value: bad.to_string(),
            expected: "finite",
        }),
    }
}

struct Search<'a, 'd, T: Scalar, C> {
    objective: Objective<'a, 'd, T, C>,
    /// How many columns of the order are eliminated.
    eliminated: usize,
    settings: LevenbergMarquardt,
}

/// A point with everything known there.
#[derive(Clone, Debug)]
struct Point {
    theta: Vec<f64>,
    at: Linearisation,
}

impl Point {
    /// ‖q‖/‖r‖ over the columns from `first` on.
    fn cosine(&self, first: usize) -> f64 {
        let last = self.at.triangle.cols() - 1;
        let q = &self.at.triangle.col(last)[first..last];
        let squares: f64 = q.iter().map(|q| q * q).sum();
        if self.at.squares > 0.0 { (squares / self.at.squares).sqrt() } else { 0.0 }
    }

    fn trace(&self, first: usize, iteration: usize, damping: f64) -> CurveStep {
        let cosine = self.cosine(first);
        CurveStep { iteration, squares: self.at.squares, cosine, damping }
    }

    /// The cosine that rounding r leaves visible.
    fn visible<T: Scalar>(&self) -> f64 {
        if self.at.squares == 0.0 {
            return 1.0;
        }
        let arithmetic = 4.0 * f64::EPSILON * (self.at.magnitude / self.at.squares).sqrt();
        // The triangle is factored in the type of the data.
        arithmetic.max(8.0 * T::unit_roundoff() * (self.at.triangle.cols() as f64))
    }
}

impl<T: Scalar, C: Curve> Search<'_, '_, T, C> {
    /// The point with its linear parameters solved for; `None` where something is not finite.
    fn evaluate(&mut self, mut theta: Vec<f64>) -> Result<Option<Point>, Error> {
        if self.eliminated > 0 {
            let Some(at) = self.objective.linearise(&theta)? else { return Ok(None) };
            let last = at.triangle.cols() - 1;
            let right = at.triangle.col(last)[..self.eliminated].to_vec();
            let Some(step) = solve_upper(&at.triangle, self.eliminated, right) else {
                return Ok(None);
            };
            for (&k, step) in self.objective.order.iter().zip(step) {
                theta[k] += step;
            }
        }
        let at = self.objective.linearise(&theta)?;
        Ok(at.map(|at| Point { theta, at }))
    }

    fn run(&mut self, first: Point) -> Result<(Point, CurveStatus, usize, Vec<CurveStep>), Error> {
        let from = self.eliminated;
        let mut best = first;
        let mut lengths = column_lengths(&best.at.triangle, from);
        let (mut damping, mut growth) = (FIRST_DAMPING, 2.0);
        let mut extent: Vec<f64> = best.theta.iter().map(|t| t.abs()).collect();
        let mut trace = vec![best.trace(from, 0, damping)];
        for iteration in 1..=self.settings.max_iterations {
            let cosine = best.cosine(from);
            let goal = self.settings.tolerance.max(best.visible::<T>());
            if cosine <= goal {
                return Ok((best, CurveStatus::Converged, iteration - 1, trace));
            }
            let Some(step) = self.damped(&best, &extent, &lengths, &mut damping) else {
                return Ok((best, CurveStatus::Stalled, iteration, trace));
            };
            let visible = step.gain > INVISIBLE_GAIN * best.at.squares;
            let gain = step.gain;
            let delta = if visible { self.turned(&best, &step)? } else { Some(step.delta) };
            let mut theta = best.theta.clone();
            for (&k, delta) in self.objective.order[from..].iter().zip(delta.iter().flatten()) {
                theta[k] += delta;
            }
            let unchanged = theta == best.theta && delta.is_some();
            let trial = if delta.is_some() { self.evaluate(theta)? } else { None };
            let ratio = trial.as_ref().map_or(-1.0, |trial| {
                if visible {
                    (best.at.squares - trial.at.squares) / gain
                } else {
                    // Not to be seen in the sum of squares: the angle decides.
                    1.0 - trial.cosine(from) / cosine
                }
            });
            match trial {
                Some(trial) if ratio > 0.0 => {
                    let used = damping;
                    damping *= (1.0 - (2.0 * ratio.min(1.0) - 1.0).powi(3)).max(1.0 / 3.0);
                    damping *= if visible { 1.0 } else { 0.1 };
                    damping = damping.max(LEAST_DAMPING);
                    growth = 2.0;
                    best = trial;
                    extent.iter_mut().zip(&best.theta).for_each(|(e, t)| *e = e.max(t.abs()));
                    let new = column_lengths(&best.at.triangle, from);
                    lengths.iter_mut().zip(new).for_each(|(d, new)| *d = new.max(MEMORY * *d));
                    trace.push(best.trace(from, iteration, used));
                }
                _ => {
                    // Within a factor of what can be seen, an angle that no longer shrinks is rounding.
                    if !visible && cosine <= 1e3 * goal {
                        return Ok((best, CurveStatus::Converged, iteration, trace));
                    }
                    if unchanged || damping > LARGEST_DAMPING {
                        return Ok((best, CurveStatus::Stalled, iteration, trace));
                    }
                    damping *= growth;
                    growth *= 2.0;
                }
            }
        }
        Ok((best, CurveStatus::IterationLimit, self.settings.max_iterations, trace))
    }

    /// The step at a point, damped until it is no longer than the parameters have been large.
    fn damped<'l>(
        &self,
        point: &Point,
        extent: &[f64],
        lengths: &'l [f64],
        damping: &mut f64,
    ) -> Option<DampedStep<'l>> {
        let from = self.eliminated;
        let order = self.objective.order[from..].iter();
        let reach = order.zip(lengths).map(|(&k, d)| (extent[k] * d).powi(2)).sum::<f64>();
        let reach = if reach > 0.0 { reach.sqrt() } else { f64::INFINITY };
        while *damping <= LARGEST_DAMPING {
            let step = DampedStep::new(self.objective.backend, &point.at, from, lengths, *damping);
            match step {
                Some(step) if step.length <= reach => return Some(step),
                _ => *damping *= 2.0,
            }
        }
        None
    }

    /// δ with half the acceleration of its geodesic; `None` where that is not small beside δ.
    fn turned(&mut self, point: &Point, step: &DampedStep<'_>) -> Result<Option<Vec<f64>>, Error> {
        if self.eliminated > 0 {
            return Ok(Some(step.delta.clone()));
        }
        let mut direction = vec![0.0; point.theta.len()];
        for (&k, &delta) in self.objective.order.iter().zip(&step.delta) {
            direction[k] = delta;
        }
        let curvature = self.objective.curvature(&point.theta, &direction)?;
        let turn = step.acceleration(&curvature);
        Ok(turn.filter(|(_, length)| *length <= SHARPEST_TURN * step.length).map(|(turn, _)| {
            step.delta.iter().zip(turn).map(|(delta, turn)| delta + turn).collect()
        }))
    }

    fn finish(
        self,
        point: Point,
        status: CurveStatus,
        iterations: usize,
        trace: Vec<CurveStep>,
        observations: f64,
    ) -> CurveFit {
        let size = self.objective.order.len();
        let freedom = observations - size as f64;
        let squares = point.at.squares;
        let variance = if freedom > 0.0 { squares / freedom } else { f64::NAN };
        let inverse = inverse_rows(&point.at.triangle, size);
        let position = |k: usize| {
            self.objective.order.iter().position(|&o| o == k).expect("every parameter has a column")
        };
        let covariance = Matrix::from_fn(size, size, |a, b| {
            let (i, j) = (position(a), position(b));
            variance * (0..size).map(|c| inverse[(i, c)] * inverse[(j, c)]).sum::<f64>()
        });
        // What one more Gauss–Newton step would change, and what rounding of r could.
        let left = point.cosine(0).max(point.visible::<T>()) * squares.sqrt();
        let digits = (0..size).map(|k| {
            let i = position(k);
            let length = (0..size).map(|c| inverse[(i, c)].powi(2)).sum::<f64>().sqrt();
            let relative = length * left / point.theta[k].abs();
            if relative.is_nan() { 0.0 } else { (-relative.log10()).clamp(0.0, 16.0) }
        });
        CurveFit {
            standard_errors: (0..size).map(|k| covariance[(k, k)].sqrt()).collect(),
            digits: digits.collect(),
            covariance,
            residual_sum_of_squares: squares,
            residual_deviation: variance.sqrt(),
            degrees_of_freedom: freedom,
            cosine: point.cosine(0),
            status,
            backend: self.objective.backend.name().to_string(),
            iterations,
            passes: self.objective.passes,
            trace,
            parameters: point.theta,
        }
    }
}

/// Lengths of the columns from `first` on, below the rows that are eliminated.
fn column_lengths(triangle: &Matrix<f64>, first: usize) -> Vec<f64> {
    let last = triangle.cols() - 1;
    let length = |j: usize| {
        let column = &triangle.col(j)[first..=j];
        column.iter().map(|v| v * v).sum::<f64>().sqrt()
    };
    (first..last).map(length).collect()
}

/// R⁻¹ of the leading triangle; entries are not finite where it is singular.
fn inverse_rows(triangle: &Matrix<f64>, size: usize) -> Matrix<f64> {
    let mut inverse = Matrix::zeros(size, size);
    for c in 0..size {
        for i in (0..=c).rev() {
            let unit = if i == c { 1.0 } else { 0.0 };
            let rest: f64 = (i + 1..=c).map(|j| triangle[(i, j)] * inverse[(j, c)]).sum();
            inverse[(i, c)] = (unit - rest) / triangle[(i, i)];
        }
    }
    inverse
}
