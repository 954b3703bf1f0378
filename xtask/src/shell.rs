//! Running commands, visibly.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a chore returns: nothing, or a message for whoever ran it.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |target| root().join(target))
}

/// A cargo command in the folder of the workspace, to be given arguments.
pub(crate) fn cargo(subcommand: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.arg(subcommand).current_dir(root());
    command
}

/// Shows a command and runs it to its end.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = show(command);
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("could not run `{shown}`: {error}"))?;
    eprintln!("xtask: {:.0} s for `{shown}`", start.elapsed().as_secs_f64());
    if status.success() { Ok(()) } else { Err(format!("`{shown}`: {status}")) }
}

/// Runs a command that is expected to fail, and returns what it said.
pub(crate) fn stderr_of_failing(command: &mut Command) -> Outcome<String> {
    let shown = show(command);
    let output = command.output().map_err(|error| format!("could not run `{shown}`: {error}"))?;
    if output.status.success() {
        return Err(format!("`{shown}` succeeded, but was expected to fail"));
    }
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Whether a command can be run and succeeds; its output is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

fn show(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let words = [program].into_iter().chain(command.get_args());
    let shown = words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
    eprintln!("\nxtask: {shown}");
    shown
}
