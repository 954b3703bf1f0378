//! Bells and exponentials.

use std::fmt::Write;

use super::{close, error, json, minrisk, number, on};

#[test]
fn a_bell_is_recovered() {
    let mut rows = String::from("t,height\n");
    for i in 0..41 {
        let x = f64::from(i) / 10.0;
        let _ = writeln!(rows, "{x},{}", 1.5 * (-(x - 2.2_f64).powi(2) / 0.8).exp());
    }
    let fit = json(&on("curve", "bell.csv", &rows, "--x t --y height --model bell --json"));
    close(number(&fit["parameters"]["beta"]), 1.5, 12.0);
    close(number(&fit["parameters"]["mu"]), 2.2, 12.0);
    close(number(&fit["parameters"]["sigma"]), 0.8, 12.0);
    assert!(number(&fit["rss"]) < 1e-25);
    assert_eq!(fit["status"], "Converged");
    let arguments = "--x t --y height --model bell --start 1,2,1 --json";
    let started = json(&on("curve", "bell.csv", &rows, arguments));
    close(number(&started["parameters"]["mu"]), 2.2, 12.0);
}

#[test]
fn nist_exponentials_have_their_certified_values() {
    // Lanczos3: three exponentials, certified by NIST.
    let command = "curve tests/data/nist-nonlinear/Lanczos3.csv --x x --y y --model exp:3 --json";
    let fit = json(&minrisk(command));
    close(number(&fit["rss"]), 1.6117193594E-08, 8.0);
    let mut rates: Vec<f64> =
        ["b1", "b2", "b3"].iter().map(|name| number(&fit["parameters"][name])).collect();
    rates.sort_by(f64::total_cmp);
    for (found, certified) in
        rates.iter().zip([9.5498101505E-01, 2.9515951832E+00, 4.9863565084E+00])
    {
        close(*found, certified, 7.0);
    }
    assert!(number(&fit["standard_errors"]["a1"]) > 0.0);
}

#[test]
fn bad_questions_are_explained() {
    for (arguments, explanation) in [
        ("curve data/cars.csv --x age --y price --model circle", "bells:k"),
        ("curve data/cars.csv --x age --y price --model bells:0", "k from 1"),
        ("curve data/cars.csv --x age --y price --model bell --start 1,2", "start"),
        ("curve data/iris.csv --x class --y petal_width --model bell", "needs numbers"),
        ("curve data/cars.csv --x age --y age --model bell", "cannot be the target and a feature"),
    ] {
        let message = error(&minrisk(arguments));
        assert!(message.contains(explanation), "{arguments}: {message}");
    }
}
