//! `cargo xtask report`: the report again, from the records of the last `cargo xtask bench`.

use clap::Args;

use crate::bench::report_program;
use crate::shell::{Outcome, root, run};

#[derive(Args)]
pub(crate) struct Options {
    /// Also put the tables into README.md and the pictures into docs/
    #[arg(long)]
    readme: bool,
}

pub(crate) fn report(options: &Options) -> Outcome {
    let mut report = report_program()?;
    if options.readme {
        report.arg("--readme").arg(root().join("README.md"));
    }
    run(&mut report)
}
