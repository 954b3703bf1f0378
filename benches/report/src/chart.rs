//! Charts of lines and bars on plain or logarithmic axes, drawn with plotters.
//!
//! Colours are written as numbers of a palette, `#0100kk`, which [`svg`](crate::svg) turns into variables
//! of the page, so that one picture is right in the light and in the dark.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::text::{power_of_ten, round_seconds};

/// Width and height of a chart; small enough that its text can be read on a phone.
const SIZE: (u32, u32) = (480, 340);

const FONT: (&str, u32) = ("sans-serif", 13);

/// About the width of a letter in that font.
const LETTER: i32 = 6;

/// The colour of text and axes.
pub const INK: RGBColor = RGBColor(2, 0, 0);
/// The colour of the grid.
pub const GRID: RGBColor = RGBColor(3, 0, 0);
/// The colour of what is worse.
pub const WARNING: RGBColor = RGBColor(4, 0, 0);

/// A colour of the palette.
pub fn colour(k: usize) -> RGBColor {
    RGBColor(1, 0, (k % PALETTE) as u8)
}

/// How many colours the palette has.
pub const PALETTE: usize = 8;

/// An axis: what it shows, from where to where.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows.
    pub label: &'static str,
    /// What its numbers are.
    pub scale: Scale,
    /// Its ends.
    pub ends: (f64, f64),
}

/// What the numbers of an axis are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Themselves.
    Plain,
    /// Exponents of ten.
    Powers,
    /// Exponents of ten, of seconds.
    Seconds,
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is called.
    pub name: String,
    /// Its colour of the palette.
    pub colour: usize,
    /// Whether it is dashed and without marks: a bound, a claim.
    pub dashed: bool,
    /// Its points, in the units of the axes.
    pub points: Vec<(f64, f64)>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
}

type Drawn<T = ()> = Result<T, String>;

fn failed(error: impl std::fmt::Display) -> String {
    format!("a chart could not be drawn: {error}")
}

impl Axis {
    /// A logarithmic axis that reaches around some exponents of ten.
    pub fn around(label: &'static str, scale: Scale, exponents: impl Iterator<Item = f64>) -> Self {
        let (low, high) = exponents
            .filter(|e| e.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), e| (low.min(e), high.max(e)));
        let ends = if low > high { (0.0, 1.0) } else { (low - 0.15, high + 0.15) };
        Self { label, scale, ends }
    }

    fn tick(&self, value: f64) -> String {
        match self.scale {
            Scale::Plain => format!("{value:.0}"),
            Scale::Powers => power_of_ten(value.round() as i32),
            Scale::Seconds => round_seconds(10_f64.powf(value)),
        }
    }

    /// The places of the grid: whole numbers, not too many; of seconds 2 and 5 as well, if those are few.
    fn ticks(&self) -> Vec<f64> {
        let whole = |end: f64| end as i64;
        let (low, high) = (whole(self.ends.0.floor()), whole(self.ends.1.ceil()));
        let step = ((high - low) / 7 + 1).max(1);
        let between: &[f64] = match self.scale {
            Scale::Seconds if self.ends.1 - self.ends.0 < 2.2 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let at = |k: i64| between.iter().map(move |multiple| k as f64 + multiple.log10());
        let all = (low..=high).filter(|k| k.rem_euclid(step) == 0).flat_map(at);
        all.filter(|at| (self.ends.0..=self.ends.1).contains(at)).collect()
    }
}

impl Chart {
    /// The chart as SVG.
    pub fn draw(&self) -> Drawn<String> {
        let legend_rows = self.legend_places().last().map_or(0, |(_, row)| row + 1);
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            let centred = style(HPos::Center, VPos::Center);
            write(&root, &self.title, (SIZE.0 as i32 / 2, 12), 15, HPos::Center)?;
            self.draw_legend(&root)?;
            let mut chart = ChartBuilder::on(&root)
                .margin_top(28 + 17 * legend_rows)
                .margin_right(14)
                .margin_bottom(38)
                .margin_left(58)
                .build_cartesian_2d(self.x.ends.0..self.x.ends.1, self.y.ends.0..self.y.ends.1)
                .map_err(failed)?;
            let (x, y) = (&self.x, &self.y);
            for at in x.ticks() {
                let line = PathElement::new([(at, y.ends.0), (at, y.ends.1)], GRID);
                chart.draw_series([line]).map_err(failed)?;
                let (left, bottom) = chart.backend_coord(&(at, y.ends.0));
                root.draw(&Text::new(x.tick(at), (left, bottom + 11), centred.clone()))
                    .map_err(failed)?;
            }
            for at in y.ticks() {
                let line = PathElement::new([(x.ends.0, at), (x.ends.1, at)], GRID);
                chart.draw_series([line]).map_err(failed)?;
                let (left, bottom) = chart.backend_coord(&(x.ends.0, at));
                write(&root, &y.tick(at), (left - 6, bottom), FONT.1, HPos::Right)?;
            }
            let middle = (SIZE.0 as i32 / 2 + 20, SIZE.1 as i32 - 10);
            write(&root, x.label, middle, FONT.1, HPos::Center)?;
            let turned = centred.transform(FontTransform::Rotate270);
            let side = (10, (SIZE.1 as i32 + 17 * legend_rows as i32) / 2);
            root.draw(&Text::new(y.label, side, turned)).map_err(failed)?;
            for series in &self.series {
                series.draw(&mut chart)?;
            }
            root.present().map_err(failed)?;
        }
        Ok(text)
    }

    /// Where the names of the series begin, in letters from the left, and in which row.
    fn legend_places(&self) -> Vec<(i32, u32)> {
        let (mut left, mut row) = (0, 0);
        let width = (SIZE.0 as i32 - 24) / LETTER;
        let places = self.series.iter().map(|series| {
            let length = series.name.chars().count() as i32 + 7;
            if left > 0 && left + length > width {
                (left, row) = (0, row + 1);
            }
            let place = (left, row);
            left += length;
            place
        });
        places.collect()
    }

    fn draw_legend(&self, root: &DrawingArea<SVGBackend<'_>, Shift>) -> Drawn {
        for (series, (left, row)) in self.series.iter().zip(self.legend_places()) {
            let (x, y) = (12 + LETTER * left, 34 + 17 * row as i32);
            let ink = colour(series.colour).stroke_width(2);
            if series.dashed {
                for dash in [x, x + 9, x + 18] {
                    root.draw(&PathElement::new([(dash, y), (dash + 5, y)], ink))
                        .map_err(failed)?;
                }
            } else {
                root.draw(&PathElement::new([(x, y), (x + 22, y)], ink)).map_err(failed)?;
                let mark = Circle::new((x + 11, y), 3, colour(series.colour).filled());
                root.draw(&mark).map_err(failed)?;
            }
            write(root, &series.name, (x + 28, y), FONT.1, HPos::Left)?;
        }
        Ok(())
    }
}

type Cartesian =
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>;

impl Series {
    fn draw(&self, chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian>) -> Drawn {
        let ink = colour(self.colour).stroke_width(2);
        let points = || self.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite());
        if self.dashed {
            let line = DashedLineSeries::new(points(), 5, 4, ink);
            chart.draw_series(line).map_err(failed)?;
        } else {
            chart.draw_series(LineSeries::new(points(), ink)).map_err(failed)?;
            let marks = points().map(|point| Circle::new(point, 3, colour(self.colour).filled()));
            chart.draw_series(marks).map_err(failed)?;
        }
        Ok(())
    }
}

/// One bar of a chart of ratios.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// How long it is; below one is worse.
    pub ratio: f64,
    /// What is written at its end.
    pub text: String,
}

/// Bars from one outwards on a logarithmic axis, a row each, the label above its bar.
pub fn bars(title: &str, bars: &[Bar]) -> Drawn<String> {
    const ROW: i32 = 38;
    let size = (SIZE.0, 40 + ROW as u32 * bars.len() as u32);
    let exponents = || bars.iter().map(|bar| bar.ratio.log10());
    let high = exponents().fold(1.0, f64::max) + 0.1;
    let low = exponents().fold(0.0, f64::min) - 0.1;
    // Room for the text at the end of the longest bar.
    let (left, width) = (14, SIZE.0 as i32 - 28 - 12 * LETTER);
    let at = |exponent: f64| left + ((exponent - low) / (high - low) * f64::from(width)) as i32;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        write(&root, title, (SIZE.0 as i32 / 2, 12), 15, HPos::Center)?;
        for (k, bar) in bars.iter().enumerate() {
            let top = 34 + ROW * k as i32;
            let (from, to) = (at(0.0), at(bar.ratio.log10()));
            let corners = [(from.min(to), top + 9), (from.max(to).max(from.min(to) + 2), top + 23)];
            let tone = if bar.ratio < 1.0 { WARNING } else { colour(0) };
            root.draw(&Rectangle::new(corners, tone.filled())).map_err(failed)?;
            let one = PathElement::new([(from, top + 7), (from, top + 25)], INK.stroke_width(1));
            root.draw(&one).map_err(failed)?;
            write(&root, &bar.label, (left, top), FONT.1, HPos::Left)?;
            write(&root, &bar.text, (from.max(to) + 6, top + 16), FONT.1, HPos::Left)?;
        }
        root.present().map_err(failed)?;
    }
    Ok(text)
}

fn style(across: HPos, up: VPos) -> TextStyle<'static> {
    FONT.into_font().color(&INK).pos(Pos::new(across, up))
}

fn write(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    text: &str,
    at: (i32, i32),
    size: u32,
    across: HPos,
) -> Drawn {
    let style = (FONT.0, size).into_font().color(&INK).pos(Pos::new(across, VPos::Center));
    root.draw(&Text::new(text.to_string(), at, style)).map_err(failed)
}
