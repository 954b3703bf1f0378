//! The default solver for every loss and penalty: one table.

use super::problem::Problem;
use super::run::Control;
use super::sample;
use super::smooth::{newton, quasi_newton};
use super::{CoordinateDescent, DualCoordinateDescent, InteriorPoint};
use crate::least_squares::ClosedForm;
use crate::loss::{
    Absolute, Hinge, Huber, Logistic, PiecewiseLinear, Quantile, Squared, SquaredHinge, TwiceSmooth,
};
use crate::penalty::{L2, Penalty};
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver};

/// The solver of choice for a loss and a penalty.
///
/// | loss | no penalty, L2 | L1, elastic net |
/// |---|---|---|
/// | squared | closed form, refined to the last digit | coordinate descent |
/// | Huber, logistic, squared hinge | Newton; L-BFGS for many rows or columns | proximal Newton |
/// | absolute, quantile, hinge | interior point; for hinge and many columns dual coordinate descent | interior point |
///
/// [`Perceptron`](crate::loss::Perceptron) is not in the table: its minimum means nothing.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    /// When to stop.
    pub control: Control,
}

/// Elements of a design above which a pass a step beats a Hessian a step.
const MANY: usize = 400_000;

/// Columns above which d × d systems cost more than many passes.
const WIDE: usize = 2_000;

impl<T: Scalar, P: Penalty> Solver<T, Squared, P> for Auto {
    fn solve(
        &self,
        backend: &dyn Backend<T>,
        problem: &Erm<Squared, P>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error> {
        let penalty = &problem.penalty;
        if penalty.l1() == 0.0 && penalty.factors().is_none() && data.offsets().is_none() {
            let ridge = L2::<P::Scale>::new(penalty.l2());
            let problem = Erm { loss: Squared, penalty: ridge, intercept: problem.intercept };
            return ClosedForm::default().solve(backend, &problem, data);
        }
        CoordinateDescent { control: self.control.clone() }.solve(backend, problem, data)
    }
}

fn twice_smooth<T: Scalar, L: TwiceSmooth, P: Penalty>(
    control: &Control,
    backend: &dyn Backend<T>,
    problem: &Erm<L, P>,
    data: &Dataset<'_, T>,
) -> Result<Fit<T>, Error> {
    let problem = Problem::new(backend, problem, data)?;
    if !problem.terms.is_smooth() {
        return newton(&problem, sample::start(&problem)?, control, "proximal Newton");
    }
    if data.cols() > WIDE || data.rows().saturating_mul(data.cols()) > MANY {
        return quasi_newton(&problem, control);
    }
    newton(&problem, sample::start(&problem)?, control, "Newton")
}

macro_rules! table {
    ($($loss:ty => $solve:expr;)*) => {$(
        impl<T: Scalar, P: Penalty> Solver<T, $loss, P> for Auto {
            fn solve(
                &self,
                backend: &dyn Backend<T>,
                problem: &Erm<$loss, P>,
                data: &Dataset<'_, T>,
            ) -> Result<Fit<T>, Error> {
                $solve(&self.control, backend, problem, data)
            }
        }
    )*};
}

fn piecewise_linear<T: Scalar, L: PiecewiseLinear, P: Penalty>(
    control: &Control,
    backend: &dyn Backend<T>,
    problem: &Erm<L, P>,
    data: &Dataset<'_, T>,
) -> Result<Fit<T>, Error> {
    InteriorPoint { control: control.clone() }.solve(backend, problem, data)
}

fn hinge<T: Scalar, P: Penalty>(
    control: &Control,
    backend: &dyn Backend<T>,
    problem: &Erm<Hinge, P>,
    data: &Dataset<'_, T>,
) -> Result<Fit<T>, Error> {
    let penalty = &problem.penalty;
    let one_ridge = penalty.l1() == 0.0 && penalty.l2() > 0.0 && penalty.factors().is_none();
    if one_ridge && data.cols() > WIDE {
        let ridge = L2::<P::Scale>::new(penalty.l2());
        let problem = Erm { loss: Hinge, penalty: ridge, intercept: problem.intercept };
        let solver = DualCoordinateDescent { control: control.clone(), ..Default::default() };
        return solver.solve(backend, &problem, data);
    }
    piecewise_linear(control, backend, problem, data)
}

table! {
    Huber => twice_smooth;
    Logistic => twice_smooth;
    SquaredHinge => twice_smooth;
    Absolute => piecewise_linear;
    Quantile => piecewise_linear;
    Hinge => hinge;
}
