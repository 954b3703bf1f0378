//! Convexity, Lipschitz and smoothness constants of losses, as functions of the weights on data.
//!
//! For ℓ(z, y) with |∂ℓ/∂z| ≤ L and |∂²ℓ/∂z²| ≤ β, and z = w·x_t with rows x_t (the intercept's
//! coordinate 1 counted), the mean risk is L·max‖x_t‖-Lipschitz in w, and its gradient is
//! β·λ_max(Σ c_t x_t x_tᵀ/Σ c_t)-Lipschitz.

use crate::halfspace::examples::finite_design;
use crate::halfspace::geometry::norm;
use crate::{Backend, Block, Dataset, Error, Matrix, Reduction, Rows, Scalar};

/// The losses of the notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LossShape {
    /// 1 where y z ≤ 0, else 0.
    ZeroOne,
    /// (z − y)².
    Squared,
    /// |z − y|.
    Absolute,
    /// log(1 + exp(−y z)).
    Logistic,
    /// max(0, −y z).
    Perceptron,
    /// max(0, 1 − y z).
    Hinge,
}

impl LossShape {
    /// Whether the loss is convex in z.
    pub fn is_convex(self) -> bool {
        self != LossShape::ZeroOne
    }

    /// The least L with |ℓ(z) − ℓ(z′)| ≤ L|z − z′|, where there is one.
    pub fn lipschitz(self) -> Option<f64> {
        match self {
            LossShape::ZeroOne | LossShape::Squared => None,
            LossShape::Absolute
            | LossShape::Logistic
            | LossShape::Perceptron
            | LossShape::Hinge => Some(1.0),
        }
    }

    /// The least β with |ℓ′(z) − ℓ′(z′)| ≤ β|z − z′|, where there is one.
    pub fn smoothness(self) -> Option<f64> {
        match self {
            LossShape::Squared => Some(2.0),
            LossShape::Logistic => Some(0.25),
            _ => None,
        }
    }

    /// The constants of the mean risk as a function of the weights and the intercept.
    pub fn on<T: Scalar>(
        self,
        backend: &dyn Backend<T>,
        data: &Dataset<'_, T>,
        intercept: bool,
    ) -> Result<LossConstants, Error> {
        finite_design(data)?;
        let width = data.cols() + usize::from(intercept);
        // Room for two such matrices is asked for before the data is read.
        let mut vectors = Matrix::try_filled(width, width, T::zero())?;
        let moments = Moments { backend, width };
        let Sums { mut moment, weight, radius } = Rows::Memory(data).reduce(&moments)?;
        if weight <= 0.0 {
            return Err(Error::AllWeightsZero);
        }
        let mut values = vec![T::zero(); width];
        moment.as_mut_slice().iter_mut().for_each(|v| *v /= T::from_double(weight));
        backend.symmetric_eigen(moment.view(), &mut values, vectors.view_mut())?;
        // More than the moments and their eigenvalues can have lost, so that the bound is one.
        let up = 1.0 + 32.0 * (width + 1) as f64 * T::unit_roundoff();
        let largest = values.last().map_or(0.0, |v| v.to_double()) * up;
        Ok(LossConstants {
            convex: self.is_convex(),
            lipschitz: self.lipschitz().map(|l| l * radius),
            smoothness: self.smoothness().map(|beta| beta * largest),
        })
    }
}

/// The constants of a mean risk on data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LossConstants {
    /// Whether the risk is convex in the weights.
    pub convex: bool,
    /// A Lipschitz constant of the risk, where there is one.
    pub lipschitz: Option<f64>,
    /// The Lipschitz constant of its gradient bounded from above, where there is one.
    pub smoothness: Option<f64>,
}

struct Moments<'a, T: Scalar> {
    backend: &'a dyn Backend<T>,
    width: usize,
}

struct Sums<T> {
    moment: Matrix<T>,
    weight: f64,
    radius: f64,
}

impl<T: Scalar> Reduction<T> for Moments<'_, T> {
    type State = Sums<T>;

    fn start(&self) -> Sums<T> {
        Sums { moment: Matrix::zeros(self.width, self.width), weight: 0.0, radius: 0.0 }
    }

    fn absorb(&self, sums: &mut Sums<T>, block: &Block<'_, T>) {
        let (rows, cols) = (block.x.rows(), block.x.cols());
        let weight = |i: usize| block.weights.map_or(T::one(), |c| c[(i, 0)]);
        let value = |i: usize, j: usize| if j < cols { block.x[(i, j)] } else { T::one() };
        let packed = Matrix::from_fn(rows, self.width, |i, j| weight(i).sqrt() * value(i, j));
        self.backend.add_gram(packed.view(), sums.moment.view_mut());
        for i in (0..rows).filter(|&i| weight(i) > T::zero()) {
            sums.weight += weight(i).to_double();
            let length = norm((0..self.width).map(|j| value(i, j).to_double()));
            sums.radius = sums.radius.max(length);
        }
    }

    fn merge(&self, left: &mut Sums<T>, right: Sums<T>) {
        let pairs = left.moment.as_mut_slice().iter_mut().zip(right.moment.as_slice());
        pairs.for_each(|(a, &b)| *a += b);
        left.weight += right.weight;
        left.radius = left.radius.max(right.radius);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;
    use crate::halfspace::plain::Plain;
    use proptest::prelude::*;

    const SHAPES: [LossShape; 6] = [
        LossShape::ZeroOne,
        LossShape::Squared,
        LossShape::Absolute,
        LossShape::Logistic,
        LossShape::Perceptron,
        LossShape::Hinge,
    ];

    /// ℓ and a derivative.
    fn loss(shape: LossShape, z: f64, y: f64) -> (f64, f64) {
        let margin = y * z;
        match shape {
            LossShape::ZeroOne => (f64::from(u8::from(margin <= 0.0)), 0.0),
            LossShape::Squared => ((z - y) * (z - y), 2.0 * (z - y)),
            LossShape::Absolute => ((z - y).abs(), (z - y).signum()),
            LossShape::Logistic => ((-margin).exp().ln_1p(), -y / (1.0 + margin.exp())),
            LossShape::Perceptron => ((-margin).max(0.0), if margin < 0.0 { -y } else { 0.0 }),
            LossShape::Hinge => ((1.0 - margin).max(0.0), if margin < 1.0 { -y } else { 0.0 }),
        }
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        norm(a.iter().zip(b).map(|(a, b)| a - b))
    }

    proptest! {
        #[test]
        fn risks_keep_to_their_constants(
            rows in prop::collection::vec(prop::array::uniform2(-3.0..3.0_f64), 1..12),
            signs in prop::collection::vec(prop::bool::ANY, 12),
            weights in prop::collection::vec(0.1..4.0_f64, 12),
            v in prop::array::uniform3(-2.0..2.0_f64), w in prop::array::uniform3(-2.0..2.0_f64),
        ) {
            let m = rows.len();
            let y: Vec<f64> = signs[..m].iter().map(|&s| if s { 1.0 } else { -1.0 }).collect();
            let data = Dataset::new(View::from_arrays(&rows), View::column_vector(&y)).unwrap();
            let data = data.with_precisions(View::column_vector(&weights[..m])).unwrap();
            let total: f64 = weights[..m].iter().sum();
            let risk = |shape: LossShape, w: &[f64; 3]| {
                let mut gradient = [0.0; 3];
                let mut value = 0.0;
                for (t, x) in rows.iter().enumerate() {
                    let x = [x[0], x[1], 1.0];
                    let z: f64 = x.iter().zip(w).map(|(x, w)| x * w).sum();
                    let (l, slope) = loss(shape, z, y[t]);
                    value += weights[t] / total * l;
                    gradient.iter_mut().zip(x).for_each(|(g, x)| *g += weights[t] / total * slope * x);
                }
                (value, gradient)
            };
            let apart = distance(&v, &w);
            let middle = [0, 1, 2].map(|j| 0.5 * (v[j] + w[j]));
            for shape in SHAPES {
                let constants = shape.on(&Plain, &data, true).unwrap();
                let ((a, ga), (b, gb)) = (risk(shape, &v), risk(shape, &w));
                if let Some(lipschitz) = constants.lipschitz {
                    prop_assert!((a - b).abs() <= lipschitz * apart * (1.0 + 1e-12) + 1e-13);
                }
                if let Some(smoothness) = constants.smoothness {
                    prop_assert!(distance(&ga, &gb) <= smoothness * apart * (1.0 + 1e-12) + 1e-13);
                }
                if constants.convex {
                    prop_assert!(risk(shape, &middle).0 <= 0.5 * (a + b) + 1e-12);
                }
            }
        }
    }

    #[test]
    fn constants_are_no_larger_than_they_need_be() {
        // One row: the risk is a function of x·w alone, and both bounds are attained.
        let x = [[3.0, 4.0]];
        let data = Dataset::new(View::from_arrays(&x), View::column_vector(&[1.0])).unwrap();
        let squared = LossShape::Squared.on(&Plain, &data, false).unwrap();
        assert!((squared.smoothness.unwrap() / 50.0 - 1.0).abs() < 1e-12);
        assert!(squared.lipschitz.is_none());
        let hinge = LossShape::Hinge.on(&Plain, &data, false).unwrap();
        assert_eq!(hinge.lipschitz, Some(5.0));
        let weights = [0.0];
        let nothing = data.with_precisions(View::column_vector(&weights)).unwrap();
        assert_eq!(LossShape::Hinge.on(&Plain, &nothing, true), Err(Error::AllWeightsZero));
    }
}
