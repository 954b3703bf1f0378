//! Softmax (multinomial logistic) regression: one predictor for each class.
//!
//! F(W, b) = Σ c_t (log Σ_k e^(z_tk) − z_ty) + Σ_jk λ₁ⱼ|w_jk| + λ₂ⱼw_jk², z_tk = w_k·x_t + b_k + o_tk.
//!
//! | file | idea |
//! |---|---|
//! | `problem`, `passes` | the objective and its derivatives, a block of rows at a time |
//! | `newton` | Newton's method on all K(d + 1) unknowns at once |
//! | `dense` | its steps from the Hessian in memory |
//! | `matrix_free`, `conjugate_gradients` | its steps from products with the Hessian, where that is large |
//! | `working_set` | the columns that matter, where λ₁ leaves few of them |
//! | `certify`, `finish` | the lower bound by duality, the fit |
//! | `separation` | classes that can be told apart leave no minimiser, where weights pay no penalty |
//!
//! Adding the same number to all z_tk changes nothing: the intercepts have sum zero, and so do the weights of a column
//! without λ₁. With λ₁ several points may be minimisers, in the weights of a column up to a common shift.

mod certify;
mod classifier;
mod conjugate_gradients;
mod dense;
mod finish;
mod matrix_free;
mod newton;
mod passes;
mod problem;
mod separation;
mod working_set;

pub use classifier::SoftmaxClassifier;

use self::finish::Ending;
use self::newton::{Method, SoftmaxNewton};
use self::problem::SoftmaxProblem;
use super::classifier::ClassWeights;
use super::deviations::deviations;
use super::run::{Control, Run};
use crate::penalty::{ElasticNet, Factors, L1, L2, Penalty, PerFeature, Total, Unpenalised};
use crate::{Backend, Dataset, Error, Fit, Labels, Scalar, View};

/// Steps unless the control says otherwise.
const LIMIT: usize = 100;
/// Steps go on to this share of the gap asked for: what they promise is an estimate, what counts is a proof.
const TIGHTER: f64 = 1e-6;

/// Softmax regression: minimise Σ c_t (log Σ_k e^(z_tk) − z_ty) + penalty, with a predictor z_k for each class k.
///
/// The penalty is on the weights of every class, never on the intercepts. Large problems are solved without a
/// Hessian in memory.
///
/// ```
/// use minrisk_core::convex::SoftmaxRegression;
/// use minrisk_core::penalty::{ElasticNet, L1};
/// let ridge_penalised = SoftmaxRegression::l2(0.5);
/// let sparse = SoftmaxRegression::new(L1::per_sample(0.01)).standardised();
/// let both = SoftmaxRegression::elastic_net(2.0, 0.5).without_intercept();
/// ```
///
/// With a backend at hand:
///
/// ```
/// # use minrisk_core::{Backend, Dataset, Error, Labels, Status, View, convex::SoftmaxRegression};
/// # fn example(backend: &dyn Backend<f64>) -> Result<(), Error> {
/// let petals = [[1.4, 0.2], [1.3, 0.2], [4.7, 1.4], [4.5, 1.5], [6.0, 2.5], [5.1, 1.9]];
/// let species = ["setosa", "setosa", "versicolor", "versicolor", "virginica", "virginica"];
/// // The labels are the target. Offsets have a column for each class: known parts of its prediction.
/// let nothing = [0.0; 6];
/// let known = [[0.0, 0.5, 0.0]; 6];
/// let data = Dataset::new(View::from_arrays(&petals), View::column_vector(&nothing))?
///     .with_offsets(View::from_arrays(&known))?;
/// let iris = SoftmaxRegression::l1(0.1).classify_on(backend, &data, &Labels::new(&species)?)?;
/// assert_eq!(iris.fit.report.status, Status::Solved);
/// assert!(iris.fit.certificate.softmax().is_some_and(|proof| proof.relative_gap < 1e-9));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct SoftmaxRegression<P> {
    penalty: P,
    intercept: bool,
    standardised: bool,
    class_weights: ClassWeights,
    control: Control,
}

impl SoftmaxRegression<Unpenalised> {
    /// Maximum likelihood.
    pub fn unpenalised() -> Self {
        Self::new(Unpenalised)
    }
}

impl SoftmaxRegression<L2<Total>> {
    /// Σ c_t ℓ + λ‖W‖².
    pub fn l2(lambda: f64) -> Self {
        Self::new(L2::total(lambda))
    }
}

impl SoftmaxRegression<L1<Total>> {
    /// Σ c_t ℓ + λ‖W‖₁.
    pub fn l1(lambda: f64) -> Self {
        Self::new(L1::total(lambda))
    }
}

impl SoftmaxRegression<ElasticNet<Total>> {
    /// Σ c_t ℓ + λ₁‖W‖₁ + λ₂‖W‖².
    pub fn elastic_net(l1: f64, l2: f64) -> Self {
        Self::new(ElasticNet::total(l1, l2))
    }
}

impl<P: Penalty> SoftmaxRegression<P> {
    /// Any penalty, with intercepts.
    pub fn new(penalty: P) -> Self {
        Self {
            penalty,
            intercept: true,
            standardised: false,
            class_weights: ClassWeights::Uniform,
            control: Control::default(),
        }
    }

    /// The same through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
    }

    /// Penalises as if every column had unit standard deviation. The coefficients are those of the
    /// columns as given; only the penalty's share for each changes.
    pub fn standardised(self) -> Self {
        Self { standardised: true, ..self }
    }

    /// The same with rows weighted by their class.
    pub fn class_weights(self, class_weights: ClassWeights) -> Self {
        Self { class_weights, ..self }
    }

    /// The same with another stopping rule, a trace or an observer.
    pub fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }

    /// Fits labels of any ordered type; the dataset's own target is not looked at.
    pub fn classify_on<T: Scalar, C: Ord + Clone>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        labels: &Labels<C>,
    ) -> Result<SoftmaxClassifier<T, C>, Error> {
        labels.check_rows(data.rows())?;
        let codes: Vec<T> =
            labels.codes().iter().map(|&code| T::from_double(code as f64)).collect();
        let mut coded = Dataset::new(data.design(), View::column_vector(&codes))?;
        if let Some(names) = data.names() {
            coded = coded.with_names(names.as_slice().iter().cloned())?;
        }
        let mut coded = data.weigh_like(coded)?;
        let weights = self.class_weights.of_rows(data, labels.codes(), labels.classes().len())?;
        if let Some(weights) = &weights {
            coded = coded.with_precisions(View::column_vector(weights))?;
        }
        let fit = self.fit_on(backend, &coded, labels.classes().len())?;
        Ok(SoftmaxClassifier { fit, classes: labels.classes().to_vec() })
    }

    /// Fits targets 0, 1, …, classes − 1. The model has one target for each class.
    pub fn fit_on<T: Scalar>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        classes: usize,
    ) -> Result<Fit<T>, Error> {
        let problem = if self.standardised {
            let factors = Factors::standardising(&deviations(data)?)?;
            let penalty = PerFeature::new(self.penalty.clone(), factors);
            SoftmaxProblem::new(backend, &penalty, self.intercept, data, classes)?
        } else {
            SoftmaxProblem::new(backend, &self.penalty, self.intercept, data, classes)?
        };
        let mut run = Run::new(&self.control, LIMIT);
        run.tighten(TIGHTER);
        let ending = problem.minimise(&mut run)?;
        problem.finish(ending, run)
    }
}

impl<T: Scalar> SoftmaxProblem<'_, T> {
    fn minimise(&self, run: &mut Run<'_>) -> Result<Ending, Error> {
        let mut theta = vec![0.0; self.classes * self.unknowns()];
        if !self.terms.is_smooth() {
            return working_set::minimise(self, theta, run);
        }
        let method = Method::of(self, self.features());
        let mut newton = SoftmaxNewton::new(self, method);
        let status = newton.iterate(&mut theta, run, 0.0)?;
        let solver = match method {
            Method::Dense => "Newton",
            Method::MatrixFree => "Newton, by conjugate gradients",
        };
        Ok(Ending { theta, status, solver, passes: newton.passes })
    }
}
