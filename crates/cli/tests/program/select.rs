//! Degrees and penalties by cross-validation.

use std::fmt::Write;

use super::{error, json, minrisk, number, numbers, on};

/// y = x³ − 3x and a disturbance that repeats every seven points.
fn cubic() -> String {
    let mut rows = String::from("x,y\n");
    for i in 0..35 {
        let x = -2.0 + 4.0 * f64::from(i) / 34.0;
        let y = x.powi(3) - 3.0 * x + [0.6, -0.9, 0.4, 1.1, -0.7, -1.0, 0.5][i as usize % 7];
        let _ = writeln!(rows, "{x},{y}");
    }
    rows
}

#[test]
fn the_true_degree_wins() {
    let chosen =
        json(&on("select", "cubic.csv", &cubic(), "--target y --degree 1..8 --seed 42 --json"));
    assert_eq!(chosen["best"], 3.0);
    assert_eq!(numbers(&chosen["candidates"]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(chosen["coefficients"].as_array().map(Vec::len), Some(3));
    assert!(number(&chosen["one_standard_error"]) <= 3.0);
}

#[test]
fn penalties_are_chosen() {
    let common = "select data/iris.csv --target petal_width --exclude class --folds 10 --json";
    let ridge = json(&minrisk(&format!("{common} --l2 1e-4..1e4 --count 9")));
    let candidates = numbers(&ridge["candidates"]);
    assert_eq!((candidates[0], candidates[8]), (1e4, 1e-4));
    assert!(number(&ridge["one_standard_error"]) >= number(&ridge["best"]));
    let lasso = json(&minrisk(&format!("{common} --l1 path --count 20")));
    assert_eq!(lasso["parameter"], "l1");
    assert_eq!(numbers(&lasso["scores"]).len(), 20);
    let classes = json(&minrisk(
        "select data/iris.csv --target class --positive virginica --l2 1e-3..1e2 --count 6 --json",
    ));
    assert_eq!(classes["score"], "log-loss");
}

#[test]
fn bad_questions_are_explained() {
    for (arguments, explanation) in [
        ("select data/cars.csv --target price", "--degree"),
        ("select data/cars.csv --target price --degree 1..3 --l2 1..2", "cannot be used"),
        ("select data/cars.csv --target price --degree 9..1", "1..12"),
        ("select data/cars.csv --target price --l2 path", "no path"),
        ("select data/cars.csv --target price --l2 0..1", "positive"),
        ("select data/cars.csv --target price --degree 1..3 --folds 1", "at least 2"),
        ("select data/cars.csv --target price --degree 1..3 --folds 99", "at most"),
    ] {
        let message = error(&minrisk(arguments));
        assert!(message.contains(explanation), "{arguments}: {message}");
    }
}
