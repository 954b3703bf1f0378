//! The whole program: least squares from a CSV file, beside what one would write in Python, and beside parsing
//! the file and doing nothing else.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use minrisk_core::LinearModel;
use minrisk_core::least_squares::LeastSquares;
use minrisk_report::record::{Measure, Work};
use serde::Deserialize;

use super::least_squares::{ACCURACY, DIGITS, digits, one_model, verified};
use super::{Asked, Field, Judged, Race, Stage, Starter, Title};
use crate::peers::{Answer, Parameters};
use crate::problem::{Layout, Problem};
use crate::program;

const COLS: usize = 20;

pub(super) fn hold(stage: &mut dyn Stage) -> Result<(), String> {
    for rows in [100_000, 1_000_000] {
        let name = format!("program/{rows}x{COLS}");
        // Whoever reads 400 MB takes seconds.
        let too_long = stage.quick() && rows > 100_000;
        if !too_long && stage.wants(&name) {
            one(stage, name, &Problem::random(rows, COLS, Layout::Rows))?;
        }
    }
    Ok(())
}

fn one(stage: &mut dyn Stage, name: String, problem: &Problem) -> Result<(), String> {
    let file = written(problem, stage.folder());
    let (file, bytes) = &file.map_err(|error| format!("{name}: {error}"))?;
    let title = Title {
        name,
        title: format!("Least squares from a CSV file, {}", problem.shape()),
        accuracy: ACCURACY,
        measure: Measure::Digits,
        limit_is: "reading the text once",
        work: Work { bytes: *bytes as f64, flops: 0.0 },
        peerless: None,
    };
    let reference = &verified(&LeastSquares::new(), problem);
    let judge = |model: &LinearModel<f64>| {
        let digits = digits(model, reference.as_ref().map_err(String::clone)?);
        Ok::<_, String>(Judged::reached(digits, digits >= DIGITS))
    };
    let fitted = |json: Vec<u8>| judge(&fitted(&json)?);
    let parsed = |_| {
        let note = "parses every number, and that is all".to_string();
        Ok(Judged { note: Some(note), ..Judged::default() })
    };
    let starters = vec![
        Starter::ours("the minrisk program", || fit(file), fitted),
        Starter::other("csv crate", || parse(file), parsed),
    ];
    let asked = Asked {
        task: "csv",
        parameters: Parameters {
            intercept: true,
            file: Some(file.clone()),
            ..Parameters::default()
        },
    };
    let answered = |answer: &Answer| judge(&one_model(answer)?);
    let peers = Field { asked, tolerances: &[0.0], judge: Box::new(answered) };
    stage.hold(Race { title, problem, starters, peers: Some(peers) });
    Ok(())
}

/// The problem as a CSV file, written unless it is there, with its length; every number reads back to itself.
fn written(problem: &Problem, folder: &Path) -> std::io::Result<(PathBuf, u64)> {
    let path = folder.join(format!("{:016x}.csv", problem.fingerprint()));
    if !path.exists() {
        let mut out = BufWriter::new(File::create(&path)?);
        for j in 0..problem.cols() {
            write!(out, "x{j},")?;
        }
        writeln!(out, "y")?;
        for (row, y) in problem.entries().chunks(problem.cols()).zip(problem.y()) {
            for x in row {
                write!(out, "{x},")?;
            }
            writeln!(out, "{y}")?;
        }
        out.flush()?;
    }
    let bytes = fs::metadata(&path)?.len();
    Ok((path, bytes))
}

/// What the program prints.
fn fit(file: &Path) -> Result<Vec<u8>, String> {
    let mut command = Command::new(program::here()?);
    let output = command.arg("fit").arg(file).args(["--target", "y", "--json"]).output();
    let output = output.map_err(|error| format!("the minrisk program: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
    }
}

#[derive(Deserialize)]
struct Fitted {
    coefficients: Vec<f64>,
    intercept: f64,
}

fn fitted(json: &[u8]) -> Result<LinearModel<f64>, String> {
    let fitted: Fitted = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    LinearModel::from_coefficients(fitted.coefficients, Some(fitted.intercept))
        .map_err(|error| error.to_string())
}

/// The sum of all numbers of a file.
fn parse(file: &Path) -> Result<f64, String> {
    let mut reader = csv::Reader::from_path(file).map_err(|error| error.to_string())?;
    let (mut record, mut sum) = (csv::StringRecord::new(), 0.0);
    while reader.read_record(&mut record).map_err(|error| error.to_string())? {
        for cell in &record {
            sum += cell.parse::<f64>().map_err(|error| error.to_string())?;
        }
    }
    Ok(sum)
}
