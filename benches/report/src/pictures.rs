//! Which pictures there are.

use std::collections::BTreeSet;

use crate::chart::{Axis, Bar, Chart, Scale, Series, bars};
use crate::record::{AccuracyRecord, Entry, Line, Role, Run, ScalingRecord};
use crate::text;

/// Digits against κ, one picture for each family of designs, on one backend.
pub fn digits(run: &Run, backend: &str) -> Result<Vec<String>, String> {
    let records: Vec<&AccuracyRecord> =
        run.accuracy.iter().filter(|record| record.backend == backend).collect();
    let families = in_order(records.iter().map(|record| record.family.as_str()));
    families.into_iter().map(|family| digits_chart(&records, family).draw()).collect()
}

fn digits_chart(records: &[&AccuracyRecord], family: &str) -> Chart {
    let of_family = || records.iter().filter(|record| record.family == family);
    let curve = |solver: &str, value: &dyn Fn(&AccuracyRecord) -> Option<f64>| {
        let of_solver = of_family().filter(|record| record.solver == solver);
        of_solver.filter_map(|r| Some((r.condition.log10(), value(r)?))).collect::<Vec<_>>()
    };
    let solvers = in_order(of_family().map(|record| record.solver.as_str()));
    let mut series: Vec<Series> = Vec::new();
    // The most interesting last, so that it is drawn above the others.
    for (colour, solver) in solvers.iter().enumerate().rev() {
        let digits = |record: &AccuracyRecord| Some(record.outcome.as_ref().ok()?.digits);
        let points = curve(solver, &digits);
        series.push(Series { name: solver.to_string(), colour, dashed: false, points });
    }
    if let Some(first) = solvers.first() {
        let claim = |record: &AccuracyRecord| record.outcome.as_ref().ok()?.claimed;
        let (name, points) = (format!("{first} claims"), curve(first, &claim));
        series.push(Series { name, colour: 7, dashed: true, points });
    }
    Chart {
        title: family.to_string(),
        x: Axis { label: "condition κ", scale: Scale::Powers, ends: (-0.3, 14.3) },
        y: Axis { label: "correct digits", scale: Scale::Plain, ends: (-0.5, 18.5) },
        series,
    }
}

/// Time against rows and against columns.
pub fn scaling(run: &Run) -> Result<Vec<String>, String> {
    let charts = [("rows", "rows m (50 columns)"), ("cols", "columns d (5,000 rows)")];
    charts.iter().map(|(varied, label)| scaling_chart(run, varied, label).draw()).collect()
}

fn scaling_chart(run: &Run, varied: &str, label: &'static str) -> Chart {
    let records = || run.scaling.iter().filter(|record| record.varied == varied);
    let at = |record: &ScalingRecord| {
        (if varied == "rows" { record.rows } else { record.cols } as f64).log10()
    };
    let contestants = in_order(records().map(|record| record.contestant.as_str()));
    let mut series: Vec<Series> = Vec::new();
    for (colour, contestant) in contestants.into_iter().enumerate() {
        let own = records().filter(|record| record.contestant == contestant);
        let points = own.map(|record| (at(record), record.timing.median.log10())).collect();
        series.push(Series { name: contestant.to_string(), colour, dashed: false, points });
    }
    let mut limit: Vec<(f64, f64)> =
        records().map(|record| (at(record), run.limits.least(record.work).log10())).collect();
    limit.dedup();
    series.push(Series { name: "limit".to_string(), colour: 7, dashed: true, points: limit });
    let all = || series.iter().flat_map(|series| &series.points);
    Chart {
        title: format!("Least squares, time against {varied}"),
        x: Axis::around(label, Scale::Powers, all().map(|(x, _)| *x)),
        y: Axis::around("time", Scale::Seconds, all().map(|(_, y)| *y)),
        series: series.clone(),
    }
}

/// Time against accuracy, a picture for each line on which peers were tried with tolerances.
pub fn ladders(run: &Run) -> Result<Vec<String>, String> {
    let climbed = |line: &&Line| line.entries.iter().any(|entry| entry.ladder.len() > 1);
    run.lines.iter().filter(climbed).map(|line| ladder_chart(line).draw()).collect()
}

/// The relative gap that lines with tolerances ask for, as an exponent of ten.
const ASKED: f64 = -8.0;

fn ladder_chart(line: &Line) -> Chart {
    let exponent = |gap: f64| gap.max(1e-16).log10();
    let mut series: Vec<Series> = Vec::new();
    let mut climbed: Vec<&Entry> =
        line.of(Role::Peer).filter(|entry| !entry.ladder.is_empty()).collect();
    // Those who got there first, and no more than there are colours for.
    let fastest =
        |entry: &Entry| entry.ladder.iter().map(|(s, _)| *s).fold(f64::INFINITY, f64::min);
    climbed.sort_by(|a, b| b.counts.cmp(&a.counts).then(fastest(a).total_cmp(&fastest(b))));
    for (k, entry) in climbed.into_iter().take(6).enumerate() {
        let points = entry.ladder.iter().map(|(s, gap)| (s.log10(), exponent(*gap))).collect();
        let name = entry.contestant.clone();
        series.push(Series { name, colour: k + 1, dashed: false, points });
    }
    let ours = line.of(Role::Ours).chain(line.of(Role::Variant));
    let ours = ours.filter(|entry| entry.contestant.starts_with("minrisk on faer"));
    let point = |entry: &Entry| {
        Some((entry.timing.as_ref().ok()?.median.log10(), exponent(entry.reached?)))
    };
    let mut points: Vec<(f64, f64)> = ours.filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    series.push(Series { name: "minrisk on faer".to_string(), colour: 0, dashed: false, points });
    let all = || series.iter().flat_map(|series| &series.points);
    let x = Axis::around("time", Scale::Seconds, all().map(|(x, _)| *x));
    let y = Axis::around("relative gap", Scale::Powers, all().map(|(_, y)| *y).chain([ASKED]));
    let points = vec![(x.ends.0, ASKED), (x.ends.1, ASKED)];
    series.push(Series { name: "asked for".to_string(), colour: 7, dashed: true, points });
    Chart { title: line.title.clone(), x, y, series }
}

/// How many times as long the best peer takes, for every line that has one.
pub fn ratios(run: &Run) -> Result<String, String> {
    let bar = |line: &Line| {
        let (peer, _) = line.best_peer()?;
        let ratio = line.ratio()?;
        let text = format!("{}{}", text::at_least(peer.unfinished), text::ratio(ratio));
        Some(Bar { label: format!("{} – {}", line.title, peer.contestant), ratio, text })
    };
    let all: Vec<Bar> = run.lines.iter().filter_map(bar).collect();
    bars("Time of the best peer / time of minrisk", &all)
}

/// The pictures of the README, with their file names.
pub fn for_readme(run: &Run) -> Result<Vec<(String, String)>, String> {
    let mut pictures = Vec::new();
    let backend = run.machine.backends.first().map_or("", String::as_str);
    let records: Vec<&AccuracyRecord> =
        run.accuracy.iter().filter(|record| record.backend == backend).collect();
    if !records.is_empty() {
        let picture = digits_chart(&records, "Geometric").draw()?;
        pictures.push(("digits.svg".to_string(), picture));
    }
    if !run.scaling.is_empty() {
        let picture = scaling_chart(run, "rows", "rows m (50 columns)").draw()?;
        pictures.push(("scaling.svg".to_string(), picture));
    }
    if run.lines.iter().any(|line| line.ratio().is_some()) {
        pictures.push(("ratios.svg".to_string(), ratios(run)?));
    }
    Ok(pictures)
}

/// Every name once, in the order of first appearance.
pub(crate) fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}
