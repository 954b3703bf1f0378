//! Ours as it was beside ours as it is: two programs that take turns on the same problem in the same minute.
//!
//! Times of one day say little about times of another, not even of another minute: neighbours, clocks and
//! temperatures move them by more than most changes of the code do. So a baseline is not a list of times but
//! the program that was built from the code of then. A *bout* starts that program and today's, and has each of
//! ours run by one and at once by the other, over and over, in an order that changes. What comes and goes on the
//! machine is the same for both. What stays as long as a program runs, as where its data came to lie, is drawn
//! anew for the next bout. So is what stays as long as its file does: where that lies in memory, which makes a
//! tenth between two copies of one program; a bout makes fresh ones. So bouts are independent of each other, and
//! [`changes`](minrisk_report::changes) can ask how far they agree.
//!
//! Programs answer one line of JSON a request (`turns`):
//!
//! | request | answer |
//! |---|---|
//! | `{"hello": {}}` | who of ours is there, and the fingerprint of the problem |
//! | `{"run": {"contestant": …}}` | seconds |

mod turns;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::process::Process;
use crate::program;
use minrisk_report::record::{Bout, Duel};

pub use turns::take_turns;

/// How often programs are started and take turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// How often both programs are started.
    pub bouts: usize,
    /// At most so many pairs of times in a bout.
    pub rounds: usize,
    /// Fewer where those would take longer than this, for each contestant.
    pub seconds: f64,
    /// Whoever needs longer than this for a pair is left out.
    pub longest: f64,
}

impl Effort {
    /// What a run has time for.
    pub fn of(quick: bool) -> Self {
        match quick {
            true => Self { bouts: 14, rounds: 3, seconds: 0.1, longest: 2.0 },
            false => Self { bouts: 16, rounds: 3, seconds: 0.3, longest: 60.0 },
        }
    }
}

/// The two programs.
pub struct Rivals {
    /// That of the baseline.
    pub before: PathBuf,
    /// Today's.
    pub after: PathBuf,
    /// How often they meet.
    pub effort: Effort,
    /// Where they are copied to for a bout, and leave files.
    pub folder: PathBuf,
}

/// What a program says about a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Hello {
    contestants: Vec<String>,
    /// Of the data, so that times on different data are not taken for a change.
    problem: u64,
}

/// One run of one of ours.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seconds {
    seconds: f64,
}

/// Someone who can be asked for a time, by the name of a contestant.
trait Side {
    fn run(&mut self, contestant: &str) -> Result<f64, String>;
}

impl Rivals {
    /// Has both programs take turns on a line; one record for each of ours, or one that says why there is none.
    pub fn duel(&self, line: &str, title: &str) -> Vec<Duel> {
        let duel = |contestant: &str, bouts| Duel {
            line: title.to_string(),
            contestant: contestant.to_string(),
            bouts,
        };
        let mut bouts: BTreeMap<String, Result<Vec<Bout>, String>> = BTreeMap::new();
        let mut order = Vec::new();
        for number in 0..self.effort.bouts {
            let (contestants, mut sides) = match self.meet(line, number) {
                Ok(met) => met,
                Err(reason) => return vec![duel("minrisk", Err(reason))],
            };
            for contestant in &contestants {
                let so_far = bouts.entry(contestant.clone()).or_insert(Ok(Vec::new()));
                let Ok(earlier) = so_far else { continue };
                match self.effort.bout(number, contestant, &mut sides) {
                    Ok(bout) => earlier.push(bout),
                    Err(reason) => *so_far = Err(reason),
                }
            }
            order = contestants;
        }
        let mut found = |name: &String| Some(duel(name, bouts.remove(name)?));
        order.iter().filter_map(&mut found).collect()
    }

    /// Starts fresh copies of both programs, the one or the other first, so that they get ready side by side.
    fn meet(&self, line: &str, number: usize) -> Result<(Vec<String>, [Program; 2]), String> {
        let homes = ["before", "after"].map(|name| self.folder.join(name));
        let mut sides = homes.each_ref().map(|home| Program::new(home, line, &self.folder));
        for turn in 0..2 {
            let whose = (number + turn) % 2;
            program::copy([&self.before, &self.after][whose], &homes[whose])?;
            sides[whose].0.start().map_err(|failure| failure.to_string())?;
        }
        let mut hellos = Vec::new();
        for (side, whose) in sides.iter_mut().zip(["the baseline", "today's code"]) {
            hellos.push(side.hello().map_err(|reason| format!("{whose}: {reason}"))?);
        }
        if hellos[0].problem != hellos[1].problem {
            return Err("the data of this line is not that of the baseline".to_string());
        }
        let both = hellos[1].contestants.iter().filter(|who| hellos[0].contestants.contains(who));
        Ok((both.cloned().collect(), sides))
    }
}

impl Effort {
    /// Pairs of times, one side and at once the other. Who goes first changes with every pair and every bout. A
    /// first pair only warms up and says how many there is time for, unless it was all that there is time for.
    fn bout(
        &self,
        number: usize,
        contestant: &str,
        sides: &mut [impl Side; 2],
    ) -> Result<Bout, String> {
        let mut pair = |round: usize| {
            let mut seconds = [0.0; 2];
            for turn in 0..2 {
                let whose = (number + round + turn) % 2;
                seconds[whose] = sides[whose].run(contestant)?;
            }
            Ok::<_, String>((seconds[0], seconds[1]))
        };
        let first = pair(0)?;
        let both = first.0 + first.1;
        if both > self.longest {
            return Err(format!(
                "one turn of both takes {both:.0} s, too long for this kind of run"
            ));
        }
        let affordable = self.seconds / both;
        if affordable < 1.0 {
            return Ok(vec![first]);
        }
        (1..=self.rounds.min(affordable as usize)).map(pair).collect()
    }
}

/// A program that was started for one line.
struct Program(Process);

impl Program {
    fn new(home: &Path, line: &str, folder: &Path) -> Self {
        let program = program::copied(home);
        let [program, folder] =
            [&program, folder].map(|path: &Path| path.to_string_lossy().into_owned());
        let words = [&program, "--turns", line, "--folder", &folder];
        Self(Process::new(words.map(str::to_string).to_vec()))
    }

    fn hello(&mut self) -> Result<Hello, String> {
        self.0.ask(&Request::Hello {}, PATIENCE).map_err(|failure| failure.to_string())
    }
}

impl Side for Program {
    fn run(&mut self, contestant: &str) -> Result<f64, String> {
        let request = Request::Run { contestant: contestant.to_string() };
        let answer: Seconds =
            self.0.ask(&request, PATIENCE).map_err(|failure| failure.to_string())?;
        Ok(answer.seconds)
    }
}

/// What a program is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    Hello {},
    Run { contestant: String },
}

/// One answer takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests;
