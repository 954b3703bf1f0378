//! More than two classes, and labels of any type.

use minrisk_core::halfspace::{Ending, MulticlassPerceptron, Separation};
use minrisk_core::{Backend, Labels, Matrix, Scalar};
use num_rational::BigRational;
use num_traits::Zero;

use super::separability::decision;
use super::sets::{Labelled, results, text};
use crate::Outcome;
use crate::check::ensure;
use crate::exact::rational;
use crate::random::Random;

/// For each row and each other class: (x, 1) in the block of its own class, −(x, 1) in the other's.
fn kesler<T: Scalar>(x: &Matrix<T>, labels: &Labels<String>) -> Vec<Vec<BigRational>> {
    let (classes, width) = (labels.classes().len(), x.cols() + 1);
    let mut rows = Vec::new();
    for (t, &own) in labels.codes().iter().enumerate() {
        for other in (0..classes).filter(|&other| other != own) {
            let mut row = vec![BigRational::zero(); classes * width];
            for j in 0..width {
                let value = if j < x.cols() { rational(x[(t, j)]) } else { rational(T::one()) };
                row[own * width + j] = value.clone();
                row[other * width + j] = -value;
            }
            rows.push(row);
        }
    }
    rows
}

/// iris is not separable by argmax, penguins are: with certificates.
pub fn multiclass_sets_are_decided<T: Scalar>(backend: &dyn Backend<T>) -> Outcome {
    for entry in results(include_str!("../../data/multiclass/separability.json")) {
        let name = text(&entry, "name");
        let csv = match name {
            "iris3" => include_str!("../../data/multiclass/iris3.csv"),
            _ => include_str!("../../data/multiclass/penguins3.csv"),
        };
        let set = Labelled::<T>::read(csv);
        let (x, labels) = (set.all(), Labels::new(&set.labels)?);
        let outcome = Separation::new().decide_multiclass_on(backend, x.view(), &labels)?;
        let found = decision(&outcome, &kesler(&x, &labels));
        let found = found.map_err(|failure| failure.within(name))?;
        let expected = entry["separable"].as_bool().expect("a truth value");
        ensure!(found == expected, "{name}: separable = {found}, certified is {expected}");
    }
    Ok(())
}

/// On classes far apart the multiclass perceptron ends, and predicts the labels it learnt.
pub fn the_multiclass_perceptron_learns<T: Scalar>(_backend: &dyn Backend<T>) -> Outcome {
    let mut random = Random::new(62);
    let names = ["left", "right", "top"];
    let centres = [[-4.0, 0.0], [4.0, 0.0], [0.0, 7.0]];
    let codes: Vec<usize> = (0..90).map(|_| random.below(3)).collect();
    let x = Matrix::from_fn(90, 2, |i, j| T::from_double(centres[codes[i]][j] + random.signed()));
    let words: Vec<&str> = codes.iter().map(|&code| names[code]).collect();
    let labels = Labels::new(&words)?;
    for perceptron in [
        MulticlassPerceptron::new(),
        MulticlassPerceptron::new().shuffled(5).with_rate(T::from_double(0.25)),
    ] {
        let fit = perceptron.fit(x.view(), &labels)?;
        ensure!(fit.ending == Ending::Clean && fit.mistakes == 0, "{} mistakes", fit.mistakes);
        let predicted = fit.model.predict(x.view())?;
        ensure!(predicted == words, "predictions differ from the labels learnt");
    }
    Ok(())
}
