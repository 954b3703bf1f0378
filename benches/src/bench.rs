//! A run that judges and times everyone on every line, and keeps records.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::duel::Rivals;
use crate::limits::limits;
use crate::lines::{Asked, Field, Judged, Race, Stage, entry, hold_all};
use crate::measure::{Repetitions, Timed, interleave};
use crate::peers::{Answer, Failure, Method, Peers};
use crate::problem::Problem;
use minrisk_report::record::{Entry, Line, Role, Run};

/// What a run needs, and its records so far.
pub struct Bench<'a> {
    /// What was measured.
    pub run: Run,
    /// When that began.
    pub start: Instant,
    /// Where it is written.
    pub output: PathBuf,
    /// Where problems are handed over.
    pub folder: PathBuf,
    /// The other libraries.
    pub peers: Peers,
    /// Ours as it was, to be compared with.
    pub rivals: Option<Rivals>,
    /// Told what is measured next.
    pub progress: &'a mut dyn FnMut(&str),
}

impl Bench<'_> {
    /// Measures every line that the filter keeps.
    pub fn measure(&mut self) -> Result<(), String> {
        hold_all(self)?;
        self.keep()
    }

    /// Writes what was measured so far.
    pub fn keep(&mut self) -> Result<(), String> {
        self.run.settings.seconds = self.start.elapsed().as_secs_f64();
        std::fs::write(&self.output, self.run.to_json()?)
            .map_err(|error| format!("{}: {error}", self.output.display()))
    }

    fn repetitions(&self) -> Repetitions {
        if self.quick() {
            Repetitions { most: 5, seconds: 0.5 }
        } else {
            Repetitions { most: 11, seconds: 3.0 }
        }
    }

    /// Seconds that looking for a peer's tolerance may take.
    fn patience(&self) -> f64 {
        if self.quick() { 1.0 } else { 15.0 }
    }

    /// The longest that one answer of a peer may take.
    fn time_limit(&self) -> Duration {
        Duration::from_secs(if self.quick() { 3 } else { 60 })
    }

    /// Tries every peer of a task with tighter and tighter tolerances until its answer is good enough, or
    /// patience ends.
    fn qualify(&mut self, problem: &Problem, field: &mut Field<'_>) -> Vec<Qualified> {
        let Field { asked, tolerances, judge } = field;
        let methods = self.peers.methods(asked.task);
        if methods.is_empty() {
            return Vec::new();
        }
        self.peers.warm_up(&self.folder, problem, asked.task, &asked.parameters);
        if let Err(reason) = self.peers.load(&self.folder, problem, asked.task) {
            let failed =
                |method: Method| Qualified { entry: failed(&method.name, &reason), method: None };
            return methods.into_iter().map(failed).collect();
        }
        let (patience, limit) = (self.patience(), self.time_limit());
        let tolerances = match *tolerances {
            // Every other one of many, the loosest left out.
            [_, rest @ ..] if self.quick() && !rest.is_empty() => {
                rest.iter().copied().step_by(2).collect()
            }
            all => all.to_vec(),
        };
        let each = methods.into_iter().map(|method| {
            let climb =
                |tolerance: f64| self.peers.run(&method, &asked.request(&method, tolerance), limit);
            qualify_one(&method, &tolerances, patience, climb, judge)
        });
        each.collect()
    }

    /// Has everyone take turns; returns their entries.
    fn time(
        &mut self,
        in_process: Vec<(Entry, Timed<'_>)>,
        asked: Option<&Asked>,
        qualified: Vec<Qualified>,
    ) -> Vec<Entry> {
        let (repetitions, limit) = (self.repetitions(), self.time_limit());
        let peers = RefCell::new(&mut self.peers);
        let (mut entries, mut runs): (Vec<_>, Vec<_>) = in_process.into_iter().unzip();
        let mut out = Vec::new();
        for Qualified { entry, method } in qualified {
            match (method, asked) {
                (Some((method, tolerance)), Some(asked)) => {
                    entries.push(entry);
                    let peers = &peers;
                    runs.push(Box::new(move || {
                        let request = asked.request(&method, tolerance);
                        let answer = peers.borrow_mut().run(&method, &request, limit);
                        answer.map(|answer| answer.seconds).map_err(|failure| failure.to_string())
                    }));
                }
                _ => out.push(entry),
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
        for (entry, timing) in entries.iter_mut().zip(interleave(&mut runs, repetitions)) {
            entry.timing = timing;
        }
        entries.extend(out);
        entries
    }
}

impl Stage for Bench<'_> {
    fn wants(&mut self, name: &str) -> bool {
        let filter = self.run.settings.filter.as_ref();
        let wanted = filter.is_none_or(|filter| name.contains(filter));
        if wanted {
            (self.progress)(name);
        }
        wanted
    }

    fn quick(&self) -> bool {
        self.run.settings.quick
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn hold(&mut self, race: Race<'_>) {
        self.run.limits = self.run.limits.or_better(limits());
        let Race { title, problem, starters, mut peers } = race;
        let judged = starters.into_iter().map(|mut starter| {
            (starter.judge)(&mut starter.entry);
            (starter.entry, starter.run)
        });
        let judged = judged.collect();
        let qualified = peers.as_mut().map(|field| self.qualify(problem, field));
        let asked = peers.as_ref().map(|field| &field.asked);
        let entries = self.time(judged, asked, qualified.unwrap_or_default());
        if let (Some(rivals), Some(comparison)) = (&self.rivals, &mut self.run.comparison) {
            comparison.duels.extend(rivals.duel(&title.name, &title.title));
        }
        self.run.lines.push(Line {
            name: title.name,
            title: title.title,
            accuracy: title.accuracy.to_string(),
            measure: title.measure,
            entries,
            work: title.work,
            limit_is: title.limit_is.to_string(),
            peerless: title.peerless.map(str::to_string),
        });
        // After every line, so that a run that is stopped leaves what it has measured.
        if let Err(error) = self.keep() {
            (self.progress)(&format!("the records could not be kept: {error}"));
        }
    }
}

/// A peer who may take part, with its tolerance, or who may not.
struct Qualified {
    entry: Entry,
    method: Option<(Method, f64)>,
}

fn qualify_one(
    method: &Method,
    tolerances: &[f64],
    patience: f64,
    mut run: impl FnMut(f64) -> Result<Answer, Failure>,
    judge: &mut dyn FnMut(&Answer) -> Result<Judged, String>,
) -> Qualified {
    let mut entry = failed(&method.name, "was not tried");
    let mut spent = 0.0;
    for &tolerance in tolerances {
        let judged = run(tolerance).and_then(|answer| Ok((judge(&answer)?, answer)));
        let (judged, answer) = match judged {
            Ok(judged) => judged,
            // Where there is no other tolerance to try, not having finished says how long it takes at least.
            Err(Failure::Late(limit)) if tolerances.len() == 1 => {
                entry.timed_once(limit.as_secs_f64());
                entry.stopped();
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
        entry.timed_once(answer.seconds);
        (entry.reached, entry.counts) = (judged.reached, judged.enough);
        entry.note = answer.note;
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

/// An entry of a peer who could not run.
fn failed(contestant: &str, reason: &str) -> Entry {
    Entry { timing: Err(reason.to_string()), counts: false, ..entry(contestant, Role::Peer) }
}
