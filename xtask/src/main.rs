//! The chores of this workspace: `cargo xtask <chore>`.
//!
//! Plain Rust in place of shell scripts, so that they run wherever the workspace does. A chore is
//! a list of commands, each shown before it runs; the first that fails ends the chore.

mod bench;
mod check;
mod conformance;
mod openblas;
mod peers;
mod report;
mod shell;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

fn main() -> ExitCode {
    let outcome = match Arguments::parse().chore {
        Chore::Test(options) => test::test(&options),
        Chore::Conformance(options) => conformance::conformance(&options),
        Chore::Check => check::check(),
        Chore::Bench(options) => bench::bench(&options),
        Chore::Report(options) => report::report(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The chores of the minrisk workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run every test: all backends, all sets of features, all documentation examples
    Test(test::Options),
    /// Print which backend passes which check of the conformance suite
    Conformance(conformance::Options),
    /// Check formatting, lints, documentation and manifests
    Check,
    /// Measure accuracy and speed beside the peers, and write target/report/index.html
    Bench(bench::Options),
    /// Render the report again from the records of the last bench
    Report(report::Options),
}
