//! Nonlinear least squares: certified sets, bells from automatic starts, bad input.

mod bells;
mod exponentials;
mod input;
mod nist;

pub use bells::*;
pub use exponentials::*;
pub use input::*;
pub use nist::*;
