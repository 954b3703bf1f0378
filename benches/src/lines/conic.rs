//! clarabel, an interior-point solver of conic programs, as a peer: whoever has no library for a problem
//! writes it down as a program and hands it to one like this.

use std::time::Duration;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolution, DefaultSolver, IPSolver,
    NonnegativeConeT, SolverStatus,
};

use crate::problem::Problem;

/// Whether y_t (w·x_t + b) ≥ 1 has a solution; `None` where time ran out.
pub(super) fn separable(problem: &Problem, limit: Duration) -> Result<Option<bool>, String> {
    let (m, d) = (problem.rows(), problem.cols() + 1);
    let columns = (0..=d).map(|j| j * m).collect();
    let rows = (0..d).flat_map(|_| 0..m).collect();
    let a = CscMatrix::new(m, d, columns, rows, margins(problem, d));
    let p = CscMatrix::zeros((d, d));
    let mut settings = DefaultSettingsBuilder::default();
    settings.time_limit(limit.as_secs_f64());
    let solution = solve(&p, &vec![0.0; d], &a, &vec![-1.0; m], settings)?;
    match solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => Ok(Some(true)),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Ok(Some(false)),
        SolverStatus::MaxTime => Ok(None),
        other => Err(format!("{other:?}")),
    }
}

/// The w that minimises Σ ξ_t + λ‖w‖² with ξ_t ≥ 1 − y_t w·x_t and ξ ≥ 0.
pub(super) fn support_vectors(problem: &Problem, lambda: f64) -> Result<Vec<f64>, String> {
    let (m, d) = (problem.rows(), problem.cols());
    let p: Vec<usize> = (0..=d + m).map(|j| j.min(d)).collect();
    let p = CscMatrix::new(d + m, d + m, p, (0..d).collect(), vec![2.0 * lambda; d]);
    let q: Vec<f64> = (0..d + m).map(|j| if j < d { 0.0 } else { 1.0 }).collect();
    // Columns of w have all first rows; that of ξ_t its own row in both blocks.
    let columns = (0..=d).map(|j| j * m).chain((1..=m).map(|t| d * m + 2 * t)).collect();
    let rows = (0..d).flat_map(|_| 0..m).chain((0..m).flat_map(|t| [t, m + t])).collect();
    let mut values = margins(problem, d);
    values.resize(d * m + 2 * m, -1.0);
    let a = CscMatrix::new(2 * m, d + m, columns, rows, values);
    let b: Vec<f64> = (0..2 * m).map(|t| if t < m { -1.0 } else { 0.0 }).collect();
    let mut settings = DefaultSettingsBuilder::default();
    settings.tol_gap_rel(1e-9).tol_gap_abs(1e-9);
    let solution = solve(&p, &q, &a, &b, settings)?;
    Ok(solution.x[..d].to_vec())
}

/// −y_t x_tj, column after column; beyond the last column stands the constant 1.
fn margins(problem: &Problem, columns: usize) -> Vec<f64> {
    let (x, y) = (problem.design(), problem.y());
    let value = |t: usize, j: usize| if j < problem.cols() { x[(t, j)] } else { 1.0 };
    (0..columns).flat_map(|j| (0..y.len()).map(move |t| -y[t] * value(t, j))).collect()
}

/// Minimises ½x·Px + q·x with Ax ≤ b.
fn solve(
    p: &CscMatrix<f64>,
    q: &[f64],
    a: &CscMatrix<f64>,
    b: &[f64],
    mut settings: DefaultSettingsBuilder<f64>,
) -> Result<DefaultSolution<f64>, String> {
    let settings: DefaultSettings<f64> =
        settings.verbose(false).build().map_err(|error| error.to_string())?;
    let cones = [NonnegativeConeT(b.len())];
    let solver = DefaultSolver::new(p, q, a, b, &cones, settings);
    let mut solver = solver.map_err(|error| error.to_string())?;
    solver.solve();
    Ok(solver.solution)
}
