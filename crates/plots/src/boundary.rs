//! Two classes in two features: the boundary {w·x + b = 0} and the strip of its margin.

use std::ops::Range;

use crate::canvas::{Axes, BLUE, GREY, ORANGE, SIZE, circles, dashes, legend, line, range, svg};
use crate::{Labels, PlotError};

/// A linear classifier of two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boundary<'a> {
    /// w.
    pub weights: [f64; 2],
    /// b.
    pub intercept: f64,
    /// Heights of w·x + b at which the edges of the margin are drawn, if any: ±1 for a support vector
    /// machine, ±γ‖w‖ for a geometric margin γ.
    pub margin: Option<f64>,
    /// The names of the classes, the negative one first.
    pub classes: [&'a str; 2],
}

/// Points of two classes (true for the positive one) with the boundary between them.
pub fn boundary(
    points: &[(f64, f64)],
    positive: &[bool],
    classifier: &Boundary<'_>,
    labels: &Labels<'_>,
) -> Result<String, PlotError> {
    if points.len() != positive.len() {
        return Err(PlotError::LengthMismatch);
    }
    svg(SIZE, |area| {
        let (x, y) = (range(points.iter().map(|p| p.0))?, range(points.iter().map(|p| p.1))?);
        let axes =
            Axes { labels: *labels, x: x.clone(), y: y.clone(), logarithmic: (false, false) };
        let mut chart = axes.draw(area)?;
        for (class, colour) in [(false, BLUE), (true, ORANGE)] {
            let of_class = points.iter().zip(positive).filter(|(_, c)| **c == class);
            let of_class: Vec<(f64, f64)> = of_class.map(|(&point, _)| point).collect();
            circles(&mut chart, &of_class, colour, classifier.classes[usize::from(class)])?;
        }
        if let Some(ends) = level(classifier, 0.0, &x, &y) {
            line(&mut chart, &ends, GREY, 2, "boundary")?;
        }
        let edges = classifier.margin.map_or(vec![], |margin| vec![margin, -margin]);
        let mut name = "margin";
        for edge in edges {
            if let Some(ends) = level(classifier, edge, &x, &y) {
                dashes(&mut chart, &ends, GREY, name)?;
                name = "";
            }
        }
        legend(&mut chart, axes.emptiest(points))
    })
}

/// The part of {w·x + b = height} within a rectangle.
fn level(
    classifier: &Boundary<'_>,
    height: f64,
    x: &Range<f64>,
    y: &Range<f64>,
) -> Option<[(f64, f64); 2]> {
    let [v, w] = classifier.weights;
    let c = height - classifier.intercept;
    let inside = |range: &Range<f64>, value: f64| {
        let room = 1e-9 * (range.end - range.start);
        value >= range.start - room && value <= range.end + room
    };
    let mut ends: Vec<(f64, f64)> = Vec::new();
    for at in [x.start, x.end] {
        let other = (c - v * at) / w;
        if inside(y, other) {
            ends.push((at, other));
        }
    }
    for at in [y.start, y.end] {
        let other = (c - w * at) / v;
        if inside(x, other) {
            ends.push((other, at));
        }
    }
    let first = *ends.first()?;
    let apart = |end: &&(f64, f64)| {
        (end.0 - first.0).abs() > 1e-6 * (x.end - x.start)
            || (end.1 - first.1).abs() > 1e-6 * (y.end - y.start)
    };
    ends.iter().find(apart).map(|&second| [first, second])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_cut_to_the_picture() {
        let classifier =
            Boundary { weights: [1.0, 1.0], intercept: -1.0, margin: None, classes: ["a", "b"] };
        let ends = level(&classifier, 0.0, &(0.0..2.0), &(0.0..2.0)).unwrap();
        assert_eq!(ends, [(0.0, 1.0), (1.0, 0.0)]);
        let upright = Boundary { weights: [1.0, 0.0], ..classifier };
        assert_eq!(level(&upright, 0.0, &(0.0..2.0), &(0.0..2.0)), Some([(1.0, 0.0), (1.0, 2.0)]));
        assert_eq!(level(&upright, 9.0, &(0.0..2.0), &(0.0..2.0)), None);
        let flat = Boundary { weights: [0.0, 0.0], ..classifier };
        assert_eq!(level(&flat, 0.0, &(0.0..2.0), &(0.0..2.0)), None);
    }
}
