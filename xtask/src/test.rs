//! `cargo xtask test`: every test there is.
//!
//! Cargo compiles a library anew for every set of features that its dependents ask for, so that the
//! commands are few: one with everything, and one for each backend alone, whose libraries are not optimised.

use clap::Args;

use crate::openblas;
use crate::shell::{Outcome, cargo, run, stderr_of_failing};

#[derive(Args)]
pub(crate) struct Options {
    /// Install OpenBLAS and pkg-config with apt-get where they are missing
    #[arg(long)]
    install: bool,
}

pub(crate) fn test(options: &Options) -> Outcome {
    openblas::require(options.install)?;
    cargo_test(&[
        "--workspace",
        "--exclude=xtask",
        "--features=minrisk/nalgebra,minrisk/ndarray,minrisk/serde",
        "--features=minrisk-cli/nalgebra,minrisk-cli/ndarray",
    ])?;
    for backend in ["faer", "nalgebra", "ndarray"] {
        // The examples are part of the tests.
        for targets in ["--tests", "--doc"] {
            let alone = ["--package=minrisk", "--no-default-features", "--features", backend];
            cargo_test(&[&alone[..], &["--profile=alone", targets]].concat())?;
        }
    }
    // What `cargo test` alone would compile, which is to need nothing but Rust.
    run(cargo("check").arg("--tests"))?;
    without_backend_says_what_to_do()
}

/// Runs all tests of a command, so that one failure does not hide the next.
fn cargo_test(arguments: &[&str]) -> Outcome {
    run(cargo("test").arg("--no-fail-fast").args(arguments))
}

/// The facade without a backend must not compile, for one reason, which is a readable one.
fn without_backend_says_what_to_do() -> Outcome {
    let mut check = cargo("check");
    check.args(["--package=minrisk", "--no-default-features", "--color=never"]);
    let message = stderr_of_failing(&mut check)?;
    let mut errors = message.lines().filter(|line| line.starts_with("error"));
    let reason = errors.next().unwrap_or_default();
    let summary = errors.next().unwrap_or_default();
    if reason.contains("minrisk needs a linear-algebra backend")
        && summary.contains("due to 1 previous error")
    {
        return Ok(());
    }
    Err(format!("the facade without a backend does not say what to do:\n{message}"))
}
