//! Scores of candidates, as cross-validation found them.

use crate::canvas::{
    Area, Axes, BLUE, Corner, GREY, ORANGE, SIZE, circles, dashes, failed, legend, line, range,
    split_at_width, stroke, svg,
};
use crate::regression::draw_regression;
use crate::{Labels, Line, PlotError};
use plotters::prelude::ErrorBar;

/// Candidates with their scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation<'a> {
    /// The parameter of each candidate: a degree, a penalty.
    pub parameters: &'a [f64],
    /// Mean scores.
    pub scores: &'a [f64],
    /// Their standard errors.
    pub errors: &'a [f64],
    /// The index of the best.
    pub best: usize,
    /// The index of the simplest within one standard error of it.
    pub simplest: usize,
    /// Whether parameters are shown on a logarithmic axis.
    pub logarithmic: bool,
}

/// Scores of candidates with their standard errors.
pub fn validation(study: &Validation<'_>, labels: &Labels<'_>) -> Result<String, PlotError> {
    svg(SIZE, |area| draw_validation(area, study, labels))
}

/// A polynomial over its data, beside the validation curve that chose its degree.
pub fn polynomial(
    points: &[(f64, f64)],
    fitted: &Line<'_>,
    labels: &Labels<'_>,
    study: &Validation<'_>,
    study_labels: &Labels<'_>,
) -> Result<String, PlotError> {
    svg((2 * SIZE.0 - 160, SIZE.1), |area| {
        let (left, right) = split_at_width(area, SIZE.0 - 80);
        draw_regression(&left, points, fitted, labels)?;
        draw_validation(&right, study, study_labels)
    })
}

fn draw_validation(
    area: &Area<'_>,
    study: &Validation<'_>,
    labels: &Labels<'_>,
) -> Result<(), PlotError> {
    let Validation { parameters, scores, errors, best, simplest, logarithmic } = *study;
    let count = parameters.len();
    if scores.len() != count || errors.len() != count || best >= count || simplest >= count {
        return Err(PlotError::LengthMismatch);
    }
    let place = |k: usize| if logarithmic { parameters[k].log10() } else { parameters[k] };
    // Candidates that fail altogether are left out, so that the others can be seen.
    let drawn: Vec<usize> = visible(scores, best);
    let error = |k: usize| if errors[k].is_finite() { errors[k] } else { 0.0 };
    let points: Vec<(f64, f64)> = drawn.iter().map(|&k| (place(k), scores[k])).collect();
    let ends = drawn.iter().flat_map(|&k| [scores[k] - error(k), scores[k] + error(k)]);
    let axes = Axes {
        labels: *labels,
        x: range(points.iter().map(|p| p.0))?,
        y: range(ends)?,
        logarithmic: (logarithmic, false),
    };
    let mut chart = axes.draw(area)?;
    let grey = stroke(GREY, 1);
    let bars = drawn.iter().map(|&k| {
        let (low, high) = (scores[k] - error(k), scores[k] + error(k));
        ErrorBar::new_vertical(place(k), low, scores[k], high, grey, 24)
    });
    chart.draw_series(bars).map_err(failed)?;
    line(&mut chart, &points, BLUE, 2, "mean score of the folds")?;
    circles(&mut chart, &points, BLUE, "")?;
    let height = axes.y.clone();
    let upright = |k: usize| [(place(k), height.start), (place(k), height.end)];
    if drawn.contains(&simplest) && simplest != best {
        dashes(&mut chart, &upright(simplest), GREY, "simplest within one standard error")?;
    }
    dashes(&mut chart, &upright(best), ORANGE, "best")?;
    let leftmost = points.iter().copied().reduce(|a, b| if b.0 < a.0 { b } else { a });
    let rightmost = points.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a });
    let falls = rightmost.map(|p| p.1) < leftmost.map(|p| p.1);
    legend(&mut chart, if falls { Corner::LowerLeft } else { Corner::LowerRight })
}

/// The candidates whose scores are near enough to the others' to be seen beside them.
fn visible(scores: &[f64], best: usize) -> Vec<usize> {
    let mut distances: Vec<f64> =
        scores.iter().map(|score| (score - scores[best]).abs()).filter(|d| d.is_finite()).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances.get(distances.len() / 2).copied().unwrap_or(0.0);
    let near = |k: &usize| {
        let distance = (scores[*k] - scores[best]).abs();
        distance <= 20.0 * median || distance == 0.0
    };
    (0..scores.len()).filter(near).collect()
}
