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

#[cfg(test)]
mod tests {
    use super::super::Separation;
    use super::super::plain::Plain;
    use super::*;
    use crate::Matrix;
    use proptest::prelude::*;

    /// The best vertex of {w ∈ R² : A·w ≥ v}: every two lines that meet, if they meet inside.
    fn by_vertices(objective: &[f64; 2], a: &[[f64; 2]], lower: &[f64]) -> Option<f64> {
        let inside =
            |w: [f64; 2]| a.iter().zip(lower).all(|(a, v)| a[0] * w[0] + a[1] * w[1] >= v - 1e-9);
        let mut best: Option<f64> = None;
        for i in 0..a.len() {
            for j in 0..i {
                let determinant = a[i][0] * a[j][1] - a[i][1] * a[j][0];
                if determinant == 0.0 {
                    continue;
                }
                let w = [
                    (lower[i] * a[j][1] - a[i][1] * lower[j]) / determinant,
                    (a[i][0] * lower[j] - lower[i] * a[j][0]) / determinant,
                ];
                if inside(w) {
                    let value = objective[0] * w[0] + objective[1] * w[1];
                    best = Some(best.map_or(value, |best| best.max(value)));
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn optima_are_the_best_vertices(
            objective in prop::array::uniform2(-4..5_i32),
            rows in prop::collection::vec(prop::array::uniform3(-4..5_i32), 0..7),
        ) {
            // Within a square, so that there is an optimum wherever there is a point.
            let mut a: Vec<[f64; 2]> = vec![[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
            let mut lower = vec![-10.0; 4];
            a.extend(rows.iter().map(|r| [f64::from(r[0]), f64::from(r[1])]));
            lower.extend(rows.iter().map(|r| f64::from(r[2])));
            let objective = objective.map(f64::from);
            let solution =
                LinearProgram::new(&objective, View::from_arrays(&a), &lower).unwrap().solve();
            match by_vertices(&objective, &a, &lower) {
                None => prop_assert_eq!(solution.status, LpStatus::Infeasible),
                Some(best) => {
                    prop_assert_eq!(solution.status, LpStatus::Optimal);
                    prop_assert!((solution.objective - best).abs() < 1e-6);
                    let value = |a: &[f64; 2]| a[0] * solution.weights[0] + a[1] * solution.weights[1];
                    prop_assert!(a.iter().zip(&lower).all(|(a, v)| value(a) >= v - 1e-6));
                }
            }
        }

        #[test]
        fn halfspaces_are_feasible_where_data_is_separable(
            entries in prop::collection::vec(-2..3_i32, 2..24),
            signs in prop::collection::vec(prop::bool::ANY, 12), intercept in prop::bool::ANY,
        ) {
            let m = entries.len() / 2;
            let x = Matrix::from_fn(m, 2, |i, j| f64::from(entries[2 * i + j]));
            let y: Vec<f64> = signs[..m].iter().map(|&s| if s { 1.0 } else { -1.0 }).collect();
            let data = Dataset::new(x.view(), View::column_vector(&y)).unwrap();
            let separation = Separation { intercept, ..Separation::new() };
            let separable = separation.decide_on(&Plain, &data).unwrap().is_separable();
            let model = LinearProgram::solve_halfspace(&data, intercept).unwrap();
            prop_assert_eq!(Some(model.is_some()), separable);
            if let Some(model) = model {
                let scores = model.predict(x.view()).unwrap();
                prop_assert!((0..m).all(|t| y[t] * scores[(t, 0)] >= 1.0 - 1e-6));
            }
        }
    }

    #[test]
    fn statuses_are_told_apart() {
        let a = [[1.0]];
        let program = LinearProgram::new(&[1.0], View::from_arrays(&a), &[0.0]).unwrap();
        assert_eq!(program.solve().status, LpStatus::Unbounded);
        let a = [[1.0], [-1.0]];
        let program = LinearProgram::new(&[1.0], View::from_arrays(&a), &[1.0, 0.0]).unwrap();
        let solution = program.solve();
        assert!(solution.status == LpStatus::Infeasible && solution.weights.is_empty());
        assert!(LinearProgram::new(&[1.0, 2.0], View::from_arrays(&a), &[1.0, 0.0]).is_err());
        assert!(LinearProgram::new(&[f64::NAN], View::from_arrays(&a), &[1.0, 0.0]).is_err());
    }
}
