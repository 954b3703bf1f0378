//! Linear programs: max u·w subject to A·w ≥ v, w free.
//!
//! Solved by microlp's simplex method, in doubles, to its tolerance of 10⁻⁷: a solver of its own, as in
//! the notes, where halfspaces on separable data are the program A·w ≥ 1 with A_tj = y_t x_tj and u = 0.
//! [`Separation`](super::Separation) answers the same question faster, and exactly.

use std::time::Duration;

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOutcome};

use super::examples::Examples;
use crate::{Dataset, Error, LinearModel, Scalar, View};

/// max u·w subject to A·w ≥ v.
///
/// ```
/// use minrisk_core::View;
/// use minrisk_core::halfspace::{LinearProgram, LpStatus};
/// // max w₁ + w₂ subject to −w₁ ≥ −2, −w₂ ≥ −3, −w₁ − w₂ ≥ −4.
/// let a = [[-1.0, 0.0], [0.0, -1.0], [-1.0, -1.0]];
/// let program = LinearProgram::new(&[1.0, 1.0], View::from_arrays(&a), &[-2.0, -3.0, -4.0])?;
/// let solution = program.solve();
/// assert_eq!(solution.status, LpStatus::Optimal);
/// assert!((solution.objective - 4.0).abs() < 1e-6);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearProgram {
    objective: Vec<f64>,
    rows: Vec<Vec<f64>>,
    lower: Vec<f64>,
    time: Option<Duration>,
}

/// How a linear program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LpStatus {
    /// The weights are optimal, within the tolerance.
    Optimal,
    /// No w satisfies all constraints.
    Infeasible,
    /// The objective grows without bound.
    Unbounded,
    /// The time was over.
    OutOfTime,
    /// Rounding got the better of the simplex method; the message says where.
    Failed(String),
}

/// What a linear program comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct LpSolution {
    /// How it ended.
    pub status: LpStatus,
    /// w; empty unless the status is optimal.
    pub weights: Vec<f64>,
    /// u·w; NaN unless the status is optimal.
    pub objective: f64,
}

impl LinearProgram {
    /// The program of an objective u, a matrix A and a right-hand side v.
    pub fn new<T: Scalar>(objective: &[f64], a: View<'_, T>, lower: &[f64]) -> Result<Self, Error> {
        let check = |what, per, expected: usize, found: usize| {
            if expected == found {
                Ok(())
            } else {
                Err(Error::LengthMismatch { what, per, expected, found })
            }
        };
        check("the objective", "column of A", a.cols(), objective.len())?;
        check("the right-hand side", "row of A", a.rows(), lower.len())?;
        for i in 0..a.rows() {
            if let Some(j) = (0..a.cols()).find(|&j| !a[(i, j)].is_finite()) {
                let (column, value) = (j.to_string(), a[(i, j)].to_string());
                return Err(Error::NotFinite { row: i, column, value });
            }
        }
        if let Some(bad) = objective.iter().chain(lower).find(|v| !v.is_finite()) {
            return Err(Error::BadParameter {
                what: "a number of the linear program",
                value: bad.to_string(),
                expected: "finite",
            });
        }
        let row = |i: usize| (0..a.cols()).map(|j| a[(i, j)].to_double()).collect();
        Ok(Self {
            objective: objective.to_vec(),
            rows: (0..a.rows()).map(row).collect(),
            lower: lower.to_vec(),
            time: None,
        })
    }

    /// The program A·w ≥ 1, A_t = y_t (x_t, 1), u = 0, that is feasible iff the data is separable.
    pub fn halfspace<T: Scalar>(data: &Dataset<'_, T>, intercept: bool) -> Result<Self, Error> {
        let examples = Examples::new(data, intercept)?;
        let row = |t: usize| {
            let mut z = Vec::with_capacity(examples.dimension());
            examples.signed_row(t, &mut z);
            z
        };
        Ok(Self {
            objective: vec![0.0; examples.dimension()],
            rows: (0..examples.rows()).map(row).collect(),
            lower: vec![1.0; examples.rows()],
            time: None,
        })
    }

    /// For at most this long.
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Solves the program.
    pub fn solve(&self) -> LpSolution {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        if let Some(time) = self.time {
            problem.set_time_limit(time);
        }
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let variables: Vec<_> = self.objective.iter().map(|&u| problem.add_var(u, free)).collect();
        for (row, &lower) in self.rows.iter().zip(&self.lower) {
            let mut expression = LinearExpr::empty();
            for (&variable, &a) in variables.iter().zip(row).filter(|(_, a)| **a != 0.0) {
                expression.add(variable, a);
            }
            problem.add_constraint(expression, ComparisonOp::Ge, lower);
        }
        let without = |status| LpSolution { status, weights: Vec::new(), objective: f64::NAN };
        match problem.solve() {
            Ok(SolveOutcome::Solution(solution)) if solution.status() == OPTIMAL => LpSolution {
                status: LpStatus::Optimal,
                weights: variables.iter().map(|&v| solution.var_value(v)).collect(),
                objective: solution.objective(),
            },
            Ok(_) => without(LpStatus::OutOfTime),
            Err(microlp::Error::Infeasible) => without(LpStatus::Infeasible),
            Err(microlp::Error::Unbounded) => without(LpStatus::Unbounded),
            Err(error) => without(LpStatus::Failed(error.to_string())),
        }
    }

    /// Solves the program of [`LinearProgram::halfspace`] for a model; `None` unless it is optimal.
    pub fn solve_halfspace<T: Scalar>(
        data: &Dataset<'_, T>,
        intercept: bool,
    ) -> Result<Option<LinearModel<T>>, Error> {
        let solution = Self::halfspace(data, intercept)?.solve();
        if solution.status != LpStatus::Optimal {
            return Ok(None);
        }
        let mut weights: Vec<T> = solution.weights.into_iter().map(T::from_double).collect();
        let b = if intercept { weights.pop() } else { None };
        LinearModel::new(vec![weights], b.map(|b| vec![b]), data.names().cloned()).map(Some)
    }
}

const OPTIMAL: microlp::SolutionStatus = microlp::SolutionStatus::Optimal;
