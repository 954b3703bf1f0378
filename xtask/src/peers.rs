//! The programs through which other libraries take part in the benchmarks.
//!
//! What cannot be built or installed is no reason to fail: it is handed on as absent, with the reason.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{Outcome, cargo, root, run, succeeds};

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
    vec![said("linfa, smartcore", rust()), said("the Python peers", python())]
}

/// linfa and smartcore: a workspace of its own, whose versions are not ours.
fn rust() -> Outcome<Vec<PathBuf>> {
    let target = root().join("target/peers/rust");
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
    let folder = root().join("target/peers/venv");
    let interpreter = folder.join("bin/python");
    let requirements = root().join("benches/peers/requirements.txt");
    let wanted = read(&requirements)?;
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(vec![interpreter, root().join("benches/peers/peers.py")]);
    }
    run(Command::new(system).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let lines = wanted.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", line];
        if let Err(reason) = run(Command::new(&interpreter).args(pip)) {
            eprintln!("xtask: {line} is absent from this run: {reason}");
        }
    }
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(vec![interpreter, root().join("benches/peers/peers.py")])
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
