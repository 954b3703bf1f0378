//! What can go wrong with a plot.

use std::fmt;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlotError {
    /// There are no points.
    Empty,
    /// A coordinate is infinite or not a number.
    NotFinite,
    /// Lists that belong together have different lengths.
    LengthMismatch,
    /// The drawing library failed.
    Drawing(String),
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlotError::Empty => f.write_str("there is nothing to draw"),
            PlotError::NotFinite => f.write_str("a coordinate is infinite or not a number"),
            PlotError::LengthMismatch => f.write_str("lists that belong together differ in length"),
            PlotError::Drawing(reason) => write!(f, "drawing failed: {reason}"),
        }
    }
}

impl std::error::Error for PlotError {}
