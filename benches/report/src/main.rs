//! Renders the report from the records of a run; `cargo xtask report` runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use minrisk_report::record::Run;
use minrisk_report::{comparison, markdown, tables};

/// Renders the report from the records of a run.
#[derive(Parser)]
struct Arguments {
    /// The records
    #[arg(long)]
    records: PathBuf,
    /// The folder that the report is written to
    #[arg(long)]
    output: PathBuf,
    /// Put tables into this file, between its marks, and pictures into the folder docs beside it
    #[arg(long)]
    readme: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let run = load(&arguments.records)?;
    minrisk_report::write(&arguments.output, &run)?;
    print!("{}", markdown::table(&tables::summary(&run)));
    if let Some(comparison) = &run.comparison {
        println!("\n{}", comparison::in_short(comparison, &run));
    }
    if let Some(readme) = &arguments.readme {
        update_readme(readme, &arguments.output, &run)?;
    }
    println!("\n{}", arguments.output.join("index.html").display());
    Ok(())
}

fn load(path: &Path) -> Result<Run, String> {
    let json = fs::read_to_string(path);
    let json = json.map_err(|error| format!("{}: {error}", path.display()))?;
    Run::from_json(&json).map_err(|error| format!("{}: {error}", path.display()))
}

/// Replaces what stands between `<!-- report:NAME -->` and `<!-- report -->`, and copies the pictures.
fn update_readme(readme: &Path, output: &Path, run: &Run) -> Result<(), String> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    let mut page = fs::read_to_string(readme).map_err(failed(readme))?;
    // A run with a filter has no figures for the rest, and leaves what is there.
    let accuracy = (!run.nist.is_empty()).then(|| markdown::table(&tables::nist(run)));
    let speed = (!run.lines.is_empty()).then(|| {
        format!("{}\n\n{}", markdown::command(run), markdown::table(&tables::summary(run)))
    });
    let blocks = [("accuracy", accuracy), ("speed", speed)];
    let blocks = blocks.into_iter().filter_map(|(name, block)| Some((name, block?)));
    for (name, block) in blocks {
        let (open, close) = (format!("<!-- report:{name} -->\n"), "<!-- report -->");
        let from = page.find(&open).ok_or_else(|| format!("{}: no {open}", readme.display()))?
            + open.len();
        let length = page[from..].find(close);
        let length =
            length.ok_or_else(|| format!("{}: no {close} after {open}", readme.display()))?;
        page.replace_range(from..from + length, &format!("{}\n", block.trim_end()));
    }
    fs::write(readme, page).map_err(failed(readme))?;
    let docs = readme.with_file_name("docs");
    fs::create_dir_all(&docs).map_err(failed(&docs))?;
    for picture in ["digits.svg", "scaling.svg", "ratios.svg"] {
        let from = output.join(picture);
        if from.exists() {
            fs::copy(&from, docs.join(picture)).map_err(failed(&from))?;
        }
    }
    Ok(())
}
