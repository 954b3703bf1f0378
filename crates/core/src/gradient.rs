//! The fused pass as a reduction of its own: r = y − Xw − b and g = XᵀCr in one reading of the data.

use crate::kernels::{ResidualKernel, ResidualSums};
use crate::wide::Precision;
use crate::{Block, Reduction, Scalar};

/// Residuals against a linear predictor, reduced to Σ c_t r_t x_t, Σ c_t r_t and Σ c_t r_t².
///
/// The precision `P` is the data's own or a wider one: the same loops give a gradient at the speed of
/// memory, or a defect good to 30 digits.
///
/// ```
/// use minrisk_core::{Dataset, GradientPass, Rows, View};
/// let (x, y) = ([1.0, 2.0, 3.0], [2.0, 4.0, 7.0]);
/// let data = Dataset::new(View::column_vector(&x), View::column_vector(&y))?;
/// let pass = GradientPass { coefficients: &[2.0], intercept: 0.0, target: 0 };
/// let sums = Rows::from(&data).reduce(&pass)?;
/// assert_eq!((sums.gradient(), sums.total(), sums.squares()), (&[3.0][..], 1.0, 1.0));
/// # Ok::<(), minrisk_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GradientPass<'a, P> {
    /// w, one for each column.
    pub coefficients: &'a [P],
    /// b.
    pub intercept: P,
    /// Which target.
    pub target: usize,
}

/// What a [`GradientPass`] adds up.
pub struct GradientSums<T: Scalar, P: Precision<T>> {
    kernel: ResidualKernel<T, P>,
    sums: ResidualSums<P>,
}

impl<T: Scalar, P: Precision<T>> GradientSums<T, P> {
    /// Σ c_t r_t x_t.
    pub fn gradient(&self) -> &[P] {
        &self.sums.gradient
    }

    /// Σ c_t r_t.
    pub fn total(&self) -> P {
        self.sums.total
    }

    /// Σ c_t r_t².
    pub fn squares(&self) -> f64 {
        self.sums.squares
    }
}

impl<T: Scalar, P: Precision<T>> Reduction<T> for GradientPass<'_, P> {
    type State = GradientSums<T, P>;

    fn start(&self) -> Self::State {
        GradientSums {
            kernel: ResidualKernel::new(self.coefficients, self.intercept),
            sums: ResidualSums::zero(self.coefficients.len()),
        }
    }

    fn absorb(&self, state: &mut Self::State, block: &Block<'_, T>) {
        state.kernel.absorb(block, self.target, &mut state.sums);
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.sums.add(&right.sums);
    }
}
