//! The `minrisk` program: from a CSV file to a certified model in one command.
//!
//! One subcommand a file. What a subcommand prints goes to standard output; what went wrong is one
//! line on standard error, with exit code 2.

mod failure;
mod fit;
mod json;
mod output;
mod table;
mod text;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use failure::{Failure, Outcome};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

fn run() -> Outcome {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => match error.kind() {
            // Errors to clap, but not to whoever asked for them, or does not know what to ask for.
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
            _ => return Err(Failure::usage(&error)),
        },
    };
    match arguments.command {
        Command::Fit(options) => fit::run(&options),
    }
}

/// Linear models by empirical risk minimisation, with answers that prove themselves.
#[derive(Parser)]
#[command(name = "minrisk", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fit a linear model to a CSV file
    Fit(fit::Options),
}
