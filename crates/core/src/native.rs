//! A library's own least squares, behind the same trait as core's.
//!
//! Every backend has a `Native` solver: what its user would call, passed on as it is. The comparison
//! of accuracy and speed over conditioning is made against these. The library sees √C·[1, X] and
//! √C·Y as plain dense matrices; nothing is scaled, centred or refined, and nothing is proven.

use crate::loss::{Loss, Risk, Squared};
use crate::{Certificate, Dataset, Erm, Error, Fit, LinearModel, Matrix, Report, Scalar, Status};

/// Solves unpenalised least squares with a library's own solver.
///
/// `solve` gets the weighted design, a column of ones first where there is an intercept, and the
/// weighted targets, both column-major, and returns the coefficients, one column per target.
pub fn solve_natively<T: Scalar, P>(
    backend: &'static str,
    solver: &'static str,
    problem: &Erm<Squared, P>,
    data: &Dataset<'_, T>,
    solve: impl FnOnce(Matrix<T>, Matrix<T>) -> Result<Matrix<T>, Error>,
) -> Result<Fit<T>, Error> {
    data.refuse_offsets(solver)?;
    let offset = usize::from(problem.intercept);
    let crate::Design::Dense(x) = data.design();
    if x.cols() + offset == 0 {
        return Err(Error::NothingToFit);
    }
    let root = |t: usize| data.weights().map_or(T::one(), |c| c[(t, 0)].sqrt());
    let design = Matrix::from_fn(x.rows(), x.cols() + offset, |t, k| match k.checked_sub(offset) {
        None => root(t),
        Some(j) => x[(t, j)] * root(t),
    });
    if let Some(at) = design.as_slice().iter().position(|v| !v.is_finite()) {
        let (row, column) = (at % x.rows(), at / x.rows() - offset);
        let value = x[(row, column)].to_string();
        return Err(Error::NotFinite { row, column: column.to_string(), value });
    }
    let y = data.target_view();
    let targets = Matrix::from_fn(y.rows(), y.cols(), |t, k| y[(t, k)] * root(t));
    let solution = solve(design, targets)?;
    let coefficients = solution.columns().map(|column| column[offset..].to_vec()).collect();
    let intercepts =
        problem.intercept.then(|| solution.columns().map(|column| column[0]).collect());
    let model = LinearModel::new(coefficients, intercepts, data.names().cloned())?;
    let objective = Risk::of(&model, &problem.loss, data)?.total;
    Ok(Fit {
        model,
        report: Report {
            status: Status::Unproven,
            solver: format!("{solver} ({} loss)", Squared::NAME),
            backend: backend.to_string(),
            iterations: 0,
            passes: 1,
            objective,
            trace: Vec::new(),
        },
        certificate: Certificate::None,
    })
}
