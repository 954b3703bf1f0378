//! Two classes and more.

use serde_json::json as value;

use super::{close, json, json_with_code, minrisk, number, numbers, on, text};

#[test]
fn o_rings_fail_in_the_cold() {
    // Certified in 60 digits; see tests/data/README.md.
    let command = "fit tests/data/logistic/oring_temp.csv --target fail --loss logistic --json";
    let fit = json(&minrisk(command));
    close(number(&fit["intercept"]), 15.042901647702442, 14.0);
    close(number(&fit["coefficients"][0]), -0.23216274421859648, 14.0);
    close(number(&fit["objective"]), 10.157596343933415, 14.0);
    let rows = &fit["summary"]["coefficients"];
    close(number(&rows[0]["standard_error"]), 7.3786363849165655, 9.0);
    close(number(&rows[1]["standard_error"]), 0.10823652164928543, 9.0);
    let likelihood = number(&fit["summary"]["statistics"]["log_likelihood"]);
    close(likelihood, -10.157596343933415, 14.0);
    assert_eq!(fit["classes"], value!(["0", "1"]));
    assert_eq!(fit["verified"], true);
    // λ/2 there is λ₂ here.
    let ridge = json(&minrisk(&format!("{command} --l2 0.5")));
    close(number(&ridge["coefficients"][0]), -0.22950051501471308, 13.0);
}

#[test]
fn the_positive_label_turns_the_signs() {
    let command = "fit tests/data/logistic/oring_temp.csv --target fail --loss logistic --json";
    let larger = json(&minrisk(command));
    let smaller = json(&minrisk(&format!("{command} --positive 0")));
    assert_eq!(smaller["classes"], value!(["1", "0"]));
    close(number(&smaller["coefficients"][0]), -number(&larger["coefficients"][0]), 13.0);
}

#[test]
fn numbers_are_regressed_unless_told_otherwise() {
    let fit = json(&minrisk("fit tests/data/logistic/oring_temp.csv --target fail --json"));
    assert_eq!(fit["model"], "least squares");
    assert!(fit["warnings"][0].as_str().is_some_and(|note| note.contains("--loss logistic")));
}

#[test]
fn separable_classes_have_no_minimiser() {
    let rows = "x,y\n1,no\n2,no\n3,yes\n4,yes\n";
    let output = on("fit", "separable.csv", rows, "--target y --json");
    let fit = json_with_code(&output, 3);
    assert_eq!(fit["status"], "NoMinimiser");
    let direction = &fit["certificate"]["Separated"];
    assert_eq!(direction["complete"], true);
    let penalised = json(&on("fit", "separable.csv", rows, "--target y --l2 1 --json"));
    assert_eq!(penalised["status"], "Solved");
}

#[test]
fn more_classes_are_softmax() {
    let fit = json(&minrisk("fit data/iris.csv --target class --l2 1 --json"));
    assert_eq!(fit["model"], "softmax regression");
    assert_eq!(fit["classes"], value!(["setosa", "versicolor", "virginica"]));
    let weights = fit["coefficients"].as_array().unwrap();
    assert_eq!(weights.len(), 3);
    assert!(weights.iter().all(|of_class| numbers(of_class).len() == 4));
    assert_eq!(numbers(&fit["intercept"]).len(), 3);
    for feature in 0..4 {
        let sum: f64 = weights.iter().map(|of_class| numbers(of_class)[feature]).sum();
        assert!(sum.abs() < 1e-9);
    }
    // λ beside the mean is mλ beside the sum.
    let mean = json(&minrisk(&format!(
        "fit data/iris.csv --target class --l2 {} --scale mean --json",
        1.0 / 150.0
    )));
    close(number(&mean["coefficients"][0][0]), number(&fit["coefficients"][0][0]), 9.0);
    close(150.0 * number(&mean["objective"]), number(&fit["objective"]), 12.0);
    // λ₁ leaves zeros, and a proof.
    let sparse = json(&minrisk("fit data/iris.csv --target class --l1 5 --l2 0.1 --json"));
    assert_eq!(sparse["status"], "Solved");
    let proof = &sparse["certificate"]["Softmax"];
    assert_eq!(proof["bound"], "Duality");
    assert!(number(&proof["relative_gap"]) < 1e-12);
    let nonzero = sparse["coefficients"].as_array().unwrap().iter().flat_map(numbers);
    let nonzero = nonzero.filter(|w| *w != 0.0).count();
    assert!(0 < nonzero && nonzero < 12);
    assert_eq!(proof["nonzero"], value!(nonzero));
    // Without a penalty the setosas run away.
    let fit = json_with_code(&minrisk("fit data/iris.csv --target class --json"), 3);
    assert_eq!(fit["status"], "NoMinimiser");
}

#[test]
fn one_class_stands_against_the_others() {
    let fit = json(&minrisk("fit data/iris.csv --target class --positive virginica --json"));
    assert_eq!(fit["model"], "logistic regression");
    assert_eq!(fit["classes"], value!(["not virginica", "virginica"]));
    let svm = json(&minrisk(
        "fit data/iris.csv --target class --positive virginica --loss hinge --l2 0.5 --json",
    ));
    assert_eq!(svm["model"], "support vector machine");
    assert!(number(&svm["certificate"]["Convex"]["relative_gap"]) < 1e-9);
}

#[test]
fn a_budget_that_runs_out_still_prints() {
    let output = minrisk(
        "fit data/iris.csv --target class --positive virginica --solver gradient-descent --max-iterations 5 --json",
    );
    let fit = json_with_code(&output, 3);
    assert_eq!(fit["status"], "IterationLimit");
    assert_eq!(numbers(&fit["coefficients"]).len(), 4);
}

#[test]
fn the_gap_is_told_in_words() {
    let words = text(&minrisk("fit data/iris.csv --target class --positive virginica --l2 1"));
    assert!(words.contains("Duality gap"), "{words}");
}
