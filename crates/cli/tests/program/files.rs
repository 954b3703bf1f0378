//! How files may be written, and what is wrong with those that cannot be read.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json as value;

use super::{error, file, json, minrisk, on, program};

#[test]
fn odd_files_are_read() {
    for (name, contents) in [
        ("crlf.csv", "x,y\r\n1,2\r\n2,4\r\n3,6\r\n"),
        ("bom.csv", "\u{feff}x,y\n1,2\n2,4\n3,6\n"),
        ("quoted.csv", "\"x\",\"y\"\n\"1\",\"2\"\n\"2\",\"4\"\n\"3\",\"6\"\n"),
        ("spaces.csv", " x , y \n 1 , 2 \n 2 , 4 \n 3 , 6 \n"),
        ("no-newline.csv", "x,y\n1,2\n2,4\n3,6"),
        ("forms.csv", "x,y\n1.0,+2\n2e0,.4e1\n3.,6.\n"),
        ("tabs.tsv", "x\ty\n1\t2\n2\t4\n3\t6\n"),
        ("semicolons.csv", "x;y\n1,0;2\n2,0;4\n3,0;6\n"),
        ("bars.csv", "x|y\n1|2\n2|4\n3|6\n"),
        ("blank-lines.csv", "x,y\n\n1,2\n2,4\n\n3,6\n\n"),
        ("thousands.csv", "x,y\n\"1,000\",\"2,000\"\n\"2,000\",\"4,000\"\n3000,6000\n"),
    ] {
        let fit = json(&on("fit", name, contents, "--target y --json"));
        assert_eq!(fit["coefficients"], value!([2.0]), "{name}");
        assert_eq!(fit["intercept"], 0.0, "{name}");
    }
}

#[test]
fn gzip_and_standard_input_are_read() {
    let contents = b"x,y\n1,2\n2,4\n3,6\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(contents).unwrap();
    let gzip = encoder.finish().unwrap();
    let fit = json(&minrisk(&format!("fit {} --target y --json", file("zipped.csv.gz", &gzip))));
    assert_eq!(fit["coefficients"], value!([2.0]));
    for input in [contents.to_vec(), gzip.clone()] {
        let mut command = program();
        command.args(["fit", "-", "--target", "y", "--json"]).write_stdin(input);
        assert_eq!(json(&command.output().unwrap())["coefficients"], value!([2.0]));
    }
    let cut = file("cut.csv.gz", &gzip[..gzip.len() - 9]);
    assert!(error(&minrisk(&format!("fit {cut} --target y"))).contains("cut.csv.gz"));
}

#[test]
fn files_without_a_header_number_their_columns() {
    let rows = "1,2\n2,4\n3,6\n";
    for arguments in ["--target x2", "--target 2", "--target 2 --no-header"] {
        let fit = json(&on("fit", "headless.csv", rows, &format!("{arguments} --json")));
        assert_eq!(fit["features"], value!(["x1"]));
        assert_eq!(fit["coefficients"], value!([2.0]));
    }
    let labelled = "5.1,a\n4.9,b\n4.7,a\n5.0,b\n";
    let fit = json(&on("fit", "headless-labels.csv", labelled, "--target 1 --json"));
    assert_eq!(fit["features"], value!(["x2=b"]));
    // Names that are numbers are found by being asked for.
    let years = "country,2019,2020\nA,1,2\nB,2,4\nC,3,6\n";
    let arguments = "--target 2020 --exclude country --json";
    let fit = json(&on("fit", "years.csv", years, arguments));
    assert_eq!(fit["features"], value!(["2019"]));
}

#[test]
fn rows_with_missing_values_can_be_left_out() {
    let rows = "x,y\n1,2\nNA,3\n2,4\n5,\n3,6\n";
    let fit = json(&on("fit", "gaps.csv", rows, "--target y --drop-missing --json"));
    assert_eq!(fit["coefficients"], value!([2.0]));
    assert_eq!(fit["warnings"], value!(["2 rows with missing values were left out"]));
    let empty = error(&on("fit", "all-gaps.csv", "x,y\n1,\n,2\n", "--target y --drop-missing"));
    assert!(empty.contains("every row has a missing value"), "{empty}");
}

#[test]
fn bad_files_are_explained() {
    for (name, contents, explanation) in [
        ("empty.csv", "", "the file is empty"),
        ("blank.csv", "\n\n\n", "the file is empty"),
        ("header-only.csv", "x,y\n", "there are no rows below the header"),
        ("ragged.csv", "x,y\n1,2\n1,2,3\n", "line 3 has 3 fields, but the first line has 2"),
        ("text.csv", "x,y\n1,2\nred,3\n", "line 3, column `x`: `red` is not a number"),
        ("late.csv", "x,y\nred,2\n7,3\n", "line 3, column `x`: 7 is a number"),
        ("missing.csv", "x,y\n1,2\n,3\n", "line 3, column `x`: the value is missing"),
        ("nan.csv", "x,y\n1,2\nNaN,3\n", "line 3, column `x`: the value is missing"),
        ("huge.csv", "x,y\n1,2\n1e999,3\n", "line 3, column `x`: 1e999 is too large"),
        ("infinite.csv", "x,y\n1,2\ninf,3\n", "line 3, column `x`: inf is too large"),
        ("twice.csv", "x,x,y\n1,2,3\n4,5,6\n", "two features are called `x`"),
        ("utf-16.csv", "\u{0}", "there is no column `y`"),
        ("names.csv", &names(), "column `name` has another label in every row"),
        ("same.csv", "x,c,y\n1,a,2\n2,a,3\n", "column `c` has the same label in every row"),
        ("nothing.csv", "x,c,y\n1,,2\n2,,3\n", "column `c` has no values"),
        ("overflow.csv", "x,y\n1,1e300\n2,-1e300\n3,0\n", "overflow or vanish in doubles"),
    ] {
        let message = error(&on("fit", name, contents, "--target y"));
        assert!(message.contains(explanation), "{name}: {message}");
    }
    let bytes = file("latin.csv", b"x,c,y\n1,a\xff,2\n2,b,4\n");
    assert!(error(&minrisk(&format!("fit {bytes} --target y"))).contains("not valid UTF-8"));
    let utf16 = file("utf-16-le.csv", b"\xff\xfex\x00,\x00y\x00\n\x00");
    assert!(error(&minrisk(&format!("fit {utf16} --target y"))).contains("UTF-16"));
}

fn names() -> String {
    let row = |k: u8| format!("{}{},{k},{}\n", char::from(b'a' + k), "bc", 2 * k);
    "name,x,y\n".to_string() + &(0..12).map(row).collect::<String>()
}

#[test]
fn one_column_is_fitted_by_its_mean() {
    let fit = json(&on("fit", "one.csv", "y\n1\n2\n6\n", "--target y --json"));
    assert_eq!((&fit["intercept"], &fit["features"]), (&value!(3.0), &value!([])));
}

#[test]
fn files_are_described() {
    let rows = "a,b,c,d\n1,2,red,1\n2,4,blue,\n3,6,red,4\n4,8,red,2\n5,10,blue,9\n";
    let info = json(&on("info", "info.csv", rows, "--json"));
    assert_eq!(info["rows"], 5);
    assert_eq!(info["columns"][2]["type"], "label");
    assert_eq!(info["columns"][3]["missing"], 1);
    assert_eq!((&info["numeric"], &info["rank"]), (&value!(3), &value!(2)));
    assert_eq!(info["dependent"], value!(["b = 2·a"]));
    assert_eq!(info["complete_rows"], 4);
    // What no fit could use is still described.
    let mixed = json(&on("info", "mixed.csv", "a,b\n1,2\nred,4\n3,6\n", "--json"));
    assert_eq!(mixed["columns"][0]["type"], "text");
}
