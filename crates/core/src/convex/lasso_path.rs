//! The lasso and elastic-net path from one Gram matrix.
//!
//! On squared loss the quadratic model is the objective, so the fits of a whole path need its
//! [moments](super::moments) only: one pass for them, and coordinate descent on d × d numbers for each λ. What the
//! moments cannot vouch for is fitted from the rows, from where the moments led.

use super::finish::{Ending, Proof};
use super::moments::Moments;
use super::problem::Problem;
use super::run::{Control, Run};
use super::smooth::newton;
use crate::loss::Squared;
use crate::penalty::Penalty;
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Status};

/// What fits of a path are called.
const NAME: &str = "coordinate descent along a path";

/// The relative gap that the moments must show.
const VOUCHED: f64 = 1e-10;

/// The fits of squared-loss problems that differ in their penalty, from large to small as a rule.
///
/// ```
/// # use minrisk_core::{Dataset, Erm, View, convex::*, loss::Squared, penalty::L1};
/// # fn example(backend: &dyn minrisk_core::Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), minrisk_core::Error> {
/// let largest = lambda_max(backend, &Squared, true, data)?;
/// let lambdas = lambda_grid(largest, 1e-3, 100);
/// let problems: Vec<_> = lambdas.iter().map(|&l| Erm::new(Squared, L1::total(l))).collect();
/// let fits = lasso_path(backend, &problems, data)?;
/// # Ok(()) }
/// ```
pub fn lasso_path<T: Scalar, P: Penalty>(
    backend: &dyn Backend<T>,
    problems: &[Erm<Squared, P>],
    data: &Dataset<'_, T>,
) -> Result<Vec<Fit<T>>, Error> {
    let Some(first) = problems.first() else { return Ok(Vec::new()) };
    if problems.iter().any(|problem| problem.intercept != first.intercept) {
        return Err(Error::Unsupported {
            solver: "a path over penalties",
            reason: "all problems must have an intercept or none; solve them one by one",
        });
    }
    let first = Problem::new(backend, first, data)?;
    let moments = Moments::of(&first)?;
    let mut v = vec![0.0; first.unknowns()];
    let control = Control::default();
    let mut fits = Vec::with_capacity(problems.len());
    for erm in problems {
        let problem = first.with_penalty(&erm.penalty)?;
        moments.minimise(problem.backend, &problem.terms, &mut v);
        let theta = moments.theta(&v);
        let certificate = moments.certificate(&moments.rounded::<T>(&v), &problem.terms);
        let asked = problem.rounding().max(VOUCHED);
        fits.push(match certificate.filter(|certificate| certificate.relative_gap <= asked) {
            Some(certificate) => {
                let (status, solver) = (Status::Solved, NAME.to_string());
                let proof = Proof::Certificate(certificate);
                let ending = Ending { theta, status, solver, passes: 1, proof };
                problem.finish(ending, Run::new(&control, 1))?
            }
            None => newton(&problem, theta, &control, NAME)?,
        });
    }
    Ok(fits)
}
