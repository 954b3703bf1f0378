//! The objective of an iterative solver, step by step, above the best that was reached.

use crate::canvas::{Axes, BLUE, Corner, SIZE, circles, legend, line, range, svg};
use crate::{Labels, PlotError};

/// How far the objective was above its least value after each step, on a logarithmic scale.
///
/// `lower` is a bound from below, or the least value known; steps that are not above it are not drawn.
pub fn learning(
    objectives: &[f64],
    lower: f64,
    name: &str,
    labels: &Labels<'_>,
) -> Result<String, PlotError> {
    let points: Vec<(f64, f64)> = objectives
        .iter()
        .enumerate()
        .filter(|(_, objective)| **objective - lower > 0.0)
        .map(|(k, objective)| (k as f64, (objective - lower).log10()))
        .collect();
    svg(SIZE, |area| {
        let axes = Axes {
            labels: *labels,
            x: range(points.iter().map(|p| p.0))?,
            y: range(points.iter().map(|p| p.1))?,
            logarithmic: (false, true),
        };
        let mut chart = axes.draw(area)?;
        line(&mut chart, &points, BLUE, 2, name)?;
        if points.len() <= 60 {
            circles(&mut chart, &points, BLUE, "")?;
        }
        legend(&mut chart, Corner::UpperRight)
    })
}
