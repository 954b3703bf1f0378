//! Affine maps of features, t_j = (x_j − c_j)/s_j, that a model carries and inverts.
//!
//! Standardising makes penalties treat features alike; mapping to [−1, 1] keeps powers small and the
//! condition of a polynomial design moderate. A constant feature is only shifted.

use crate::wide::Number;
use crate::{Error, LinearModel, Matrix, Scalar, View};

/// Which map is fitted to the training data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Rescaling {
    /// The features as they are.
    #[default]
    None,
    /// Mean 0 and standard deviation 1 (that of the sample, with m in the denominator).
    Standard,
    /// The smallest value to −1, the largest to 1.
    UnitInterval,
}

/// A fitted map.
///
/// ```
/// use minrisk_core::View;
/// use minrisk_core::polynomial::{Rescale, Rescaling};
/// let x = [10.0, 20.0, 40.0];
/// let map = Rescale::fit(Rescaling::UnitInterval, View::column_vector(&x))?;
/// let t = map.apply(View::column_vector(&x))?;
/// assert_eq!((t[(0, 0)], t[(2, 0)]), (-1.0, 1.0));
/// assert_eq!(map.invert(t.view())?.as_slice(), x);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rescale<T> {
    centres: Vec<T>,
    scales: Vec<T>,
}

impl<T: Scalar> Rescale<T> {
    /// The map of some kind for the columns of a design.
    pub fn fit(kind: Rescaling, x: View<'_, T>) -> Result<Self, Error> {
        if x.rows() == 0 {
            return Err(Error::NoRows);
        }
        let mut map = Self { centres: Vec::new(), scales: Vec::new() };
        for j in 0..x.cols() {
            if let Some(row) = x.col_iter(j).position(|v| !v.is_finite()) {
                let value = x[(row, j)].to_string();
                return Err(Error::NotFinite { row, column: j.to_string(), value });
            }
            let (centre, scale) = match kind {
                Rescaling::None => (T::Wide::ZERO, T::Wide::ONE),
                Rescaling::Standard => mean_and_deviation(x, j),
                Rescaling::UnitInterval => middle_and_half_width(x, j),
            };
            let (centre, scale) = (T::from_wide(centre), T::from_wide(scale));
            map.centres.push(centre);
            map.scales.push(if scale > T::zero() { scale } else { T::one() });
        }
        Ok(map)
    }

    /// The map that changes nothing.
    pub fn identity(features: usize) -> Self {
        Self { centres: vec![T::zero(); features], scales: vec![T::one(); features] }
    }

    /// The shifts c_j.
    pub fn centres(&self) -> &[T] {
        &self.centres
    }

    /// The divisors s_j.
    pub fn scales(&self) -> &[T] {
        &self.scales
    }

    /// Whether this map changes nothing.
    pub fn is_identity(&self) -> bool {
        self.centres.iter().all(|c| *c == T::zero()) && self.scales.iter().all(|s| *s == T::one())
    }

    /// (x − c)/s for every column.
    pub fn apply(&self, x: View<'_, T>) -> Result<Matrix<T>, Error> {
        self.map(x, |x, centre, scale| (x - centre) / scale)
    }

    /// t·s + c for every column.
    pub fn invert(&self, t: View<'_, T>) -> Result<Matrix<T>, Error> {
        self.map(t, |t, centre, scale| t * scale + centre)
    }

    /// The model of x that a model of t = (x − c)/s is: w_j/s_j, b − Σ w_j c_j/s_j.
    ///
    /// Without an intercept the result has one where a centre is not zero.
    pub fn invert_model(&self, model: &LinearModel<T>) -> Result<LinearModel<T>, Error> {
        self.check(model.features())?;
        let (mut coefficients, mut intercepts) = (Vec::new(), Vec::new());
        for target in 0..model.targets() {
            let mut intercept: T::Wide = model.intercept_of(target).unwrap_or(T::zero()).into();
            let mut weights = Vec::with_capacity(model.features());
            for (j, &w) in model.coefficients_of(target).iter().enumerate() {
                let scaled = T::Wide::from(w) / self.scales[j].into();
                intercept -= scaled * self.centres[j].into();
                weights.push(T::from_wide(scaled));
            }
            coefficients.push(weights);
            intercepts.push(T::from_wide(intercept));
        }
        let shifted = self.centres.iter().any(|c| *c != T::zero());
        let intercepts = (model.intercept().is_some() || shifted).then_some(intercepts);
        LinearModel::new(coefficients, intercepts, model.names().cloned())
    }

    fn map(
        &self,
        x: View<'_, T>,
        value: impl Fn(T::Wide, T::Wide, T::Wide) -> T::Wide,
    ) -> Result<Matrix<T>, Error> {
        self.check(x.cols())?;
        let mut mapped = Matrix::try_filled(x.rows(), x.cols(), T::zero())?;
        for j in 0..x.cols() {
            let (centre, scale) = (self.centres[j].into(), self.scales[j].into());
            for (into, &x) in mapped.col_mut(j).iter_mut().zip(x.col_iter(j)) {
                *into = T::from_wide(value(x.into(), centre, scale));
            }
        }
        Ok(mapped)
    }

    fn check(&self, cols: usize) -> Result<(), Error> {
        if cols == self.centres.len() {
            return Ok(());
        }
        Err(Error::LengthMismatch {
            what: "the list of columns",
            per: "feature of the map",
            expected: self.centres.len(),
            found: cols,
        })
    }
}

fn mean_and_deviation<T: Scalar>(x: View<'_, T>, j: usize) -> (T::Wide, T::Wide) {
    let count = T::Wide::from_double(x.rows() as f64);
    let mean = x.col_iter(j).fold(T::Wide::ZERO, |sum, &v| sum + v.into()) / count;
    let squares = x.col_iter(j).fold(T::Wide::ZERO, |sum, &v| {
        let deviation = T::Wide::from(v) - mean;
        sum + deviation * deviation
    });
    (mean, T::Wide::from_double((squares / count).to_double().sqrt()))
}

fn middle_and_half_width<T: Scalar>(x: View<'_, T>, j: usize) -> (T::Wide, T::Wide) {
    let smallest = x.col_iter(j).fold(T::infinity(), |least, &v| least.min(v));
    let largest = x.col_iter(j).fold(T::neg_infinity(), |most, &v| most.max(v));
    // Halved first, so that the extremes of the range of T neither overflow.
    let half = T::Wide::from_double(0.5);
    let (low, high) = (T::Wide::from(smallest) * half, T::Wide::from(largest) * half);
    let centre: T::Wide = T::from_wide(low + high).into();
    // The longer side of the rounded centre, rounded up: no value is mapped beyond 1.
    let (below, above) = (centre - smallest.into(), T::Wide::from(largest) - centre);
    let side = if below > above { below } else { above };
    let rounded = T::from_wide(side);
    let short = T::Wide::from(rounded) < side;
    let scale = if short { rounded + rounded * T::epsilon() } else { rounded };
    (centre, scale.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn constant_features_are_only_shifted() {
        let x = [3.0_f32; 4];
        for kind in [Rescaling::Standard, Rescaling::UnitInterval] {
            let map = Rescale::fit(kind, View::column_vector(&x)).unwrap();
            assert_eq!(map.apply(View::column_vector(&x)).unwrap().as_slice(), [0.0; 4]);
        }
    }

    proptest! {
        #[test]
        fn maps_do_what_they_say(x in prop::collection::vec(-1e6..1e6_f64, 2..40)) {
            let x = View::column_vector(&x);
            let standard = Rescale::fit(Rescaling::Standard, x).unwrap().apply(x).unwrap();
            let count = x.rows() as f64;
            let mean = standard.as_slice().iter().sum::<f64>() / count;
            let square = standard.as_slice().iter().map(|t| t * t).sum::<f64>() / count;
            prop_assert!(mean.abs() < 1e-9 && (square - 1.0).abs() < 1e-9, "{} {}", mean, square);
            let map = Rescale::fit(Rescaling::UnitInterval, x).unwrap();
            let unit = map.apply(x).unwrap();
            let largest = unit.as_slice().iter().copied().fold(f64::MIN, f64::max);
            let least = unit.as_slice().iter().copied().fold(f64::MAX, f64::min);
            prop_assert!(largest <= 1.0 && least >= -1.0);
            // What rounding the centre moves both ends by.
            let rounding = 4.0 * f64::EPSILON * (1.0 + map.centres()[0].abs() / map.scales()[0]);
            prop_assert!(largest >= 1.0 - rounding && least <= -1.0 + rounding);
            let back = map.invert(unit.view()).unwrap();
            for (found, &given) in back.as_slice().iter().zip(x.col_iter(0)) {
                prop_assert!((found - given).abs() <= 1e-9);
            }
        }

        #[test]
        fn a_model_in_its_own_units_predicts_the_same(w in -9.0..9.0, b in -9.0..9.0, x in 1.0..9.0) {
            let training = [1.0, 4.0, 9.5];
            let map = Rescale::fit(Rescaling::Standard, View::column_vector(&training)).unwrap();
            let model = LinearModel::from_coefficients(vec![w], Some(b)).unwrap();
            let original = map.invert_model(&model).unwrap();
            let point = [x];
            let mapped = map.apply(View::column_vector(&point)).unwrap();
            let one = model.predict(mapped.view()).unwrap()[(0, 0)];
            let other: f64 = original.predict(View::column_vector(&point)).unwrap()[(0, 0)];
            prop_assert!((one - other).abs() < 1e-12);
        }
    }
}
