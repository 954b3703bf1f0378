//! The file in which a problem is handed to peers: eight-byte little-endian words.
//!
//! | words | what |
//! |---|---|
//! | 1 | `minrisk1` |
//! | 3 | rows, columns, layout (0 row after row, 1 column after column), as integers |
//! | rows·columns | the design, as doubles |
//! | rows | the target |

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::problem::{Layout, Problem};

/// What a file begins with.
pub const MAGIC: &[u8; 8] = b"minrisk1";

/// Writes a problem.
pub fn write(path: &Path, problem: &Problem) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let layout = u64::from(problem.layout() == Layout::Columns);
    file.write_all(MAGIC)?;
    for word in [problem.rows() as u64, problem.cols() as u64, layout] {
        file.write_all(&word.to_le_bytes())?;
    }
    for value in problem.entries().iter().chain(problem.y()) {
        file.write_all(&value.to_le_bytes())?;
    }
    file.flush()
}
