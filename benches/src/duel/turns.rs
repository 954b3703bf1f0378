//! One side of a duel: makes the problem of a line and runs ours on it whenever it is asked to.

use std::io::{BufRead, Write, stdin, stdout};
use std::path::Path;

use serde::Serialize;

use super::{Hello, Request, Seconds};
use crate::lines::{Race, Stage, hold_all};
use crate::measure::Timed;
use minrisk_report::record::Role;

/// Answers requests about a line on standard output until standard input ends. Files are left in a folder.
pub fn take_turns(line: &str, folder: &Path) -> Result<(), String> {
    let mut turns = Turns { line, folder, held: Ok(false) };
    hold_all(&mut turns)?;
    match turns.held? {
        true => Ok(()),
        false => answer(|_| Err::<(), _>(format!("there is no line {line}"))),
    }
}

struct Turns<'a> {
    line: &'a str,
    folder: &'a Path,
    /// Whether the line was found; why it could not be held.
    held: Result<bool, String>,
}

impl Stage for Turns<'_> {
    fn wants(&mut self, name: &str) -> bool {
        name == self.line
    }

    fn quick(&self) -> bool {
        false
    }

    fn folder(&self) -> &Path {
        self.folder
    }

    fn hold(&mut self, race: Race<'_>) {
        let ours = race.starters.into_iter().filter(|starter| starter.entry.role != Role::Peer);
        let mut ours: Vec<(String, Timed<'_>)> =
            ours.map(|starter| (starter.entry.contestant, starter.run)).collect();
        let hello = Hello {
            contestants: ours.iter().map(|(name, _)| name.clone()).collect(),
            problem: race.problem.fingerprint(),
        };
        self.held = answer(|request| match request {
            Request::Hello {} => Ok(Reply::Hello(hello.clone())),
            Request::Run { contestant } => {
                let named = ours.iter_mut().find(|(name, _)| *name == contestant);
                let (_, run) = named.ok_or_else(|| format!("there is no {contestant}"))?;
                Ok(Reply::Seconds(Seconds { seconds: run()? }))
            }
        })
        .map(|()| true);
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Reply {
    Hello(Hello),
    Seconds(Seconds),
}

/// Answers every request.
fn answer<R: Serialize>(mut reply: impl FnMut(Request) -> Result<R, String>) -> Result<(), String> {
    for line in stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let request = serde_json::from_str(&line).map_err(|error| error.to_string());
        let said = match request.and_then(&mut reply) {
            Ok(reply) => serde_json::to_string(&reply),
            Err(error) => serde_json::to_string(&serde_json::json!({ "error": error })),
        };
        let said = said.map_err(|error| error.to_string())?;
        let mut out = stdout().lock();
        let sent = writeln!(out, "{said}").and_then(|()| out.flush());
        // Whoever asked has gone.
        if sent.is_err() {
            break;
        }
    }
    Ok(())
}
