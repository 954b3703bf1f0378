//! Newton's method, L-BFGS and their proximal kin as solvers to be named.

use super::finish::{Ending, PASSES, Proof};
use super::lbfgs::{self, Excess};
use super::moments::Moments;
use super::problem::Problem;
use super::run::{Accuracy, Control, Run};
use super::sample;
use super::vectors::largest;
use super::working_set::{ALL_IN, Aim, Outcome, minimise as minimise_by_working_sets, solve_dense};
use crate::certificate::ConvexCertificate;
use crate::loss::{Squared, TwiceSmooth};
use crate::penalty::{Penalty, SmoothPenalty};
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver, Status};

/// Iterations of second-order methods unless the control says otherwise.
const NEWTON_LIMIT: usize = 200;
/// Rounds of coordinate descent unless the control says otherwise.
const ROUND_LIMIT: usize = 20_000;
/// Iterations of L-BFGS unless the control says otherwise.
const LBFGS_LIMIT: usize = 5_000;
/// The least violation, in units of λ₁, that is aimed at.
const LEAST_AIM: f64 = 1e-12;
/// How often the target of the estimated gap is tightened until the proven one fits.
const MAX_TIGHTENINGS: usize = 4;

/// Newton's method with a line search: IRLS for logistic regression, one exact step on squared loss.
///
/// ```compile_fail
/// use minrisk_core::{Erm, Solver, convex::Newton, loss::Logistic, penalty::L1};
/// fn solves<T: minrisk_core::Scalar, L, P>(_: impl Solver<T, L, P>, _: Erm<L, P>) {}
/// solves::<f64, _, _>(Newton::default(), Erm::new(Logistic, L1::total(1.0)));
/// ```
/// compiles with a penalty that has a derivative:
/// ```
/// use minrisk_core::{Erm, Solver, convex::Newton, loss::Logistic, penalty::L2};
/// fn solves<T: minrisk_core::Scalar, L, P>(_: impl Solver<T, L, P>, _: Erm<L, P>) {}
/// solves::<f64, _, _>(Newton::default(), Erm::new(Logistic, L2::total(1.0)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Newton {
    /// When to stop.
    pub control: Control,
}

/// L-BFGS in a metric from a sample of the data: a pass a step, for many rows or many columns.
#[derive(Clone, Debug, Default)]
pub struct Lbfgs {
    /// When to stop.
    pub control: Control,
}

/// Newton's method for penalties with corners, on working sets of columns where there are many.
#[derive(Clone, Debug, Default)]
pub struct ProximalNewton {
    /// When to stop.
    pub control: Control,
}

/// Coordinate descent for lasso and elastic net: on the Gram matrix of few columns, over the rows of a working
/// set of many.
#[derive(Clone, Debug, Default)]
pub struct CoordinateDescent {
    /// When to stop.
    pub control: Control,
}

impl<T: Scalar, L: TwiceSmooth, P: SmoothPenalty> Solver<T, L, P> for Newton {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        second_order(backend, problem, data, &self.control, "Newton")
    }
}

impl<T: Scalar, L: TwiceSmooth, P: Penalty> Solver<T, L, P> for ProximalNewton {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        second_order(backend, problem, data, &self.control, "proximal Newton")
    }
}

impl<T: Scalar, P: Penalty> Solver<T, Squared, P> for CoordinateDescent {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        second_order(backend, problem, data, &self.control, "coordinate descent")
    }
}

impl<T: Scalar, L: TwiceSmooth, P: SmoothPenalty> Solver<T, L, P> for Lbfgs {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let problem = Problem::new(backend, problem, data)?;
        quasi_newton(&problem, &self.control)
    }
}

fn second_order<T: Scalar, L: TwiceSmooth, P: Penalty>(
    backend: &dyn Backend<T>,
    problem: &Erm<L, P>,
    data: &Dataset<'_, T>,
    control: &Control,
    name: &str,
) -> Result<Fit<T>, Error> {
    let problem = Problem::new(backend, problem, data)?;
    newton(&problem, sample::start(&problem)?, control, name)
}

/// Newton's method from a given start.
pub(super) fn newton<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    start: Vec<f64>,
    control: &Control,
    name: &str,
) -> Result<Fit<T>, Error> {
    let is_dense = problem.terms.is_smooth() || problem.features() <= ALL_IN;
    let limit = if is_dense { NEWTON_LIMIT } else { ROUND_LIMIT };
    let mut run = Run::new(control, limit);
    // One more step where convergence is quadratic.
    run.tighten(1e-6);
    if control.accuracy == Accuracy::Digits {
        let (outcome, theta) = descend(problem, start, &mut run, Aim::Digits)?;
        return end(problem, theta, outcome, name, run);
    }
    let asked = run.tolerance().max(problem.rounding());
    if L::QUADRATIC
        && problem.features() <= ALL_IN
        && let Some((certificate, theta)) = from_moments(problem, &mut run, asked)?
    {
        let certificate = Some(certificate);
        let outcome = Outcome { status: Status::Solved, passes: 1, decrement: None, certificate };
        return end(problem, theta, outcome, name, run);
    }
    // What is proven may be less than what violations say: then they must be smaller.
    let (mut aim, mut theta) = (asked, start);
    loop {
        let (mut outcome, found) = descend(problem, theta, &mut run, Aim::Gap(aim))?;
        let certificate = match outcome.certificate.take() {
            Some(certificate) => certificate,
            None => {
                outcome.passes += PASSES;
                problem.certify_rounded(&found, outcome.decrement)?
            }
        };
        let proven = certificate.relative_gap;
        outcome.certificate = Some(certificate);
        let tries = outcome.status == Status::Solved && proven > asked && aim > LEAST_AIM;
        if !tries || problem.terms.is_smooth() {
            return end(problem, found, outcome, name, run);
        }
        aim = (aim * (0.3 * asked / proven).max(1e-4)).max(LEAST_AIM);
        theta = found;
    }
}

/// Squared loss on few columns, to a gap: one pass for the moments, which give the minimiser and vouch for it; `None`
/// where they cannot, or where the run has ended before.
fn from_moments<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    run: &mut Run<'_>,
    asked: f64,
) -> Result<Option<(ConvexCertificate, Vec<f64>)>, Error> {
    let moments = Moments::of(problem)?;
    if run.report(moments.value, largest(&moments.linear), 0.0, f64::INFINITY).is_some() {
        return Ok(None);
    }
    let mut v = vec![0.0; problem.unknowns()];
    moments.minimise(problem.backend, &problem.terms, &mut v);
    let v = moments.rounded::<T>(&v);
    let certificate = moments.certificate(&v, &problem.terms);
    Ok(certificate.filter(|certificate| certificate.relative_gap <= asked).map(|certificate| {
        run.report(certificate.objective, 0.0, 1.0, 0.0);
        (certificate, moments.theta(&v))
    }))
}

/// Newton's steps, on working sets where there are many columns with corners.
pub(super) fn descend<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    start: Vec<f64>,
    run: &mut Run<'_>,
    aim: Aim,
) -> Result<(Outcome, Vec<f64>), Error> {
    if problem.features() <= ALL_IN || problem.terms.is_smooth() {
        return solve_dense(problem, start, run, aim == Aim::Digits);
    }
    let mut theta = start;
    let outcome = minimise_by_working_sets(problem, &mut theta, run, aim)?;
    Ok((outcome, theta))
}

/// L-BFGS, and a last Newton step or two where digits are asked for and the Hessian is affordable.
pub(super) fn quasi_newton<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    control: &Control,
) -> Result<Fit<T>, Error> {
    let mut theta = sample::start(problem)?;
    let mut run = Run::new(control, LBFGS_LIMIT);
    let polish = control.accuracy == Accuracy::Digits && problem.features() <= 2_000;
    let excess = if polish { Excess::Decrement } else { Excess::Proven };
    if polish {
        run.tighten(1e3);
    }
    let mut status = lbfgs::minimise(problem, &mut theta, &mut run, excess)?;
    if polish && status == Status::Solved {
        let passes = run.iterations;
        run.tighten(1e-6);
        let (mut outcome, theta) = solve_dense(problem, theta, &mut run, true)?;
        outcome.passes += passes;
        return end(problem, theta, outcome, "L-BFGS", run);
    }
    // The proof may be weaker than the estimate: then the estimate must be better.
    let asked = run.tolerance().max(problem.rounding());
    let mut certificate = problem.certify_rounded(&theta, None)?;
    for _ in 0..MAX_TIGHTENINGS {
        let proven = certificate.relative_gap;
        if status != Status::Solved || proven <= asked || !proven.is_finite() {
            break;
        }
        run.tighten((0.1 * asked / proven).max(1e-4));
        status = lbfgs::minimise(problem, &mut theta, &mut run, excess)?;
        certificate = problem.certify_rounded(&theta, None)?;
    }
    let (passes, certificate) = (run.iterations + PASSES, Some(certificate));
    end(problem, theta, Outcome { status, passes, decrement: None, certificate }, "L-BFGS", run)
}

fn end<T: Scalar, L: TwiceSmooth>(
    problem: &Problem<'_, T, L>,
    theta: Vec<f64>,
    outcome: Outcome,
    solver: &str,
    run: Run<'_>,
) -> Result<Fit<T>, Error> {
    let Outcome { status, passes, decrement, certificate } = outcome;
    let solver = solver.to_string();
    let proof = certificate.map_or(Proof::Decrement(decrement), Proof::Certificate);
    problem.finish(Ending { theta, status, solver, passes, proof }, run)
}
