//! The data as a fit sees it: targets as numbers, features as monomials, and the check of both.

use minrisk::polynomial::{PolynomialFeatures, PolynomialFit};
use minrisk::verify::{Verdict, verify, verify_polynomial};
use minrisk::{Dataset, Error, Fit, Matrix, Names, WeightKind, dataset};

use super::loss::Loss;
use super::task::Trained;
use crate::data::{Loaded, Training};
use crate::failure::{Failure, Outcome};

/// The numbers that a loss is told, and the classes they stand for.
pub(crate) fn targets(
    training: &Training,
    loaded: &Loaded,
    loss: Loss,
    positive: Option<&str>,
) -> Outcome<(Vec<f64>, Option<Vec<String>>)> {
    if !loss.classifies() {
        if positive.is_some() {
            return Err(Failure::new("--positive is for classes: say --loss logistic or hinge"));
        }
        return Ok((loaded.y.clone(), None));
    }
    let classes = training.classes(loaded)?;
    if loss == Loss::Softmax {
        let codes = classes.labels.codes().iter().map(|&code| code as f64).collect();
        return Ok((codes, Some(classes.names)));
    }
    let classes = classes.with_positive(positive)?;
    if classes.names.len() > 2 {
        return Err(training.problem(format!(
            "the target `{}` has {} classes, and {loss} loss tells two apart: say --loss softmax, or name one by --positive",
            training.target().name,
            classes.names.len(),
        )));
    }
    Ok((classes.signs()?, Some(classes.ordered())))
}

/// The features as a polynomial sees them.
pub(crate) fn monomials(
    loaded: &Loaded,
    degree: Option<usize>,
) -> Result<Option<Matrix<f64>>, Error> {
    let design = loaded.design()?;
    degree.map(|degree| PolynomialFeatures::new(degree).transform(design)).transpose()
}

/// The data with its monomials in the place of its features.
pub(crate) fn on_monomials<'a>(
    data: &Dataset<'a, f64>,
    monomials: &'a Matrix<f64>,
    fit: &Fit<f64>,
) -> Result<Dataset<'a, f64>, Error> {
    let names: Vec<String> =
        (0..monomials.cols()).map(|j| Names::of(fit.model.names(), j)).collect();
    let on_monomials = dataset(monomials.view(), data.target_view())?.with_names(names)?;
    match (data.weights(), data.weight_kind()) {
        (None, _) => Ok(on_monomials),
        (Some(weights), WeightKind::Frequencies) => on_monomials.with_frequencies(weights),
        (Some(weights), _) => on_monomials.with_precisions(weights),
    }
}

/// Re-checks a fit with code that shares nothing with the solvers.
pub(crate) fn check(
    data: &Dataset<'_, f64>,
    fitted_data: &Dataset<'_, f64>,
    trained: &Trained,
) -> Result<Verdict, Error> {
    let fit = &trained.fit;
    match &trained.polynomial {
        Some(model) if fit.certificate.least_squares().is_some() => {
            let (report, certificate) = (fit.report.clone(), fit.certificate.clone());
            verify_polynomial(data, &PolynomialFit { model: model.clone(), report, certificate })
        }
        _ => verify(fitted_data, fit),
    }
}
