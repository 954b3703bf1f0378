//! Newton's method as a tool: roots in one and several variables, minima.
//!
//! | problem | step δ | accepted when |
//! |---|---|---|
//! | f(x) = 0 | f′(x)·δ = −f(x) | \|f\| falls |
//! | F(x) = 0 | J(x)·δ = −F(x) | ‖F‖ falls |
//! | minimise f | (H(x) + τI)·δ = −∇f(x), τ = 0 where H is positive definite | f falls enough |
//!
//! Steps are halved until they are accepted. Near a simple root, and near a minimum with a positive
//! definite Hessian, whole steps are taken and the error is squared in every one; the trace shows it.
//! Derivatives come from the caller or, exactly, from dual numbers ([`Automatic`]).
//!
//! References: Dennis and Schnabel, *Numerical Methods for Unconstrained Optimization and Nonlinear
//! Equations* (1996).

mod functions;
mod minimise;
mod roots;

pub use functions::{Automatic, Equations, Formula, Function, System};

/// Newton's method, with its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Steps to take at most.
    pub max_iterations: usize,
    /// Ends when no coordinate moves by more than this share of itself.
    pub tolerance: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { max_iterations: 200, tolerance: 1e-15 }
    }
}

/// Where Newton's method got to, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonResult {
    /// The last point.
    pub point: Vec<f64>,
    /// |f|, ‖F‖ or the value that was minimised, there.
    pub value: f64,
    /// How it ended.
    pub status: NewtonStatus,
    /// Every point on the way.
    pub trace: Vec<NewtonStep>,
}

/// How Newton's method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewtonStatus {
    /// The steps have become as small as asked for, or as rounding allows.
    Converged,
    /// No step makes progress: a singular derivative, a local minimum of ‖F‖ that is no root, or a
    /// function that is not finite around the point.
    Stalled,
    /// The limit of iterations was reached.
    IterationLimit,
}

/// One point of the way.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonStep {
    /// The point before the step.
    pub point: Vec<f64>,
    /// |f|, ‖F‖ or the value that is minimised, there.
    pub value: f64,
    /// The length of the step taken from it.
    pub step: f64,
    /// The share of the whole Newton step that was taken.
    pub share: f64,
}

impl NewtonResult {
    /// Orders of convergence, p with s₊ ≈ s^p, from every three consecutive steps: near 2 where
    /// convergence is quadratic.
    pub fn orders(&self) -> Vec<f64> {
        let steps: Vec<f64> =
            self.trace.iter().map(|step| step.step).filter(|s| *s > 0.0).collect();
        steps.windows(3).map(|s| (s[2] / s[1]).ln() / (s[1] / s[0]).ln()).collect()
    }
}

/// Halvings of a step before it is given up.
const MOST_HALVINGS: usize = 60;

/// Whether a step is too short to matter.
fn negligible(point: &[f64], step: &[f64], tolerance: f64) -> bool {
    point.iter().zip(step).all(|(x, s)| s.abs() <= tolerance * x.abs())
}

fn norm(v: &[f64]) -> f64 {
    // Scaled, so that squares of large entries do not overflow.
    let largest = v.iter().map(|v| v.abs()).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    v.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt() * largest
}

fn moved(point: &[f64], step: &[f64], share: f64) -> Vec<f64> {
    point.iter().zip(step).map(|(x, s)| x + share * s).collect()
}
