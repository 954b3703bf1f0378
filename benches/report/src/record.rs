//! What a run of the benchmarks leaves behind: one JSON file of records, from which the report is made.
//!
//! Times are seconds. A record says who was measured, on what, how long it took and how right it was;
//! who could not be measured is there too, with the reason.

use serde::{Deserialize, Serialize};

use crate::Timing;

/// The version of this format; a file of another one is refused.
pub const FORMAT: u32 = 5;

/// Everything one run measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: u32,
    /// Where it ran.
    pub machine: Machine,
    /// How it ran.
    pub settings: Settings,
    /// What the machine can do at best.
    pub limits: Limits,
    /// The other libraries that were found, and those that were not.
    pub peers: Vec<Peer>,
    /// Correct digits over the condition number.
    pub accuracy: Vec<AccuracyRecord>,
    /// Correct digits on the NIST sets.
    pub nist: Vec<NistRecord>,
    /// Time over the number of rows and of columns.
    pub scaling: Vec<ScalingRecord>,
    /// Ours beside the peers and the limit.
    pub lines: Vec<Line>,
    /// Ours beside what it was, where that was asked for.
    pub comparison: Option<Comparison>,
}

/// The machine and the versions of what was measured on it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Its cores.
    pub cores: usize,
    /// Operating system and architecture.
    pub system: String,
    /// The vector instructions that kernels chose.
    pub instructions: String,
    /// The compiler.
    pub compiler: String,
    /// The version of minrisk.
    pub minrisk: String,
    /// The commit, with a `+` where files differed from it.
    pub commit: String,
    /// Seconds since 1970 at the start.
    pub started: u64,
    /// The backends that were compiled in.
    pub backends: Vec<String>,
}

/// How a run was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Fewer shapes and repetitions.
    pub quick: bool,
    /// Threads for everyone.
    pub threads: usize,
    /// The core that everyone shared, where all had one thread.
    pub core: Option<usize>,
    /// Only what contains this in its name.
    pub filter: Option<String>,
    /// How long measuring took.
    pub seconds: f64,
}

/// What the machine can do at best, measured on every line of the same run on the same number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes a second, reading 40 MB over and over.
    pub read_bandwidth: f64,
    /// Floating-point operations a second in fused multiply-adds.
    pub peak_flops: f64,
}

impl Limits {
    /// The better of two measurements: what a neighbour took away was there all the same.
    pub fn or_better(self, other: Self) -> Self {
        Self {
            read_bandwidth: self.read_bandwidth.max(other.read_bandwidth),
            peak_flops: self.peak_flops.max(other.peak_flops),
        }
    }

    /// The least time for some work, whose parts overlap at best.
    pub fn least(&self, work: Work) -> f64 {
        (work.bytes / self.read_bandwidth).max(work.flops / self.peak_flops)
    }
}

/// The least that has to be done for a result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes that are read.
    pub bytes: f64,
    /// Floating-point operations.
    pub flops: f64,
}

/// Another library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// Its version, or why it is absent.
    pub found: Result<String, String>,
}

/// A least-squares problem of known exact solution, solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccuracyRecord {
    /// The family of the design.
    pub family: String,
    /// The condition asked for.
    pub condition: f64,
    /// The backend.
    pub backend: String,
    /// The solver.
    pub solver: String,
    /// What came out.
    pub outcome: Result<Accuracy, String>,
}

/// How right a solution is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Correct digits of the worst coefficient against the exact solution.
    pub digits: f64,
    /// Digits of the worst coefficient that the certificate claimed.
    pub claimed: Option<f64>,
    /// ‖X(w − w*)‖/‖y‖: the residual's part in the range of the design, which is zero at the solution.
    pub backward_error: f64,
    /// Seconds of one solve.
    pub seconds: f64,
}

/// Correct digits on one set of the NIST Statistical Reference Datasets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NistRecord {
    /// The set.
    pub set: String,
    /// Who solved it.
    pub contestant: String,
    /// Against the certified values, at most 15.
    pub certified: Option<f64>,
    /// Against the exact solution of the doubles.
    pub exact: Option<f64>,
    /// What rounding the data to doubles leaves of the certified values.
    pub ceiling: f64,
}

/// One time on a curve of times.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScalingRecord {
    /// What was solved.
    pub problem: String,
    /// Who solved it.
    pub contestant: String,
    /// Whether that is minrisk.
    pub ours: bool,
    /// What was varied: `rows` or `cols`.
    pub varied: String,
    /// Rows of the design.
    pub rows: usize,
    /// Columns of the design.
    pub cols: usize,
    /// How long it took.
    pub timing: Timing,
    /// The least that has to be done.
    pub work: Work,
}

/// One line of the table of performance: a problem, and everyone who solved it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Its name, by which it is filtered and compared.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// What "the same accuracy" means here.
    pub accuracy: String,
    /// In what that accuracy is measured.
    pub measure: Measure,
    /// Those who solved it, ours first.
    pub entries: Vec<Entry>,
    /// The least that has to be done.
    pub work: Work,
    /// What that is.
    pub limit_is: String,
    /// Why there can be no peer, where there can be none.
    pub peerless: Option<String>,
}

/// In what the accuracy on a line is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Measure {
    /// Distance from the minimum relative to the objective: less is better.
    Gap,
    /// Correct digits of the worst coefficient: more is better.
    Digits,
    /// Mistakes on the data: fewer are better.
    Mistakes,
    /// Everyone does the same work, and nothing is measured.
    Work,
}

/// On whose side someone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// minrisk as it comes, on some backend: what is compared with the peers.
    Ours,
    /// minrisk by a solver of the caller's choice, or to another accuracy.
    Variant,
    /// Another library.
    Peer,
}

/// Someone on a line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Who.
    pub contestant: String,
    /// On whose side that is.
    pub role: Role,
    /// How long it took, or why there is no time.
    pub timing: Result<Timing, String>,
    /// The accuracy that was reached, in the measure of the line.
    pub reached: Option<f64>,
    /// Whether that is what the line asks for; only such times count.
    pub counts: bool,
    /// Whether it was stopped before it had finished, so that its time is a lower bound.
    pub unfinished: bool,
    /// Seconds and accuracy at every tolerance that was tried.
    pub ladder: Vec<(f64, f64)>,
    /// Anything else worth knowing.
    pub note: Option<String>,
}

/// Ours as it is beside ours as it was when a baseline was saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The name of the baseline.
    pub baseline: String,
    /// The commit that it was made from, with a `+` where files differed from it.
    pub commit: String,
    /// Correct digits then.
    pub accuracy: Vec<AccuracyRecord>,
    /// Times of both, taken in turns.
    pub duels: Vec<Duel>,
}

/// One of ours on one line, then and now.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Duel {
    /// The title of the line.
    pub line: String,
    /// Who.
    pub contestant: String,
    /// What was measured, or why nothing was.
    pub bouts: Result<Vec<Bout>, String>,
}

/// Seconds then and now, taken one after the other by two programs that were started for this.
pub type Bout = Vec<(f64, f64)>;

impl AccuracyRecord {
    /// Whether both are by the same solver on the same design.
    pub fn same_problem(&self, other: &Self) -> bool {
        self.condition == other.condition
            && self.family == other.family
            && self.backend == other.backend
            && self.solver == other.solver
    }
}

impl Entry {
    /// Someone ran once, and this is all that is known so far.
    pub fn timed_once(&mut self, seconds: f64) {
        self.timing = Timing::of(vec![seconds]).ok_or_else(|| "was not timed".to_string());
    }

    /// Who has not finished after some seconds cannot be faster: they count, as a lower bound.
    pub fn stopped(&mut self) {
        (self.counts, self.unfinished) = (true, true);
        self.note = Some("stopped before it had finished".to_string());
    }
}

impl Line {
    /// Those on one side.
    pub fn of(&self, role: Role) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.role == role)
    }

    /// The fastest of ours that reached the accuracy.
    pub fn best_of_ours(&self) -> Option<(&Entry, Timing)> {
        self.best(Role::Ours)
    }

    /// The fastest of the others that reached it.
    pub fn best_peer(&self) -> Option<(&Entry, Timing)> {
        self.best(Role::Peer)
    }

    fn best(&self, role: Role) -> Option<(&Entry, Timing)> {
        let timed = self
            .of(role)
            .filter(|entry| entry.counts)
            .filter_map(|entry| Some((entry, *entry.timing.as_ref().ok()?)));
        timed.min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    }

    /// The most accurate of the others, where none of them reached the accuracy; the faster of equals.
    pub fn closest_peer(&self) -> Option<(&Entry, Timing, f64)> {
        let short = self.of(Role::Peer).filter(|entry| !entry.counts);
        let known = short.filter_map(|e| Some((e, *e.timing.as_ref().ok()?, e.reached?)));
        let worse = |reached: f64| if self.measure == Measure::Digits { -reached } else { reached };
        known.min_by(|(_, a, x), (_, b, y)| {
            worse(*x).total_cmp(&worse(*y)).then(a.median.total_cmp(&b.median))
        })
    }

    /// How many times as long the best peer takes.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.best_peer()?.1.median / self.best_of_ours()?.1.median)
    }
}

impl Run {
    /// Reads a run from its JSON.
    pub fn from_json(json: &str) -> Result<Self, String> {
        let run: Run = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if run.format != FORMAT {
            return Err(format!("format {} where {FORMAT} is expected; measure anew", run.format));
        }
        Ok(run)
    }

    /// The run as JSON.
    pub fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map_err(|error| error.to_string())
    }
}
