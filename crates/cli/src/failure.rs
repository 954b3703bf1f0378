//! How the program ends: what it says, and the exit code that says it to scripts.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | the answer is what was asked for |
//! | 1 | `verify`: the certificate does not hold |
//! | 2 | bad usage or bad data; nothing on standard output |
//! | 3 | there is no minimiser, or a budget ran out; the best answer is on standard output |

use std::fmt;
use std::process::ExitCode;

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// What kept the program from the answer that was asked for.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// Bad usage or bad data.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    /// There is an answer, but not the one that was asked for: no minimiser, or a budget that ran out.
    pub(crate) fn short_of(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 3 }
    }

    /// A certificate that does not hold.
    pub(crate) fn refuted(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    /// The first paragraph of clap's message, which says what is wrong, on one line.
    pub(crate) fn usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let paragraph = text.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let line = words.join(" ");
        Self::new(format!("{}; see --help", line.strip_prefix("error: ").unwrap_or(&line)))
    }

    /// The same with the file it is about.
    pub(crate) fn in_file(file: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self::new(format!("{file}: {problem}"))
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    /// One line, whatever the message quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        self.message.chars().map(printable).try_for_each(|c| write!(f, "{c}"))
    }
}

impl From<minrisk::Error> for Failure {
    fn from(error: minrisk::Error) -> Self {
        Self::new(error.to_string())
    }
}
