//! Linear predictors: z = w·x + b, for one or several targets.

use crate::kernels::ResidualKernel;
use crate::wide::Number;
use crate::{Block, Dataset, Design, Error, Matrix, Names, Reduction, Rows, Scalar, View};

/// Coefficients, intercepts and feature names of a fitted or known linear predictor.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearModel<T> {
    /// One vector of weights per target.
    coefficients: Vec<Vec<T>>,
    /// One intercept per target, or none at all.
    intercepts: Option<Vec<T>>,
    names: Option<Names>,
}

impl<T: Scalar> LinearModel<T> {
    /// A model of one target from known coefficients.
    pub fn from_coefficients(coefficients: Vec<T>, intercept: Option<T>) -> Result<Self, Error> {
        Self::new(vec![coefficients], intercept.map(|b| vec![b]), None)
    }

    /// A model of several targets: a weight vector per target, an intercept per target or none.
    pub fn new(
        coefficients: Vec<Vec<T>>,
        intercepts: Option<Vec<T>>,
        names: Option<Names>,
    ) -> Result<Self, Error> {
        let mismatch = |what, per, expected, found| {
            if expected == found {
                Ok(())
            } else {
                Err(Error::LengthMismatch { what, per, expected, found })
            }
        };
        mismatch("the list of targets", "target", 1, coefficients.len().min(1))?;
        let features = coefficients[0].len();
        for weights in &coefficients {
            mismatch("a vector of coefficients", "feature", features, weights.len())?;
        }
        if let Some(intercepts) = &intercepts {
            mismatch("the list of intercepts", "target", coefficients.len(), intercepts.len())?;
        }
        if let Some(names) = &names {
            mismatch("the list of feature names", "feature", features, names.as_slice().len())?;
        }
        Ok(Self { coefficients, intercepts, names })
    }

    /// The weights of the first (or only) target.
    pub fn coefficients(&self) -> &[T] {
        &self.coefficients[0]
    }

    /// The intercept of the first (or only) target; `None` for a model through the origin.
    pub fn intercept(&self) -> Option<T> {
        self.intercept_of(0)
    }

    /// The weights of a target.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn coefficients_of(&self, target: usize) -> &[T] {
        &self.coefficients[target]
    }

    /// The intercept of a target; `None` for a model through the origin.
    ///
    /// # Panics
    /// If there is no such target.
    pub fn intercept_of(&self, target: usize) -> Option<T> {
        self.intercepts.as_ref().map(|intercepts| intercepts[target])
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.coefficients[0].len()
    }

    /// Number of targets.
    pub fn targets(&self) -> usize {
        self.coefficients.len()
    }

    /// The feature names, where training had them.
    pub fn names(&self) -> Option<&Names> {
        self.names.as_ref()
    }

    /// Predictions for the rows of a design, one column per target, each the exact w·x + b rounded
    /// once as a rule.
    ///
    /// ```
    /// use minrisk_core::{LinearModel, View};
    /// let model = LinearModel::from_coefficients(vec![2.0, -1.0], Some(0.5))?;
    /// let x = [[1.0, 1.0], [2.0, 0.0]];
    /// let z = model.predict(View::from_arrays(&x))?;
    /// assert_eq!(z.as_slice(), [1.5, 4.5]);
    /// # Ok::<(), minrisk_core::Error>(())
    /// ```
    pub fn predict<'a>(&self, design: impl Into<Design<'a, T>>) -> Result<Matrix<T>, Error> {
        self.predict_checked(design.into(), None)
    }

    /// As [`LinearModel::predict`], for columns with names, which must be those of training.
    pub fn predict_named<'a>(
        &self,
        design: impl Into<Design<'a, T>>,
        names: &Names,
    ) -> Result<Matrix<T>, Error> {
        self.predict_checked(design.into(), Some(names))
    }

    fn predict_checked(
        &self,
        design: Design<'_, T>,
        names: Option<&Names>,
    ) -> Result<Matrix<T>, Error> {
        self.check_design(design.cols(), names)?;
        let rows = design.rows();
        if rows == 0 {
            return Ok(Matrix::zeros(0, self.targets()));
        }
        // Predicting needs no targets; a column of zeros with stride 0 stands in for them.
        let zero = [T::zero()];
        let data = Dataset::new(design, View::constant(&zero, rows))?;
        let columns = Rows::Memory(&data).reduce(&PredictPass { model: self })?;
        Ok(Matrix::from_fn(rows, self.targets(), |i, target| columns[target][i]))
    }

    /// y − z for every row and target of a dataset, its offsets counted as part of z, each rounded once as a rule.
    pub fn residuals(&self, data: &Dataset<'_, T>) -> Result<Matrix<T>, Error> {
        self.check_design(data.cols(), data.names())?;
        if data.targets() != self.targets() {
            return Err(Error::LengthMismatch {
                what: "the list of targets",
                per: "target of the model",
                expected: self.targets(),
                found: data.targets(),
            });
        }
        data.check_offsets(1)?;
        let columns = Rows::Memory(data).reduce(&ResidualPass { model: self })?;
        Ok(Matrix::from_fn(data.rows(), self.targets(), |i, target| columns[target][i]))
    }

    /// Fails unless a design has the columns of training.
    pub(crate) fn check_design(&self, cols: usize, names: Option<&Names>) -> Result<(), Error> {
        if cols != self.features() {
            return Err(Error::LengthMismatch {
                what: "the list of columns of the design",
                per: "feature of the model",
                expected: self.features(),
                found: cols,
            });
        }
        match (&self.names, names) {
            (Some(trained), Some(given)) => trained.check(given),
            _ => Ok(()),
        }
    }

    /// Predictions of one target for a block of rows.
    pub(crate) fn predict_block(&self, x: View<'_, T>, target: usize) -> Vec<T> {
        let zero = [T::zero()];
        let block = Block {
            first_row: 0,
            x,
            y: View::constant(&zero, x.rows()),
            weights: None,
            offsets: None,
        };
        let residuals = self.residual_block(&block, target, 0);
        residuals.into_iter().map(|r| T::from_wide(-r)).collect()
    }

    /// y − z of the rows of a block, z by the weights of a target, in the wide precision.
    fn residual_block(&self, block: &Block<'_, T>, target: usize, column: usize) -> Vec<T::Wide> {
        let weights: Vec<T::Wide> =
            self.coefficients_of(target).iter().map(|&w| w.into()).collect();
        let intercept = self.intercept_of(target).map_or(T::Wide::ZERO, Into::into);
        ResidualKernel::<T, T::Wide>::new(&weights, intercept).residuals(block, column)
    }
}

struct ResidualPass<'a, T> {
    model: &'a LinearModel<T>,
}

impl<T: Scalar> Reduction<T> for ResidualPass<'_, T> {
    type State = Vec<Vec<T>>;

    fn start(&self) -> Self::State {
        vec![Vec::new(); self.model.targets()]
    }

    fn absorb(&self, state: &mut Self::State, block: &Block<'_, T>) {
        for (target, column) in state.iter_mut().enumerate() {
            let residuals = self.model.residual_block(block, target, target);
            let offset = |i| block.offsets.map_or(T::Wide::ZERO, |o| o[(i, 0)].into());
            let left = residuals.into_iter().enumerate().map(|(i, r)| r - offset(i));
            column.extend(left.map(T::from_wide));
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.iter_mut().zip(right).for_each(|(a, b)| a.extend(b));
    }
}

struct PredictPass<'a, T> {
    model: &'a LinearModel<T>,
}

impl<T: Scalar> Reduction<T> for PredictPass<'_, T> {
    type State = Vec<Vec<T>>;

    fn start(&self) -> Self::State {
        vec![Vec::new(); self.model.targets()]
    }

    fn absorb(&self, state: &mut Self::State, block: &Block<'_, T>) {
        for (target, column) in state.iter_mut().enumerate() {
            column.extend(self.model.predict_block(block.x, target));
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.iter_mut().zip(right).for_each(|(a, b)| a.extend(b));
    }
}
