//! The lines of the table of performance: one problem each, and everyone who can solve it.
//!
//! What a line is stands here, what is done with it is up to a [`Stage`]: a [`Bench`](crate::bench::Bench)
//! judges and times everyone and keeps records, one side of a [duel](crate::duel) runs ours when it is asked to.

mod conic;
mod convex;
mod halfspaces;
mod least_squares;
mod passes;
mod paths;
mod program;
mod selection;

use std::fmt::Display;
use std::path::Path;

use crate::measure::{Timed, once, timed};
use crate::peers::{Answer, Method, Parameters, Request};
use crate::problem::Problem;
use minrisk_report::record::{Entry, Measure, Role, Work};

/// Where lines are held.
pub trait Stage {
    /// Whether a line is wanted; it is made only then.
    fn wants(&mut self, name: &str) -> bool;

    /// Whether peers are to be hurried.
    fn quick(&self) -> bool;

    /// Where files of a line may be left, and found again.
    fn folder(&self) -> &Path;

    /// Does with a line what it is made for.
    fn hold(&mut self, line: Race<'_>);
}

/// Holds every line that the stage wants; what could not be held does not keep the rest from it.
pub fn hold_all(stage: &mut dyn Stage) -> Result<(), String> {
    let groups = [
        passes::hold,
        least_squares::hold,
        convex::hold,
        paths::hold,
        halfspaces::hold,
        selection::hold,
        program::hold,
    ];
    let failures: Vec<String> = groups.iter().filter_map(|hold| hold(stage).err()).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("; ")) }
}

/// A line before anyone was measured.
pub struct Race<'a> {
    pub(crate) title: Title,
    pub(crate) problem: &'a Problem,
    pub(crate) starters: Vec<Starter<'a>>,
    pub(crate) peers: Option<Field<'a>>,
}

/// What is said about a line.
#[derive(Clone)]
pub(crate) struct Title {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) accuracy: &'static str,
    pub(crate) measure: Measure,
    pub(crate) limit_is: &'static str,
    pub(crate) work: Work,
    pub(crate) peerless: Option<&'static str>,
}

/// Someone in this process.
pub(crate) struct Starter<'a> {
    pub(crate) entry: Entry,
    pub(crate) run: Timed<'a>,
    /// Runs once and says how good that was.
    pub(crate) judge: Box<dyn FnOnce(&mut Entry) + 'a>,
}

impl<'a> Starter<'a> {
    /// One of ours.
    pub(crate) fn ours<R: 'a, E: Display>(
        name: impl Into<String>,
        fit: impl Fn() -> Result<R, E> + Clone + 'a,
        judge: impl FnOnce(R) -> Result<Judged, String> + 'a,
    ) -> Self {
        Self::new(entry(name, Role::Ours), fit, judge)
    }

    /// One of ours by a solver of the caller's choice, or to another accuracy.
    pub(crate) fn variant<R: 'a, E: Display>(
        name: impl Into<String>,
        fit: impl Fn() -> Result<R, E> + Clone + 'a,
        judge: impl FnOnce(R) -> Result<Judged, String> + 'a,
    ) -> Self {
        Self::new(entry(name, Role::Variant), fit, judge)
    }

    /// Another library that is called from here.
    pub(crate) fn other<R: 'a, E: Display>(
        name: impl Into<String>,
        fit: impl Fn() -> Result<R, E> + Clone + 'a,
        judge: impl FnOnce(R) -> Result<Judged, String> + 'a,
    ) -> Self {
        Self::new(entry(name, Role::Peer), fit, judge)
    }

    fn new<R: 'a, E: Display>(
        entry: Entry,
        fit: impl Fn() -> Result<R, E> + Clone + 'a,
        judge: impl FnOnce(R) -> Result<Judged, String> + 'a,
    ) -> Self {
        let run = timed(fit.clone());
        let judge = move |entry: &mut Entry| {
            let (seconds, found) = once(&fit);
            entry.timed_once(seconds);
            match found.map_err(|error| error.to_string()).and_then(judge) {
                Ok(judged) => judged.write(entry),
                Err(reason) => (entry.note, entry.counts) = (Some(reason), false),
            }
        };
        Self { entry, run, judge: Box::new(judge) }
    }
}

/// What the peers' programs are asked.
pub(crate) struct Asked {
    pub(crate) task: &'static str,
    pub(crate) parameters: Parameters,
}

impl Asked {
    pub(crate) fn request<'a>(&'a self, method: &'a Method, tolerance: f64) -> Request<'a> {
        let (task, method) = (self.task, method.name.as_str());
        Request { task, method, tolerance, parameters: &self.parameters }
    }
}

/// The peers behind programs.
pub(crate) struct Field<'a> {
    pub(crate) asked: Asked,
    /// Tried one after the other until the answer is good enough; in the peers' own meaning.
    pub(crate) tolerances: &'static [f64],
    pub(crate) judge: Judge<'a>,
}

/// Says how good a peer's answer is.
pub(crate) type Judge<'a> = Box<dyn FnMut(&Answer) -> Result<Judged, String> + 'a>;

/// What a judge found.
#[derive(Default)]
pub(crate) struct Judged {
    /// In the measure of the line.
    pub(crate) reached: Option<f64>,
    /// Whether that is enough.
    pub(crate) enough: bool,
    /// Whether it was stopped before it had finished.
    pub(crate) unfinished: bool,
    /// Anything else worth knowing.
    pub(crate) note: Option<String>,
}

impl Judged {
    pub(crate) fn reached(value: f64, enough: bool) -> Self {
        Self { reached: Some(value), enough, ..Self::default() }
    }

    /// Where everyone does the same work, nothing is measured but time.
    pub(crate) fn worked() -> Self {
        Self { enough: true, ..Self::default() }
    }

    fn write(self, entry: &mut Entry) {
        (entry.reached, entry.counts) = (self.reached, self.enough);
        if self.note.is_some() {
            entry.note = self.note;
        }
        if self.unfinished {
            entry.stopped();
        }
    }
}

/// An entry of someone who has not run yet.
pub(crate) fn entry(contestant: impl Into<String>, role: Role) -> Entry {
    Entry {
        contestant: contestant.into(),
        role,
        timing: Err("was not run".to_string()),
        reached: None,
        counts: true,
        unfinished: false,
        ladder: Vec::new(),
        note: None,
    }
}
