//! Halfspaces and their proofs.

use serde_json::Value;

use super::{close, error, json, json_with_code, minrisk, number, numbers, on, text};

const CROSS: &str = "a,b,y\n0,0,no\n1,1,no\n0,1,yes\n1,0,yes\n";

/// Σ a_t y_t (x_t, 1) for the rows of `CROSS`.
fn combination(certificate: &Value) -> [f64; 3] {
    let rows = [(0.0, 0.0, -1.0), (1.0, 1.0, -1.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0)];
    let mut sum = [0.0; 3];
    for (row, weight) in
        certificate["rows"].as_array().unwrap().iter().zip(numbers(&certificate["weights"]))
    {
        let (a, b, y) = rows[row.as_u64().unwrap() as usize];
        sum.iter_mut().zip([a, b, 1.0]).for_each(|(sum, x)| *sum += weight * y * x);
    }
    sum
}

#[test]
fn separable_data_gets_its_widest_margin() {
    // The classes touch the lines x = 1 and x = 3.
    let rows = "a,b,y\n1,0,no\n1,5,no\n0,2,no\n3,1,yes\n3,4,yes\n5,2,yes\n";
    let found = json(&on("separate", "apart.csv", rows, "--target y --json"));
    assert_eq!((&found["separable"], &found["optimal"]), (&true.into(), &true.into()));
    assert_eq!((&found["mistakes"], &found["lower_bound"]), (&0.into(), &0.into()));
    close(number(&found["margin"]), 1.0, 14.0);
    let w = numbers(&found["coefficients"]);
    close(-number(&found["intercept"]) / w[0], 2.0, 14.0);
    for method in ["perceptron", "pocket", "lp", "exact"] {
        let arguments = format!("--target y --json --method {method}");
        let found = json(&on("separate", "apart.csv", rows, &arguments));
        assert_eq!(
            (&found["separable"], &found["mistakes"]),
            (&true.into(), &0.into()),
            "{method}"
        );
        let margin = number(&found["margin"]);
        assert!(margin > 0.0 && margin <= 1.0 + 1e-9, "{method}: {margin}");
    }
    let origin = json(&on("separate", "apart.csv", rows, "--target y --json --no-intercept"));
    assert!(origin["intercept"].is_null());
}

#[test]
fn a_cross_is_not_separable_and_that_is_proven() {
    let found = json(&on("separate", "cross.csv", CROSS, "--target y --json"));
    assert_eq!(found["separable"], false);
    assert_eq!((&found["mistakes"], &found["lower_bound"]), (&1.into(), &1.into()));
    assert_eq!(found["optimal"], true);
    assert_eq!(found["certificate"]["kind"], "gordan");
    assert!(combination(&found["certificate"]).iter().all(|sum| sum.abs() < 1e-15));
    let words = text(&on("separate", "cross.csv", CROSS, "--target y"));
    assert!(
        words.contains("Not separable") && words.contains("no halfspace makes fewer"),
        "{words}"
    );
}

#[test]
fn methods_that_cannot_end_say_so() {
    for method in ["perceptron", "lp"] {
        let arguments = format!("--target y --json --method {method}");
        let found = json_with_code(&on("separate", "cross.csv", CROSS, &arguments), 3);
        assert_eq!(found["separable"], false, "{method}");
    }
    let rows = "x,y\n0,no\n1,no\n2,yes\n3,no\n4,yes\n";
    let pocket = json(&on("separate", "line.csv", rows, "--target y --json --method pocket"));
    assert_eq!((&pocket["separable"], &pocket["mistakes"]), (&false.into(), &1.into()));
    assert_eq!(pocket["optimal"], true);
}

#[test]
fn the_fewest_mistakes_are_found() {
    for (name, fewest) in
        [("iris_vv_sl", 27), ("iris_vv_pl", 7), ("iris_vv_slpl", 4), ("iris_vv_plpw", 3)]
    {
        let command = format!("separate tests/data/zero-one/zo_{name}.csv --target y --json");
        let found = json(&minrisk(&command));
        assert_eq!(found["mistakes"], fewest, "{name}");
        assert_eq!((&found["lower_bound"], &found["optimal"]), (&fewest.into(), &true.into()));
    }
}

#[test]
fn a_number_of_mistakes_can_be_asked_for() {
    let command =
        "separate tests/data/zero-one/zo_iris_vv_plpw.csv --target y --json --max-mistakes";
    assert_eq!(json(&minrisk(&format!("{command} 3")))["achievable"], true);
    let no = json(&minrisk(&format!("{command} 2")));
    assert_eq!(no["achievable"], false);
    assert!(number(&no["lower_bound"]) > 2.0);
}

#[test]
fn several_classes_are_told_apart() {
    let penguins =
        json(&minrisk("separate tests/data/multiclass/penguins3.csv --target class --json"));
    assert_eq!((&penguins["separable"], &penguins["mistakes"]), (&true.into(), &0.into()));
    assert_eq!(penguins["coefficients"].as_array().map(Vec::len), Some(3));
    assert_eq!(penguins["classes"].as_array().map(Vec::len), Some(3));
    let iris = json(&minrisk("separate data/iris.csv --target class --method multiclass --json"));
    assert_eq!(iris["separable"], false);
    assert!(number(&iris["mistakes"]) >= 1.0);
    let message = error(&minrisk("separate data/iris.csv --target class --method exact"));
    assert!(message.contains("--method multiclass"), "{message}");
}

#[test]
fn a_budget_that_runs_out_leaves_bounds() {
    // Eight features: no machine counts these through in a third of a second.
    let output = minrisk(
        "separate tests/data/logistic/wdbc.csv --target benign --features mean_texture,mean_smoothness,mean_compactness,mean_symmetry,mean_fractal_dimension,texture_error,smoothness_error,symmetry_error --budget 300ms --json",
    );
    let found = json_with_code(&output, 3);
    assert_eq!(found["optimal"], false);
    assert!(number(&found["lower_bound"]) < number(&found["mistakes"]));
}
