//! `cargo xtask conformance`: which backend passes which check.
//!
//! The table is printed by a program of its own, `conformance-table`, because it links all backends.

use clap::Args;

use crate::openblas;
use crate::shell::{Outcome, cargo, run};

#[derive(Args)]
pub(crate) struct Options {
    /// Leave out the ndarray backend, which needs OpenBLAS
    #[arg(long)]
    without_ndarray: bool,
    /// Only the checks whose name contains this
    filter: Option<String>,
}

pub(crate) fn conformance(options: &Options) -> Outcome {
    let features = if options.without_ndarray {
        "--features=conformance"
    } else {
        openblas::require(false)?;
        "--features=ndarray"
    };
    let program = ["--quiet", "--package=xtask", "--bin=conformance-table", features, "--"];
    run(cargo("run").args(program).args(&options.filter))
}
