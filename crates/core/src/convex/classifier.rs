//! Two classes with labels: a linear predictor that speaks in labels, probabilities and doubts.

use std::borrow::Cow;

use super::auto::Auto;
use super::estimators::Estimator;
use crate::loss::{Logistic, Loss};
use crate::penalty::{Penalty, PerFeature};
use crate::{Backend, Dataset, Design, Error, Fit, Labels, Matrix, Scalar, Solver, View};

/// A fitted predictor of one of two labels.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Classifier<T, C> {
    /// The predictor with its report and certificate; z > 0 means the positive class.
    pub fit: Fit<T>,
    negative: C,
    positive: C,
}

/// A decision that may be withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Decision {
    /// The positive class.
    Positive,
    /// The negative class.
    Negative,
    /// The probability is between the thresholds.
    Unsure,
}

/// What the rows of a class count.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ClassWeights {
    /// Every row counts as it does.
    #[default]
    Uniform,
    /// Every class counts the same: rows are weighted by m/(K·rows of their class).
    Balanced,
    /// A factor for the rows of each class: the negative class first where there are two, else in the order
    /// of the labels.
    Given(Vec<f64>),
}

impl<L: Loss, P: Penalty> Estimator<L, P> {
    /// Fits labels of any ordered type; of two, the larger is the positive one unless it was named.
    ///
    /// The dataset's own target is not looked at.
    pub fn classify_on<T: Scalar, C: Ord + Clone>(
        &self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        labels: &Labels<C>,
        class_weights: &ClassWeights,
    ) -> Result<Classifier<T, C>, Error>
    where
        Auto: Solver<T, L, P> + Solver<T, L, PerFeature<P>>,
    {
        labels.check_rows(data.rows())?;
        let signs: Vec<T> = labels.signs()?;
        let classes: Vec<usize> = signs.iter().map(|&y| usize::from(y > T::zero())).collect();
        let weights = class_weights.of_rows(data, &classes, 2)?;
        let mut signed = Dataset::new(data.design(), View::column_vector(&signs))?;
        if let Some(names) = data.names() {
            signed = signed.with_names(names.as_slice().iter().cloned())?;
        }
        let mut signed = data.weigh_like(signed)?;
        if let Some(weights) = &weights {
            signed = signed.with_precisions(View::column_vector(weights))?;
        }
        let fit = self.fit_on(backend, &signed)?;
        let (negative, positive) = (labels.negative()?.clone(), labels.positive()?.clone());
        Ok(Classifier { fit, negative, positive })
    }
}

impl ClassWeights {
    /// The weight of every row, whose class is given by its number; `None` where they are the data's own.
    pub(super) fn of_rows<T: Scalar>(
        &self,
        data: &Dataset<'_, T>,
        classes: &[usize],
        count: usize,
    ) -> Result<Option<Vec<T>>, Error> {
        let weight = |t: usize| data.weight_of(t);
        let factors = match self {
            ClassWeights::Uniform => return Ok(None),
            ClassWeights::Given(factors) => factors.clone(),
            ClassWeights::Balanced => {
                let mut totals = vec![0.0; count];
                classes.iter().enumerate().for_each(|(t, &class)| totals[class] += weight(t));
                let share = totals.iter().sum::<f64>() / count as f64;
                totals.iter().map(|total| share / total).collect()
            }
        };
        if factors.len() != count {
            return Err(Error::LengthMismatch {
                what: "the list of class weights",
                per: "class",
                expected: count,
                found: factors.len(),
            });
        }
        if let Some(factor) =
            factors.iter().find(|&&factor| !(0.0..f64::INFINITY).contains(&factor))
        {
            return Err(Error::BadParameter {
                what: "a class weight",
                value: factor.to_string(),
                expected: "finite and not negative, with rows of weight in every class",
            });
        }
        let of_row = |(t, &class): (usize, &usize)| T::from_double(weight(t) * factors[class]);
        Ok(Some(classes.iter().enumerate().map(of_row).collect()))
    }
}

impl<T: Scalar, C: Clone> Classifier<T, C> {
    /// A classifier from a fit whose z > 0 means `positive`.
    pub fn new(fit: Fit<T>, negative: C, positive: C) -> Self {
        Self { fit, negative, positive }
    }

    /// The two labels, the negative one first.
    pub fn classes(&self) -> (&C, &C) {
        (&self.negative, &self.positive)
    }

    /// z = w·x + b of every row.
    pub fn scores<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Matrix<T>, Error> {
        self.fit.model.predict(design)
    }

    /// The label of every row; z = 0 is the negative class.
    pub fn predict<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Vec<C>, Error> {
        let label = |z: &T| if *z > T::zero() { &self.positive } else { &self.negative };
        Ok(self.scores(design)?.as_slice().iter().map(label).cloned().collect())
    }

    /// The probability of the positive class, 1/(1 + e^(−z)); meant for the logistic loss.
    pub fn probabilities<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Vec<f64>, Error> {
        let scores = self.scores(design)?;
        Ok(scores.as_slice().iter().map(|z| Logistic::probability(z.to_double())).collect())
    }

    /// Positive at p ≥ high, negative at p ≤ low, unsure between.
    pub fn decide<'a>(
        &self,
        design: impl Into<Design<'a, T>>,
        low: f64,
        high: f64,
    ) -> Result<Vec<Decision>, Error> {
        if !(0.0 <= low && low < high && high <= 1.0) {
            return Err(Error::BadParameter {
                what: "the pair of thresholds",
                value: format!("({low}, {high})"),
                expected: "0 ≤ low < high ≤ 1",
            });
        }
        let decide = |p: &f64| match *p {
            p if p >= high => Decision::Positive,
            p if p <= low => Decision::Negative,
            _ => Decision::Unsure,
        };
        Ok(self.probabilities(design)?.iter().map(decide).collect())
    }

    /// The label of a decision; `None` where it is withheld.
    pub fn label(&self, decision: Decision) -> Option<Cow<'_, C>> {
        match decision {
            Decision::Positive => Some(Cow::Borrowed(&self.positive)),
            Decision::Negative => Some(Cow::Borrowed(&self.negative)),
            Decision::Unsure => None,
        }
    }
}
