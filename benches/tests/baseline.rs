//! A baseline is kept, and the program that measures takes turns with its own copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use minrisk_report::record::Run;

/// A small line, which one run takes milliseconds for.
const LINE: &str = "zero_one/300x3";

fn measure(arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_measure"));
    program.args(arguments).output().expect("the program starts")
}

/// A folder that is empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn measured(folder: &Path, more: &[&str]) -> Run {
    let output = folder.join("report.json");
    let output = output.to_str().expect("a path of letters");
    let found = measure(&[&["--quick", "--filter", LINE, "--output", output], more].concat());
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    Run::from_json(&fs::read_to_string(output).expect("records")).expect("records")
}

#[test]
fn a_program_takes_turns_with_its_copy() {
    let folder = folder("turns");
    let kept = folder.join("kept");
    let kept = kept.to_str().expect("a path of letters");
    assert!(measured(&folder, &["--save", kept]).comparison.is_none());
    let run = measured(&folder, &["--against", kept]);
    let comparison = run.comparison.expect("a comparison");
    assert_eq!(comparison.baseline, "kept");
    let [duel] = &comparison.duels[..] else { panic!("{:?}", comparison.duels) };
    assert_eq!(duel.contestant, run.lines[0].entries[0].contestant);
    let bouts = duel.bouts.as_ref().expect("bouts");
    assert!(bouts.len() >= 12, "{bouts:?}");
    let times = bouts.iter().flatten().flat_map(|(before, after)| [before, after]);
    assert!(times.into_iter().all(|seconds| *seconds > 0.0 && *seconds < 60.0), "{bouts:?}");
}

#[test]
fn a_baseline_whose_program_does_not_know_the_line_is_said_not_to() {
    let folder = folder("stranger");
    let kept = folder.join("kept");
    let path = kept.to_str().expect("a path of letters");
    measured(&folder, &["--save", path]);
    // It answers, but not what it is asked.
    let program = kept.join(format!("measure{}", std::env::consts::EXE_SUFFIX));
    fs::copy(env!("CARGO_BIN_EXE_curves"), program).expect("another program");
    let comparison = measured(&folder, &["--against", path]).comparison.expect("a comparison");
    let reasons: Vec<_> =
        comparison.duels.iter().filter_map(|duel| duel.bouts.as_ref().err()).collect();
    assert!(matches!(&reasons[..], [reason] if reason.contains("the baseline")), "{reasons:?}");
}

#[test]
fn a_baseline_that_is_not_there_is_an_error_and_measures_nothing() {
    let folder = folder("missing");
    let (output, kept) = (folder.join("report.json"), folder.join("kept"));
    let [output, kept] = [&output, &kept].map(|path| path.to_str().expect("a path of letters"));
    let found = measure(&["--filter", LINE, "--output", output, "--against", kept]);
    let said = String::from_utf8_lossy(&found.stderr).into_owned();
    assert!(!found.status.success() && said.contains("kept"), "{said}");
    assert!(!Path::new(output).exists());
}

#[test]
fn a_line_that_is_not_there_has_no_turns() {
    use std::io::Write;
    use std::process::Stdio;
    let mut program = Command::new(env!("CARGO_BIN_EXE_measure"));
    program
        .args(["--turns", "no/such/line", "--folder", "."])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut program = program.spawn().expect("the program starts");
    let mut input = program.stdin.take().expect("its input");
    writeln!(input, r#"{{"hello":{{}}}}"#).expect("a request");
    drop(input);
    let answer = program.wait_with_output().expect("an answer").stdout;
    assert_eq!(
        String::from_utf8_lossy(&answer).trim(),
        r#"{"error":"there is no line no/such/line"}"#
    );
}
