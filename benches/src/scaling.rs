//! Time of least squares over the number of rows and over the number of columns, beside the limit.
//!
//! The limit is the Gram matrix, m·d² operations at the peak, or reading the data once, whichever takes
//! longer: no method that forms either can be faster.

use minrisk_core::Erm;
use minrisk_core::least_squares::Method;
use minrisk_core::loss::Squared;
use minrisk_core::penalty::Unpenalised;

use crate::contestants::{closed_form, contestants};
use crate::measure::{Repetitions, Timed, interleave, timed};
use crate::problem::{Layout, Problem};
use minrisk_report::record::ScalingRecord;

/// Columns while rows vary.
const COLS: usize = 50;

/// Rows while columns vary.
const ROWS: usize = 5_000;

/// Measures both curves.
pub fn measure(quick: bool, mut progress: impl FnMut(&str)) -> Vec<ScalingRecord> {
    let most_rows: usize = if quick { 100_000 } else { 1_000_000 };
    let by_rows = (0..).map(|k| (10_f64.powf(3.0 + 0.5 * f64::from(k))).round() as usize);
    let by_rows = by_rows.take_while(|rows| *rows <= most_rows).map(|rows| ("rows", rows, COLS));
    let most_cols: usize = if quick { 200 } else { 800 };
    let by_cols = (0..).map(|k| 6 << k).take_while(|cols| *cols <= most_cols);
    let by_cols = by_cols.map(|cols| ("cols", ROWS, cols));
    let mut records: Vec<ScalingRecord> = Vec::new();
    for (varied, rows, cols) in by_rows.chain(by_cols) {
        progress(&format!("scaling/{varied}/{rows}x{cols}"));
        let patience = if quick { 0.3 } else { 2.0 };
        let slow =
            |record: &&ScalingRecord| record.varied == varied && record.timing.median > patience;
        let slow: Vec<String> =
            records.iter().filter(slow).map(|record| record.contestant.clone()).collect();
        records.extend(at(quick, (varied, rows, cols), &slow));
    }
    records
}

/// Everyone at one shape, but for those who were slow at a smaller one.
fn at(
    quick: bool,
    (varied, rows, cols): (&str, usize, usize),
    slow: &[String],
) -> Vec<ScalingRecord> {
    let problem = Problem::random(rows, cols, Layout::Rows);
    let erm = Erm::new(Squared, Unpenalised);
    let all = contestants();
    let auto = closed_form(Method::Auto);
    let (mut names, mut runs): (Vec<_>, Vec<Timed<'_>>) = (Vec::new(), Vec::new());
    for contestant in &all {
        let ours = format!("minrisk on {}", contestant.name);
        for (name, solver) in [(ours.as_str(), &auto), (contestant.native_name, &contestant.native)]
        {
            if !slow.iter().any(|slow| slow == name) {
                names.push((name.to_string(), name == ours));
                let (erm, problem) = (&erm, &problem);
                runs.push(timed(move || solver.solve(contestant.backend, erm, &problem.data())));
            }
        }
    }
    let seconds = if quick { 0.3 } else { 1.5 };
    let timings = interleave(&mut runs, Repetitions { most: 9, seconds });
    let found = names.into_iter().zip(timings);
    let found = found.filter_map(|((contestant, ours), timing)| {
        Some(ScalingRecord {
            problem: "least squares".to_string(),
            contestant,
            ours,
            varied: varied.to_string(),
            rows,
            cols,
            timing: timing.ok()?,
            work: problem.gram(),
        })
    });
    found.collect()
}
