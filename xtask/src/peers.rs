//! The programs through which other libraries take part in the benchmarks.
//!
//! What cannot be built or installed is no reason to fail: it is handed on as absent, with the reason.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{Outcome, cargo, root, run, succeeds, target};

/// For each program, `WHAT=COMMAND` with tabs between words, or `WHAT=!REASON`.
pub(crate) fn programs() -> Vec<OsString> {
    let said = |what: &str, command: Outcome<Vec<PathBuf>>| {
        let mut text = OsString::from(format!("{what}="));
        match command {
            Ok(words) => words.iter().enumerate().for_each(|(k, word)| {
                text.push(if k > 0 { "\t" } else { "" });
                text.push(word);
            }),
            Err(reason) => text.push(format!("!{reason}")),
        }
        text
    };
    let mut programs = vec![said("linfa, smartcore", rust())];
    match python() {
        Ok(command) => programs.extend(libraries().map(|library| {
            let command = command.iter().cloned().chain([library.clone().into()]).collect();
            said(&library, Ok(command))
        })),
        Err(reason) => programs.push(said("the Python peers", Err(reason))),
    }
    programs
}

/// linfa and smartcore: a workspace of its own, whose versions are not ours.
fn rust() -> Outcome<Vec<PathBuf>> {
    let target = target().join("peers/rust");
    run(cargo("build")
        .args(["--quiet", "--release", "--locked", "--manifest-path=benches/peers/rust/Cargo.toml"])
        .arg("--target-dir")
        .arg(&target))
    .map_err(|error| format!("could not be built: {error}"))?;
    Ok(vec![target.join("release/minrisk-rust-peers")])
}

/// The Python libraries in a virtual environment, each installed on its own so that one that does not
/// install does not keep the others out.
fn python() -> Outcome<Vec<PathBuf>> {
    let system = "python3";
    if !succeeds(
        Command::new(system).args(["-c", "import sys, venv; assert sys.version_info >= (3, 11)"]),
    ) {
        return Err("Python 3.11 or later with its venv module was not found".into());
    }
    let folder = target().join("peers/venv");
    let interpreter = folder.join("bin/python");
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == REQUIREMENTS) {
        return Ok(vec![interpreter, root().join("benches/peers/peers.py")]);
    }
    run(Command::new(system).args(["-m", "venv", "--clear"]).arg(&folder))?;
    for line in requirements() {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", line];
        if let Err(reason) = run(Command::new(&interpreter).args(pip)) {
            eprintln!("xtask: {line} is absent from this run: {reason}");
        }
    }
    fs::write(&stamp, REQUIREMENTS).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(vec![interpreter, root().join("benches/peers/peers.py")])
}

/// What is installed, a line each.
const REQUIREMENTS: &str = include_str!("../../benches/peers/requirements.txt");

fn requirements() -> impl Iterator<Item = &'static str> {
    let lines = REQUIREMENTS.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The names of the Python libraries; each gets a process of its own.
fn libraries() -> impl Iterator<Item = String> {
    requirements().map(|line| line.split("==").next().unwrap_or(line).to_string())
}
