//! The `minrisk` program: from a CSV file to a certified model in one command.
//!
//! One subcommand a file. What a subcommand prints goes to standard output; what went wrong is one
//! line on standard error, with an exit code that [`failure`] explains.

mod curve;
mod data;
mod duration;
mod failure;
mod fit;
mod info;
mod input;
mod model;
mod output;
mod picture;
mod predict;
mod progress;
mod select;
mod separate;
mod verify;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use failure::{Failure, Outcome};

fn main() -> ExitCode {
    progress::heed_interrupts();
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
        Command::Predict(options) => predict::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::Separate(options) => separate::run(&options),
        Command::Select(options) => select::run(&options),
        Command::Curve(options) => curve::run(&options),
        Command::Info(options) => info::run(&options),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "minrisk", &mut script);
            output::print(String::from_utf8_lossy(&script).trim_end())
        }
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
    /// Predict new rows with a saved model
    Predict(predict::Options),
    /// Re-check the certificate of a saved model
    Verify(verify::Options),
    /// Find a halfspace with the fewest mistakes, with a proof
    Separate(separate::Options),
    /// Choose a degree or a penalty by cross-validation
    Select(select::Options),
    /// Fit a curve that is not linear in its parameters
    Curve(curve::Options),
    /// Say what is in a file
    Info(info::Options),
    /// Print a script that completes commands in a shell
    Completions {
        /// bash, zsh, fish, powershell or elvish
        shell: Shell,
    },
}
