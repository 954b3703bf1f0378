//! Measures everything and writes the records as JSON; `cargo xtask bench` runs it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use minrisk_benches::bench::Bench;
use minrisk_benches::duel::take_turns;
use minrisk_benches::limits::limits;
use minrisk_benches::peers::Peers;
use minrisk_benches::{accuracy, baseline, machine, nist, scaling};
use minrisk_report::record::{FORMAT, Peer, Run, Settings};

/// Measures accuracy and speed and writes the records as JSON.
#[derive(Parser)]
struct Arguments {
    /// Fewer shapes and repetitions
    #[arg(long)]
    quick: bool,
    /// Only what contains this in its name
    #[arg(long)]
    filter: Option<String>,
    /// Only peers whose name contains one of these; `none` for none
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// A peers' program: what it speaks for, `=`, its command line, or `!` and why it is not there
    #[arg(long = "peer-program", value_name = "WHAT=COMMAND")]
    programs: Vec<String>,
    /// Threads for everyone; one means one core for everyone, too
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Where the records are written
    #[arg(long)]
    output: PathBuf,
    /// Keep this program and its records in a folder
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// Have the program that is kept in a folder take turns with this one
    #[arg(long, value_name = "FOLDER")]
    against: Option<PathBuf>,
}

/// One side of a duel.
#[derive(Parser)]
struct Side {
    /// The line that ours is run on when asked to on standard input
    #[arg(long, value_name = "LINE")]
    turns: String,
    /// Where files of that line are left, and found again
    #[arg(long)]
    folder: PathBuf,
}

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("--turns") => {
            let side = Side::parse();
            take_turns(&side.turns, &side.folder)
        }
        _ => run(&Arguments::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let core = if arguments.threads == 1 { machine::stay_on_one_core() } else { None };
    let mut progress = |what: &str| {
        // Not being able to show progress is no reason to stop measuring.
        let _ = writeln!(std::io::stderr(), "[{:>4.0} s] {what}", start.elapsed().as_secs_f64());
    };
    let folder = arguments.output.with_extension("data");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let against = arguments.against.as_ref();
    let against = against.map(|kept| baseline::open(kept, &folder, arguments.quick));
    let (rivals, comparison) = against.transpose()?.unzip();
    progress("limits of the machine");
    let (machine, limits) = (machine::here(), limits());
    progress("starting peers");
    let peers = start_peers(arguments)?;
    let wants = |part: &str| {
        arguments
            .filter
            .as_ref()
            .is_none_or(|filter| filter.starts_with(part) || part.starts_with(filter.as_str()))
    };
    let accuracy = if wants("accuracy") { accuracy::measure(&mut progress) } else { Vec::new() };
    let nist = if wants("accuracy") { nist::measure() } else { Vec::new() };
    let scaling = match wants("scaling") {
        true => scaling::measure(arguments.quick, &mut progress),
        false => Vec::new(),
    };
    let run = Run {
        format: FORMAT,
        machine,
        settings: Settings {
            quick: arguments.quick,
            threads: arguments.threads,
            core,
            filter: arguments.filter.clone(),
            seconds: 0.0,
        },
        limits,
        peers: peers.list().into_iter().chain(missing_backends()).collect(),
        accuracy,
        nist,
        scaling,
        lines: Vec::new(),
        comparison,
    };
    let mut bench = Bench {
        run,
        start,
        output: arguments.output.clone(),
        folder: folder.clone(),
        peers,
        rivals,
        progress: &mut progress,
    };
    bench.measure()?;
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    match &arguments.save {
        Some(kept) => baseline::save(kept, &arguments.output),
        None => Ok(()),
    }
}

fn start_peers(arguments: &Arguments) -> Result<Peers, String> {
    let mut commands = Vec::new();
    for program in &arguments.programs {
        let (what, command) = program
            .split_once('=')
            .ok_or_else(|| format!("--peer-program {program}: expected WHAT=COMMAND"))?;
        let command = match command.strip_prefix('!') {
            Some(reason) => Err(reason.to_string()),
            None => Ok(command.split('\t').map(str::to_string).collect()),
        };
        commands.push((what.to_string(), command));
    }
    let wanted = |method: &str| {
        let method = method.to_lowercase();
        arguments.peers.is_empty()
            || arguments.peers.iter().any(|peer| method.contains(peer.as_str()))
    };
    Ok(Peers::start(&commands, wanted))
}

fn missing_backends() -> Option<Peer> {
    let reason = "OpenBLAS was not found with pkg-config; `cargo xtask test --install` installs it";
    (!cfg!(feature = "ndarray"))
        .then(|| Peer { name: "ndarray with LAPACK".to_string(), found: Err(reason.to_string()) })
}
