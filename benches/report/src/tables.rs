//! What the report says, in order.

use crate::pictures::{self, in_order};
use crate::record::{Entry, Limits, Line, Measure, Run};
use crate::{Part, Section, Table, Tone, text};

/// All sections.
pub fn sections(run: &Run) -> Result<Vec<Section>, String> {
    let mut sections = Vec::new();
    let mut add = |heading: &str, parts: Vec<Part>| {
        sections.push(Section { heading: heading.to_string(), parts });
    };
    if !run.lines.is_empty() {
        let mut parts = vec![
            Part::Paragraph(format!("{} {SUMMARY}", standing(run))),
            Part::Table(summary(run)),
        ];
        if run.lines.iter().any(|line| line.ratio().is_some()) {
            parts.push(Part::Pictures(vec![pictures::ratios(run)?]));
        }
        add("Ours, the best peer, the limit", parts);
    }
    let ladders = pictures::ladders(run)?;
    if !ladders.is_empty() {
        let parts = vec![Part::Paragraph(LADDERS.to_string()), Part::Pictures(ladders)];
        add("Time against accuracy", parts);
    }
    if !run.accuracy.is_empty() {
        let mut parts = vec![Part::Paragraph(DIGITS.to_string())];
        for (k, backend) in run.machine.backends.iter().enumerate() {
            let charts = Part::Pictures(pictures::digits(run, backend)?);
            match k {
                0 => parts.push(charts),
                _ => parts.push(Part::Folded(format!("On {backend}"), vec![charts])),
            }
        }
        parts.push(Part::Folded(
            "Backward errors and times".to_string(),
            vec![Part::Table(errors(run))],
        ));
        add("Digits against the condition number", parts);
    }
    if !run.nist.is_empty() {
        add(
            "NIST reference datasets",
            vec![Part::Paragraph(NIST.to_string()), Part::Table(nist(run))],
        );
    }
    if !run.scaling.is_empty() {
        let parts =
            vec![Part::Paragraph(SCALING.to_string()), Part::Pictures(pictures::scaling(run)?)];
        add("Time against rows and columns", parts);
    }
    if !run.lines.is_empty() {
        let each = run.lines.iter().map(|line| {
            let said = format!(
                "Accuracy: {}. Limit: {}, {}.",
                line.accuracy,
                line.limit_is,
                text::seconds(run.limits.least(line.work))
            );
            Part::Folded(
                line.title.clone(),
                vec![Part::Paragraph(said), Part::Table(entries(line, &run.limits))],
            )
        });
        add("Everyone on every line", each.collect());
    }
    add("Peers and machine", vec![Part::Table(peers(run)), Part::Table(machine(run))]);
    Ok(sections)
}

const SUMMARY: &str = "Medians of interleaved repetitions on the same data in the same run, the same \
    number of threads for everyone. Only times at the accuracy that a line asks for count; it was \
    checked by minrisk's verify on each one's own coefficients. The ratio is the best peer's time over \
    ours: below 1 we are behind.";
const LADDERS: &str = "Every peer is given tighter and tighter tolerances until its coefficients are \
    within 10⁻⁸ of the minimum, relative to the objective. Down and to the left is better.";
const DIGITS: &str = "Correct digits of the worst coefficient against the exact rational solution of \
    the doubles as given; 18 means equal to the nearest double or better. A solver that refuses a design \
    has no point there. Residuals are a millionth of the target.";
const NIST: &str = "Correct digits of the worst coefficient, against the certified values (at most 15), \
    and against the exact solution of the data as rounded to doubles.";
const SCALING: &str = "Least squares with an intercept, row-major. The limit is the Gram matrix at the \
    machine's peak, or reading the data once, whichever takes longer.";

/// On how many lines we are ahead, behind, or alone.
fn standing(run: &Run) -> String {
    let ratios = || run.lines.iter().filter_map(Line::ratio);
    let (ahead, behind) =
        (ratios().filter(|r| *r >= 1.0).count(), ratios().filter(|r| *r < 1.0).count());
    let alone = run.lines.len() - ahead - behind;
    format!(
        "Of {} lines minrisk is ahead on {ahead}, behind on {behind}, and has no peer to be compared with on {alone}.",
        run.lines.len()
    )
}

/// Ours, the best peer, the limit, one row for each line.
pub fn summary(run: &Run) -> Table {
    let mut table =
        Table::new(["problem", "ratio", "minrisk", "best peer", "its time", "limit", "× limit"]);
    for line in &run.lines {
        let dash = || "–".to_string();
        let limit = run.limits.least(line.work);
        let tone = match line.ratio() {
            None => Tone::Plain,
            Some(ratio) if ratio < 1.0 => Tone::Bad,
            Some(_) => Tone::Good,
        };
        let more = text::at_least(line.best_peer().is_some_and(|(peer, _)| peer.unfinished));
        let (peer, time) = match line.best_peer() {
            Some((entry, timing)) => {
                (entry.contestant.clone(), format!("{more}{}", text::seconds(timing.median)))
            }
            None => (no_peer(line), dash()),
        };
        let ours = line.best_of_ours().map(|(_, timing)| timing.median);
        table.row(
            tone,
            [
                line.title.clone(),
                line.ratio().map_or_else(dash, |ratio| format!("{more}{}", text::ratio(ratio))),
                ours.map_or_else(dash, text::seconds),
                peer,
                time,
                text::seconds(limit),
                ours.map_or_else(dash, |seconds| format!("{:.1}", seconds / limit)),
            ],
        );
    }
    table
}

/// Why a line has no peer to be compared with.
fn no_peer(line: &Line) -> String {
    if let Some((entry, timing, reached)) = line.closest_peer() {
        let (who, reached) = (&entry.contestant, accuracy(reached, line));
        return format!(
            "none gets there: {who} has {reached} after {}",
            text::seconds(timing.median)
        );
    }
    let failed = |entry: &Entry| Some((entry.contestant.clone(), entry.timing.clone().err()?));
    match line.entries.iter().filter(|entry| !entry.ours).find_map(failed) {
        Some((who, reason)) => format!("none answers: {who}: {reason}"),
        None => line.peerless.clone().unwrap_or_else(|| "none was there".to_string()),
    }
}

fn entries(line: &Line, limits: &Limits) -> Table {
    let limit = limits.least(line.work);
    let mut table = Table::new(["who", "time", "reached", "× limit", "note"]);
    for entry in &line.entries {
        let tone = if entry.counts { Tone::Plain } else { Tone::Faint };
        let (time, over) = match &entry.timing {
            Ok(timing) => (text::timing(timing), format!("{:.1}", timing.median / limit)),
            Err(_) => ("–".to_string(), "–".to_string()),
        };
        table.row(tone, [entry.contestant.clone(), time, reached(entry, line), over, note(entry)]);
    }
    table
}

fn reached(entry: &Entry, line: &Line) -> String {
    entry.reached.map_or_else(|| "–".to_string(), |value| accuracy(value, line))
}

/// An accuracy in the measure of a line.
fn accuracy(value: f64, line: &Line) -> String {
    match line.measure {
        Measure::Gap => format!("a gap of {}", text::gap(value)),
        Measure::Digits => format!("{value:.1} digits"),
        Measure::Mistakes => format!("{value} mistakes"),
        Measure::Work => "–".to_string(),
    }
}

fn note(entry: &Entry) -> String {
    let not_there = (!entry.counts && entry.timing.is_ok()).then(|| "does not count".to_string());
    let failed = entry.timing.as_ref().err().cloned();
    let parts = [not_there, failed, entry.note.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn errors(run: &Run) -> Table {
    let mut table = Table::new([
        "backend",
        "solver",
        "refused",
        "fewest digits",
        "false digits claimed",
        "largest backward error",
        "median time",
    ]);
    for backend in in_order(run.accuracy.iter().map(|record| record.backend.as_str())) {
        let of_backend = || run.accuracy.iter().filter(move |record| record.backend == backend);
        for solver in in_order(of_backend().map(|record| record.solver.as_str())) {
            let all = of_backend().filter(|record| record.solver == solver);
            let (solved, refused): (Vec<_>, Vec<_>) =
                all.partition(|record| record.outcome.is_ok());
            let solved: Vec<_> =
                solved.iter().filter_map(|record| record.outcome.as_ref().ok()).collect();
            let fewest = solved.iter().map(|a| a.digits).fold(f64::INFINITY, f64::min);
            let too_many = solved
                .iter()
                .filter(|a| a.claimed.is_some_and(|claimed| claimed > a.digits + 0.01));
            let backward = solved.iter().map(|a| a.backward_error).fold(0.0, f64::max);
            let mut times: Vec<f64> = solved.iter().map(|a| a.seconds).collect();
            times.sort_unstable_by(f64::total_cmp);
            table.row(
                Tone::Plain,
                [
                    backend.to_string(),
                    solver.to_string(),
                    refused.len().to_string(),
                    format!("{fewest:.1}"),
                    too_many.count().to_string(),
                    format!("{backward:.0e}"),
                    times.get(times.len() / 2).map_or("–".to_string(), |t| text::seconds(*t)),
                ],
            );
        }
    }
    table
}

/// Correct digits on the NIST sets, a column for each set.
pub fn nist(run: &Run) -> Table {
    let sets = in_order(run.nist.iter().map(|record| record.set.as_str()));
    let head = ["correct digits"].into_iter().chain(sets.iter().copied());
    let mut table = Table { head: head.map(str::to_string).collect(), rows: Vec::new() };
    let mut row = |tone, label: String, value: &dyn Fn(&str) -> Option<f64>| {
        let cell =
            |set: &&str| value(set).map_or("–".to_string(), |digits| format!("{digits:.1}"));
        let cells = [label].into_iter().chain(sets.iter().map(cell)).collect();
        table.rows.push(crate::Row { cells, tone });
    };
    let find = |set: &str, who: &str| run.nist.iter().find(|r| r.set == set && r.contestant == who);
    let contestants = in_order(run.nist.iter().map(|record| record.contestant.as_str()));
    for who in &contestants {
        let tone = if who.starts_with("minrisk") { Tone::Good } else { Tone::Plain };
        row(tone, who.to_string(), &|set| find(set, who)?.certified);
    }
    let ceiling = |set: &str| Some(run.nist.iter().find(|record| record.set == set)?.ceiling);
    row(Tone::Faint, "what rounding the data leaves".to_string(), &ceiling);
    for who in contestants.iter().filter(|who| who.starts_with("minrisk")) {
        let label = format!("{who}, against the exact solution of the doubles");
        row(Tone::Plain, label, &|set| find(set, who)?.exact);
    }
    table
}

fn peers(run: &Run) -> Table {
    let mut table = Table::new(["peer", "version, or why it is absent"]);
    for peer in &run.peers {
        let (tone, text) = match &peer.found {
            Ok(version) => (Tone::Plain, version.clone()),
            Err(reason) => (Tone::Faint, format!("absent: {reason}")),
        };
        table.row(tone, [peer.name.clone(), text]);
    }
    table
}

fn machine(run: &Run) -> Table {
    let (machine, limits) = (&run.machine, &run.limits);
    let mut table = Table::new(["machine", ""]);
    let shared = run.settings.core.map_or(String::new(), |core| format!(", all on core {core}"));
    let threads = format!("{}{shared}", run.settings.threads);
    let facts = [
        (
            "processor",
            format!("{}, {} cores, {}", machine.processor, machine.cores, machine.system),
        ),
        ("vectors", machine.instructions.clone()),
        ("read bandwidth", format!("{:.1} GB/s", limits.read_bandwidth / 1e9)),
        ("peak multiply-adds", format!("{:.1} GFLOP/s", limits.peak_flops / 1e9)),
        ("threads", threads),
        ("minrisk", format!("{} at {}", machine.minrisk, machine.commit)),
        ("backends", machine.backends.join(", ")),
        ("compiler", machine.compiler.clone()),
        ("measured", format!("{} in {:.0} s", text::day(machine.started), run.settings.seconds)),
    ];
    for (name, value) in facts {
        table.row(Tone::Plain, [name.to_string(), value]);
    }
    table
}
