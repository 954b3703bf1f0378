//! A baseline: the program that measures and the `minrisk` program, as they were built then, with the records of
//! their run.
//!
//! All are kept in one folder, whose name is the baseline's.

use std::env::current_exe;
use std::fs;
use std::path::{Path, PathBuf};

use crate::duel::{Effort, Rivals};
use crate::program;
use minrisk_report::record::{Comparison, Run};

/// Keeps this program, the one beside it, and its records.
pub fn save(folder: &Path, records: &Path) -> Result<(), String> {
    let this = current_exe().map_err(|error| error.to_string())?;
    program::copy(&this, folder)?;
    let kept = kept_records(folder);
    fs::copy(records, &kept).map(drop).map_err(|error| format!("{}: {error}", kept.display()))
}

/// The program of a baseline beside this one, which meet in a folder, and a comparison that is still empty.
pub fn open(folder: &Path, meeting: &Path, quick: bool) -> Result<(Rivals, Comparison), String> {
    let records = kept_records(folder);
    let json = fs::read_to_string(&records);
    let run = json.map_err(|error| error.to_string()).and_then(|json| Run::from_json(&json));
    let run = run.map_err(|error| format!("{}: {error}", records.display()))?;
    let after = current_exe().map_err(|error| error.to_string())?;
    let (before, effort) = (program::copied(folder), Effort::of(quick));
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

fn kept_records(folder: &Path) -> PathBuf {
    folder.join("report.json")
}
