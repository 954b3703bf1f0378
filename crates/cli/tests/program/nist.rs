//! The digits of the NIST Statistical Reference Datasets.

use serde_json::Value;

use super::{json, minrisk, number, numbers};

/// Correct digits of the worst coefficient: those that the data leaves once it is rounded to doubles, with
/// exact powers for polynomials.
#[test]
fn linear_sets_have_their_certified_digits() {
    let promised = [
        ("Norris", "", 14.0),
        ("Pontius", "--degree 2", 13.4),
        ("NoInt1", "--no-intercept", 14.6),
        ("NoInt2", "--no-intercept", 15.0),
        ("Filip", "--degree 10", 13.9),
        ("Longley", "", 14.5),
        ("Wampler1", "--degree 5", 15.0),
        ("Wampler2", "--degree 5", 13.1),
        ("Wampler3", "--degree 5", 15.0),
        ("Wampler4", "--degree 5", 15.0),
        ("Wampler5", "--degree 5", 15.0),
    ];
    let certified = read("tests/data/nist-linear/certified.json");
    for (name, arguments, digits) in promised {
        let command =
            format!("fit tests/data/nist-linear/{name}.csv --target y --json {arguments}");
        let fit = json(&minrisk(&command));
        let mut found: Vec<f64> = fit["intercept"].as_f64().into_iter().collect();
        found.extend(numbers(&fit["coefficients"]));
        let sets = certified["datasets"].as_array().unwrap();
        let set = sets.iter().find(|set| set["name"] == name).unwrap();
        let exact = set["coef"].as_array().unwrap();
        assert_eq!(found.len(), exact.len(), "{name}");
        for (found, exact) in found.iter().zip(exact) {
            let exact: f64 = exact.as_str().unwrap().parse().unwrap();
            let error = (found - exact).abs() / if exact == 0.0 { 1.0 } else { exact.abs() };
            assert!(error <= 10_f64.powf(-digits), "{name}: {found} is not {exact}");
        }
        assert_eq!(fit["verified"], true, "{name}");
        let deviation: f64 = set["resid_sd"].as_str().unwrap().parse().unwrap();
        let found = number(&fit["summary"]["statistics"]["residual_standard_deviation"]);
        assert!((found - deviation).abs() <= 1e-8 * deviation.max(1e-3), "{name}: σ̂ = {found}");
    }
}

fn read(path: &str) -> Value {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}
