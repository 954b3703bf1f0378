//! Polynomial regression: the coefficients are those of the exact powers of the numbers given.

mod nist;
mod powers;
mod variables;

pub use nist::*;
pub use powers::*;
pub use variables::*;

use minrisk_core::polynomial::PolynomialFit;
use minrisk_core::verify::verify_polynomial;
use minrisk_core::{Dataset, Fit, Matrix, Scalar, View};

use crate::Outcome;
use crate::check::ensure;
use crate::exact::Solution;
use crate::solvers::{Demand, judge_by_truth};

/// Judges a polynomial in one variable by the exact coefficients of its powers.
fn judge_polynomial<T: Scalar>(
    data: &Dataset<'_, T>,
    fit: &PolynomialFit<T>,
    truth: &[Solution],
    demand: Demand,
) -> Outcome {
    let verdict = verify_polynomial(data, fit)?;
    ensure!(verdict.holds, "the certificate does not pass verification: {:?}", verdict.findings);
    // Only the shape of the design is looked at.
    let shape = Matrix::filled(data.rows(), fit.model.degree(), T::zero());
    let design = Dataset::new(shape.view(), data.target_view())?;
    let fit = Fit {
        model: fit.model.linear().clone(),
        report: fit.report.clone(),
        certificate: fit.certificate.clone(),
    };
    judge_by_truth(&design, &fit, truth, demand)
}

/// x and y as a training set.
fn training<'a, T: Scalar>(x: &'a [T], y: &'a [T]) -> Result<Dataset<'a, T>, minrisk_core::Error> {
    Dataset::new(View::column_vector(x), View::column_vector(y))
}
