//! What the benchmarks and the report are made of.
//!
//! | module | idea |
//! |---|---|
//! | [`problem`], [`mod@contestants`] | the data, from a seed; the backends with their libraries' own solvers |
//! | [`measure`], [`limits`], [`machine`] | times that can be compared, and what the machine allows |
//! | [`accuracy`], [`nist`], [`scaling`], [`lines`], [`passes`] | what is measured |
//! | [`mod@bench`], [`baseline`], [`duel`], [`program`] | everyone on every line; ours beside what it was |
//! | [`peers`], [`judge`] | other libraries behind a protocol, and how right their answers are |
//!
//! What a run leaves behind is a [`Run`](minrisk_report::record::Run), from which the package minrisk-report
//! makes pages, pictures and tables.

pub mod accuracy;
pub mod baseline;
pub mod bench;
pub mod contestants;
pub mod duel;
pub mod judge;
pub mod limits;
pub mod lines;
pub mod machine;
pub mod measure;
pub mod nist;
pub mod passes;
pub mod peers;
pub mod problem;
mod process;
pub mod program;
pub mod scaling;

pub use contestants::{Contestant, LeastSquaresSolver, closed_form, contestants};
pub use problem::{Layout, Problem};
