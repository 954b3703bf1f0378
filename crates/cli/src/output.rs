//! Standard output, which may be a pipe that nobody reads to its end.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use crate::failure::{Failure, Outcome};

/// Prints a line or more; a reader that has gone away has seen enough.
pub(crate) fn print(text: impl Display) -> Outcome {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}
