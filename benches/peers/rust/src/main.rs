//! linfa and smartcore behind the protocol of the benchmark report.
//!
//! Reads one JSON request a line and answers with one line: see benches/src/peers/mod.rs. Objectives are
//! translated from Σ loss + λ₁‖w‖₁ + λ₂‖w‖² (total scale, squares without a half) to each library's own.

mod methods;
mod problem;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use methods::METHODS;
use problem::Problem;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    Hello(()),
    Load { path: String },
    Run { task: String, method: String, tolerance: f64, parameters: Parameters },
}

/// The numbers of a problem that these libraries can solve.
#[derive(Deserialize)]
struct Parameters {
    lambda: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Error { error: String },
    Hello { versions: BTreeMap<&'static str, &'static str>, absent: BTreeMap<String, String>, offers: BTreeMap<&'static str, Vec<&'static str>> },
    Loaded {},
    Fit { seconds: f64, coefficients: [Vec<f64>; 1], intercepts: [f64; 1] },
}

fn main() -> std::io::Result<()> {
    let mut problem = None;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = answer(&line?, &mut problem).unwrap_or_else(|error| Answer::Error { error });
        serde_json::to_writer(&mut output, &answer)?;
        writeln!(output)?;
        output.flush()?;
    }
    Ok(())
}

fn answer(line: &str, problem: &mut Option<Problem>) -> Result<Answer, String> {
    match serde_json::from_str(line).map_err(|error| error.to_string())? {
        Request::Hello(()) => Ok(hello()),
        Request::Load { path } => {
            *problem = Some(Problem::read(&path).map_err(|error| format!("{path}: {error}"))?);
            Ok(Answer::Loaded {})
        }
        Request::Run { task, method, tolerance, parameters } => {
            let problem = problem.as_ref().ok_or("nothing was loaded")?;
            let known = METHODS.iter().find(|known| known.task == task && known.name == method);
            let known = known.ok_or_else(|| format!("{method} does not solve {task}"))?;
            let start = Instant::now();
            let (coefficients, intercept) = (known.fit)(problem, tolerance, parameters.lambda)?;
            let seconds = start.elapsed().as_secs_f64();
            Ok(Answer::Fit { seconds, coefficients: [coefficients], intercepts: [intercept] })
        }
    }
}

fn hello() -> Answer {
    let mut offers = BTreeMap::<_, Vec<_>>::new();
    for method in METHODS {
        offers.entry(method.task).or_default().push(method.name);
    }
    // The versions that Cargo.toml pins.
    let versions = BTreeMap::from([("linfa", "0.8.1"), ("smartcore", "0.7.0")]);
    Answer::Hello { versions, absent: BTreeMap::new(), offers }
}
