//! The geometry of a hyperplane {x : w·x = c} with c = −b.
//!
//! Its offset from the origin is c/‖w‖ along w/‖w‖, the signed distance of a point x is
//! (w·x + b)/‖w‖, and the two halfspaces are {w·x > c}, where sgn(w·x + b) = +1, and {w·x ≤ c}.

use crate::wide::{Dd, Number};
use crate::{Error, LinearModel, Scalar};

/// The hyperplane on which a linear model is zero.
///
/// ```
/// use minrisk_core::LinearModel;
/// use minrisk_core::halfspace::{Hyperplane, Side};
/// let model = LinearModel::from_coefficients(vec![3.0, 4.0], Some(-10.0))?;
/// let plane = Hyperplane::of(&model)?;
/// assert_eq!(plane.offset(), 2.0);
/// assert_eq!(plane.signed_distance(&[0.0, 0.0])?, -2.0);
/// assert_eq!(plane.side(&[2.0, 1.0])?, Side::Negative); // on the hyperplane
/// assert_eq!(plane.side(&[2.0, 1.5])?, Side::Positive);
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperplane<T> {
    normal: Vec<T>,
    intercept: T,
    length: f64,
}

/// One of the two halfspaces of a hyperplane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// w·x + b > 0: the open halfspace, label +1.
    Positive,
    /// w·x + b ≤ 0: the closed halfspace, label −1.
    Negative,
}

impl<T: Scalar> Hyperplane<T> {
    /// The hyperplane of a model with one target and w ≠ 0.
    pub fn of(model: &LinearModel<T>) -> Result<Self, Error> {
        let normal = model.coefficients().to_vec();
        let length = norm(normal.iter().map(|w| w.to_double()));
        if length == 0.0 || !length.is_finite() {
            return Err(Error::BadParameter {
                what: "the length of the weights of a hyperplane",
                value: length.to_string(),
                expected: "positive and finite",
            });
        }
        Ok(Self { normal, intercept: model.intercept().unwrap_or(T::zero()), length })
    }

    /// w.
    pub fn normal(&self) -> &[T] {
        &self.normal
    }

    /// ‖w‖.
    pub fn normal_length(&self) -> f64 {
        self.length
    }

    /// c/‖w‖ with c = −b: how far from the origin, along w.
    pub fn offset(&self) -> f64 {
        // 0 − b, so that a hyperplane through the origin has offset +0.
        (0.0 - self.intercept.to_double()) / self.length
    }

    /// (w·x + b)/‖w‖, positive on the side that w points to.
    pub fn signed_distance(&self, point: &[T]) -> Result<f64, Error> {
        Ok(self.score(point)? / self.length)
    }

    /// The halfspace that a point is in; points on the hyperplane are in the negative one.
    pub fn side(&self, point: &[T]) -> Result<Side, Error> {
        Ok(if self.score(point)? > 0.0 { Side::Positive } else { Side::Negative })
    }

    /// The point of the hyperplane nearest to a given one.
    pub fn project(&self, point: &[T]) -> Result<Vec<T>, Error> {
        let step = self.score(point)? / self.length / self.length;
        let moved = |(&x, &w): (&T, &T)| T::from_double(x.to_double() - step * w.to_double());
        Ok(point.iter().zip(&self.normal).map(moved).collect())
    }

    /// w·x + b in double-double, rounded: its sign is right unless it is below 10⁻³⁰ of its terms.
    fn score(&self, point: &[T]) -> Result<f64, Error> {
        if point.len() != self.normal.len() {
            return Err(Error::LengthMismatch {
                what: "the point",
                per: "feature of the hyperplane",
                expected: self.normal.len(),
                found: point.len(),
            });
        }
        let terms = self.normal.iter().zip(point);
        let sum = terms.fold(Dd::from(self.intercept.to_double()), |sum, (w, x)| {
            sum + Dd::product(w.to_double(), x.to_double())
        });
        Ok(sum.to_double())
    }
}

/// ‖v‖ without overflow or underflow on the way.
pub(crate) fn norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    values.map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt() * largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_hyperplane_without_weights() {
        let flat = LinearModel::from_coefficients(vec![0.0, 0.0], Some(1.0)).unwrap();
        assert!(matches!(Hyperplane::of(&flat), Err(Error::BadParameter { .. })));
        let plane = LinearModel::from_coefficients(vec![1.0_f32], None).unwrap();
        let plane = Hyperplane::of(&plane).unwrap();
        assert!(plane.side(&[1.0, 2.0]).is_err());
        assert_eq!((plane.offset(), plane.normal_length()), (0.0, 1.0));
        assert_eq!(norm([3e300, 4e300].into_iter()), 5e300);
    }

    proptest! {
        #[test]
        fn projections_lie_on_the_hyperplane(
            w in prop::array::uniform3(-5.0..5.0_f64), b in -5.0..5.0_f64,
            x in prop::array::uniform3(-5.0..5.0_f64),
        ) {
            prop_assume!(w.iter().any(|w| w.abs() > 0.1));
            let model = LinearModel::from_coefficients(w.to_vec(), Some(b)).unwrap();
            let plane = Hyperplane::of(&model).unwrap();
            let foot = plane.project(&x).unwrap();
            prop_assert!(plane.signed_distance(&foot).unwrap().abs() < 1e-13);
            let apart = norm((0..3).map(|j| x[j] - foot[j]));
            let distance = plane.signed_distance(&x).unwrap();
            prop_assert!((apart - distance.abs()).abs() < 1e-12);
        }
    }
}
