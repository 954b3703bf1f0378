//! Checks of what core builds on a backend: named methods, streams, verification.

mod inference;
mod methods;
mod streams;
mod verification;

pub use inference::*;
pub use methods::*;
pub use streams::*;
pub use verification::*;
