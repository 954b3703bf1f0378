//! Every plot is written, and is a picture of its own data.

use std::fs;

use super::{error, minrisk, temporary};

#[track_caller]
fn picture(name: &str, command: &str) -> String {
    let path = temporary(name);
    let _ = fs::remove_file(&path);
    let output = minrisk(&format!("{command} --plot {}", path.display()));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let svg = fs::read_to_string(path).expect("the picture was written");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    svg
}

#[test]
fn every_picture_is_drawn() {
    for (name, command, words) in [
        ("line.svg", "fit data/cars.csv --target price", vec!["price on age", "95 % confidence"]),
        ("curve.svg", "fit data/cars.csv --target price --degree 3", vec!["price on age"]),
        (
            "sigmoid.svg",
            "fit tests/data/logistic/oring_temp.csv --target fail --loss logistic",
            vec!["probability of 1", "unsure"],
        ),
        (
            "boundary.svg",
            "fit data/iris.csv --target class --positive virginica --features petal_length,petal_width --loss hinge --l2 1",
            vec!["margin", "boundary", "not virginica"],
        ),
        (
            "steps.svg",
            "fit data/iris.csv --target class --positive virginica --l2 1",
            vec!["iteration", "Newton"],
        ),
        ("observed.svg", "fit data/longley.csv --target employed", vec!["observed", "fitted"]),
        (
            "degree.svg",
            "select data/cars.csv --target price --degree 1..4",
            vec!["R² on held-out rows", "best"],
        ),
        (
            "path.svg",
            "select data/iris.csv --target petal_width --exclude class --l1 path --count 10",
            vec!["The lasso path", "petal_length"],
        ),
        (
            "ridge.svg",
            "select data/iris.csv --target petal_width --exclude class --l2 1e-3..1e3 --count 10",
            vec!["l2 by cross-validation"],
        ),
        (
            "halfspace.svg",
            "separate data/iris.csv --target class --positive setosa --features petal_length,petal_width",
            vec!["setosa", "margin"],
        ),
        (
            "bells.svg",
            "curve tests/data/nist-nonlinear/Eckerle4.csv --x x --y y --model bell",
            vec!["residual", "fit"],
        ),
    ] {
        let svg = picture(name, command);
        for word in words {
            assert!(svg.contains(word), "{name} does not say {word}");
        }
    }
}

#[test]
fn pictures_that_cannot_be_drawn_are_explained() {
    let message =
        error(&minrisk("separate data/iris.csv --target class --positive setosa --plot x.svg"));
    assert!(message.contains("two features"), "{message}");
    let message = error(&minrisk("fit data/cars.csv --target price --plot /nowhere/x.svg"));
    assert!(message.contains("/nowhere/x.svg"), "{message}");
}
