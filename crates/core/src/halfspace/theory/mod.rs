//! Theory that can be called: shattering, VC dimension, constants of losses on data.

mod constants;
mod shatter;

pub use constants::{LossConstants, LossShape};
pub use shatter::{RadonPartition, Shattered, Shattering, shatters, vc_dimension, vc_dimension_on};
