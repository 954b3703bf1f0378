//! The rows of a two-class training set as halfspace routines see them.
//!
//! With z_t = y_t (x_t, 1), or y_t x_t without an intercept, a halfspace w is right on row t iff
//! w·z_t > 0: the label is folded into the row and the intercept is one more coordinate.

use crate::{Block, Dataset, Design, Error, Reduction, Rows, Scalar, View};

/// A two-class training set behind the door: targets −1 and +1, every value finite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Examples<'a, T> {
    pub(crate) x: View<'a, T>,
    pub(crate) y: View<'a, T>,
    pub(crate) intercept: bool,
}

impl<'a, T: Scalar> Examples<'a, T> {
    /// Checks the labels and reads the data once to see that it is finite.
    pub(crate) fn new(data: &Dataset<'a, T>, intercept: bool) -> Result<Self, Error> {
        data.refuse_offsets("a halfspace")?;
        if data.targets() != 1 {
            return Err(Error::LengthMismatch {
                what: "the list of targets",
                per: "label of a row",
                expected: 1,
                found: data.targets(),
            });
        }
        let y = data.target_view();
        if let Some(row) = y.col_iter(0).position(|y| y.abs() != T::one()) {
            return Err(Error::TargetOutsideDomain {
                row,
                value: y[(row, 0)].to_string(),
                loss: "zero-one",
                domain: "−1 or +1; Labels::signs makes them from labels of any ordered type",
            });
        }
        let x = finite_design(data)?;
        if x.cols() == 0 && !intercept {
            return Err(Error::NothingToFit);
        }
        Ok(Self { x, y, intercept })
    }

    pub(crate) fn rows(&self) -> usize {
        self.x.rows()
    }

    /// Number of coordinates of z_t: the features, and the intercept.
    pub(crate) fn dimension(&self) -> usize {
        self.x.cols() + usize::from(self.intercept)
    }

    /// z_t in doubles, which loses nothing.
    pub(crate) fn signed_row(&self, row: usize, z: &mut Vec<f64>) {
        let sign = self.sign(row);
        z.clear();
        z.extend((0..self.x.cols()).map(|j| sign * self.x[(row, j)].to_double()));
        z.extend(self.intercept.then_some(sign));
    }

    /// y_t in doubles.
    pub(crate) fn sign(&self, row: usize) -> f64 {
        self.y[(row, 0)].to_double()
    }

    /// Splits a homogeneous vector into coefficients and intercept.
    pub(crate) fn split(&self, mut weights: Vec<T>) -> (Vec<T>, Option<T>) {
        let intercept = if self.intercept { weights.pop() } else { None };
        (weights, intercept)
    }
}

/// The dense design, after a pass that has found every value finite.
pub(crate) fn finite_design<'a, T: Scalar>(data: &Dataset<'a, T>) -> Result<View<'a, T>, Error> {
    if !data.is_known_finite() {
        Rows::Memory(data).reduce(&Touch)?;
    }
    let Design::Dense(x) = data.design();
    Ok(x)
}

/// Refuses sample weights, for algorithms that visit rows one by one.
pub(crate) fn refuse_weights<T: Scalar>(
    data: &Dataset<'_, T>,
    solver: &'static str,
) -> Result<(), Error> {
    if data.weights().is_none() {
        return Ok(());
    }
    let reason = "it visits rows one by one and has no weighted form; repeat rows instead";
    Err(Error::Unsupported { solver, reason })
}

/// A pass that does nothing but let the engine check the data.
struct Touch;

impl<T: Scalar> Reduction<T> for Touch {
    type State = ();

    fn start(&self) {}

    fn absorb(&self, (): &mut (), _block: &Block<'_, T>) {}

    fn merge(&self, (): &mut (), (): ()) {}
}
