//! Data, checked at the door.
//!
//! A [`Dataset`] borrows a design (m rows, d columns), one or more targets and optional sample
//! weights. Shapes, targets and weights are checked when it is made, in O(m); that the design is
//! finite is checked by the first pass over it, while each block is in cache, which saves reading
//! large data once more. Past that door nothing is checked again and no backend ever sees a NaN.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Names, Scalar, View};

/// The design: what the features of every row are.
///
/// Dense today; a sparse design will be another variant, whose products are core's.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Design<'a, T> {
    /// A strided matrix, one row per example.
    Dense(View<'a, T>),
}

impl<'a, T> Design<'a, T> {
    /// Number of examples.
    pub fn rows(&self) -> usize {
        match self {
            Design::Dense(view) => view.rows(),
        }
    }

    /// Number of features.
    pub fn cols(&self) -> usize {
        match self {
            Design::Dense(view) => view.cols(),
        }
    }

    /// The design as a dense view, where it is one.
    pub fn dense(&self) -> Option<View<'a, T>> {
        match *self {
            Design::Dense(view) => Some(view),
        }
    }
}

impl<'a, T> From<View<'a, T>> for Design<'a, T> {
    fn from(view: View<'a, T>) -> Self {
        Design::Dense(view)
    }
}

/// What sample weights mean. The coefficients are the same; the degrees of freedom are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WeightKind {
    /// Every row counts once.
    #[default]
    Unweighted,
    /// A row of frequency c stands for c equal rows: there are Σc observations.
    Frequencies,
    /// A row of precision c has noise of variance σ²/c: there are as many observations as rows with
    /// c > 0.
    Precisions,
}

/// A training set.
///
/// ```
/// use minrisk_core::{Dataset, View};
/// let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]];
/// let y = [1.0, 2.0, 3.0];
/// let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y))?
///     .with_names(["width", "height"])?;
/// assert_eq!((data.rows(), data.cols(), data.targets()), (3, 2, 1));
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Dataset<'a, T> {
    design: Design<'a, T>,
    targets: View<'a, T>,
    weights: Option<View<'a, T>>,
    weight_kind: WeightKind,
    offsets: Option<View<'a, T>>,
    names: Option<Names>,
    known_finite: AtomicBool,
}

impl<'a, T: Scalar> Dataset<'a, T> {
    /// A design with its targets, one column per target.
    pub fn new(design: impl Into<Design<'a, T>>, targets: View<'a, T>) -> Result<Self, Error> {
        let design = design.into();
        if design.rows() == 0 {
            return Err(Error::NoRows);
        }
        if targets.rows() != design.rows() {
            return Err(Error::LengthMismatch {
                what: "the target",
                per: "row of the design",
                expected: design.rows(),
                found: targets.rows(),
            });
        }
        if targets.cols() == 0 {
            return Err(Error::LengthMismatch {
                what: "the list of targets",
                per: "target",
                expected: 1,
                found: 0,
            });
        }
        for target in 0..targets.cols() {
            if let Some(row) = targets.col_iter(target).position(|y| !y.is_finite()) {
                let value = targets[(row, target)].to_string();
                return Err(Error::TargetNotFinite { row, target, value });
            }
        }
        Ok(Self {
            design,
            targets,
            weights: None,
            weight_kind: WeightKind::Unweighted,
            offsets: None,
            names: None,
            known_finite: AtomicBool::new(false),
        })
    }

    /// Weights that count how often each row was seen; equal to repeating rows.
    pub fn with_frequencies(self, frequencies: View<'a, T>) -> Result<Self, Error> {
        let fractional = |c: &T| c.fract() != T::zero();
        if frequencies.cols() == 1
            && let Some(row) = frequencies.col_iter(0).position(|c| c.is_finite() && fractional(c))
        {
            let value = frequencies[(row, 0)].to_string();
            return Err(Error::FractionalFrequency { row, value });
        }
        self.with_weights(frequencies, WeightKind::Frequencies)
    }

    /// Weights that are inverse variances of the rows' noise, up to a common factor.
    pub fn with_precisions(self, precisions: View<'a, T>) -> Result<Self, Error> {
        self.with_weights(precisions, WeightKind::Precisions)
    }

    /// Offsets: known numbers added to the predictions of each row, z_t = w·x_t + b + o_t.
    ///
    /// One column for each prediction: one as a rule, K for
    /// [softmax regression](crate::convex::SoftmaxRegression) on K classes.
    pub fn with_offsets(mut self, offsets: View<'a, T>) -> Result<Self, Error> {
        if offsets.rows() != self.rows() {
            return Err(Error::LengthMismatch {
                what: "the offsets",
                per: "row of the design",
                expected: self.rows(),
                found: offsets.rows(),
            });
        }
        if offsets.cols() == 0 {
            return Err(offsets_mismatch(1, 0));
        }
        for column in 0..offsets.cols() {
            if let Some(row) = offsets.col_iter(column).position(|o| !o.is_finite()) {
                return Err(Error::BadOffset { row, value: offsets[(row, column)].to_string() });
            }
        }
        self.offsets = Some(offsets);
        Ok(self)
    }

    /// Names of the features, carried into the model and checked when it predicts.
    pub fn with_names<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() != self.cols() {
            return Err(Error::LengthMismatch {
                what: "the list of feature names",
                per: "column of the design",
                expected: self.cols(),
                found: names.len(),
            });
        }
        self.names = Some(Names::new(names)?);
        Ok(self)
    }

    /// Another dataset of as many rows, with the weights and offsets of this one.
    pub(crate) fn weigh_like<'b>(&self, other: Dataset<'b, T>) -> Result<Dataset<'b, T>, Error>
    where
        'a: 'b,
    {
        let other = match self.offsets {
            None => other,
            Some(offsets) => other.with_offsets(offsets)?,
        };
        match self.weights {
            None => Ok(other),
            Some(weights) => other.with_weights(weights, self.weight_kind),
        }
    }

    /// Fails where there are offsets, but not one for each of so many predictions of a row.
    pub(crate) fn check_offsets(&self, predictions: usize) -> Result<(), Error> {
        match self.offsets {
            Some(offsets) if offsets.cols() != predictions => {
                Err(offsets_mismatch(predictions, offsets.cols()))
            }
            _ => Ok(()),
        }
    }

    /// Fails where there are offsets, for what would otherwise leave them out without a word.
    pub(crate) fn refuse_offsets(&self, solver: &'static str) -> Result<(), Error> {
        let reason =
            "it takes no offsets; subtract them from the target, or use a solver of `convex`";
        match self.offsets {
            None => Ok(()),
            Some(_) => Err(Error::Unsupported { solver, reason }),
        }
    }

    fn with_weights(mut self, weights: View<'a, T>, kind: WeightKind) -> Result<Self, Error> {
        if weights.rows() != self.rows() || weights.cols() != 1 {
            return Err(Error::LengthMismatch {
                what: "the sample weights",
                per: "row of the design",
                expected: self.rows(),
                found: weights.rows() * weights.cols(),
            });
        }
        if let Some(row) = weights.col_iter(0).position(|c| !c.is_finite() || *c < T::zero()) {
            return Err(Error::BadWeight { row, value: weights[(row, 0)].to_string() });
        }
        if weights.col_iter(0).all(|c| *c == T::zero()) {
            return Err(Error::AllWeightsZero);
        }
        self.weights = Some(weights);
        self.weight_kind = kind;
        Ok(self)
    }

    /// The design.
    pub fn design(&self) -> Design<'a, T> {
        self.design
    }

    /// The targets, one column each.
    pub fn target_view(&self) -> View<'a, T> {
        self.targets
    }

    /// The sample weights, where there are any.
    pub fn weights(&self) -> Option<View<'a, T>> {
        self.weights
    }

    /// What is added to the predictions of each row, where anything is: one column for each prediction.
    pub fn offsets(&self) -> Option<View<'a, T>> {
        self.offsets
    }

    /// The weight of a row; 1 where there are none.
    pub(crate) fn weight_of(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |c| c[(row, 0)].to_double())
    }

    /// What is added to the one prediction of a row.
    pub(crate) fn offset_of(&self, row: usize) -> f64 {
        self.offsets.map_or(0.0, |o| o[(row, 0)].to_double())
    }

    /// What the sample weights mean.
    pub fn weight_kind(&self) -> WeightKind {
        self.weight_kind
    }

    /// The feature names, where there are any.
    pub fn names(&self) -> Option<&Names> {
        self.names.as_ref()
    }

    /// Number of examples m.
    pub fn rows(&self) -> usize {
        self.design.rows()
    }

    /// Number of features d.
    pub fn cols(&self) -> usize {
        self.design.cols()
    }

    /// Number of targets k.
    pub fn targets(&self) -> usize {
        self.targets.cols()
    }

    /// Whether a pass has already found every value of the design finite.
    pub(crate) fn is_known_finite(&self) -> bool {
        self.known_finite.load(Ordering::Relaxed)
    }

    /// Called by a pass that has checked every block.
    pub(crate) fn mark_finite(&self) {
        self.known_finite.store(true, Ordering::Relaxed);
    }
}

fn offsets_mismatch(expected: usize, found: usize) -> Error {
    Error::LengthMismatch { what: "a row of offsets", per: "prediction", expected, found }
}
