//! A baseline: the program that measures, as it was built then, with the records of its run.
//!
//! Both are kept in one folder, whose name is the baseline's.

use std::env::{consts::EXE_SUFFIX, current_exe};
use std::fs;
use std::path::{Path, PathBuf};

use crate::duel::{Effort, Rivals};
use minrisk_report::record::{Comparison, Run};

/// Keeps this program and its records.
pub fn save(folder: &Path, records: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = current_exe().map_err(|error| error.to_string())?;
    for (from, to) in [(program.as_path(), kept_program(folder)), (records, kept_records(folder))] {
        // A program that runs cannot be written to, but it can be replaced.
        let fresh = to.with_extension("new");
        let copied = fs::copy(from, &fresh).and_then(|_| fs::rename(&fresh, &to));
        copied.map_err(|error| format!("{}: {error}", to.display()))?;
    }
    Ok(())
}

/// The program of a baseline beside this one, which meet in a folder, and a comparison that is still empty.
pub fn open(folder: &Path, meeting: &Path, quick: bool) -> Result<(Rivals, Comparison), String> {
    let records = kept_records(folder);
    let json = fs::read_to_string(&records);
    let run = json.map_err(|error| error.to_string()).and_then(|json| Run::from_json(&json));
    let run = run.map_err(|error| format!("{}: {error}", records.display()))?;
    let after = current_exe().map_err(|error| error.to_string())?;
    let (before, effort) = (kept_program(folder), Effort::of(quick));
    let rivals = Rivals { before, after, effort, folder: meeting.to_path_buf() };
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    let comparison = Comparison {
        baseline: name.to_string_lossy().into_owned(),
        commit: run.machine.commit,
        accuracy: run.accuracy,
        duels: Vec::new(),
    };
    Ok((rivals, comparison))
}

fn kept_program(folder: &Path) -> PathBuf {
    folder.join(format!("measure{EXE_SUFFIX}"))
}

fn kept_records(folder: &Path) -> PathBuf {
    folder.join("report.json")
}
