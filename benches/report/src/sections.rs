//! What the report says, in order.

use crate::record::{Line, Run};
use crate::{Part, Section, comparison, pictures, tables, text, variants};

/// All sections that a run has something for.
pub fn sections(run: &Run) -> Result<Vec<Section>, String> {
    let all = [
        run.comparison.as_ref().map(|comparison| comparison::section(comparison, run)),
        summary(run)?,
        variants::section(run),
        ladders(run)?,
        digits(run)?,
        nist(run),
        scaling(run)?,
        everyone(run),
        Some(machine(run)),
    ];
    Ok(all.into_iter().flatten().collect())
}

fn section(heading: &str, parts: Vec<Part>) -> Section {
    Section { heading: heading.to_string(), parts }
}

const SUMMARY: &str = "Medians of interleaved repetitions on the same data in the same run, the same \
    number of threads for everyone. Only times at the accuracy that a line asks for count; it was \
    checked by minrisk's verify on each one's own coefficients. The ratio is the best peer's time over \
    ours: below 1 we are behind.";

fn summary(run: &Run) -> Result<Option<Section>, String> {
    if run.lines.is_empty() {
        return Ok(None);
    }
    let mut parts = vec![
        Part::Paragraph(format!("{} {SUMMARY}", standing(run))),
        Part::Table(tables::summary(run)),
    ];
    if run.lines.iter().any(|line| line.ratio().is_some()) {
        parts.push(Part::Pictures(vec![pictures::ratios(run)?]));
    }
    Ok(Some(section("Ours, the best peer, the limit", parts)))
}

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

const LADDERS: &str = "Every peer is given tighter and tighter tolerances until its coefficients are \
    within 10⁻⁸ of the minimum, relative to the objective. Down and to the left is better.";

fn ladders(run: &Run) -> Result<Option<Section>, String> {
    let ladders = pictures::ladders(run)?;
    if ladders.is_empty() {
        return Ok(None);
    }
    let parts = vec![Part::Paragraph(LADDERS.to_string()), Part::Pictures(ladders)];
    Ok(Some(section("Time against accuracy", parts)))
}

const DIGITS: &str = "Correct digits of the worst coefficient against the exact rational solution of \
    the doubles as given; 18 means equal to the nearest double or better. A solver that refuses a design \
    has no point there. Residuals are a millionth of the target.";

fn digits(run: &Run) -> Result<Option<Section>, String> {
    if run.accuracy.is_empty() {
        return Ok(None);
    }
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
        vec![Part::Table(tables::errors(run))],
    ));
    Ok(Some(section("Digits against the condition number", parts)))
}

const NIST: &str = "Correct digits of the worst coefficient, against the certified values (at most 15), \
    and against the exact solution of the data as rounded to doubles.";

fn nist(run: &Run) -> Option<Section> {
    let parts = || vec![Part::Paragraph(NIST.to_string()), Part::Table(tables::nist(run))];
    (!run.nist.is_empty()).then(|| section("NIST reference datasets", parts()))
}

const SCALING: &str = "Least squares with an intercept, row-major. The limit is the Gram matrix at the \
    machine's peak, or reading the data once, whichever takes longer.";

fn scaling(run: &Run) -> Result<Option<Section>, String> {
    if run.scaling.is_empty() {
        return Ok(None);
    }
    let parts = vec![Part::Paragraph(SCALING.to_string()), Part::Pictures(pictures::scaling(run)?)];
    Ok(Some(section("Time against rows and columns", parts)))
}

fn everyone(run: &Run) -> Option<Section> {
    let one = |line: &Line| {
        let limit = text::seconds(run.limits.least(line.work));
        let said = format!("Accuracy: {}. Limit: {}, {limit}.", line.accuracy, line.limit_is);
        let table = Part::Table(tables::entries(line, &run.limits));
        Part::Folded(line.title.clone(), vec![Part::Paragraph(said), table])
    };
    let parts = || run.lines.iter().map(one).collect();
    (!run.lines.is_empty()).then(|| section("Everyone on every line", parts()))
}

fn machine(run: &Run) -> Section {
    let parts = vec![Part::Table(tables::peers(run)), Part::Table(tables::machine(run))];
    section("Peers and machine", parts)
}
