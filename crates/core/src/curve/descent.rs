//! Plain gradient descent on Σ_t c_t (y_t − f(x_t; θ))², as textbooks write it.
//!
//! θ ← θ − η·g,  g = −2 Σ_t c_t r_t ∂f/∂θ,  r = y − f
//!
//! with a fixed η, or with η halved until the objective falls by a share of what the gradient promises
//! (Armijo 1966) and tried twice as large next time. It crawls where curvatures differ, and it depends
//! on the units of the parameters; [`LevenbergMarquardt`](super::LevenbergMarquardt) does neither.

use num_dual::Dual64;

use super::levenberg_marquardt::check_start;
use super::{Curve, CurveStatus};
use crate::{Block, Dataset, Error, Reduction, Rows, Scalar};

/// Gradient descent for curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientDescent {
    /// The step η, or the first one to try.
    pub rate: f64,
    /// Whether η is adapted by backtracking.
    pub backtracking: bool,
    /// Steps to take at most.
    pub max_steps: usize,
    /// Ends when no parameter moves by more than this share of itself.
    pub tolerance: f64,
}

impl Default for GradientDescent {
    fn default() -> Self {
        Self { rate: 1.0, backtracking: true, max_steps: 10_000, tolerance: 1e-10 }
    }
}

/// Where gradient descent got to.
#[derive(Clone, Debug, PartialEq)]
pub struct Descent {
    /// θ.
    pub parameters: Vec<f64>,
    /// How it ended; [`CurveStatus::Stalled`] where a step led to a larger or to no objective.
    pub status: CurveStatus,
    /// The objective at the start and after every step.
    pub trace: Vec<f64>,
}

impl GradientDescent {
    /// Descends from a starting point, on the first target of a dataset.
    pub fn fit<T: Scalar, C: Curve>(
        &self,
        curve: &C,
        data: &Dataset<'_, T>,
        start: &[f64],
    ) -> Result<Descent, Error> {
        data.refuse_offsets("curve fitting")?;
        check_start(curve, start)?;
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return Err(Error::BadParameter {
                what: "the learning rate",
                value: self.rate.to_string(),
                expected: "finite and positive",
            });
        }
        let mut rows = Rows::from(data);
        let mut at = |theta: &[f64]| rows.repeat(&SlopePass { curve, theta });
        let (mut theta, mut rate) = (start.to_vec(), self.rate);
        let mut here = at(&theta)?;
        let mut trace = vec![here.squares];
        let mut status = CurveStatus::IterationLimit;
        while trace.len() <= self.max_steps {
            if here.gradient.iter().all(|g| *g == 0.0) {
                status = CurveStatus::Converged;
                break;
            }
            let moved: Vec<f64> =
                theta.iter().zip(&here.gradient).map(|(t, g)| t - rate * g).collect();
            let still = moved
                .iter()
                .zip(&theta)
                .all(|(new, old)| (new - old).abs() <= self.tolerance * old.abs());
            let there = at(&moved)?;
            let slope: f64 = here.gradient.iter().map(|g| g * g).sum();
            let enough = if self.backtracking { 1e-4 * rate * slope } else { 0.0 };
            let fell = there.is_finite() && there.squares <= here.squares - enough;
            if fell {
                (theta, here) = (moved, there);
                trace.push(here.squares);
                rate *= if self.backtracking { 2.0 } else { 1.0 };
            }
            if still {
                status = CurveStatus::Converged;
                break;
            }
            if !fell && !self.backtracking {
                status = CurveStatus::Stalled;
                break;
            }
            if !fell {
                rate /= 2.0;
            }
        }
        Ok(Descent { parameters: theta, status, trace })
    }
}

struct SlopePass<'a, C> {
    curve: &'a C,
    theta: &'a [f64],
}

struct Slope {
    squares: f64,
    gradient: Vec<f64>,
}

impl Slope {
    fn is_finite(&self) -> bool {
        self.squares.is_finite() && self.gradient.iter().all(|g| g.is_finite())
    }
}

impl<T: Scalar, C: Curve> Reduction<T> for SlopePass<'_, C> {
    type State = Slope;

    fn start(&self) -> Slope {
        Slope { squares: 0.0, gradient: vec![0.0; self.theta.len()] }
    }

    fn absorb(&self, state: &mut Slope, block: &Block<'_, T>) {
        let mut x = vec![0.0; block.x.cols()];
        let mut point: Vec<Dual64> = self.theta.iter().map(|&t| Dual64::from_re(t)).collect();
        for i in 0..block.x.rows() {
            for (j, x) in x.iter_mut().enumerate() {
                *x = block.x[(i, j)].to_double();
            }
            let weight = block.weight_of(i);
            let residual = block.y[(i, 0)].to_double() - self.curve.value(&x, self.theta);
            state.squares += weight * residual * residual;
            for (k, gradient) in state.gradient.iter_mut().enumerate() {
                point[k].eps = 1.0;
                *gradient -= 2.0 * weight * residual * self.curve.value(&x, &point).eps;
                point[k].eps = 0.0;
            }
        }
    }

    fn merge(&self, left: &mut Slope, right: Slope) {
        left.squares += right.squares;
        left.gradient.iter_mut().zip(&right.gradient).for_each(|(a, b)| *a += b);
    }
}
