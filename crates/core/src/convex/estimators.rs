//! Named presets over loss, penalty and solver: lasso, logistic regression, support vector machines, …

use super::auto::Auto;
use super::deviations::deviations;
use super::run::Control;
use crate::loss::{Absolute, Hinge, Huber, Logistic, Loss, Quantile, Squared, SquaredHinge};
use crate::penalty::{
    ElasticNet as ElasticNetPenalty, Factors, L1, L2, Penalty, PerFeature, PerSample, Total,
    Unpenalised,
};
use crate::{Backend, Dataset, Erm, Error, Fit, Scalar, Solver};

/// A loss, a penalty, and how to fit them: what the named estimators are.
///
/// ```
/// use minrisk_core::convex::{LinearSvm, LogisticRegression};
/// let ridge_penalised = LogisticRegression::l2(0.5);
/// let sparse = LogisticRegression::l1(2.0).without_intercept().standardised();
/// let svm = LinearSvm::total(1.0);
/// ```
#[derive(Clone, Debug)]
pub struct Estimator<L, P> {
    problem: Erm<L, P>,
    solver: Auto,
    standardised: bool,
}

/// Lasso: minimise Σ c_t (y_t − z_t)² + λ₁‖w‖₁, or with the mean of the squares.
pub type Lasso<S> = Estimator<Squared, L1<S>>;
/// Elastic net: minimise Σ c_t (y_t − z_t)² + λ₁‖w‖₁ + λ₂‖w‖², or with the mean of the squares.
pub type ElasticNet<S> = Estimator<Squared, ElasticNetPenalty<S>>;
/// Logistic regression: minimise Σ c_t log(1 + e^(−y_t z_t)) + penalty; maximum likelihood without one.
pub type LogisticRegression<P> = Estimator<Logistic, P>;
/// A linear support vector machine: minimise Σ c_t max(0, 1 − y_t z_t) + λ₂‖w‖².
pub type LinearSvm<S> = Estimator<Hinge, L2<S>>;
/// The same with squared hinges.
pub type SquaredSvm<S> = Estimator<SquaredHinge, L2<S>>;
/// Robust regression with Huber's loss.
pub type HuberRegression<P> = Estimator<Huber, P>;
/// Least absolute deviations: minimise Σ c_t |y_t − z_t|.
pub type LeastAbsoluteDeviations = Estimator<Absolute, Unpenalised>;
/// Quantile regression.
pub type QuantileRegression = Estimator<Quantile, Unpenalised>;

macro_rules! presets {
    ($($name:ident<$scale:ident> { $(#[$doc:meta])* $call:ident($($argument:ident),*) => $loss:expr, $penalty:expr })*) => {$(
        impl $name<$scale> {
            $(#[$doc])*
            pub fn $call($($argument: f64),*) -> Self {
                Self::new($loss, $penalty)
            }
        }
    )*};
}

presets! {
    Lasso<Total> {
        /// Σ c_t (y_t − z_t)² + λ‖w‖₁.
        total(lambda) => Squared, L1::total(lambda)
    }
    Lasso<PerSample> {
        /// Σ c_t (y_t − z_t)² / Σ c_t + λ‖w‖₁.
        per_sample(lambda) => Squared, L1::per_sample(lambda)
    }
    ElasticNet<Total> {
        /// Σ c_t (y_t − z_t)² + λ₁‖w‖₁ + λ₂‖w‖².
        total(l1, l2) => Squared, ElasticNetPenalty::total(l1, l2)
    }
    ElasticNet<PerSample> {
        /// Σ c_t (y_t − z_t)² / Σ c_t + λ₁‖w‖₁ + λ₂‖w‖².
        per_sample(l1, l2) => Squared, ElasticNetPenalty::per_sample(l1, l2)
    }
    LinearSvm<Total> {
        /// Σ c_t max(0, 1 − y_t z_t) + λ‖w‖².
        total(lambda) => Hinge, L2::total(lambda)
    }
    LinearSvm<PerSample> {
        /// Σ c_t max(0, 1 − y_t z_t) / Σ c_t + λ‖w‖².
        per_sample(lambda) => Hinge, L2::per_sample(lambda)
    }
    SquaredSvm<Total> {
        /// Σ c_t max(0, 1 − y_t z_t)² + λ‖w‖².
        total(lambda) => SquaredHinge, L2::total(lambda)
    }
    SquaredSvm<PerSample> {
        /// Σ c_t max(0, 1 − y_t z_t)² / Σ c_t + λ‖w‖².
        per_sample(lambda) => SquaredHinge, L2::per_sample(lambda)
    }
}

impl LogisticRegression<Unpenalised> {
    /// Maximum likelihood.
    pub fn unpenalised() -> Self {
        Self::new(Logistic, Unpenalised)
    }
}

impl LogisticRegression<L2<Total>> {
    /// Σ c_t log(1 + e^(−y_t z_t)) + λ‖w‖²; scikit-learn's C is 1/(2λ).
    pub fn l2(lambda: f64) -> Self {
        Self::new(Logistic, L2::total(lambda))
    }
}

impl LogisticRegression<L1<Total>> {
    /// Σ c_t log(1 + e^(−y_t z_t)) + λ‖w‖₁.
    pub fn l1(lambda: f64) -> Self {
        Self::new(Logistic, L1::total(lambda))
    }
}

impl HuberRegression<Unpenalised> {
    /// Squares up to a residual of δ, straight lines beyond.
    pub fn unpenalised(delta: f64) -> Result<Self, Error> {
        Ok(Self::new(Huber::new(delta)?, Unpenalised))
    }
}

impl LeastAbsoluteDeviations {
    /// Without a penalty: the conditional median.
    pub fn unpenalised() -> Self {
        Self::new(Absolute, Unpenalised)
    }
}

impl QuantileRegression {
    /// The conditional q-quantile, 0 < q < 1.
    pub fn unpenalised(q: f64) -> Result<Self, Error> {
        Ok(Self::new(Quantile::new(q)?, Unpenalised))
    }
}

impl<L: Loss, P: Penalty> Estimator<L, P> {
    /// Any loss with any penalty, with an intercept, by the default solver.
    pub fn new(loss: L, penalty: P) -> Self {
        Self { problem: Erm::new(loss, penalty), solver: Auto::default(), standardised: false }
    }

    /// The same through the origin.
    pub fn without_intercept(self) -> Self {
        Self { problem: self.problem.without_intercept(), ..self }
    }

    /// Penalises as if every column had unit standard deviation. The coefficients are those of the
    /// columns as given; only the penalty's share for each changes.
    pub fn standardised(self) -> Self {
        Self { standardised: true, ..self }
    }

    /// The same with another stopping rule, a trace or an observer.
    pub fn control(self, control: Control) -> Self {
        Self { solver: Auto { control }, ..self }
    }

    /// The problem that is solved.
    pub fn problem(&self) -> &Erm<L, P> {
        &self.problem
    }

    /// Fits on a backend.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
    ) -> Result<Fit<T>, Error>
    where
        Auto: Solver<T, L, P> + Solver<T, L, PerFeature<P>>,
    {
        if !self.standardised {
            return self.solver.solve(backend, &self.problem, data);
        }
        let factors = Factors::standardising(&deviations(data)?)?;
        let Erm { loss, penalty, intercept } = &self.problem;
        let penalty = PerFeature::new(penalty.clone(), factors);
        let problem = Erm { loss: loss.clone(), penalty, intercept: *intercept };
        self.solver.solve(backend, &problem, data)
    }
}
