//! Placeholder
pub mod certified;
mod check;
pub mod core;
pub mod exact;
pub mod families;
pub mod kernels;
pub mod layouts;
pub mod measure;
mod random;
pub mod solvers;
mod suite;

pub use check::{Check, Failure, Group, Outcome, Tally, caught};
pub use random::Random;
pub use suite::{check, checks};
