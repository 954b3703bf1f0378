//! What ends the program early: one line, and an exit code.

use std::fmt;
use std::process::ExitCode;

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Bad usage or bad data.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The first paragraph of clap's message, which says what is wrong, on one line.
    pub(crate) fn usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let paragraph = text.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let line = words.join(" ");
        Self::new(format!("{}; see --help", line.strip_prefix("error: ").unwrap_or(&line)))
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(2)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<minrisk::Error> for Failure {
    fn from(error: minrisk::Error) -> Self {
        Self::new(error.to_string())
    }
}
