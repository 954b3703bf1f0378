//! More than two classes: argmax_y (w_y·x + b_y), by the multiclass perceptron.

use minrisk::halfspace::{Budget, MulticlassPerceptron, Separability, Separation};
use minrisk::{Backend, LinearModel, Names, View};

use super::{Certificate, Combination, Found, Options};
use crate::data::{Classes, Loaded};
use crate::failure::Outcome;
use crate::progress::Spinner;

pub(super) fn separate(
    loaded: &Loaded,
    classes: &Classes,
    backend: &dyn Backend<f64>,
    options: &Options,
) -> Outcome<Found> {
    loaded.refuse_weights("the multiclass perceptron")?;
    let design = loaded.design()?;
    let separation = Separation {
        intercept: !options.no_intercept,
        budget: options.within(Budget::steps(100_000)),
    };
    let _spinner = Spinner::start("searching");
    let outcome = separation.decide_multiclass_on(backend, design, &classes.labels)?;
    let separable = match &outcome {
        Separability::Separable(_) => Some(true),
        Separability::NotSeparable(_) => Some(false),
        _ => None,
    };
    let perceptron = MulticlassPerceptron {
        intercept: !options.no_intercept,
        budget: options.within(Budget::steps(1_000_000)),
        // On data that is known not to be separable it would never end.
        epochs: if separable == Some(false) { 100 } else { 10_000 },
        ..MulticlassPerceptron::new()
    };
    let fit = perceptron.fit(design, &classes.labels)?;
    let method =
        format!("the multiclass perceptron, {} updates in {} epochs", fit.updates, fit.epochs);
    let (method, model, mistakes) = match &outcome {
        // Narrow margins take it more updates than one can wait for; the proof has the answer.
        Separability::Separable(separator) if fit.mistakes > 0 => {
            let model = of_blocks(&separator.model, classes.names.len(), loaded.features());
            let model =
                LinearModel::new(model.0, (!options.no_intercept).then_some(model.1), None)?;
            let mistakes = mistakes(&model, design, classes)?;
            ("the shortest separator of Kesler's construction".to_string(), model, mistakes)
        }
        _ => (method, fit.model.scores, fit.mistakes),
    };
    let spent = separable.is_none() || separable == Some(true) && mistakes > 0;
    Ok(Found {
        method,
        model: named(&model, &loaded.names)?,
        separable,
        margin: None,
        mistakes: mistakes as f64,
        lower_bound: if separable == Some(false) { 1.0 } else { 0.0 },
        certificate: in_rows(Certificate::of(&outcome), classes),
        achievable: None,
        shortfall: spent.then(|| "the time was over before an epoch was without a mistake".into()),
    })
}

/// The weights and intercepts of every class, from one vector of them all.
fn of_blocks(all: &LinearModel<f64>, classes: usize, features: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let blocks = all.coefficients().chunks(all.features() / classes);
    let split =
        |block: &[f64]| (block[..features].to_vec(), block.get(features).copied().unwrap_or(0.0));
    blocks.map(split).unzip()
}

/// Rows whose class does not beat all others.
fn mistakes(model: &LinearModel<f64>, design: View<'_, f64>, classes: &Classes) -> Outcome<usize> {
    let scores = model.predict(design)?;
    let beaten = |t: usize, own: usize| {
        (0..scores.cols()).any(|k| k != own && scores[(t, k)] >= scores[(t, own)])
    };
    let codes = classes.labels.codes().iter().enumerate();
    Ok(codes.filter(|&(t, &own)| beaten(t, own)).count())
}

/// Kesler's rows are numbered row by row, with one for every class but the row's own, in order.
fn in_rows(certificate: Certificate, classes: &Classes) -> Certificate {
    let others = classes.names.len() - 1;
    let translate = |mut combination: Combination| {
        let against = combination.rows.iter().map(|&k| {
            let (own, other) = (classes.labels.codes()[k / others], k % others);
            classes.names[other + usize::from(other >= own)].clone()
        });
        combination.against = Some(against.collect());
        combination.rows.iter_mut().for_each(|k| *k /= others);
        combination
    };
    match certificate {
        Certificate::Separator(combination) => Certificate::Separator(translate(combination)),
        Certificate::Gordan(combination) => Certificate::Gordan(translate(combination)),
        Certificate::Undecided => Certificate::Undecided,
    }
}

fn named(model: &LinearModel<f64>, names: &[String]) -> Outcome<LinearModel<f64>> {
    let targets = model.targets();
    let weights = (0..targets).map(|k| model.coefficients_of(k).to_vec()).collect();
    let intercepts = (0..targets).map(|k| model.intercept_of(k)).collect();
    Ok(LinearModel::new(weights, intercepts, Some(Names::new(names.to_vec())?))?)
}
