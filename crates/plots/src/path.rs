//! Coefficients over the penalty: which of them are worth their price.

use crate::canvas::{
    Axes, COLOURS, Corner, GREY, SIZE, dashes, exact_range, legend, line, range, svg,
};
use crate::{Labels, PlotError};

/// Names in the legend; of more features the largest coefficients are named.
const NAMED: usize = 8;

/// The coefficients of a sequence of fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path<'a> {
    /// The penalties, all positive.
    pub penalties: &'a [f64],
    /// For each penalty the coefficients, features in order.
    pub coefficients: &'a [Vec<f64>],
    /// The names of the features.
    pub names: &'a [String],
    /// The penalty that was chosen, if one was.
    pub chosen: Option<f64>,
}

/// A line for each feature over the logarithm of the penalty.
pub fn path(fits: &Path<'_>, labels: &Labels<'_>) -> Result<String, PlotError> {
    let width = fits.names.len();
    if fits.penalties.len() != fits.coefficients.len()
        || fits.coefficients.iter().any(|w| w.len() != width)
    {
        return Err(PlotError::LengthMismatch);
    }
    svg((SIZE.0 + 60, SIZE.1), |area| {
        let places: Vec<f64> = fits.penalties.iter().map(|penalty| penalty.log10()).collect();
        let y = range(fits.coefficients.iter().flatten().copied().chain([0.0]))?;
        let x = exact_range(places.iter().copied())?;
        let axes = Axes { labels: *labels, x: x.clone(), y: y.clone(), logarithmic: (true, false) };
        let mut chart = axes.draw(area)?;
        line(&mut chart, &[(x.start, 0.0), (x.end, 0.0)], GREY, 1, "")?;
        for (rank, feature) in by_size(fits).into_iter().enumerate() {
            let points: Vec<(f64, f64)> =
                places.iter().zip(fits.coefficients).map(|(&x, w)| (x, w[feature])).collect();
            let name = if rank < NAMED { fits.names[feature].as_str() } else { "" };
            line(&mut chart, &points, COLOURS[rank % COLOURS.len()], 2, name)?;
        }
        if let Some(chosen) = fits.chosen.map(f64::log10).filter(|chosen| chosen.is_finite()) {
            dashes(&mut chart, &[(chosen, y.start), (chosen, y.end)], GREY, "chosen")?;
        }
        legend(&mut chart, Corner::UpperRight)
    })
}

/// The features, those with the largest coefficient first.
fn by_size(fits: &Path<'_>) -> Vec<usize> {
    let size =
        |feature: usize| fits.coefficients.iter().map(|w| w[feature].abs()).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..fits.names.len()).collect();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    order
}
