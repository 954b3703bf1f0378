//! `cargo xtask bench`: accuracy and speed, beside the peers and the limits of the machine, as a report.
//!
//! Everyone gets the same number of threads. Measuring is a program of the package minrisk-benches,
//! rendering is minrisk-report; the records between them stay in `target/report/report.json`.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::openblas;
use crate::peers;
use crate::shell::{Outcome, cargo, run, target};

#[derive(Args)]
pub(crate) struct Options {
    /// Fewer shapes and repetitions: within 5 minutes, once everything is compiled
    #[arg(long)]
    quick: bool,
    /// Only what contains this in its name, such as `lasso/` or `accuracy`
    #[arg(long)]
    filter: Option<String>,
    /// `all` peers that can be had, `none`, or those whose names contain one of these, such as `glum,celer`
    /// [default: all, or none where a baseline is compared]
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Threads for everyone; one means that everyone shares one core, too
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// `save NAME` keeps the program that was built, with its records; `compare NAME` has that program take
    /// turns with today's and says what changed beyond noise
    #[arg(long, num_args = 2, value_names = ["ACTION", "NAME"])]
    baseline: Vec<String>,
}

/// What to do with a baseline.
enum Baseline {
    None,
    Save(PathBuf),
    Compare(PathBuf),
}

pub(crate) fn bench(options: &Options) -> Outcome {
    let baseline = Baseline::of(&options.baseline)?;
    if options.threads == 0 {
        return Err("--threads 0: at least one thread is needed".into());
    }
    let folder = target().join("report");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let records = folder.join("report.json");
    let mut measure = Command::new(built_program()?);
    measure.arg("--output").arg(&records);
    measure.arg("--threads").arg(options.threads.to_string());
    if options.quick {
        measure.arg("--quick");
    }
    if let Some(filter) = &options.filter {
        measure.arg("--filter").arg(filter);
    }
    match &baseline {
        Baseline::None => {}
        Baseline::Save(folder) => drop(measure.arg("--save").arg(folder)),
        Baseline::Compare(folder) => drop(measure.arg("--against").arg(folder)),
    }
    let wanted = |names: &str| options.peers.iter().any(|peer| peer == names);
    // What changed in ours is no matter of the peers, who take most of the time.
    let ours_alone = options.peers.is_empty() && matches!(baseline, Baseline::Compare(_));
    if !wanted("none") && !ours_alone {
        for program in peers::programs() {
            measure.arg("--peer-program").arg(program);
        }
        if !wanted("all") && !options.peers.is_empty() {
            measure.arg("--peers").arg(options.peers.join(","));
        }
    }
    for variable in THREADS {
        measure.env(variable, options.threads.to_string());
    }
    run(&mut measure)?;
    run(&mut report_program()?)
}

/// The program that measures, built in one go with the one that users call, which it expects beside itself.
fn built_program() -> Outcome<PathBuf> {
    let mut build = cargo("build");
    build.args(["--quiet", "--release"]);
    build.args(["--package=minrisk-benches", "--bin=measure"]);
    build.args(["--package=minrisk-cli", "--bin=minrisk"]);
    if openblas::is_installed() {
        build.arg("--features=minrisk-benches/ndarray");
    }
    run(&mut build)?;
    Ok(target().join("release").join(format!("measure{EXE_SUFFIX}")))
}

/// The program that renders the saved records, to be given further arguments.
pub(crate) fn report_program() -> Outcome<Command> {
    let folder = target().join("report");
    let records = folder.join("report.json");
    if !records.exists() {
        return Err("there are no records yet: `cargo xtask bench` measures them".into());
    }
    let mut report = cargo("run");
    report.args(["--quiet", "--release", "--package=minrisk-report", "--"]);
    report.arg("--records").arg(records).arg("--output").arg(folder);
    Ok(report)
}

/// Where libraries read how many threads they may use.
const THREADS: [&str; 7] = [
    "RAYON_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
];

impl Baseline {
    fn of(words: &[String]) -> Outcome<Self> {
        let [action, name] = words else { return Ok(Baseline::None) };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !name.chars().all(plain) || name.starts_with('.') {
            return Err(format!(
                "--baseline {action} {name}: a name is letters, digits, - _ and ."
            ));
        }
        let path = target().join("report/baselines").join(name);
        match action.as_str() {
            "save" => Ok(Baseline::Save(path)),
            "compare" if path.exists() => Ok(Baseline::Compare(path)),
            "compare" => {
                Err(format!("there is no baseline {name}: `--baseline save {name}` makes it"))
            }
            _ => Err(format!("--baseline {action}: `save` or `compare` is expected")),
        }
    }
}
