//! The lines of the table of performance: ours beside the peers and the limit, one problem each.

mod conic;
mod convex;
mod halfspaces;
mod least_squares;
mod paths;
mod selection;

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use crate::limits::Loads;
use crate::measure::{Repetitions, Timed, interleave, once};
use crate::peers::{Answer, Failure, Method, Parameters, Peers, Request};
use crate::problem::Problem;
use minrisk_report::Timing;
use minrisk_report::record::{Entry, Limits, Line, Measure, Settings};

/// Everything a line needs, and the lines so far.
pub struct Bench<'a> {
    /// How the run was asked for.
    pub settings: Settings,
    /// What the machine allows.
    pub limits: Limits,
    /// What it is timed with beside every line.
    pub loads: Loads,
    /// The other libraries.
    pub peers: Peers,
    /// Where problems are handed over.
    pub folder: PathBuf,
    /// Told what is measured next.
    pub progress: &'a mut dyn FnMut(&str),
    /// Keeps the lines so far.
    pub keep: &'a Keep<'a>,
    /// What was measured.
    pub lines: Vec<Line>,
}

/// Keeps the lines of a run so far.
pub type Keep<'a> = dyn Fn(&Settings, &[Line]) -> Result<(), String> + 'a;

/// What is said about a line before anyone is measured.
#[derive(Clone)]
pub(crate) struct Title<'a> {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) accuracy: &'a str,
    pub(crate) measure: Measure,
    pub(crate) limit_is: &'a str,
    pub(crate) limit: f64,
    pub(crate) peerless: Option<&'a str>,
}

/// Someone on a line: what is known before, and what is timed.
pub(crate) struct Starter<'a> {
    pub(crate) entry: Entry,
    pub(crate) run: Timed<'a>,
}

impl Bench<'_> {
    /// Measures every line that the filter keeps.
    pub fn measure(&mut self) -> Result<(), String> {
        for measure in [
            least_squares::measure,
            convex::measure,
            paths::measure,
            halfspaces::measure,
            selection::measure,
        ] {
            measure(self);
        }
        (self.keep)(&self.settings, &self.lines)
    }

    /// Whether a line is wanted; says that it is next.
    pub(crate) fn wants(&mut self, name: &str) -> bool {
        let wanted = self.settings.filter.as_ref().is_none_or(|filter| name.contains(filter));
        if wanted {
            (self.progress)(name);
        }
        wanted
    }

    pub(crate) fn quick(&self) -> bool {
        self.settings.quick
    }

    fn repetitions(&self) -> Repetitions {
        if self.quick() {
            Repetitions { most: 5, seconds: 0.5 }
        } else {
            Repetitions { most: 11, seconds: 3.0 }
        }
    }

    /// Seconds that looking for a peer's tolerance may take.
    pub(crate) fn patience(&self) -> f64 {
        if self.quick() { 1.0 } else { 15.0 }
    }

    /// The longest that one answer of a peer may take.
    pub(crate) fn time_limit(&self) -> Duration {
        Duration::from_secs(if self.quick() { 3 } else { 60 })
    }

    /// Has ours take turns with the peers who were given a tolerance, and records the line.
    pub(crate) fn record(
        &mut self,
        title: Title<'_>,
        ours: Vec<Starter<'_>>,
        task: &str,
        parameters: &Parameters,
        qualified: Vec<Qualified>,
    ) {
        let (repetitions, limit) = (self.repetitions(), self.time_limit());
        let peers = RefCell::new(&mut self.peers);
        let (mut entries, mut runs) = (Vec::new(), Vec::new());
        for starter in ours {
            entries.push(starter.entry);
            runs.push(starter.run);
        }
        let mut out = Vec::new();
        for Qualified { entry, method } in qualified {
            match method {
                Some((method, tolerance)) => {
                    entries.push(entry);
                    let peers = &peers;
                    runs.push(Box::new(move || {
                        let name = &method.name;
                        let request = Request { task, method: name, tolerance, parameters };
                        let answer = peers.borrow_mut().run(&method, &request, limit);
                        answer.map(|answer| answer.seconds).map_err(|failure| failure.to_string())
                    }));
                }
                None => out.push(entry),
            }
        }
        // Whoever took longer than all repetitions may is not run again: one time has to do.
        let mut slow = Vec::new();
        for k in (0..entries.len()).rev() {
            let known = entries[k].timing.as_ref().ok();
            if known.is_some_and(|timing| timing.median > repetitions.seconds) {
                slow.push(entries.remove(k));
                drop(runs.remove(k));
            }
        }
        out.extend(slow.into_iter().rev());
        let loads = &self.loads;
        runs.push(Box::new(move || Ok(once(|| loads.run()).0)));
        let mut timings = interleave(&mut runs, repetitions);
        let yardstick = timings.pop().and_then(Result::ok);
        for (entry, timing) in entries.iter_mut().zip(timings) {
            entry.timing = timing;
        }
        drop(runs);
        entries.extend(out);
        self.lines.push(Line {
            name: title.name,
            title: title.title,
            accuracy: title.accuracy.to_string(),
            measure: title.measure,
            entries,
            limit: title.limit,
            limit_is: title.limit_is.to_string(),
            peerless: title.peerless.map(str::to_string),
            yardstick,
        });
        if let Err(error) = (self.keep)(&self.settings, &self.lines) {
            (self.progress)(&format!("the records could not be kept: {error}"));
        }
    }

    /// Tries every peer of a task with tighter and tighter tolerances until `judge` finds its answer good
    /// enough, or patience ends.
    pub(crate) fn qualify(
        &mut self,
        problem: &Problem,
        task: &str,
        parameters: &Parameters,
        tolerances: &[f64],
        mut judge: impl FnMut(&Answer) -> Result<Judged, String>,
    ) -> Vec<Qualified> {
        let methods = self.peers.methods(task);
        if methods.is_empty() {
            return Vec::new();
        }
        self.peers.warm_up(&self.folder, problem, task, parameters);
        if let Err(reason) = self.peers.load(&self.folder, problem, task) {
            let failed =
                |method: Method| Qualified { entry: failed(&method.name, &reason), method: None };
            return methods.into_iter().map(failed).collect();
        }
        let (patience, limit) = (self.patience(), self.time_limit());
        let each = methods.into_iter().map(|method| {
            let climb = |tolerance: f64| {
                let name = &method.name;
                let request = Request { task, method: name, tolerance, parameters };
                self.peers.run(&method, &request, limit)
            };
            qualify_one(&method, tolerances, patience, climb, &mut judge)
        });
        each.collect()
    }
}

/// What a judge found.
pub(crate) struct Judged {
    /// In the measure of the line.
    pub(crate) reached: Option<f64>,
    /// Whether that is enough.
    pub(crate) enough: bool,
}

/// A peer who may take part, with its tolerance, or who may not.
pub(crate) struct Qualified {
    pub(crate) entry: Entry,
    pub(crate) method: Option<(Method, f64)>,
}

fn qualify_one(
    method: &Method,
    tolerances: &[f64],
    patience: f64,
    mut run: impl FnMut(f64) -> Result<Answer, Failure>,
    judge: &mut impl FnMut(&Answer) -> Result<Judged, String>,
) -> Qualified {
    let mut entry = failed(&method.name, "was not tried");
    let mut spent = 0.0;
    for &tolerance in tolerances {
        let judged = run(tolerance).and_then(|answer| Ok((judge(&answer)?, answer)));
        let (judged, answer) = match judged {
            Ok(judged) => judged,
            // Where there is no other tolerance to try, not having finished says how long it takes at least.
            Err(Failure::Late(limit)) if tolerances.len() == 1 => {
                entry.stopped_after(limit.as_secs_f64());
                break;
            }
            Err(failure) => {
                let reason = failure.to_string();
                // An earlier answer, not good enough, says more than the end of the climb.
                match entry.ladder.is_empty() {
                    true => entry = failed(&method.name, &reason),
                    false => entry.note = Some(reason),
                }
                break;
            }
        };
        spent += answer.seconds;
        entry.timing = Timing::of(vec![answer.seconds]).ok_or_else(|| "was not timed".to_string());
        entry.reached = judged.reached;
        entry.note = answer.note;
        entry.counts = judged.enough;
        if let Some(reached) = judged.reached {
            entry.ladder.push((answer.seconds, reached));
        }
        if judged.enough {
            return Qualified { entry, method: Some((method.clone(), tolerance)) };
        }
        if spent > patience {
            entry.note = Some(format!("not there after {spent:.0} s of tightening its tolerance"));
            break;
        }
    }
    Qualified { entry, method: None }
}

/// An entry of someone who has not run yet.
pub(crate) fn entry(contestant: impl Into<String>, ours: bool) -> Entry {
    Entry {
        contestant: contestant.into(),
        ours,
        timing: Err("was not run".to_string()),
        reached: None,
        counts: true,
        unfinished: false,
        ladder: Vec::new(),
        note: None,
    }
}

/// An entry of someone who could not run.
pub(crate) fn failed(contestant: &str, reason: &str) -> Entry {
    let timing = Err(reason.to_string());
    Entry { timing, counts: false, ..entry(contestant, contestant.starts_with("minrisk")) }
}
