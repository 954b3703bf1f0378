//! Nonlinear least squares: certified sets, bells from automatic starts, bad input.

mod bells;
mod exponentials;
mod input;
mod models;
mod nist;

pub use bells::*;
pub use exponentials::*;
pub use input::*;
pub use models::Model;
pub use nist::*;
