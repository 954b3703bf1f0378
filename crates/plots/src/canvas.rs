//! The canvas: size, colours, axes and legend, the same for every plot.

use std::ops::Range;

use plotters::chart::SeriesLabelPosition;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use crate::{Labels, PlotError};

/// Width and height of one panel, as it is shown.
pub(crate) const SIZE: (u32, u32) = (760, 500);

/// Units of the drawing in a unit of what is shown. The drawing library rounds places to whole units; with
/// finer ones lines are smooth.
const FINE: u32 = 4;

/// The width of a line in a legend.
const KEY: i32 = 18 * FINE as i32;

/// Points drawn; of more a regular sample is taken, which the eye cannot tell from all of them.
const MOST_POINTS: usize = 4000;

pub(crate) const BLUE: RGBColor = RGBColor(0x1f, 0x6f, 0xb4);
pub(crate) const ORANGE: RGBColor = RGBColor(0xd9, 0x6b, 0x12);
pub(crate) const GREY: RGBColor = RGBColor(0x77, 0x77, 0x77);
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);

/// Colours of lines that have to be told apart.
pub(crate) const COLOURS: [RGBColor; 8] = [
    BLUE,
    ORANGE,
    RGBColor(0x2a, 0x8f, 0x4e),
    RGBColor(0xb3, 0x2d, 0x3c),
    RGBColor(0x7a, 0x4f, 0xa8),
    RGBColor(0x8a, 0x5a, 0x44),
    RGBColor(0xc4, 0x4f, 0x9b),
    RGBColor(0x0f, 0x8c, 0x96),
];

pub(crate) type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
pub(crate) type Chart<'a, 's> =
    ChartContext<'a, SVGBackend<'s>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The ranges of the axes, and whether the horizontal one shows powers of ten.
#[derive(Clone, Debug)]
pub(crate) struct Axes<'a> {
    pub(crate) labels: Labels<'a>,
    pub(crate) x: Range<f64>,
    pub(crate) y: Range<f64>,
    pub(crate) logarithmic: (bool, bool),
}

/// Draws on a white canvas and returns the SVG.
pub(crate) fn svg(
    size: (u32, u32),
    draw: impl for<'s> FnOnce(&Area<'s>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let fine = (FINE * size.0, FINE * size.1);
        let area = SVGBackend::with_string(&mut text, fine).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        draw(&area)?;
        area.present().map_err(failed)?;
    }
    let shown = |side: u32| (format!("\"{}\"", FINE * side), format!("\"{side}\""));
    let ((wide, width), (high, height)) = (shown(size.0), shown(size.1));
    // Width and height come first in the file, and the view box stays as it was drawn.
    Ok(text.replacen(&wide, &width, 1).replacen(&high, &height, 1))
}

/// The parts of an area above and below a height.
pub(crate) fn split_at_height<'s>(area: &Area<'s>, height: u32) -> (Area<'s>, Area<'s>) {
    area.split_vertically(FINE * height)
}

/// The parts of an area left and right of a place.
pub(crate) fn split_at_width<'s>(area: &Area<'s>, width: u32) -> (Area<'s>, Area<'s>) {
    area.split_horizontally(FINE * width)
}

/// A style of text.
fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", FINE * size).into_font().color(&INK)
}

/// A style of lines.
pub(crate) fn stroke(colour: RGBColor, width: u32) -> ShapeStyle {
    colour.stroke_width(FINE * width)
}

impl Axes<'_> {
    /// Draws the axes, their labels and the grid.
    pub(crate) fn draw<'a, 's>(&self, area: &Area<'s>) -> Result<Chart<'a, 's>, PlotError> {
        let mut builder = ChartBuilder::on(area);
        builder
            .margin(FINE * 14)
            .margin_right(FINE * 24)
            .x_label_area_size(FINE * 46)
            .y_label_area_size(FINE * 72);
        if !self.labels.title.is_empty() {
            builder.caption(self.labels.title, font(20));
        }
        let mut chart =
            builder.build_cartesian_2d(self.x.clone(), self.y.clone()).map_err(failed)?;
        let (log_x, log_y) = self.logarithmic;
        let (wide_x, wide_y) = (width(&self.x), width(&self.y));
        let x_tick = move |v: &f64| if log_x { power_of_ten(*v) } else { tick(*v, wide_x) };
        let y_tick = move |v: &f64| if log_y { power_of_ten(*v) } else { tick(*v, wide_y) };
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(stroke(GRID, 1))
            .axis_style(stroke(GREY, 1))
            .set_all_tick_mark_size(FINE * 5)
            .x_labels(9)
            .y_labels(8)
            .x_desc(self.labels.x)
            .y_desc(self.labels.y)
            .x_label_formatter(&x_tick)
            .y_label_formatter(&y_tick)
            .label_style(font(14))
            .axis_desc_style(font(16))
            .draw()
            .map_err(failed)?;
        Ok(chart)
    }
}

/// Where a legend stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Corner {
    UpperRight,
    UpperLeft,
    LowerRight,
    LowerLeft,
    MiddleRight,
    MiddleLeft,
}

impl Axes<'_> {
    /// The corner with the fewest points, the first of equals.
    pub(crate) fn emptiest(&self, points: &[(f64, f64)]) -> Corner {
        let share = |value: f64, range: &Range<f64>| (value - range.start) / width(range);
        let count = |corner: &Corner| {
            let inside = |&&(x, y): &&(f64, f64)| {
                let (across, up) = (share(x, &self.x), share(y, &self.y));
                match corner {
                    Corner::UpperRight => across > 0.65 && up > 0.7,
                    Corner::UpperLeft => across < 0.35 && up > 0.7,
                    Corner::LowerRight => across > 0.65 && up < 0.3,
                    _ => across < 0.35 && up < 0.3,
                }
            };
            points.iter().filter(inside).count()
        };
        let corners =
            [Corner::UpperRight, Corner::UpperLeft, Corner::LowerRight, Corner::LowerLeft];
        corners.into_iter().min_by_key(count).unwrap_or(Corner::UpperRight)
    }
}

/// Draws the legend of what has been drawn.
pub(crate) fn legend<'a, 's: 'a>(
    chart: &mut Chart<'a, 's>,
    corner: Corner,
) -> Result<(), PlotError> {
    let position = match corner {
        Corner::UpperRight => SeriesLabelPosition::UpperRight,
        Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
        Corner::LowerRight => SeriesLabelPosition::LowerRight,
        Corner::LowerLeft => SeriesLabelPosition::LowerLeft,
        Corner::MiddleRight => SeriesLabelPosition::MiddleRight,
        Corner::MiddleLeft => SeriesLabelPosition::MiddleLeft,
    };
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.85))
        .border_style(stroke(GRID, 1))
        .legend_area_size(FINE * 30)
        .margin(FINE * 10)
        .label_font(font(14))
        .draw()
        .map_err(failed)
}

/// A line, with its name in the legend unless that is empty.
pub(crate) fn line<'a>(
    chart: &mut Chart<'a, '_>,
    points: &[(f64, f64)],
    colour: RGBColor,
    width: u32,
    name: &str,
) -> Result<(), PlotError> {
    let style = stroke(colour, width);
    let series =
        chart.draw_series(LineSeries::new(points.iter().copied(), style)).map_err(failed)?;
    if !name.is_empty() {
        series
            .label(name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + KEY, y)], style));
    }
    Ok(())
}

/// A dashed line.
pub(crate) fn dashes<'a>(
    chart: &mut Chart<'a, '_>,
    points: &[(f64, f64)],
    colour: RGBColor,
    name: &str,
) -> Result<(), PlotError> {
    let style = stroke(colour, 1);
    let series = DashedLineSeries::new(points.iter().copied(), FINE * 6, FINE * 5, style);
    let series = chart.draw_series(series).map_err(failed)?;
    if !name.is_empty() {
        series
            .label(name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + KEY, y)], style));
    }
    Ok(())
}

/// Points as circles.
pub(crate) fn circles<'a>(
    chart: &mut Chart<'a, '_>,
    points: &[(f64, f64)],
    colour: RGBColor,
    name: &str,
) -> Result<(), PlotError> {
    let radius = FINE * if points.len() > 400 { 2 } else { 4 };
    let style = colour.mix(0.75).filled();
    let drawn = sample(points).map(|point| Circle::new(point, radius, style));
    let series = chart.draw_series(drawn).map_err(failed)?;
    if !name.is_empty() {
        series.label(name).legend(move |(x, y)| Circle::new((x + KEY / 2, y), FINE * 4, style));
    }
    Ok(())
}

/// The area between two curves over the same places: (x, low, high).
pub(crate) fn band<'a>(
    chart: &mut Chart<'a, '_>,
    edges: &[(f64, f64, f64)],
    colour: RGBColor,
    name: &str,
) -> Result<(), PlotError> {
    let upper = edges.iter().map(|&(x, _, high)| (x, high));
    let lower = edges.iter().rev().map(|&(x, low, _)| (x, low));
    let style = colour.mix(0.16).filled();
    let shape = Polygon::new(upper.chain(lower).collect::<Vec<_>>(), style);
    let series = chart.draw_series([shape]).map_err(failed)?;
    if !name.is_empty() {
        series.label(name).legend(move |(x, y)| {
            Rectangle::new([(x, y - KEY / 4), (x + KEY, y + KEY / 4)], style)
        });
    }
    Ok(())
}

fn sample(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    points.iter().step_by(points.len().div_ceil(MOST_POINTS).max(1)).copied()
}

/// The range of values with some room on both sides.
pub(crate) fn range(values: impl IntoIterator<Item = f64>) -> Result<Range<f64>, PlotError> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        if !value.is_finite() {
            return Err(PlotError::NotFinite);
        }
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        return Err(PlotError::Empty);
    }
    // Halved first, so that the range of the largest doubles does not overflow.
    let room = ((high / 2.0 - low / 2.0) * 0.12).max(high.abs().max(low.abs()) * 1e-9);
    let room = if room == 0.0 { 1.0 } else { room };
    let range = (low - room).max(f64::MIN / 4.0)..(high + room).min(f64::MAX / 4.0);
    if range.start < range.end { Ok(range) } else { Err(PlotError::NotFinite) }
}

/// The same range without room.
pub(crate) fn exact_range(values: impl IntoIterator<Item = f64>) -> Result<Range<f64>, PlotError> {
    let values: Vec<f64> = values.into_iter().collect();
    let padded = range(values.iter().copied())?;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(if low < high { low..high } else { padded })
}

fn width(range: &Range<f64>) -> f64 {
    range.end - range.start
}

/// A number on an axis of a given width: as many decimals as tell its ticks apart.
fn tick(value: f64, width: f64) -> String {
    // Zero is a difference of large numbers now and then.
    let value = if value.abs() < 1e-9 * width { 0.0 } else { value };
    let size = value.abs().max(width);
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (2.0 - width.log10()).floor().clamp(0.0, 12.0) as usize;
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// 10^v in digits.
fn power_of_ten(v: f64) -> String {
    let value = 10_f64.powf(v);
    if (-3.0..5.0).contains(&v) {
        let decimals = (1.0 - v).ceil().clamp(0.0, 5.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').to_string();
        }
        return text;
    }
    format!("{value:.0e}")
}

pub(crate) fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short() {
        assert_eq!(tick(0.5, 4.5), "0.5");
        assert_eq!(tick(1e-17, 3.0), "0");
        assert_eq!(tick(6000.0, 5000.0), "6000");
        assert_eq!(tick(2e7, 1e7), "2.00e7");
        assert_eq!(power_of_ten(-2.0), "0.01");
        assert_eq!(power_of_ten(3.0), "1000");
        assert_eq!(power_of_ten(-8.0), "1e-8");
    }

    #[test]
    fn ranges_have_room_and_a_width() {
        assert_eq!(range([]), Err(PlotError::Empty));
        assert_eq!(range([f64::NAN]), Err(PlotError::NotFinite));
        for values in
            [[3.0, 3.0], [0.0, 0.0], [-1e300, 1e300], [1.0, 1.0 + 1e-15], [f64::MIN, f64::MAX]]
        {
            if let Ok(range) = range(values) {
                assert!(range.start < range.end && (range.end - range.start).is_finite());
            }
        }
    }
}
