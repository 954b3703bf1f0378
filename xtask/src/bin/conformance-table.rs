//! Prints the table backend × check of the conformance suite; part of `cargo xtask conformance`.
//!
//! A cell says in which precisions the backend passes; failures are explained below the table.

use std::io::Write;
use std::process::ExitCode;

use minrisk::BackendKind;
use minrisk_conformance::{Check, checks};

fn main() -> ExitCode {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let selected = checks().iter().filter(|check| check.name.contains(&filter));
    let width = checks().iter().map(|check| check.name.len()).max().unwrap_or_default();

    print!("{:width$}", "check");
    BackendKind::ALL.iter().for_each(|backend| print!("  {:9}", backend.name()));
    println!();
    let mut failures = Vec::new();
    for check in selected {
        print!("{:width$}", check.name);
        for &backend in BackendKind::ALL {
            let problems = problems(check, backend);
            print!("  {:9}", cell(&problems));
            // A check may take its time; show what is known.
            std::io::stdout().flush().unwrap_or_default();
            failures.extend(problems.into_iter().flatten());
        }
        println!();
    }
    if failures.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\n{}", failures.join("\n"));
    ExitCode::FAILURE
}

/// What a check finds wrong with a backend, in double and in single precision.
fn problems(check: &Check, backend: BackendKind) -> [Option<String>; 2] {
    let outcomes =
        [("f64", check.run_f64(backend.backend())), ("f32", check.run_f32(backend.backend()))];
    outcomes.map(|(precision, outcome)| {
        let failure = outcome.err()?;
        Some(format!("{backend} fails {} in {precision}: {failure}", check.name))
    })
}

fn cell([double, single]: &[Option<String>; 2]) -> &'static str {
    match (double, single) {
        (None, None) => "✓",
        (None, Some(_)) => "✗ (f32)",
        (Some(_), None) => "✗ (f64)",
        (Some(_), Some(_)) => "✗",
    }
}
