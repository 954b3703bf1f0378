//! Data for convex fits, and what is asked of each of them.

use minrisk_core::verify::verify;
use minrisk_core::{Certificate, Dataset, Fit, Matrix, Scalar, Status, View};

use crate::check::{Failure, Outcome, ensure};
use crate::random::Random;

/// Rows with features of different sizes, a target on them, and labels that are not separable.
pub(super) struct Sample<T> {
    pub(super) x: Matrix<T>,
    pub(super) y: Vec<T>,
    pub(super) signs: Vec<T>,
}

impl<T: Scalar> Sample<T> {
    pub(super) fn new(seed: u64, rows: usize, cols: usize) -> Self {
        let mut random = Random::new(seed);
        let x = Matrix::from_fn(rows, cols, |_, j| {
            T::from_double((random.normal() + 0.5) * [1.0, 8.0, 0.25][j % 3])
        });
        let score = |i: usize| {
            (0..cols).map(|j| x[(i, j)].to_double() * [0.7, -0.1, 1.5][j % 3]).sum::<f64>()
        };
        let y = (0..rows).map(|i| T::from_double(score(i) + 1.0 + random.normal())).collect();
        let sign =
            |i: usize, noise: f64| if score(i) + 2.0 * noise > 0.3 { T::one() } else { -T::one() };
        let signs = (0..rows).map(|i| sign(i, random.normal())).collect();
        Self { x, y, signs }
    }

    pub(super) fn regression(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(Dataset::new(self.x.view(), View::column_vector(&self.y))?)
    }

    pub(super) fn classification(&self) -> Result<Dataset<'_, T>, Failure> {
        Ok(Dataset::new(self.x.view(), View::column_vector(&self.signs))?)
    }
}

/// The gap that double precision data allows; single precision rounds the coefficients.
pub(super) fn tolerance<T: Scalar>() -> f64 {
    1e-9_f64.max(2e3 * T::unit_roundoff())
}

/// Passes a fit that says it is solved, with a gap of no more than `gap` which `verify` confirms.
pub fn judge<T: Scalar>(data: &Dataset<'_, T>, fit: &Fit<T>, gap: f64) -> Outcome {
    let status = fit.report.status;
    ensure!(
        status == Status::Solved,
        "{} ended as {status:?} with {:?}",
        fit.report.solver,
        fit.certificate.convex().map(|c| c.relative_gap)
    );
    ensure!(fit.certificate != Certificate::None, "{} has no certificate", fit.report.solver);
    let certificates = (fit.certificate.convex(), fit.certificate.softmax());
    if let Some(found) =
        certificates.0.map(|c| c.relative_gap).or(certificates.1.map(|c| c.relative_gap))
    {
        ensure!(found <= gap, "{} leaves a gap of {found:e}", fit.report.solver);
    }
    let verdict = verify(data, fit)?;
    ensure!(verdict.holds, "verify denies {}: {:?}", fit.report.solver, verdict.findings);
    Ok(())
}

/// Adds a case for each solver on a problem and data.
macro_rules! cases {
    ($tally:ident, $backend:ident, $data:expr, $gap:expr; $loss:expr; $penalties:tt; $solvers:tt) => {
        cases!(@penalties $tally, $backend, $data, $gap, $loss, $penalties, $solvers)
    };
    (@penalties $tally:ident, $backend:ident, $data:expr, $gap:expr, $loss:expr, [$($penalty:expr),*], $solvers:tt) => {
        $(cases!(@solvers $tally, $backend, $data, $gap, $loss, $penalty, $solvers);)*
    };
    (@solvers $tally:ident, $backend:ident, $data:expr, $gap:expr, $loss:expr, $penalty:expr, [$($solver:expr),*]) => {
        $(for intercept in [true, false] {
            $tally.add(|| {
                let data = $data?;
                let problem = Erm { loss: $loss, penalty: $penalty, intercept };
                let fit = $solver.solve($backend, &problem, &data)?;
                judge(&data, &fit, $gap).map_err(|failure| {
                    failure.within(format_args!("{problem:?}"))
                })
            });
        })*
    };
}

pub(super) use cases;
