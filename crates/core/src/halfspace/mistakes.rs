//! The mistakes of a halfspace, counted exactly on the data as given.
//!
//! Row t is a mistake where y_t (w·x_t + b) ≤ 0. The sign is read off in doubles where it is beyond
//! doubt, and computed in big integers elsewhere.

use super::exact::{dot, integer, last_bit};
use super::examples::Examples;
use crate::{Block, Dataset, Error, LinearModel, Reduction, Rows, Scalar};
use num_bigint::BigInt;
use num_traits::Signed;

/// The zero-one risk of a halfspace.
///
/// ```
/// use minrisk_core::{Dataset, LinearModel, View};
/// use minrisk_core::halfspace::Mistakes;
/// let (x, y) = ([0.1, 0.2, 0.3], [-1.0, 1.0, 1.0]);
/// let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
/// let model = LinearModel::from_coefficients(vec![1.0], Some(-0.2))?;
/// let mistakes = Mistakes::of(&model, &data)?;
/// assert_eq!(mistakes.rows, [1]); // on the hyperplane
/// assert_eq!(mistakes.weight, 1.0);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mistakes {
    /// The rows, in increasing order; those of weight zero are left out.
    pub rows: Vec<usize>,
    /// The sum of their weights, or their number where there are none.
    pub weight: f64,
    /// `weight` over the sum of all weights.
    pub risk: f64,
}

impl Mistakes {
    /// The mistakes of a model on targets −1 and +1.
    pub fn of<T: Scalar>(model: &LinearModel<T>, data: &Dataset<'_, T>) -> Result<Self, Error> {
        model.check_design(data.cols(), data.names())?;
        Examples::new(data, true)?;
        let weights: Vec<f64> = model.coefficients().iter().map(|w| w.to_double()).collect();
        let b = model.intercept().map_or(0.0, |b| b.to_double());
        let rows = Rows::Memory(data).reduce(&Wrong { weights, b })?;
        let weight = |t: usize| data.weight_of(t);
        // Not `sum`, which makes a negative zero of no mistakes.
        let sum = rows.iter().map(|&t| weight(t)).fold(0.0, |sum, c| sum + c);
        let total = (0..data.rows()).map(weight).sum::<f64>();
        Ok(Self { rows, weight: sum, risk: sum / total })
    }
}

struct Wrong {
    weights: Vec<f64>,
    b: f64,
}

impl<T: Scalar> Reduction<T> for Wrong {
    type State = Vec<usize>;

    fn start(&self) -> Vec<usize> {
        Vec::new()
    }

    fn absorb(&self, rows: &mut Vec<usize>, block: &Block<'_, T>) {
        let mut z = Vec::with_capacity(self.weights.len());
        for i in 0..block.x.rows() {
            if block.weights.is_some_and(|c| c[(i, 0)] == T::zero()) {
                continue;
            }
            z.clear();
            z.extend((0..block.x.cols()).map(|j| block.x[(i, j)].to_double()));
            let sign = block.y[(i, 0)].to_double();
            if !is_positive(&self.weights, &z, self.b, sign) {
                rows.push(block.first_row + i);
            }
        }
    }

    fn merge(&self, left: &mut Vec<usize>, right: Vec<usize>) {
        left.extend(right);
    }
}

/// Whether sign·(w·z + b) > 0, exactly.
pub(crate) fn is_positive(w: &[f64], z: &[f64], b: f64, sign: f64) -> bool {
    let (mut value, mut size) = (b, b.abs());
    for (w, z) in w.iter().zip(z) {
        value += w * z;
        size += (w * z).abs();
    }
    let rounding = (z.len() as f64 + 3.0) * f64::EPSILON * size + f64::MIN_POSITIVE;
    if value.abs() > rounding && size.is_finite() {
        return sign * value > 0.0;
    }
    let least = |v: &[f64]| v.iter().filter_map(|&v| last_bit(v)).min().unwrap_or(0);
    let z: Vec<f64> = z.iter().copied().chain([1.0]).collect();
    let w: Vec<f64> = w.iter().copied().chain([b]).collect();
    let whole = |v: &[f64]| -> Vec<BigInt> {
        let exponent = least(v);
        v.iter().map(|&v| integer(v, exponent)).collect()
    };
    let value = dot(&whole(&w), &whole(&z));
    if sign > 0.0 { value.is_positive() } else { value.is_negative() }
}
