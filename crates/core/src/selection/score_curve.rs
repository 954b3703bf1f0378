//! Scores over an axis, as numbers to plot.

use super::{Grid, LassoCrossValidation, RidgeCrossValidation, Score, Scores};

/// One or more lines of mean scores with their standard errors, over the same values of an axis.
///
/// ```
/// use minrisk_core::selection::{Grid, Score, Scores};
/// let scores = [[0.5, 0.7], [0.8, 1.0]].map(|folds| Scores { folds: folds.to_vec() });
/// let grid = Grid::of(vec![1, 2], scores.to_vec(), Score::RSquared)?;
/// let curve = grid.curve("degree", |&degree| f64::from(degree));
/// assert_eq!((&curve.axis[..], &curve.values[..]), ("degree", &[1.0, 2.0][..]));
/// assert_eq!(curve.lines[0].name, "kept back");
/// assert!((curve.lines[0].means[1] - 0.9).abs() < 1e-15);
/// assert!((curve.lines[0].standard_errors[1] - 0.1).abs() < 1e-15);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ScoreCurve {
    /// What the axis is: rows, a degree, a penalty.
    pub axis: String,
    /// The values on it.
    pub values: Vec<f64>,
    /// What was measured.
    pub score: Score,
    /// The lines, each with a point for every value.
    pub lines: Vec<ScoreLine>,
}

/// A line of a [`ScoreCurve`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ScoreLine {
    /// Which rows were scored: "kept back", or "learned from".
    pub name: String,
    /// The mean over the folds, value by value.
    pub means: Vec<f64>,
    /// Its standard error over the folds; NaN for a single fold.
    pub standard_errors: Vec<f64>,
}

impl ScoreCurve {
    pub(super) fn of(axis: &str, values: Vec<f64>, score: Score) -> Self {
        Self { axis: axis.into(), values, score, lines: Vec::new() }
    }

    pub(super) fn with_line(mut self, name: &str, scores: &[Scores]) -> Self {
        self.lines.push(ScoreLine {
            name: name.into(),
            means: scores.iter().map(Scores::mean).collect(),
            standard_errors: scores.iter().map(Scores::standard_error).collect(),
        });
        self
    }
}

impl<P> Grid<P> {
    /// The scores as numbers to plot, over a named axis; `place` says where a candidate lies on it.
    pub fn curve(&self, axis: &str, place: impl Fn(&P) -> f64) -> ScoreCurve {
        ScoreCurve::of(axis, self.candidates.iter().map(place).collect(), self.score)
            .with_line("kept back", &self.scores)
    }
}

impl<T> RidgeCrossValidation<T> {
    /// The mean squared errors as numbers to plot, over α.
    pub fn curve(&self) -> ScoreCurve {
        ScoreCurve::of("α", self.alphas.clone(), Score::MeanSquaredError)
            .with_line("kept back", &self.mean_squared_errors)
    }
}

impl<T> LassoCrossValidation<T> {
    /// The mean squared errors as numbers to plot, over λ.
    pub fn curve(&self) -> ScoreCurve {
        ScoreCurve::of("λ", self.lambdas.clone(), Score::MeanSquaredError)
            .with_line("kept back", &self.mean_squared_errors)
    }
}
