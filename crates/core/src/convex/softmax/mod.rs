//! Softmax (multinomial logistic) regression: one predictor for each class.
//!
//! F(W, b) = Σ c_t (log Σ_k e^(z_tk) − z_ty) + λ₂‖W‖², z_tk = w_k·x_t + b_k. Newton's method on all K(d + 1)
//! unknowns at once: the Hessian has the blocks Σ c (p_k[k = l] − p_k p_l)·x̃x̃ᵀ, each a Gram matrix. Adding the same
//! number to all z_tk changes nothing, so Σ_k b_k (and Σ_k w_k without a penalty) is free: the objective gets
//! the square of these sums, which is zero at a minimiser and picks the one with sums of zero.
//!
//! The lower bound: u_tk = p_tk − [k = y_t] is a dual point up to Σ_t c_t u_tk = 0, and with λ₂ > 0 its value misses
//! F by ‖∂F/∂W‖²/(4λ₂); else, and for the intercepts, the Newton decrement stands in. Without a penalty, classes that
//! can be told apart leave no minimiser, which the fit says with a direction of endless descent.

mod newton;
mod pass;
mod separation;

use self::newton::SoftmaxNewton;
use super::classifier::ClassWeights;
use super::run::{Control, Run};
use crate::loss::Softmax;
use crate::{Backend, Dataset, Design, Error, Fit, Labels, Matrix, Scalar, View};

/// Steps unless the control says otherwise.
const LIMIT: usize = 100;
/// The most unknowns: their square is the memory of the Hessian.
const MAX_UNKNOWNS: usize = 6_000;

/// Softmax regression with a ridge penalty, total scale.
///
/// ```
/// use minrisk_core::convex::SoftmaxRegression;
/// let estimator = SoftmaxRegression::l2(0.5);
/// ```
#[derive(Clone, Debug)]
pub struct SoftmaxRegression {
    l2: f64,
    intercept: bool,
    class_weights: ClassWeights,
    control: Control,
}

impl SoftmaxRegression {
    /// Σ c_t ℓ + λ₂‖W‖².
    pub fn l2(lambda: f64) -> Self {
        Self {
            l2: lambda,
            intercept: true,
            class_weights: ClassWeights::Uniform,
            control: Control::default(),
        }
    }

    /// The same through the origin.
    pub fn without_intercept(self) -> Self {
        Self { intercept: false, ..self }
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
        self.check(data, classes)?;
        let mut run = Run::new(&self.control, LIMIT);
        run.tighten(1e-6);
        let mut newton = SoftmaxNewton::new(self, backend, data, classes);
        let end = newton.iterate(&mut run)?;
        newton.finish(end, run)
    }

    fn check<T: Scalar>(&self, data: &Dataset<'_, T>, classes: usize) -> Result<(), Error> {
        if !(self.l2.is_finite() && self.l2 >= 0.0) {
            let (what, value) = ("λ₂", self.l2.to_string());
            return Err(Error::BadParameter { what, value, expected: "finite and not negative" });
        }
        if data.offsets().is_some() || data.targets() != 1 {
            let reason = "it takes one column of classes and no offsets";
            return Err(Error::Unsupported { solver: "softmax regression", reason });
        }
        let unknowns = (data.cols() + 1).saturating_mul(classes);
        if unknowns > MAX_UNKNOWNS {
            let count = unknowns as u128 * unknowns as u128;
            return Err(Error::TooLarge { what: "the Hessian of softmax regression", count });
        }
        let y = data.target_view();
        let in_range = |y: f64| y >= 0.0 && y < classes as f64 && y.fract() == 0.0;
        match y.col_iter(0).position(|y| !in_range(y.to_double())) {
            None => Ok(()),
            Some(row) => Err(Error::TargetOutsideDomain {
                row,
                value: y[(row, 0)].to_string(),
                loss: "softmax",
                domain: "0, 1, …, classes − 1",
            }),
        }
    }
}

/// A fitted predictor of one of several labels.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftmaxClassifier<T, C> {
    /// One target for each class, in the order of the labels.
    pub fit: Fit<T>,
    classes: Vec<C>,
}

impl<T: Scalar, C: Clone> SoftmaxClassifier<T, C> {
    /// The labels, sorted.
    pub fn classes(&self) -> &[C] {
        &self.classes
    }

    /// The probability of every class (columns) for every row.
    pub fn probabilities<'a>(
        &self,
        design: impl Into<Design<'a, T>>,
    ) -> Result<Matrix<f64>, Error> {
        let scores = self.fit.model.predict(design)?;
        let mut probabilities = Matrix::zeros(scores.rows(), scores.cols());
        let mut row = vec![0.0; scores.cols()];
        for i in 0..scores.rows() {
            row.iter_mut().enumerate().for_each(|(k, z)| *z = scores[(i, k)].to_double());
            Softmax::probabilities(&mut row);
            row.iter().enumerate().for_each(|(k, &p)| probabilities[(i, k)] = p);
        }
        Ok(probabilities)
    }

    /// The most probable label of every row; the first wins a tie.
    pub fn predict<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Vec<C>, Error> {
        let scores = self.fit.model.predict(design)?;
        let best = |i: usize| {
            let better =
                |best: usize, k: usize| if scores[(i, k)] > scores[(i, best)] { k } else { best };
            (1..scores.cols()).fold(0, better)
        };
        Ok((0..scores.rows()).map(|i| self.classes[best(i)].clone()).collect())
    }
}
