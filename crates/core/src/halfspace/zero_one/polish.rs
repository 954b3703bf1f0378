//! From weights to a model that does not hang on the last bit.
//!
//! Weights that a search found may lie on the hyperplanes of rows that cancelled out of it, and may be
//! right on others by next to nothing. They are moved off the former, and then replaced by the halfspace
//! of widest margin among those that are right on the same rows.

use super::super::budget::Clock;
use super::super::examples::Examples;
use super::super::mistakes::Mistakes;
use super::super::separability::Separation;
use crate::random::Random;
use crate::{Backend, Dataset, Error, LinearModel, Scalar, View};

/// Weights as a model, moved off the hyperplanes of rows that cancelled out of the search: of two
/// opposite rows of equal weight any w is right on one, unless it is on their hyperplane.
pub(super) fn settle<T: Scalar>(
    data: &Dataset<'_, T>,
    examples: &Examples<'_, T>,
    weights: Vec<f64>,
    cost: f64,
    seed: u64,
    clock: &Clock,
) -> Result<(LinearModel<T>, Mistakes), Error> {
    let model = |weights: &[f64]| {
        let (w, b) = examples.split(weights.iter().map(|&w| T::from_double(w)).collect());
        let model = LinearModel::new(vec![w], b.map(|b| vec![b]), data.names().cloned())?;
        let mistakes = Mistakes::of(&model, data)?;
        Ok::<_, Error>((model, mistakes))
    };
    let mut best = model(&weights)?;
    let mut random = Random::new(seed);
    let size = weights.iter().fold(0.0, |size: f64, w| size.max(w.abs()));
    let mut step = if size > 0.0 { size } else { 1.0 };
    for _ in 0..40 {
        if best.1.weight <= cost || clock.is_over() {
            break;
        }
        step *= 0.5;
        let moved: Vec<f64> = weights.iter().map(|w| w + step * random.signed()).collect();
        let found = model(&moved)?;
        if found.1.weight < best.1.weight {
            best = found;
        }
    }
    Ok(best)
}

/// The halfspace of widest margin that is right where this one is, if that is no worse and is found in
/// what is left of the time.
pub(super) fn polish<T: Scalar>(
    backend: &dyn Backend<T>,
    data: &Dataset<'_, T>,
    intercept: bool,
    model: LinearModel<T>,
    mistakes: Mistakes,
    clock: &Clock,
) -> Result<(LinearModel<T>, Mistakes), Error> {
    if clock.is_over() {
        return Ok((model, mistakes));
    }
    let mut kept: Vec<T> = match data.weights() {
        Some(weights) => weights.col_iter(0).copied().collect(),
        None => vec![T::one(); data.rows()],
    };
    mistakes.rows.iter().for_each(|&t| kept[t] = T::zero());
    if kept.iter().all(|&c| c == T::zero()) {
        return Ok((model, mistakes));
    }
    let right = Dataset::new(data.design(), data.target_view())?
        .with_precisions(View::column_vector(&kept))?;
    let separation = Separation { intercept, budget: clock.rest(10_000) };
    let widest = if intercept { separation.widest_margin_on(backend, &right)? } else { None };
    let polished = match widest {
        Some(widest) => Some(widest.model),
        None => separation.decide_on(backend, &right)?.separator().map(|s| s.model.clone()),
    };
    let Some(polished) = polished else {
        return Ok((model, mistakes));
    };
    let polished = LinearModel::new(
        vec![polished.coefficients().to_vec()],
        polished.intercept().map(|b| vec![b]),
        data.names().cloned(),
    )?;
    let found = Mistakes::of(&polished, data)?;
    Ok(if found.weight <= mistakes.weight { (polished, found) } else { (model, mistakes) })
}
