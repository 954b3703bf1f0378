//! The tables of the report.

use crate::pictures::in_order;
use crate::record::{Entry, Limits, Line, Measure, Role, Run};
use crate::{Table, Tone, text};

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
                ours.map_or_else(dash, |seconds| text::times(seconds / limit)),
            ],
        );
    }
    table
}

/// Why a line has no peer to be compared with.
fn no_peer(line: &Line) -> String {
    if let Some((entry, timing, reached)) = line.closest_peer() {
        let (who, reached) = (&entry.contestant, line.accuracy(reached));
        return format!(
            "none gets there: {who} has {reached} after {}",
            text::seconds(timing.median)
        );
    }
    let failed = |entry: &Entry| Some((entry.contestant.clone(), entry.timing.clone().err()?));
    match line.of(Role::Peer).find_map(failed) {
        Some((who, reason)) => format!("none answers: {who}: {reason}"),
        None => line.peerless.clone().unwrap_or_else(|| "none was there".to_string()),
    }
}

pub(crate) fn entries(line: &Line, limits: &Limits) -> Table {
    let limit = limits.least(line.work);
    let mut table = Table::new(["who", "time", "reached", "× limit", "note"]);
    for entry in &line.entries {
        let tone = if entry.counts { Tone::Plain } else { Tone::Faint };
        let (time, over) = match &entry.timing {
            Ok(timing) => (text::timing(timing), text::times(timing.median / limit)),
            Err(_) => ("–".to_string(), "–".to_string()),
        };
        table.row(tone, [entry.contestant.clone(), time, line.reached(entry), over, note(entry)]);
    }
    table
}

impl Line {
    /// What someone reached, in words.
    pub(crate) fn reached(&self, entry: &Entry) -> String {
        entry.reached.map_or_else(|| "–".to_string(), |value| self.accuracy(value))
    }

    /// An accuracy in the measure of this line.
    fn accuracy(&self, value: f64) -> String {
        match self.measure {
            Measure::Gap => format!("a gap of {}", text::gap(value)),
            Measure::Digits => format!("{value:.1} digits"),
            Measure::Mistakes => format!("{value} mistakes"),
            Measure::Work => "–".to_string(),
        }
    }
}

fn note(entry: &Entry) -> String {
    let not_there = (!entry.counts && entry.timing.is_ok()).then(|| "does not count".to_string());
    let failed = entry.timing.as_ref().err().cloned();
    let parts = [not_there, failed, entry.note.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

pub(crate) fn errors(run: &Run) -> Table {
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

pub(crate) fn peers(run: &Run) -> Table {
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

pub(crate) fn machine(run: &Run) -> Table {
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
