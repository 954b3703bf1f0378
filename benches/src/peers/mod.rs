//! Other libraries, each behind a program that speaks one line of JSON a request.
//!
//! A program is started once and answers until its input ends, so that peers take turns with ours on the
//! same data. It is told the folder of files that [`handover`] writes, loads them outside of what it
//! times, and returns seconds and coefficients; whether those are any good is judged here.
//!
//! | request | answer |
//! |---|---|
//! | `{"hello": {}}` | versions, absent libraries with reasons, the methods for each task |
//! | `{"load": {"path": …}}` | nothing |
//! | `{"run": {"task", "method", "tolerance", "parameters"}}` | seconds, coefficients, intercepts, a note |

pub mod handover;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;
pub use crate::process::Failure;
use crate::process::Process;
use minrisk_report::record::Peer;

/// What a peer's program says about itself.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Hello {
    /// Versions of the libraries that are there.
    pub versions: BTreeMap<String, String>,
    /// Why the others are not.
    pub absent: BTreeMap<String, String>,
    /// The methods for each task.
    pub offers: BTreeMap<String, Vec<String>>,
    /// Whether a method is slower when it is first called.
    #[serde(default)]
    pub warms_up: bool,
}

/// What a peer is asked to solve.
#[derive(Clone, Debug, Serialize)]
pub struct Request<'a> {
    /// The kind of problem.
    pub task: &'a str,
    /// Which of the peer's methods.
    pub method: &'a str,
    /// The tolerance, in the peer's own meaning.
    pub tolerance: f64,
    /// The numbers of the problem: penalties, folds, epochs.
    pub parameters: &'a Parameters,
}

/// The numbers of a problem, on the total scale of the objective.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Parameters {
    /// Whether there is an intercept.
    pub intercept: bool,
    /// The penalty.
    pub lambda: f64,
    /// Many penalties, largest first.
    pub lambdas: Vec<f64>,
    /// Folds of a cross-validation.
    pub folds: usize,
    /// Passes over the data.
    pub epochs: usize,
    /// The problem as a CSV file, where that is what is to be read.
    pub file: Option<PathBuf>,
}

impl Parameters {
    /// The penalties for a share of the rows.
    fn scaled(&self, share: f64) -> Self {
        let lambdas = self.lambdas.iter().map(|lambda| share * lambda).collect();
        Self { lambda: share * self.lambda, lambdas, ..self.clone() }
    }
}

/// What a peer found.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// How long it took, without loading.
    pub seconds: f64,
    /// The coefficients, one list for each penalty; none where only a choice was asked for.
    #[serde(default)]
    pub coefficients: Vec<Vec<f64>>,
    /// The intercepts, one for each penalty.
    #[serde(default)]
    pub intercepts: Vec<f64>,
    /// What else there is to say.
    #[serde(default)]
    pub note: Option<String>,
}

/// A method of a peer: which program, and its name there.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    program: usize,
    /// Its name.
    pub name: String,
}

/// All peers of a run.
pub struct Peers {
    programs: Vec<(Process, Hello)>,
    absent: Vec<Peer>,
    warm: BTreeSet<String>,
}

impl Peers {
    /// Starts the programs; each is a command line, `what` it speaks for and why it is not there if it
    /// is not. `wanted` keeps the libraries that are asked for.
    pub fn start(
        commands: &[(String, Result<Vec<String>, String>)],
        wanted: impl Fn(&str) -> bool,
    ) -> Self {
        let mut peers = Self { programs: Vec::new(), absent: Vec::new(), warm: BTreeSet::new() };
        for (what, command) in commands {
            let started = command.clone().and_then(|command| {
                let mut process = Process::new(command);
                let hello = process.ask::<Hello>(&BTreeMap::from([("hello", ())]), STARTUP);
                Ok((process, hello.map_err(|failure| failure.to_string())?))
            });
            match started {
                Ok((process, mut hello)) => {
                    for methods in hello.offers.values_mut() {
                        methods.retain(|method| wanted(method));
                    }
                    peers.programs.push((process, hello));
                }
                Err(reason) => peers.absent.push(Peer { name: what.clone(), found: Err(reason) }),
            }
        }
        peers
    }

    /// Every library, found or not.
    pub fn list(&self) -> Vec<Peer> {
        let hellos = || self.programs.iter().map(|(_, hello)| hello);
        let found = hellos().flat_map(|hello| &hello.versions);
        let found = found.map(|(name, version)| (name, Ok(version.clone())));
        let absent = hellos().flat_map(|hello| &hello.absent);
        let absent = absent.map(|(name, reason)| (name, Err(reason.clone())));
        let all = found.chain(absent).map(|(name, found)| Peer { name: name.clone(), found });
        all.chain(self.absent.iter().cloned()).collect()
    }

    /// The methods for a task.
    pub fn methods(&self, task: &str) -> Vec<Method> {
        let programs = self.programs.iter().enumerate();
        let methods = programs.flat_map(|(program, (_, hello))| {
            let names = hello.offers.get(task).into_iter().flatten();
            names.map(move |name| Method { program, name: name.clone() })
        });
        methods.collect()
    }

    /// Has every method of a task solve a corner of a problem, unless it has before in that layout: first
    /// calls compile and import, which is no part of anyone's time.
    pub fn warm_up(
        &mut self,
        folder: &Path,
        problem: &Problem,
        task: &str,
        parameters: &Parameters,
    ) {
        let key =
            |name: &str| format!("{task} {name} {:?} {}", problem.layout(), parameters.intercept);
        let corner = problem.corner(CORNER.0, CORNER.1);
        let parameters = parameters.scaled(corner.rows() as f64 / problem.rows() as f64);
        let path = folder.join("corner.bin");
        let methods = self.methods(task).into_iter();
        let cold: Vec<Method> = methods
            .filter(|method| self.programs[method.program].1.warms_up)
            .filter(|method| !self.warm.contains(&key(&method.name)))
            .collect();
        if cold.is_empty() || handover::write(&path, &corner).is_err() {
            return;
        }
        for method in cold {
            let (process, _) = &mut self.programs[method.program];
            let request =
                Request { task, method: &method.name, tolerance: 1e-6, parameters: &parameters };
            // What fails here fails again where it is heard.
            let _ = process.load(&path);
            let _ = process.ask::<Answer>(&BTreeMap::from([("run", &request)]), WARMING);
            self.warm.insert(key(&method.name));
        }
    }

    /// Hands a problem over to every program that has a method for a task.
    pub fn load(&mut self, folder: &Path, problem: &Problem, task: &str) -> Result<(), String> {
        let path = folder.join("problem.bin");
        handover::write(&path, problem).map_err(|error| format!("{}: {error}", path.display()))?;
        let asked = |hello: &Hello| hello.offers.get(task).is_some_and(|offers| !offers.is_empty());
        for (process, _) in self.programs.iter_mut().filter(|(_, hello)| asked(hello)) {
            process.load(&path).map_err(|failure| failure.to_string())?;
        }
        Ok(())
    }

    /// Has a problem solved, within a time.
    pub fn run(
        &mut self,
        method: &Method,
        request: &Request<'_>,
        limit: Duration,
    ) -> Result<Answer, Failure> {
        self.programs[method.program].0.ask(&BTreeMap::from([("run", request)]), limit)
    }
}

/// Importing every library from a cold disk takes a while.
const STARTUP: Duration = Duration::from_secs(120);

/// Compiling takes a while, too.
const WARMING: Duration = Duration::from_secs(60);

/// Rows and columns on which methods are called first.
const CORNER: (usize, usize) = (200, 20);
