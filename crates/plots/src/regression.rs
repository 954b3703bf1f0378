//! Points with a line or a curve through them.

use crate::canvas::{
    Axes, BLUE, GREY, ORANGE, SIZE, band, circles, dashes, exact_range, failed, legend, line,
    range, split_at_height, stroke, svg,
};
use crate::{Labels, PlotError};
use plotters::prelude::PathElement;

/// A fitted line or curve, as a polygon, and the band of its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<'a> {
    /// Its points, from left to right.
    pub points: &'a [(f64, f64)],
    /// The band around it, as (x, low, high); may be empty.
    pub band: &'a [(f64, f64, f64)],
    /// What the band is, for the legend.
    pub band_name: &'a str,
}

impl<'a> Line<'a> {
    /// A line without a band.
    pub fn new(points: &'a [(f64, f64)]) -> Self {
        Self { points, band: &[], band_name: "" }
    }

    /// The same with a band.
    pub fn with_band(self, band: &'a [(f64, f64, f64)], name: &'a str) -> Self {
        Self { band, band_name: name, ..self }
    }

    pub(crate) fn heights(&self) -> impl Iterator<Item = f64> {
        let edges = self.band.iter().flat_map(|&(_, low, high)| [low, high]);
        self.points.iter().map(|p| p.1).chain(edges)
    }

    fn places(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|p| p.0).chain(self.band.iter().map(|b| b.0))
    }
}

/// Points, the line through them and the band of its uncertainty.
pub fn regression(
    points: &[(f64, f64)],
    fitted: &Line<'_>,
    labels: &Labels<'_>,
) -> Result<String, PlotError> {
    svg(SIZE, |area| draw_regression(area, points, fitted, labels))
}

pub(crate) fn draw_regression(
    area: &crate::canvas::Area<'_>,
    points: &[(f64, f64)],
    fitted: &Line<'_>,
    labels: &Labels<'_>,
) -> Result<(), PlotError> {
    let axes = Axes {
        labels: *labels,
        x: range(points.iter().map(|p| p.0).chain(fitted.places()))?,
        y: range(points.iter().map(|p| p.1).chain(fitted.heights()))?,
        logarithmic: (false, false),
    };
    let mut chart = axes.draw(area)?;
    if !fitted.band.is_empty() {
        band(&mut chart, fitted.band, BLUE, fitted.band_name)?;
    }
    line(&mut chart, fitted.points, BLUE, 2, "fit")?;
    circles(&mut chart, points, ORANGE, "data")?;
    let drawn: Vec<(f64, f64)> = points.iter().chain(fitted.points).copied().collect();
    legend(&mut chart, axes.emptiest(&drawn))
}

/// A curve over its data, and the residuals below.
pub fn curve(
    points: &[(f64, f64)],
    fitted: &Line<'_>,
    residuals: &[f64],
    labels: &Labels<'_>,
) -> Result<String, PlotError> {
    if points.len() != residuals.len() {
        return Err(PlotError::LengthMismatch);
    }
    svg((SIZE.0, SIZE.1 + 170), |area| {
        let (upper, lower) = split_at_height(area, SIZE.1 - 30);
        draw_regression(&upper, points, fitted, &Labels { x: "", ..*labels })?;
        let x = range(points.iter().map(|p| p.0).chain(fitted.places()))?;
        let y = range(residuals.iter().copied().chain([0.0]))?;
        let labels = Labels { title: "", x: labels.x, y: "residual" };
        let axes = Axes { labels, x: x.clone(), y, logarithmic: (false, false) };
        let mut chart = axes.draw(&lower)?;
        line(&mut chart, &[(x.start, 0.0), (x.end, 0.0)], GREY, 1, "")?;
        let left: Vec<(f64, f64)> = points.iter().zip(residuals).map(|(p, &r)| (p.0, r)).collect();
        let stems =
            left.iter().map(|&(x, r)| PathElement::new(vec![(x, 0.0), (x, r)], stroke(ORANGE, 1)));
        chart.draw_series(stems).map_err(failed)?;
        circles(&mut chart, &left, ORANGE, "")
    })
}

/// Observed against fitted values, with the diagonal on which they agree.
pub fn observed(points: &[(f64, f64)], labels: &Labels<'_>) -> Result<String, PlotError> {
    svg(SIZE, |area| {
        let both = exact_range(points.iter().flat_map(|p| [p.0, p.1]))?;
        let axes = Axes {
            labels: *labels,
            x: range(points.iter().map(|p| p.0))?,
            y: range(points.iter().map(|p| p.1))?,
            logarithmic: (false, false),
        };
        let mut chart = axes.draw(area)?;
        circles(&mut chart, points, ORANGE, "rows")?;
        dashes(&mut chart, &[(both.start, both.start), (both.end, both.end)], BLUE, "equal")?;
        legend(&mut chart, axes.emptiest(points))
    })
}
