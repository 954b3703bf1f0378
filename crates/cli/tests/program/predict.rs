//! Models that are saved, used again and re-checked.

use std::fs;

use super::{error, file, minrisk, program, temporary, text};

fn saved(name: &str, command: &str) -> String {
    let path = temporary(name).display().to_string();
    let output = minrisk(&format!("{command} --save {path}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

#[test]
fn numbers_are_predicted_exactly() {
    let model = saved("cars.json", "fit data/cars.csv --target price");
    let rows = file("ages.csv", "colour,age\nred,6\nblue,3\n");
    assert_eq!(
        text(&minrisk(&format!("predict {model} {rows}"))),
        "prediction\n4821.709006928407\n6328.983833718245\n"
    );
    let mut command = program();
    command.args(["predict", &model, "-"]).write_stdin("age\n6\n");
    assert_eq!(text(&command.output().unwrap()), "prediction\n4821.709006928407\n");
    let out = temporary("predictions.csv");
    text(&minrisk(&format!("predict {model} {rows} --out {}", out.display())));
    assert_eq!(fs::read_to_string(out).unwrap().lines().count(), 3);
}

#[test]
fn polynomials_and_labels_are_predicted() {
    let model = saved("cubic.json", "fit data/cars.csv --target price --degree 3");
    let rows = file("age.csv", "age\n4\n");
    assert!(text(&minrisk(&format!("predict {model} {rows}"))).starts_with("prediction\n"));
    let model = saved("widths.json", "fit data/iris.csv --target petal_width");
    let header = "class,petal_length,sepal_width,sepal_length\n";
    let rows = file("flowers.csv", format!("{header}virginica,6.0,2.5,6.3\nsetosa,1.4,3.5,5.1\n"));
    assert_eq!(text(&minrisk(&format!("predict {model} {rows}"))).lines().count(), 3);
    let unknown = file("unknown.csv", format!("{header}rose,6.0,2.5,6.3\nrose,1.4,3.5,5.1\n"));
    let message = error(&minrisk(&format!("predict {model} {unknown}")));
    assert!(message.contains("`rose` did not occur in training"), "{message}");
}

#[test]
fn probabilities_and_doubts() {
    let model = saved(
        "o-rings.json",
        "fit tests/data/logistic/oring_temp.csv --target fail --loss logistic",
    );
    let rows = file("temperatures.csv", "temperature\n31\n65\n80\n");
    let lines = text(&minrisk(&format!("predict {model} {rows} --proba --unsure 0.3,0.7")));
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "prediction,probability");
    assert!(lines[1].starts_with("1,0.999") && lines[2].starts_with("unsure,0.4"));
    assert!(lines[3].starts_with("0,0.0"));
    let model = saved("iris.json", "fit data/iris.csv --target class --l2 1");
    let lines = text(&minrisk(&format!("predict {model} data/iris.csv --proba")));
    assert!(lines.starts_with("prediction,probability=setosa,probability=versicolor"));
    let first: Vec<f64> =
        lines.lines().nth(1).unwrap().split(',').skip(1).map(|p| p.parse().unwrap()).collect();
    assert!((first.iter().sum::<f64>() - 1.0).abs() < 1e-12 && first[0] > 0.9);
    let right = lines
        .lines()
        .skip(1)
        .zip(
            fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/iris.csv"))
                .unwrap()
                .lines()
                .skip(1),
        )
        .filter(|(found, row)| found.split(',').next() == row.rsplit(',').next())
        .count();
    assert!(right >= 145, "{right}");
}

#[test]
fn missing_values_are_named_or_left_empty() {
    let model = saved("ages.json", "fit data/cars.csv --target price");
    let rows = file("gap.csv", "age,x\n6,1\n,2\n3,3\n");
    let message = error(&minrisk(&format!("predict {model} {rows}")));
    assert!(message.contains("line 3, column `age`"), "{message}");
    let lines = text(&minrisk(&format!("predict {model} {rows} --drop-missing")));
    assert_eq!(lines, "prediction\n4821.709006928407\n\"\"\n6328.983833718245\n");
}

#[test]
fn certificates_are_re_checked() {
    for (name, command, data) in [
        ("check-line", "fit data/longley.csv --target employed", "data/longley.csv"),
        (
            "check-ridge",
            "fit data/longley.csv --target employed --l2 0.5 --scale mean",
            "data/longley.csv",
        ),
        ("check-labels", "fit data/iris.csv --target petal_width", "data/iris.csv"),
        ("check-power", "fit data/cars.csv --target price --degree 2", "data/cars.csv"),
        ("check-lasso", "fit data/iris.csv --target petal_width --l1 5", "data/iris.csv"),
        ("check-median", "fit data/cars.csv --target price --loss absolute", "data/cars.csv"),
        ("check-softmax", "fit data/iris.csv --target class --l2 1", "data/iris.csv"),
        (
            "check-svm",
            "fit data/iris.csv --target class --positive setosa --loss hinge --l2 1",
            "data/iris.csv",
        ),
    ] {
        let model = saved(&format!("{name}.json"), command);
        let output = minrisk(&format!("verify {model} {data}"));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{name}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        assert!(text(&output).contains("holds"));
    }
}

#[test]
fn tampering_is_found() {
    let model = saved("honest.json", "fit data/cars.csv --target price");
    let contents = fs::read_to_string(&model).unwrap();
    let bent = file("bent.json", contents.replace("-502.42494226327943", "-502.42494226327"));
    let output = minrisk(&format!("verify {bent} data/cars.csv"));
    assert_eq!(output.status.code(), Some(1));
    let other =
        minrisk(&format!("verify {model} {}", file("other.csv", "age,price\n1,2\n2,3\n3,5\n")));
    assert_eq!(other.status.code(), Some(1));
}

#[test]
fn files_that_are_no_models_are_refused() {
    let model = saved("parts.json", "fit data/cars.csv --target price");
    let contents = fs::read_to_string(&model).unwrap();
    for (name, contents) in [
        ("text.json", "hello".to_string()),
        ("list.json", "[1, 2]".to_string()),
        ("format.json", contents.replace("minrisk model 1", "minrisk model 9")),
        ("short.json", contents.replace("\"age\"", "\"agee\"").replace("-502.42494226327943", "")),
    ] {
        let message = error(&minrisk(&format!("predict {} data/cars.csv", file(name, contents))));
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn unfinished_fits_are_saved_without_what_they_cannot_prove() {
    let path = temporary("unfinished.json").display().to_string();
    let output = minrisk(&format!(
        "fit data/iris.csv --target class --positive virginica --solver gradient-descent --max-iterations 5 --save {path}"
    ));
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text(&minrisk(&format!("predict {path} data/iris.csv"))).lines().count(), 151);
    let constant = file("always.csv", "x,y\n1,5\n2,5\n3,5\n");
    let model = saved("always.json", &format!("fit {constant} --target y"));
    text(&minrisk(&format!("verify {model} {constant}")));
}
