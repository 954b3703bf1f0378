//! minrisk-core
pub mod backend;
mod error;
mod matrix;
mod scalar;
mod simd;
mod view;
pub mod wide;

pub use backend::{Backend, KernelError};
pub use error::Error;
pub use matrix::Matrix;
pub use scalar::Scalar;
pub use view::{View, ViewMut};
