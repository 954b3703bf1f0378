//! Where a run took place: processor, system, compiler, commit.

use std::env::consts::{ARCH, OS};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::contestants::contestants;
use crate::limits::instructions;
use minrisk_report::record::Machine;

/// This machine, now. What cannot be found out is said to be unknown.
pub fn here() -> Machine {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
    Machine {
        processor: processor(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        system: format!("{OS} {ARCH}"),
        instructions: instructions(),
        compiler: output("rustc", &["--version"]).unwrap_or_else(unknown),
        minrisk: env!("CARGO_PKG_VERSION").to_string(),
        commit: commit(),
        started,
        backends: contestants().iter().map(|contestant| contestant.name.to_string()).collect(),
    }
}

/// Has this program, and all that it starts from now on, stay on one core; the last, because interrupts
/// prefer the first. Cores of a shared machine have different neighbours: who takes turns shares the core.
/// Returns which it is, if the system lets a program choose.
///
/// To be called before there are threads.
pub fn stay_on_one_core() -> Option<usize> {
    let last = core_affinity::get_core_ids()?.into_iter().next_back()?;
    core_affinity::set_for_current(last).then_some(last.id)
}

fn processor() -> String {
    let linux = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    linux.or_else(|| output("sysctl", &["-n", "machdep.cpu.brand_string"])).unwrap_or_else(unknown)
}

fn commit() -> String {
    let Some(commit) = output("git", &["rev-parse", "--short", "HEAD"]) else { return unknown() };
    let changed = output("git", &["status", "--porcelain", "--untracked-files=no"]).is_some();
    if changed { commit + "+" } else { commit }
}

/// What a program prints, without the line's end; `None` where it fails or prints nothing.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn unknown() -> String {
    "unknown".to_string()
}
