//! Files with many rows or many columns.

use std::fmt::Write;

use super::{close, file, json, minrisk, number, numbers, program};

/// y = 3x₁ − 2x₂ + 1 with a disturbance that is orthogonal to nothing in particular.
fn row(i: u64) -> (u64, u64, f64) {
    let (a, b) = (i * 7919 % 1009, i * 104_729 % 997);
    (a, b, 3.0 * a as f64 - 2.0 * b as f64 + 1.0 + (i % 2) as f64 - 0.5)
}

#[test]
fn a_million_rows_are_streamed() {
    let mut contents = String::from("a,b,y,group,c1,c2,c3,c4,c5\n");
    for i in 0..1_000_000_u64 {
        let ((a, b, y), group) = (row(i), if i % 3 == 0 { "u" } else { "v" });
        let _ = writeln!(
            contents,
            "{a},{b},{y},{group},{},{},{},{},{}",
            i % 11,
            i % 13,
            i % 17,
            i % 19,
            i % 23
        );
    }
    let path = file("million.csv", &contents);
    let fit = json(&minrisk(&format!("fit {path} --target y --json")));
    let coefficients = numbers(&fit["coefficients"]);
    assert!((coefficients[0] - 3.0).abs() < 1e-4 && (coefficients[1] + 2.0).abs() < 1e-4);
    assert_eq!(fit["features"][2], "group=v");
    let digits = numbers(&fit["certificate"]["LeastSquares"]["digits"][0]);
    assert!(digits[0] > 15.0 && digits[1] > 15.0);
    assert_eq!(number(&fit["summary"]["statistics"]["observations"]), 1e6);
    assert!(number(&fit["summary"]["coefficients"][1]["standard_error"]) > 0.0);
    // The same through a pipe, in the same bits.
    let mut command = program();
    command.args(["fit", "-", "--target", "y", "--json"]).write_stdin(contents);
    let piped = json(&command.output().unwrap());
    assert_eq!(piped["coefficients"], fit["coefficients"]);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_hundred_thousand_columns_are_read() {
    const COLUMNS: usize = 100_000;
    let mut contents = String::from("y");
    (0..COLUMNS).for_each(|j| {
        let _ = write!(contents, ",c{j}");
    });
    for i in 0..5 {
        let _ = write!(contents, "\n{i}");
        (0..COLUMNS).for_each(|j| {
            let _ = write!(contents, ",{}", (i * 31 + j * 17) % 29);
        });
    }
    let path = file("wide.csv", contents);
    let fit = json(&minrisk(&format!("fit {path} --target y --json")));
    assert_eq!(numbers(&fit["coefficients"]).len(), COLUMNS);
    close(number(&fit["summary"]["statistics"]["r_squared"]), 1.0, 12.0);
    let info = json(&minrisk(&format!("info {path} --json")));
    assert_eq!(info["numeric"], COLUMNS + 1);
}
