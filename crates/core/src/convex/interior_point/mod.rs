//! An interior-point method for losses of two straight pieces: absolute, quantile, hinge.
//!
//! With z_t − k_t = p_t − q_t, p, q ≥ 0, and slopes a⁺ ≥ 0 above the kink k and a⁻ ≥ 0 below (times c_t),
//!
//! min Σ a⁺_t p_t + a⁻_t q_t + Σ λ₂ⱼw_j²,  its dual  u ∈ [−a⁻, a⁺] with Xᵀu + 2λ₂w = 0, Σu = 0,
//!
//! and p_t(a⁺_t − u_t) = 0 = q_t(u_t + a⁻_t) at the solution. Newton steps on these equations with the products
//! held at μ → 0 (Mehrotra 1992; for regression Portnoy and Koenker 1997) come to
//!
//! (XᵀDX + 2Λ₂)Δw = …,  D = 1/(p/s + q/t),  s = a⁺ − u, t = u + a⁻:
//!
//! one weighted Gram matrix and four products a step, some fifteen steps whatever the data. λ₁|w_j| is one more
//! row e_j with kink 0 and slopes ±λ₁, so corners cost a diagonal. The last u is the dual point of the certificate.
//!
//! With many rows most of them are far from their kink, and which side they are on is clear from a sample: see
//! [`sides`].

mod points;
mod sides;

use self::points::{Linear, Points};
use super::finish::{Ending, Proof};
use super::problem::Problem;
use super::run::{Control, Run};
use crate::loss::PiecewiseLinear;
use crate::penalty::Penalty;
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver, Status};

/// Steps unless the control says otherwise.
const LIMIT: usize = 100;

/// Primal-dual interior points for [`PiecewiseLinear`] losses, with any penalty.
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    /// When to stop.
    pub control: Control,
}

impl<T: Scalar, L: PiecewiseLinear, P: Penalty> Solver<T, L, P> for InteriorPoint {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<L, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let problem = Problem::new(backend, problem, data)?;
        let mut run = Run::new(&self.control, LIMIT);
        run.tighten(1e-2);
        let solution = match sides::solve(&problem, &mut run)? {
            Some(solution) => solution,
            None => on_all_rows(&problem, &mut run)?,
        };
        let Solution { theta, dual, status, passes } = solution;
        let (solver, proof) = ("interior point".to_string(), Proof::Dual(Some(dual)));
        problem.finish(Ending { theta, status, solver, passes, proof }, run)
    }
}

/// Where interior points ended.
struct Solution {
    theta: Vec<f64>,
    /// One number for each row.
    dual: Vec<f64>,
    status: Status,
    passes: usize,
}

fn on_all_rows<T: Scalar, L: PiecewiseLinear>(
    problem: &Problem<'_, T, L>,
    run: &mut Run<'_>,
) -> Result<Solution, Error> {
    let nothing = Linear { gradient: vec![0.0; problem.unknowns()], constant: 0.0 };
    beside(problem, &nothing, run)
}

/// Minimises the objective plus a linear function.
fn beside<T: Scalar, L: PiecewiseLinear>(
    problem: &Problem<'_, T, L>,
    linear: &Linear,
    run: &mut Run<'_>,
) -> Result<Solution, Error> {
    let mut points = Points::start(problem, linear);
    let (status, passes) = points.iterate(run)?;
    Ok(Solution { theta: points.theta(), dual: points.dual(), status, passes })
}
