//! The `minrisk` program, which is built beside the one that measures, and copied along with it.

use std::env::{consts::EXE_SUFFIX, current_exe};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The program that lies beside this one.
pub fn here() -> Result<PathBuf, String> {
    let this = current_exe().map_err(|error| error.to_string())?;
    let program = beside(&this);
    match program.exists() {
        true => Ok(program),
        false => Err("was not built: `cargo build --release -p minrisk-cli`".to_string()),
    }
}

/// Copies a program that measures, with the one beside it if there is one, into a folder; returns where it is
/// then. Files are new ones: neither is written over, which a program that runs would not allow.
pub fn copy(program: &Path, folder: &Path) -> Result<PathBuf, String> {
    let failed =
        |error: io::Error| format!("{} to {}: {error}", program.display(), folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let copied = copied(folder);
    let both = [(program.to_path_buf(), copied.clone()), (beside(program), beside(&copied))];
    for (from, to) in both {
        match fs::remove_file(&to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ if from.exists() => drop(fs::copy(&from, &to).map_err(failed)?),
            _ => {}
        }
    }
    Ok(copied)
}

/// The program that measures, in a folder that it was copied to.
pub fn copied(folder: &Path) -> PathBuf {
    folder.join(file_name("measure"))
}

fn beside(program: &Path) -> PathBuf {
    program.with_file_name(file_name("minrisk"))
}

fn file_name(program: &str) -> String {
    format!("{program}{EXE_SUFFIX}")
}
