//! A program that answers lines with lines, and is ended when it takes too long.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Reading a problem takes no longer than this.
const LOADING: Duration = Duration::from_secs(60);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// It did not come within this time.
    Late(Duration),
    /// Anything else.
    Other(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Late(limit) => write!(f, "no answer within {} s", limit.as_secs()),
            Failure::Other(reason) => write!(f, "{reason}"),
        }
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Failure::Other(reason)
    }
}

/// A program, started when it is first asked something, and anew after it was ended.
pub(crate) struct Process {
    command: Vec<String>,
    running: Option<Running>,
    loaded: Option<PathBuf>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// An answer, or why there is none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Reply<A> {
    Error { error: String },
    Answer(A),
}

#[derive(Deserialize)]
struct Nothing {}

impl Process {
    pub(crate) fn new(command: Vec<String>) -> Self {
        Self { command, running: None, loaded: None }
    }

    /// Starts the program, if it does not run, without waiting for anything.
    pub(crate) fn start(&mut self) -> Result<(), Failure> {
        if self.running.is_none() {
            self.running = Some(Running::start(&self.command)?);
        }
        Ok(())
    }

    /// Asks one thing; a program that does not answer in time is ended.
    pub(crate) fn ask<A: DeserializeOwned>(
        &mut self,
        request: &impl Serialize,
        limit: Duration,
    ) -> Result<A, Failure> {
        if self.running.is_none() {
            self.start()?;
            if let Some(path) = self.loaded.clone() {
                self.load(&path)?;
            }
        }
        let Some(running) = &mut self.running else {
            return Err("the program could not be started".to_string().into());
        };
        match running.exchange(request, limit) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(Reply::Answer(answer)) => Ok(answer),
                Ok(Reply::Error { error }) => Err(error.into()),
                Err(error) => Err(format!("an answer that is none: {error}").into()),
            },
            Err(reason) => {
                self.stop();
                Err(reason)
            }
        }
    }

    /// Has the program read a problem; again after it was started anew.
    pub(crate) fn load(&mut self, path: &Path) -> Result<(), Failure> {
        // Not before the request, or starting anew would load twice.
        self.loaded = None;
        let request = BTreeMap::from([("load", BTreeMap::from([("path", path)]))]);
        let Nothing {} = self.ask(&request, LOADING)?;
        self.loaded = Some(path.to_path_buf());
        Ok(())
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // It may have ended by itself, and then there is nothing to do.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Running {
    fn start(command: &[String]) -> Result<Self, String> {
        let [program, arguments @ ..] = command else { return Err("an empty command".to_string()) };
        let started = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = started.map_err(|error| format!("could not start {program}: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{program} has no input or no output"));
        };
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, lines })
    }

    fn exchange(&mut self, request: &impl Serialize, limit: Duration) -> Result<String, Failure> {
        let line = serde_json::to_string(request).map_err(|error| error.to_string())?;
        writeln!(self.input, "{line}").map_err(|error| format!("the program ended: {error}"))?;
        self.lines.recv_timeout(limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => Failure::Late(limit),
            RecvTimeoutError::Disconnected => "the program ended".to_string().into(),
        })
    }
}
