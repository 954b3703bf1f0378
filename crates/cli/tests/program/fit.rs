//! Least squares, ridge, lasso and the other regressions.

use serde_json::json as value;

use super::{close, error, json, minrisk, number, numbers, on, text};

#[test]
fn cars_have_a_price() {
    let text = text(&minrisk("fit data/cars.csv --target price"));
    assert!(text.contains("age") && text.contains("correctly rounded"), "{text}");
}

#[test]
fn json_is_exact_and_complete() {
    let fit = json(&minrisk("fit data/cars.csv --target price --json"));
    assert_eq!(fit["features"], value!(["age"]));
    assert_eq!(fit["intercept"], 7836.258660508083);
    assert_eq!(fit["coefficients"], value!([-502.42494226327943]));
    assert_eq!(fit["status"], "Solved");
    assert_eq!(fit["verified"], true);
    for key in ["model", "backend", "solver", "iterations", "objective", "summary", "certificate"] {
        assert!(!fit[key].is_null(), "{key} is missing");
    }
}

#[test]
fn columns_can_be_chosen() {
    let all = json(&minrisk("fit data/iris.csv --target petal_width --exclude class --json"));
    assert_eq!(all["coefficients"].as_array().map(Vec::len), Some(3));
    let one =
        json(&minrisk("fit data/iris.csv --target petal_width --features petal_length --json"));
    assert_eq!(one["features"], value!(["petal_length"]));
}

#[test]
fn every_solver_and_backend_agree() {
    let reference = json(&minrisk("fit data/longley.csv --target employed --json"));
    for solver in ["normal", "qr", "svd"] {
        let command = format!("fit data/longley.csv --target employed --json --solver {solver}");
        assert_eq!(json(&minrisk(&command))["coefficients"], reference["coefficients"], "{solver}");
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
    close(number(&total["objective"]), 7.0 * number(&mean["objective"]), 14.0);
}

#[test]
fn the_lasso_has_exact_zeros_at_the_right_place() {
    // λ_max = 2·max_j |x_jᵀ(y − ȳ)|; the factor 2 belongs to squared loss without a hidden half.
    let path = "fit tests/data/ridge/diabetes_scaled.csv --target y --json --l1";
    let none = json(&minrisk(&format!("{path} 1898.9")));
    assert_eq!(none["model"], "lasso");
    assert!(numbers(&none["coefficients"]).iter().all(|w| *w == 0.0));
    let one = json(&minrisk(&format!("{path} 1898.8")));
    let nonzero: Vec<usize> =
        (0..10).filter(|&j| numbers(&one["coefficients"])[j] != 0.0).collect();
    assert_eq!(nonzero, [2]);
    assert!(number(&one["certificate"]["Convex"]["relative_gap"]) < 1e-10);
}

#[test]
fn robust_losses_have_their_known_answers() {
    let rows = "x,y\n0,1\n0,2\n0,3\n0,4\n0,100\n";
    let level = |arguments: &str| {
        let fit = json(&on(
            "fit",
            "level.csv",
            rows,
            &format!("--target y --exclude x --json {arguments}"),
        ));
        number(&fit["intercept"])
    };
    close(level("--loss squared"), 22.0, 14.0);
    close(level("--loss absolute"), 3.0, 9.0);
    assert!(level("--loss quantile:0.9") >= 4.0);
    // Huber: Σ ψ(y − b) = 0 with one point beyond δ = 5: 2·(10 − 4b) + 2·5 = 0.
    close(level("--loss huber:5"), 3.75, 9.0);
}

#[test]
fn iterative_solvers_agree_with_the_closed_form() {
    let reference = json(&minrisk("fit data/sales.csv --target sales --l2 2 --json"));
    for solver in ["newton", "lbfgs", "gradient-descent", "coordinate-descent"] {
        let command = format!("fit data/sales.csv --target sales --l2 2 --json --solver {solver}");
        let fit = json(&minrisk(&command));
        close(number(&fit["coefficients"][0]), number(&reference["coefficients"][0]), 7.0);
    }
}

#[test]
fn weights_repeat_rows() {
    let repeated =
        json(&on("fit", "repeated.csv", "x,y\n1,1\n2,3\n2,3\n3,2\n", "--target y --json"));
    for kind in ["precisions", "frequencies"] {
        let weighted = json(&on(
            "fit",
            &format!("weighted-{kind}.csv"),
            "x,y,n\n1,1,1\n2,3,2\n3,2,1\n",
            &format!("--target y --weights n --weights-are {kind} --json"),
        ));
        assert_eq!(weighted["features"], value!(["x"]));
        assert_eq!(weighted["coefficients"], repeated["coefficients"]);
    }
}

#[test]
fn the_intercept_can_be_left_out() {
    let fit = json(&on("fit", "origin.csv", "x,y\n1,2\n2,4\n", "--target y --no-intercept --json"));
    assert!(fit["intercept"].is_null());
    assert_eq!(fit["coefficients"], value!([2.0]));
}

#[test]
fn dependent_columns_are_named() {
    let rows = "a,b,c,y\n1,2,4,1\n2,1,5,2\n3,5,11,2\n4,4,12,5\n5,0,10,3\n";
    let text = text(&on("fit", "dependent.csv", rows, "--target y"));
    assert!(text.contains("c = 2·a + b"), "{text}");
}

#[test]
fn labels_become_features_with_a_reference() {
    let rows = "colour,y\nred,1\nblue,2\nred,3\ngreen,7\nblue,4\n";
    let fit = json(&on("fit", "colours.csv", rows, "--target y --json"));
    assert_eq!(fit["features"], value!(["colour=green", "colour=red"]));
    assert_eq!(fit["intercept"], 3.0);
    assert_eq!(fit["coefficients"], value!([4.0, -1.0]));
    let words = text(&on("fit", "colours.csv", rows, "--target y"));
    assert!(words.contains("`colour` is compared with its reference level `blue`"), "{words}");
    let levels = json(&on("fit", "colours.csv", rows, "--target y --no-intercept --json"));
    assert_eq!(levels["coefficients"], value!([3.0, 7.0, 2.0]));
    let codes = "code,y\n1,1\n2,2\n1,3\n2,4\n";
    let fit = json(&on("fit", "codes.csv", codes, "--target y --categorical code --json"));
    assert_eq!(fit["features"], value!(["code=2"]));
}

#[test]
fn a_constant_target_is_its_own_mean() {
    let fit = json(&on("fit", "constant.csv", "x,y\n1,5\n2,5\n3,5\n", "--target y --json"));
    assert_eq!((&fit["intercept"], &fit["coefficients"]), (&value!(5.0), &value!([0.0])));
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
        ("fit data/cars.csv --target price --l1 inf", "the penalty"),
        ("fit data/cars.csv --target price --loss cubic", "quantile:q"),
        ("fit data/cars.csv --target price --loss quantile:2", "quantile"),
        ("fit data/cars.csv --target price --loss huber", "huber:1.35"),
        ("fit data/cars.csv --target price --l1 1 --solver qr", "--l1"),
        ("fit data/cars.csv --target price --loss absolute --solver newton", "kink"),
        ("fit data/cars.csv --target price --weights age --weights-are frequent", "frequencies"),
        ("fit data/cars.csv --target price --features price", "cannot be the target and a feature"),
        ("fit data/cars.csv --target price --positive 3 --loss squared", "--positive"),
        ("fit data/iris.csv --target class --loss squared", "holds labels"),
        ("fit data/iris.csv --target class --loss logistic", "--loss softmax"),
        ("fit data/iris.csv --target class --l1 1 --solver newton", "--l1"),
        ("fit data/iris.csv --target class --l1 1 --solver lbfgs", "proximal-newton"),
        ("fit data/cars.csv --target price --degree 1000000000", "lower the degree"),
        ("fit data/cars.csv --target price --save /nowhere/model.json", "/nowhere/model.json"),
        ("guess data/cars.csv", "unrecognized subcommand 'guess'"),
    ] {
        let message = error(&minrisk(arguments));
        assert!(message.contains(explanation), "{arguments}: {message}");
    }
}

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = text(&minrisk(&format!("completions {shell}")));
        assert!(script.contains("minrisk") && script.contains("separate"), "{shell}");
    }
}
