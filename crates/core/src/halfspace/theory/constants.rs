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
