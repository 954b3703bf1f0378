//! `cargo xtask check`: formatting, lints, documentation, manifests. Links nothing, so that it needs
//! no LAPACK.

use std::fs;

use crate::shell::{Outcome, cargo, root, run};

/// Every crate with every optional part, but without a source of LAPACK.
const EVERYTHING: [&str; 4] = [
    "--workspace",
    "--no-default-features",
    "--features",
    "minrisk/faer,minrisk/nalgebra,minrisk/ndarray-custom,minrisk/serde,xtask/conformance",
];

pub(crate) fn check() -> Outcome {
    manifests()?;
    run(cargo("fmt").args(["--all", "--check"]))?;
    run(cargo("clippy").args(EVERYTHING).args(["--all-targets", "--", "--deny=warnings"]))?;
    run(cargo("doc").args(EVERYTHING).arg("--no-deps").env("RUSTDOCFLAGS", "--deny=warnings"))
}

/// What every manifest takes from the workspace, so that it is said once.
const INHERITED: [&str; 5] = [
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "[lints]\nworkspace = true",
];

fn manifests() -> Outcome {
    let workspace = read("Cargo.toml")?;
    if !workspace.contains("\nrust-version = ") {
        return Err("Cargo.toml: the workspace states no rust-version".into());
    }
    let members = workspace.lines().skip_while(|line| *line != "members = [").skip(1);
    for member in members.take_while(|line| *line != "]") {
        let path = format!("{}/Cargo.toml", member.trim_matches([' ', '"', ',']));
        let manifest = read(&path)?;
        if let Some(missing) = INHERITED.iter().find(|line| !manifest.contains(**line)) {
            return Err(format!("{path}: `{}` is missing", missing.replace('\n', " ")));
        }
    }
    Ok(())
}

fn read(path: &str) -> Outcome<String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}
