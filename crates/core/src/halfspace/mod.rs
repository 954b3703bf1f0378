//! Halfspaces: h(x) = sgn(w·x + b), with sgn(0) = −1.
//!
//! A row is a mistake where y (w·x + b) ≤ 0, points on the hyperplane included. Targets are −1 and
//! +1; [`Labels`](crate::Labels) makes them from labels of any ordered type. Every routine works with
//! and without an intercept.
//!
//! | what | how |
//! |---|---|
//! | [`Perceptron`], [`MistakeBound`] | cyclic updates until an epoch is clean; how many there can be |
//! | [`Pocket`] | the perceptron for data that is not separable |
//! | [`MulticlassPerceptron`], [`GenericPerceptron`] | argmax over classes, or over any φ(x, y) |
//! | [`Separation`] | is there a halfspace without mistakes? A certificate either way, exact |
//! | [`MinDisOpt`], [`MinDisagreement`] | the fewest mistakes of any halfspace, with a proof |
//! | [`LinearProgram`] | max u·w subject to A·w ≥ v, of which halfspaces are an instance |
//! | [`theory`] | shattering, VC dimension, constants of losses |
//! | [`Margin`], [`Hyperplane`], [`Mistakes`] | margins, distances, sides, the zero-one risk |
//! | [`Budget`], [`Stop`] | what a call may spend: steps, time, memory, until it is stopped from outside |
//!
//! One line each:
//!
//! ```
//! use minrisk_core::halfspace::{MinDisOpt, Perceptron, Pocket, Separation};
//! # use minrisk_core::{Backend, Dataset, Error};
//! # fn example(backend: &dyn Backend<f64>, data: &Dataset<'_, f64>) -> Result<(), Error> {
//! let perceptron = Perceptron::new().fit(data)?;
//! let pocket = Pocket::new().fit(data)?;
//! let separable = Separation::new().decide_on(backend, data)?.is_separable();
//! let widest = Separation::new().widest_margin_on(backend, data)?;
//! let fewest = MinDisOpt::new().fit_on(backend, data)?;
//! # Ok(()) }
//! ```

mod active_set;
mod bound;
mod budget;
pub(crate) mod exact;
pub(crate) mod exact_min_norm;
mod examples;
mod generic;
mod geometry;
mod hull;
mod least_norm;
mod lifting;
mod linear_program;
mod margin;
mod min_norm;
mod mistakes;
mod multiclass;
mod perceptron;
#[cfg(test)]
pub(crate) mod plain;
mod pocket;
mod separability;
pub mod theory;
mod training;
mod walk;
pub mod zero_one;

pub use bound::MistakeBound;
pub(crate) use budget::Clock;
pub use budget::{Budget, Stop};
pub use generic::{GenericFit, GenericPerceptron, JointFeatures};
pub use geometry::{Hyperplane, Side};
pub use linear_program::{LinearProgram, LpSolution, LpStatus};
pub use margin::Margin;
pub use mistakes::Mistakes;
pub use multiclass::{MulticlassFit, MulticlassModel, MulticlassPerceptron};
pub use num_rational::BigRational;
pub use perceptron::{Ending, Perceptron, PerceptronFit, Update};
pub use pocket::{Pocket, PocketFit};
pub use separability::{GordanWeights, Separability, Separation, Separator, WidestMargin};
pub use zero_one::{Disagreement, MinDisOpt, MinDisagreement, ZeroOneFit};
