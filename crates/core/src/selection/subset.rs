//! Some rows of a dataset, as a dataset of their own.

use crate::{Dataset, Design, Error, Matrix, Names, Scalar, View, WeightKind};

/// A copy of some rows, with their weights and the names of the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Subset<T> {
    x: Matrix<T>,
    y: Matrix<T>,
    weights: Option<Vec<T>>,
    kind: WeightKind,
    names: Option<Names>,
}

impl<T: Scalar> Subset<T> {
    /// The rows given, in their order; a row may come more than once.
    pub fn of(data: &Dataset<'_, T>, rows: &[usize]) -> Result<Self, Error> {
        if let Some(bad) = rows.iter().find(|row| **row >= data.rows()) {
            return Err(Error::BadParameter {
                what: "a row of the subset",
                value: bad.to_string(),
                expected: "below the number of rows",
            });
        }
        let Design::Dense(x) = data.design();
        let y = data.target_view();
        let gather = |from: View<'_, T>| -> Result<Matrix<T>, Error> {
            let mut copy = Matrix::try_filled(rows.len(), from.cols(), T::zero())?;
            for j in 0..from.cols() {
                let into = copy.col_mut(j).iter_mut();
                into.zip(rows).for_each(|(v, &row)| *v = from[(row, j)]);
            }
            Ok(copy)
        };
        let weights =
            data.weights().map(|weights| rows.iter().map(|&row| weights[(row, 0)]).collect());
        Ok(Self {
            x: gather(x)?,
            y: gather(y)?,
            weights,
            kind: data.weight_kind(),
            names: data.names().cloned(),
        })
    }

    /// The rows as a dataset.
    pub fn dataset(&self) -> Result<Dataset<'_, T>, Error> {
        let mut data = Dataset::new(self.x.view(), self.y.view())?;
        if let Some(weights) = &self.weights {
            let weights = View::column_vector(weights);
            data = match self.kind {
                WeightKind::Frequencies => data.with_frequencies(weights)?,
                _ => data.with_precisions(weights)?,
            };
        }
        match &self.names {
            None => Ok(data),
            Some(names) => data.with_names(names.as_slice().iter().cloned()),
        }
    }
}
