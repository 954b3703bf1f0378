//! Classifying without naming a backend, and without turning labels into numbers first.

use minrisk_core::convex::{
    Auto, ClassWeights, Classifier, Estimator, SoftmaxClassifier, SoftmaxRegression,
};
use minrisk_core::loss::Loss;
use minrisk_core::penalty::{Penalty, PerFeature};
use minrisk_core::{Dataset, Error, Labels, Solver};

use crate::{Element, IntoView, default_backend, view};

/// `.classify(&x, &labels)`: an estimator for labels of any ordered type, on the
/// [default backend](crate::backends).
///
/// ```
/// use minrisk::prelude::*;
/// use minrisk::convex::{LogisticRegression, SoftmaxRegression};
///
/// let petals = [[1.4, 0.2], [1.3, 0.2], [4.7, 1.4], [4.5, 1.5], [6.0, 2.5], [5.1, 1.9]];
/// let species = ["setosa", "setosa", "versicolor", "versicolor", "virginica", "virginica"];
/// let iris = SoftmaxRegression::l2(0.1).classify(&petals, &species)?;
/// assert_eq!(iris.predict(view(&petals))?, species);
///
/// let long = [false, false, true, true, true, true];
/// let logistic = LogisticRegression::l2(0.1).classify(&petals, &long)?;
/// assert!(logistic.probabilities(view(&[[6.0, 2.0]]))?[0] > 0.9);
/// # Ok::<(), minrisk::Error>(())
/// ```
///
/// For sample weights, class weights, names or a positive class of your choice there is `classify_on`.
pub trait ClassifyDefault<T: Element> {
    /// What speaks in labels of type `C`.
    type Classifier<C>;

    /// Fits to one row of features and one label for each example.
    fn classify<'a, C: Ord + Clone>(
        &self,
        x: impl IntoView<'a, T>,
        labels: &[C],
    ) -> Result<Self::Classifier<C>, Error>;
}

impl<T: Element, L: Loss, P: Penalty> ClassifyDefault<T> for Estimator<L, P>
where
    Auto: Solver<T, L, P> + Solver<T, L, PerFeature<P>>,
{
    type Classifier<C> = Classifier<T, C>;

    fn classify<'a, C: Ord + Clone>(
        &self,
        x: impl IntoView<'a, T>,
        labels: &[C],
    ) -> Result<Classifier<T, C>, Error> {
        with_labels(x, labels, |data, labels| {
            self.classify_on(default_backend(), data, labels, &ClassWeights::Uniform)
        })
    }
}

impl<T: Element, P: Penalty> ClassifyDefault<T> for SoftmaxRegression<P> {
    type Classifier<C> = SoftmaxClassifier<T, C>;

    fn classify<'a, C: Ord + Clone>(
        &self,
        x: impl IntoView<'a, T>,
        labels: &[C],
    ) -> Result<SoftmaxClassifier<T, C>, Error> {
        with_labels(x, labels, |data, labels| self.classify_on(default_backend(), data, labels))
    }
}

/// Calls with the features as data without a target of its own, and with the labels.
fn with_labels<'a, T: Element, C: Ord + Clone, F>(
    x: impl IntoView<'a, T>,
    labels: &[C],
    classify: impl FnOnce(&Dataset<'_, T>, &Labels<C>) -> Result<F, Error>,
) -> Result<F, Error> {
    let (x, labels) = (x.into_view(), Labels::new(labels)?);
    let nothing = vec![T::zero(); x.rows()];
    classify(&Dataset::new(x, view(&nothing))?, &labels)
}
