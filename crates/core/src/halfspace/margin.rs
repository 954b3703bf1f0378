//! Margins: γ(u) = min_t y_t (u·x_t + b), and the same over the length of u.
//!
//! The geometric margin γ/‖w‖ is the distance of the nearest row to the hyperplane, negative if that
//! row is on the wrong side. Seen in homogeneous coordinates, where the intercept is a weight like any
//! other, the scaled margin is γ/‖(w, b)‖: that is the one in the perceptron's bound.

use super::examples::Examples;
use super::geometry::norm;
use crate::{Block, Dataset, Error, LinearModel, Reduction, Rows, Scalar};

/// The margins of a halfspace on data.
///
/// ```
/// use minrisk_core::{Dataset, LinearModel, View};
/// use minrisk_core::halfspace::Margin;
/// let x = [[1.0, 1.0], [-1.0, 2.0], [0.0, -3.0]];
/// let y = [1.0, 1.0, -1.0];
/// let data = Dataset::new(View::from_arrays(&x), View::column_vector(&y))?;
/// let model = LinearModel::from_coefficients(vec![0.0, 2.0], Some(0.0))?;
/// let margin = Margin::of(&model, &data)?;
/// assert_eq!((margin.functional, margin.geometric, margin.row), (2.0, Some(1.0), 0));
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Margin {
    /// γ = min_t y_t (w·x_t + b).
    pub functional: f64,
    /// γ/‖w‖; `None` for w = 0.
    pub geometric: Option<f64>,
    /// γ/‖(w, b)‖; `None` for w = 0 and b = 0.
    pub scaled: Option<f64>,
    /// The first row that attains it.
    pub row: usize,
}

impl Margin {
    /// The margins of a model on targets −1 and +1.
    pub fn of<T: Scalar>(model: &LinearModel<T>, data: &Dataset<'_, T>) -> Result<Self, Error> {
        model.check_design(data.cols(), data.names())?;
        Examples::new(data, true)?;
        let (functional, row) = Rows::Memory(data).reduce(&Lowest { model })?;
        let weights = model.coefficients().iter().map(|w| w.to_double());
        let b = model.intercept().map_or(0.0, |b| b.to_double());
        let over = |length: f64| (length > 0.0).then(|| functional / length);
        let (length, whole) = (norm(weights.clone()), norm(weights.chain([b])));
        Ok(Self { functional, geometric: over(length), scaled: over(whole), row })
    }
}

struct Lowest<'a, T> {
    model: &'a LinearModel<T>,
}

impl<T: Scalar> Reduction<T> for Lowest<'_, T> {
    type State = (f64, usize);

    fn start(&self) -> Self::State {
        (f64::INFINITY, 0)
    }

    fn absorb(&self, lowest: &mut Self::State, block: &Block<'_, T>) {
        for (i, z) in self.model.predict_block(block.x, 0).into_iter().enumerate() {
            let value = (z * block.y[(i, 0)]).to_double();
            if value < lowest.0 {
                *lowest = (value, block.first_row + i);
            }
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        if right.0 < left.0 {
            *left = right;
        }
    }
}
