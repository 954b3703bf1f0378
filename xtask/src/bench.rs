//! `cargo xtask bench`: the criterion benches, all backends included.

use clap::Args;

use crate::openblas;
use crate::shell::{Outcome, cargo, run};

#[derive(Args)]
pub(crate) struct Options {
    /// Only the benches whose name contains this
    filter: Option<String>,
}

pub(crate) fn bench(options: &Options) -> Outcome {
    openblas::require(false)?;
    run(cargo("bench")
        .args(["--package=minrisk-benches", "--features=ndarray", "--benches", "--"])
        .args(&options.filter))
}
