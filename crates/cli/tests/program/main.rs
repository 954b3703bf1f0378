//! The real program on good, odd and hostile files.

mod classify;
mod curve;
mod files;
mod fit;
mod large;
mod nist;
mod plot;
mod predict;
mod select;
mod separate;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// The program, in the folder of the workspace.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_minrisk"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command
}

/// Runs `minrisk` with arguments separated by spaces.
fn minrisk(arguments: &str) -> Output {
    program().args(arguments.split_whitespace()).output().expect("the program starts")
}

/// A temporary file.
fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A temporary file with contents.
fn file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = temporary(name);
    fs::write(&path, contents).expect("the folder for temporary files can be written to");
    path.display().to_string()
}

/// Runs a subcommand on a file with the given contents.
fn on(subcommand: &str, name: &str, contents: &str, arguments: &str) -> Output {
    minrisk(&format!("{subcommand} {} {arguments}", file(name, contents)))
}

/// The JSON of a run that ended well.
#[track_caller]
fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The JSON of a run with another exit code, whose reason is one line.
#[track_caller]
fn json_with_code(output: &Output, code: i32) -> Value {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The one line of a failure.
#[track_caller]
fn error(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[track_caller]
fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

#[track_caller]
fn close(found: f64, expected: f64, digits: f64) {
    let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    assert!(error <= 10_f64.powf(-digits), "{found} is not {expected}: off by {error:.1e}");
}
