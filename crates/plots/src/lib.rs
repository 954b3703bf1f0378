//! Plots of fitted models, as SVG that needs no fonts, no window and nothing installed.
//!
//! Every function takes plain numbers and returns the text of an SVG file, so that it draws what any
//! program has fitted.
//!
//! ```
//! use minrisk_plots::{Labels, Line, regression};
//!
//! let points = [(4.0, 6300.0), (7.0, 4500.0), (9.0, 3100.0), (12.0, 2200.0)];
//! let line = Line::new(&[(4.0, 5826.0), (12.0, 1807.0)]);
//! let svg = regression(&points, &line, &Labels::new("Car prices", "age", "price"))?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), minrisk_plots::PlotError>(())
//! ```
//!
//! | function | picture |
//! |---|---|
//! | [`regression`] | points, a line or curve, the band of its uncertainty |
//! | [`polynomial`] | the same beside the validation curve that chose the degree |
//! | [`validation`] | scores of candidates with their standard errors |
//! | [`boundary`] | two classes in two features, the boundary and its margin |
//! | [`sigmoid`] | a probability over one feature, with the zone of doubt |
//! | [`learning`] | the objective of an iterative solver, step by step |
//! | [`path`] | coefficients over the penalty |
//! | [`curve`] | a curve over its data, and the residuals below |
//! | [`observed`] | observed against fitted values |

mod boundary;
mod canvas;
mod error;
mod learning;
mod path;
mod regression;
mod sigmoid;
mod validation;

pub use boundary::{Boundary, boundary};
pub use error::PlotError;
pub use learning::learning;
pub use path::{Path, path};
pub use regression::{Line, curve, observed, regression};
pub use sigmoid::{Sigmoid, sigmoid};
pub use validation::{Validation, polynomial, validation};

/// What is written on a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels<'a> {
    /// Above it.
    pub title: &'a str,
    /// Below the horizontal axis.
    pub x: &'a str,
    /// Beside the vertical axis.
    pub y: &'a str,
}

impl<'a> Labels<'a> {
    /// A title and the names of the axes.
    pub fn new(title: &'a str, x: &'a str, y: &'a str) -> Self {
        Self { title, x, y }
    }
}
