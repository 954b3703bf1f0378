//! Classifiers that were saved and loaded again are the same: labels, certificates, every bit of a prediction.

use std::fmt::Debug;

use minrisk_conformance::Random;
use minrisk_core::convex::{
    ClassWeights, Classifier, LogisticRegression, SoftmaxClassifier, SoftmaxRegression,
};
use minrisk_core::{Backend, Dataset, Error, Labels, Matrix, Scalar, View};
use minrisk_faer::Faer;
use serde::Serialize;
use serde::de::DeserializeOwned;

struct Sample<T> {
    x: Matrix<T>,
    nothing: Vec<T>,
    labels: Vec<String>,
}

impl<T: Scalar> Sample<T> {
    fn new(names: &[&str]) -> Self {
        let mut random = Random::new(3);
        let x = Matrix::from_fn(40, 3, |_, _| T::from_double(random.normal()));
        let labels = (0..40).map(|i| names[i % names.len()].to_string()).collect();
        Self { x, nothing: vec![T::zero(); 40], labels }
    }

    fn data(&self) -> Result<Dataset<'_, T>, Error> {
        let names = ["length", "width", "height"];
        Dataset::new(self.x.view(), View::column_vector(&self.nothing))?.with_names(names)
    }
}

/// What comes back from a file.
fn loaded<M: Serialize + DeserializeOwned + PartialEq + Debug>(model: &M) -> M {
    let text = serde_json::to_string(model).expect("it can be written");
    let again = serde_json::from_str(&text).expect("it can be read");
    assert_eq!(&again, model);
    again
}

fn two_classes<T: Scalar + Serialize + DeserializeOwned>() -> Result<(), Error>
where
    Faer: Backend<T>,
{
    let sample = Sample::<T>::new(&["no", "yes"]);
    let labels = Labels::new(&sample.labels)?.with_positive(&"no".to_string())?;
    let logistic = LogisticRegression::l1(0.5);
    let model: Classifier<T, String> =
        logistic.classify_on(&Faer, &sample.data()?, &labels, &ClassWeights::Balanced)?;
    let again = loaded(&model);
    assert_eq!(again.predict(sample.x.view())?, model.predict(sample.x.view())?);
    assert_eq!(again.probabilities(sample.x.view())?, model.probabilities(sample.x.view())?);
    Ok(())
}

fn several_classes<T: Scalar + Serialize + DeserializeOwned>() -> Result<(), Error>
where
    Faer: Backend<T>,
{
    let sample = Sample::<T>::new(&["ash", "elm", "fir", "oak"]);
    let labels = Labels::new(&sample.labels)?;
    let softmax = SoftmaxRegression::elastic_net(0.5, 0.1);
    let model: SoftmaxClassifier<T, String> =
        softmax.classify_on(&Faer, &sample.data()?, &labels)?;
    let again = loaded(&model);
    assert_eq!(again.classes(), model.classes());
    assert_eq!(again.predict(sample.x.view())?, model.predict(sample.x.view())?);
    assert_eq!(again.probabilities(sample.x.view())?, model.probabilities(sample.x.view())?);
    Ok(())
}

#[test]
fn classifiers_of_two_classes() -> Result<(), Error> {
    two_classes::<f64>().and_then(|()| two_classes::<f32>())
}

#[test]
fn classifiers_of_several_classes() -> Result<(), Error> {
    several_classes::<f64>().and_then(|()| several_classes::<f32>())
}
