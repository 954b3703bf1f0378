//! `cargo xtask report`: the accuracy table of the README, measured anew.

use crate::openblas;
use crate::shell::{Outcome, cargo, run};

pub(crate) fn report() -> Outcome {
    openblas::require(false)?;
    run(cargo("run").args([
        "--quiet",
        "--release",
        "--package=minrisk-benches",
        "--features=ndarray",
        "--bin=accuracy",
    ]))
}
