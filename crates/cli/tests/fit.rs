//! The real program on good, odd and bad files.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `minrisk` with arguments separated by spaces, in the folder of the workspace.
fn minrisk(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_minrisk"))
        .args(arguments.split_whitespace())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .expect("the program starts")
}

/// Runs `minrisk fit` on a file with the given contents.
fn fit(name: &str, contents: &str, arguments: &str) -> Output {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, contents).expect("the folder for temporary files can be written to");
    minrisk(&format!("fit {} {arguments}", file.display()))
}

#[track_caller]
fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// The one line of a failure.
#[track_caller]
fn error(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn cars_have_a_price() {
    let output = minrisk("fit data/cars.csv --target price");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("age") && text.contains("correctly rounded"), "{text}");
}

#[test]
fn json_is_exact_and_complete() {
    let fit = json(&minrisk("fit data/cars.csv --target price --json"));
    assert_eq!(fit["features"], serde_json::json!(["age"]));
    assert_eq!(fit["intercept"], 7836.258660508083);
    assert_eq!(fit["coefficients"], serde_json::json!([-502.42494226327943]));
    assert_eq!(fit["status"], "Solved");
    assert_eq!(fit["verified"], true);
    for key in ["model", "backend", "solver", "iterations", "objective", "summary", "certificate"] {
        assert!(!fit[key].is_null(), "{key} is missing");
    }
}

#[test]
fn longley_has_its_certified_digits() {
    let fit = json(&minrisk("fit data/longley.csv --target employed --json"));
    assert_eq!(fit["intercept"], -3482258.6345958184);
    assert_eq!(fit["coefficients"][5], 1829.151464613552);
}

#[test]
fn columns_can_be_chosen() {
    let all = json(&minrisk("fit data/iris.csv --target petal_width --exclude class --json"));
    assert_eq!(all["coefficients"].as_array().map(Vec::len), Some(3));
    let one =
        json(&minrisk("fit data/iris.csv --target petal_width --features petal_length --json"));
    assert_eq!(one["features"], serde_json::json!(["petal_length"]));
}

#[test]
fn every_method_and_backend_agree() {
    let reference = json(&minrisk("fit data/longley.csv --target employed --json"));
    for method in ["normal", "qr", "svd"] {
        let command = format!("fit data/longley.csv --target employed --json --method {method}");
        assert_eq!(json(&minrisk(&command))["coefficients"], reference["coefficients"], "{method}");
    }
    for backend in minrisk::BackendKind::ALL {
        let command = format!("fit data/longley.csv --target employed --json --backend {backend}");
        let fit = json(&minrisk(&command));
        assert_eq!(fit["backend"], backend.name());
        assert_eq!(fit["coefficients"], reference["coefficients"], "{backend}");
    }
}

#[test]
fn ridge_has_two_scales() {
    // Seven rows: α beside the mean is 7α beside the sum.
    let total = json(&minrisk("fit data/sales.csv --target sales --l2 3.5 --json"));
    let mean = json(&minrisk("fit data/sales.csv --target sales --l2 0.5 --scale mean --json"));
    assert_eq!(total["model"], "ridge");
    assert_eq!(total["coefficients"], mean["coefficients"]);
}

#[test]
fn weights_repeat_rows() {
    let repeated = json(&fit("repeated.csv", "x,y\n1,1\n2,3\n2,3\n3,2\n", "--target y --json"));
    for kind in ["precisions", "frequencies"] {
        let weighted = json(&fit(
            &format!("weighted-{kind}.csv"),
            "x,y,n\n1,1,1\n2,3,2\n3,2,1\n",
            &format!("--target y --weights n --weights-are {kind} --json"),
        ));
        assert_eq!(weighted["features"], serde_json::json!(["x"]));
        assert_eq!(weighted["coefficients"], repeated["coefficients"]);
    }
}

#[test]
fn the_intercept_can_be_left_out() {
    let fit = json(&fit("origin.csv", "x,y\n1,2\n2,4\n", "--target y --no-intercept --json"));
    assert!(fit["intercept"].is_null());
    assert_eq!(fit["coefficients"], serde_json::json!([2.0]));
}

#[test]
fn dependent_columns_are_named() {
    let rows = "a,b,c,y\n1,2,4,1\n2,1,5,2\n3,5,11,2\n4,4,12,5\n5,0,10,3\n";
    let output = fit("dependent.csv", rows, "--target y");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("c = 2·a + b"), "{text}");
}

#[test]
fn odd_files_are_read() {
    for (name, contents) in [
        ("crlf.csv", "x,y\r\n1,2\r\n2,4\r\n3,6\r\n"),
        ("bom.csv", "\u{feff}x,y\n1,2\n2,4\n3,6\n"),
        ("quoted.csv", "\"x\",\"y\"\n\"1\",\"2\"\n\"2\",\"4\"\n\"3\",\"6\"\n"),
        ("spaces.csv", " x , y \n 1 , 2 \n 2 , 4 \n 3 , 6 \n"),
        ("no-newline.csv", "x,y\n1,2\n2,4\n3,6"),
        ("forms.csv", "x,y\n1.0,+2\n2e0,.4e1\n3.,6.\n"),
    ] {
        let fit = json(&fit(name, contents, "--target y --json"));
        assert_eq!(fit["coefficients"], serde_json::json!([2.0]), "{name}");
        assert_eq!(fit["intercept"], 0.0, "{name}");
    }
}

#[test]
fn bad_files_are_explained() {
    for (name, contents, explanation) in [
        ("empty.csv", "", "there is no column `y`"),
        ("header-only.csv", "x,y\n", "there are no rows below the header"),
        ("ragged.csv", "x,y\n1,2\n1,2,3\n", "line 3 has 3 fields, but the header has 2"),
        ("text.csv", "x,y\n1,2\nred,3\n", "line 3, column `x`: `red` is not a number"),
        ("missing.csv", "x,y\n1,2\n,3\n", "line 3, column `x`: the value is missing"),
        ("nan.csv", "x,y\n1,2\nNaN,3\n", "line 3, column `x`: `NaN` is not a number"),
        ("huge.csv", "x,y\n1,2\n1e999,3\n", "line 3, column `x`: 1e999 is too large"),
        ("twice.csv", "x,x,y\n1,2,3\n4,5,6\n", "two features are called `x`"),
    ] {
        let message = error(&fit(name, contents, "--target y"));
        assert!(message.contains(explanation), "{message}");
    }
}

#[test]
fn bad_usage_is_explained() {
    for (arguments, explanation) in [
        ("fit data/cars.csv", "--target <COL>"),
        (
            "fit data/cars.csv --target cost",
            "there is no column `cost`; the columns are age, price",
        ),
        ("fit data/none.csv --target y", "data/none.csv"),
        ("fit data --target y", "data"),
        ("fit data/cars.csv --target price --backend abacus", "there is no backend `abacus`"),
        ("fit data/cars.csv --target price --l2 -1", "the penalty"),
        ("fit data/cars.csv --target price --l2 NaN", "the penalty"),
        ("fit data/cars.csv --target price --weights age --weights-are frequent", "frequencies"),
        ("fit data/cars.csv --target price --features price", "cannot be the target and a feature"),
        ("guess data/cars.csv", "unrecognized subcommand 'guess'"),
    ] {
        let message = error(&minrisk(arguments));
        assert!(message.contains(explanation), "{arguments}: {message}");
    }
}
