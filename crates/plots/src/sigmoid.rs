//! A probability over one feature, with the zone in which it decides nothing.

use crate::canvas::{
    Axes, BLUE, Corner, GREY, ORANGE, SIZE, band, circles, dashes, legend, line, range, svg,
};
use crate::{Labels, PlotError};

/// p(x) = 1/(1 + e^(−(wx + b))).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigmoid {
    /// w.
    pub weight: f64,
    /// b.
    pub intercept: f64,
    /// The thresholds between which nothing is decided.
    pub unsure: (f64, f64),
}

/// Places in which the curve is drawn.
const STEPS: usize = 300;

/// Rows of two classes (true for the positive one) at 0 and 1, and the probability between them.
pub fn sigmoid(
    x: &[f64],
    positive: &[bool],
    model: &Sigmoid,
    labels: &Labels<'_>,
) -> Result<String, PlotError> {
    if x.len() != positive.len() {
        return Err(PlotError::LengthMismatch);
    }
    svg(SIZE, |area| {
        let across = range(x.iter().copied())?;
        let y = -0.08..1.08;
        let axes = Axes { labels: *labels, x: across.clone(), y, logarithmic: (false, false) };
        let mut chart = axes.draw(area)?;
        let (low, high) = model.unsure;
        let zone = [(across.start, low, high), (across.end, low, high)];
        let name = format!("unsure: {low} < p < {high}");
        band(&mut chart, &zone, GREY, &name)?;
        let place = |k: usize| across.start + (across.end - across.start) * k as f64 / STEPS as f64;
        let probability = |x: f64| 1.0 / (1.0 + (-(model.weight * x + model.intercept)).exp());
        let curve: Vec<(f64, f64)> = (0..=STEPS).map(place).map(|x| (x, probability(x))).collect();
        line(&mut chart, &curve, BLUE, 2, "probability")?;
        let half = -model.intercept / model.weight;
        if across.contains(&half) {
            dashes(&mut chart, &[(half, 0.0), (half, 1.0)], GREY, "p = ½")?;
        }
        let height = |positive: bool| if positive { 1.0 } else { 0.0 };
        let rows: Vec<(f64, f64)> = x.iter().zip(positive).map(|(&x, &c)| (x, height(c))).collect();
        circles(&mut chart, &rows, ORANGE, "rows")?;
        legend(
            &mut chart,
            if model.weight > 0.0 { Corner::MiddleLeft } else { Corner::MiddleRight },
        )
    })
}
