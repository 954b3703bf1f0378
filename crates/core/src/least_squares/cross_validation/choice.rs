//! Which of many penalties cross-validation picks.

use crate::selection::{Grid, Score, Scores};

/// The index of the smallest mean squared error, the strongest penalty of equals.
pub(super) fn best(strengths: &[f64], errors: &[Scores]) -> usize {
    let order = strongest_first(strengths);
    order[grid(&order, errors).best()]
}

/// The index of the strongest penalty within one standard error of the best.
pub(super) fn one_standard_error(strengths: &[f64], errors: &[Scores]) -> usize {
    let order = strongest_first(strengths);
    order[grid(&order, errors).one_standard_error()]
}

fn strongest_first(strengths: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..strengths.len()).collect();
    order.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]));
    order
}

fn grid(order: &[usize], errors: &[Scores]) -> Grid<usize> {
    let scores = order.iter().map(|&k| errors[k].clone()).collect();
    Grid { candidates: order.to_vec(), scores, score: Score::MeanSquaredError }
}
