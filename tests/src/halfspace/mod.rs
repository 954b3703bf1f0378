//! Checks of halfspaces: perceptron, separability, fewest mistakes, multiclass.
//!
//! Certificates are re-checked here in rational arithmetic on the numbers given, with nothing shared
//! with the solvers; optima are those of certified sets, or what brute force finds.

mod fewest;
mod input;
mod multiclass;
mod perceptron;
mod separability;
mod sets;
mod theory;

pub use fewest::*;
pub use input::*;
pub use multiclass::*;
pub use perceptron::*;
pub use separability::*;
pub use theory::*;
