//! What is minimised and by whom: the loss, the penalty and the solver, chosen at run time.

use clap::ValueEnum;
use minrisk::convex::{
    Auto, Control, CoordinateDescent, DualCoordinateDescent, GradientDescent, InteriorPoint, Lbfgs,
    Newton, ProximalGradient, ProximalNewton, SoftmaxRegression, StochasticGradient,
};
use minrisk::least_squares::{ClosedForm, Method, Ridge};
use minrisk::loss::{
    Absolute, Hinge, Logistic, PiecewiseLinear, Squared, SquaredHinge, TwiceSmooth,
};
use minrisk::penalty::{ElasticNet, L2, PerSample, Scale as ScaleType, Total};
use minrisk::polynomial::{PolynomialModel, PolynomialRegression};
use minrisk::{Backend, Dataset, Erm, Error, Fit, Solver};
use serde::{Deserialize, Serialize};

use super::loss::Loss;

/// What the risk is beside the penalty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Scale {
    /// Σ c ℓ
    Total,
    /// Σ c ℓ / Σ c
    Mean,
}

/// A solver by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverName {
    Auto,
    Normal,
    Qr,
    Svd,
    Newton,
    Lbfgs,
    CoordinateDescent,
    ProximalNewton,
    InteriorPoint,
    DualCoordinateDescent,
    GradientDescent,
    ProximalGradient,
    #[value(name = "sgd")]
    StochasticGradient,
}

/// Columns of a d × d matrix at most: 3.2 GB of it.
const MOST_COLUMNS: usize = 20_000;

/// A problem and how to solve it.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) loss: Loss,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    pub(crate) scale: Scale,
    pub(crate) intercept: bool,
    pub(crate) degree: Option<usize>,
    /// Classes of the target, for softmax.
    pub(crate) classes: usize,
    pub(crate) solver: SolverName,
    pub(crate) seed: u64,
    pub(crate) control: Control,
}

/// A fit, and the polynomial it belongs to where there is one.
#[derive(Clone, Debug)]
pub(crate) struct Trained {
    pub(crate) fit: Fit<f64>,
    pub(crate) polynomial: Option<PolynomialModel<f64>>,
}

impl Task {
    /// How the model is called.
    pub(crate) fn model_name(&self) -> String {
        let penalised = |none: &str, l2: &str, l1: &str, both: &str| {
            let name = match (self.l1 > 0.0, self.l2 > 0.0) {
                (false, false) => none,
                (false, true) => l2,
                (true, false) => l1,
                (true, true) => both,
            };
            name.to_string()
        };
        match self.loss {
            Loss::Squared => penalised("least squares", "ridge", "lasso", "elastic net"),
            Loss::Absolute => "least absolute deviations".into(),
            Loss::Quantile(loss) => format!("quantile regression ({})", loss.q()),
            Loss::Huber(loss) => format!("Huber regression ({})", loss.delta()),
            Loss::Logistic => "logistic regression".into(),
            Loss::Softmax => "softmax regression".into(),
            Loss::Hinge => "support vector machine".into(),
            Loss::SquaredHinge => "squared support vector machine".into(),
        }
    }

    /// Whether the closed form of least squares solves it.
    pub(crate) fn is_closed_form(&self) -> bool {
        let closed = [SolverName::Auto, SolverName::Normal, SolverName::Qr, SolverName::Svd];
        self.loss == Loss::Squared && self.l1 == 0.0 && closed.contains(&self.solver)
    }

    /// How the closed form starts.
    pub(crate) fn method(&self) -> Method {
        match self.solver {
            SolverName::Normal => Method::NormalEquations,
            SolverName::Qr => Method::Qr,
            SolverName::Svd => Method::Svd,
            _ => Method::Auto,
        }
    }

    /// Fits features, or all their monomials.
    pub(crate) fn train(
        &self,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Trained, Error> {
        let Some(degree) = self.degree else {
            return Ok(Trained { fit: self.solve(backend, data)?, polynomial: None });
        };
        let fit = match self.scale {
            _ if !self.is_closed_form() => PolynomialRegression::new(degree)
                .fit_with(data, |monomials| self.solve(backend, monomials))?,
            Scale::Total => {
                let ridge = self.ridge(Ridge::total(self.l2));
                PolynomialRegression::of(degree, ridge).fit_on(backend, data)?
            }
            Scale::Mean => {
                let ridge = self.ridge(Ridge::per_sample(self.l2));
                PolynomialRegression::of(degree, ridge).fit_on(backend, data)?
            }
        };
        let (model, report, certificate) = (fit.model, fit.report, fit.certificate);
        let fit = Fit { model: model.linear().clone(), report, certificate };
        Ok(Trained { fit, polynomial: Some(model) })
    }

    /// A ridge regression with the options of the closed form.
    pub(crate) fn ridge<S: ScaleType>(&self, ridge: Ridge<S>) -> Ridge<S> {
        let ridge = ridge.method(self.method());
        if self.intercept { ridge } else { ridge.without_intercept() }
    }

    /// Fits features as they are.
    pub(crate) fn solve(
        &self,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Fit<f64>, Error> {
        match self.scale {
            Scale::Total => self.solve_in::<Total>(backend, data),
            Scale::Mean => self.solve_in::<PerSample>(backend, data),
        }
    }

    fn solve_in<S: ScaleType>(
        &self,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Fit<f64>, Error> {
        match self.loss {
            Loss::Squared => self.squared::<S>(backend, data),
            Loss::Huber(loss) => self.twice_smooth::<S, _>(loss, backend, data),
            Loss::Logistic => self.twice_smooth::<S, _>(Logistic, backend, data),
            Loss::SquaredHinge => self.twice_smooth::<S, _>(SquaredHinge, backend, data),
            Loss::Absolute => self.piecewise_linear::<S, _>(Absolute, backend, data),
            Loss::Quantile(loss) => self.piecewise_linear::<S, _>(loss, backend, data),
            Loss::Hinge => self.hinge::<S>(backend, data),
            Loss::Softmax => self.softmax::<S>(backend, data),
        }
    }

    fn squared<S: ScaleType>(
        &self,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Fit<f64>, Error> {
        let control = self.control.clone();
        match self.solver {
            _ if self.is_closed_form() => {
                let method = self.method();
                ClosedForm { method }.solve(
                    backend,
                    &self.erm(Squared, L2::<S>::new(self.l2)),
                    data,
                )
            }
            SolverName::Normal | SolverName::Qr | SolverName::Svd => {
                unsupported("the closed form", "it takes no --l1; leave --solver out")
            }
            SolverName::CoordinateDescent => {
                CoordinateDescent { control }.solve(backend, &self.elastic::<S, _>(Squared), data)
            }
            _ => self.twice_smooth::<S, _>(Squared, backend, data),
        }
    }

    fn twice_smooth<S: ScaleType, L: TwiceSmooth>(
        &self,
        loss: L,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Fit<f64>, Error>
    where
        Auto: Solver<f64, L, ElasticNet<S>>,
    {
        let control = self.control.clone();
        let elastic = self.elastic::<S, _>(loss.clone());
        let smooth = self.erm(loss, L2::<S>::new(self.l2));
        match self.solver {
            SolverName::Auto => Auto { control }.solve(backend, &elastic, data),
            SolverName::ProximalNewton => ProximalNewton { control }.solve(backend, &elastic, data),
            SolverName::ProximalGradient => {
                ProximalGradient { control, ..Default::default() }.solve(backend, &elastic, data)
            }
            SolverName::StochasticGradient => self.stochastic().solve(backend, &elastic, data),
            SolverName::Newton | SolverName::Lbfgs | SolverName::GradientDescent
                if self.l1 > 0.0 =>
            {
                let reason = "it takes no --l1; there are proximal-newton and proximal-gradient";
                unsupported("a solver for smooth objectives", reason)
            }
            SolverName::Newton => {
                refuse_wide("the Hessian of Newton's method", data)?;
                Newton { control }.solve(backend, &smooth, data)
            }
            SolverName::Lbfgs => Lbfgs { control }.solve(backend, &smooth, data),
            SolverName::GradientDescent => {
                GradientDescent { control, ..Default::default() }.solve(backend, &smooth, data)
            }
            _ => unsupported(
                "this --solver",
                "the loss is twice smooth; there are newton, lbfgs, proximal-newton, gradient-descent, proximal-gradient and sgd",
            ),
        }
    }

    fn hinge<S: ScaleType>(
        &self,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Fit<f64>, Error> {
        let control = self.control.clone();
        let dual_takes_it = self.l1 == 0.0 && self.l2 > 0.0;
        match self.solver {
            // It goes to the dual by itself where there are many columns.
            SolverName::Auto if dual_takes_it => {
                Auto { control }.solve(backend, &self.elastic::<S, _>(Hinge), data)
            }
            SolverName::DualCoordinateDescent if dual_takes_it => {
                let problem = self.erm(Hinge, L2::<S>::new(self.l2));
                DualCoordinateDescent { seed: self.seed, control }.solve(backend, &problem, data)
            }
            SolverName::DualCoordinateDescent => {
                unsupported("dual coordinate descent", "it needs --l2 and takes no --l1")
            }
            _ => self.piecewise_linear::<S, _>(Hinge, backend, data),
        }
    }

    fn piecewise_linear<S: ScaleType, L: PiecewiseLinear>(
        &self,
        loss: L,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Fit<f64>, Error> {
        let problem = self.elastic::<S, _>(loss);
        match self.solver {
            SolverName::Auto | SolverName::InteriorPoint => {
                refuse_wide("the system of the interior-point method", data)?;
                InteriorPoint { control: self.control.clone() }.solve(backend, &problem, data)
            }
            SolverName::StochasticGradient => self.stochastic().solve(backend, &problem, data),
            _ => unsupported(
                "this --solver",
                "the loss has a kink; there are interior-point and sgd",
            ),
        }
    }

    fn softmax<S: ScaleType>(
        &self,
        backend: &dyn Backend<f64>,
        data: &Dataset<'_, f64>,
    ) -> Result<Fit<f64>, Error> {
        match self.solver {
            SolverName::Auto | SolverName::ProximalNewton => {}
            SolverName::Newton if self.l1 == 0.0 => {}
            SolverName::Newton => {
                let reason = "it takes no --l1; there is proximal-newton";
                return unsupported("Newton's method", reason);
            }
            _ => {
                let reason = "its solvers are newton and, with --l1, proximal-newton";
                return unsupported("softmax regression", reason);
            }
        }
        let penalty = ElasticNet::<S>::new(self.l1, self.l2);
        let softmax = SoftmaxRegression::new(penalty).control(self.control.clone());
        let softmax = if self.intercept { softmax } else { softmax.without_intercept() };
        softmax.fit_on(backend, data, self.classes)
    }

    fn stochastic(&self) -> StochasticGradient {
        let control = self.control.clone();
        StochasticGradient { seed: self.seed, control, ..Default::default() }
    }

    fn elastic<S: ScaleType, L>(&self, loss: L) -> Erm<L, ElasticNet<S>> {
        self.erm(loss, ElasticNet::<S>::new(self.l1, self.l2))
    }

    fn erm<L, P>(&self, loss: L, penalty: P) -> Erm<L, P> {
        Erm { loss, penalty, intercept: self.intercept }
    }
}

/// Fails where a d × d matrix would not fit in memory.
fn refuse_wide(what: &'static str, data: &Dataset<'_, f64>) -> Result<(), Error> {
    let count = (data.cols() as u128).pow(2);
    if data.cols() > MOST_COLUMNS { Err(Error::TooLarge { what, count }) } else { Ok(()) }
}

fn unsupported<T>(solver: &'static str, reason: &'static str) -> Result<T, Error> {
    Err(Error::Unsupported { solver, reason })
}
