//! Standard output, which may be a pipe that nobody reads to its end.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;

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

/// One JSON object, its numbers as the shortest decimals that read back to the same doubles.
pub(crate) fn json(object: &impl Serialize) -> Outcome<String> {
    serde_json::to_string(object).map_err(|error| Failure::new(error.to_string()))
}

/// A count with its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = match noun {
        _ if count == 1 => "",
        "pass" => "es",
        _ => "s",
    };
    format!("{count} {noun}{plural}")
}

/// A number with six significant digits, or fewer where it has fewer.
pub(crate) fn shown(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let power = x.abs().log10().floor() as i32;
    let text = match power {
        -4..7 => format!("{x:.*}", usize::try_from(5 - power).unwrap_or(0)),
        _ => return format!("{x:.5e}"),
    };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// Lines of cells as a table: the first column to the left, all others to the right.
pub(crate) fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let length = |text: &String| text.chars().count();
    let width =
        |k: usize| lines.iter().filter_map(|line| line.get(k)).map(length).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut table = String::new();
    for line in lines {
        let mut row = String::new();
        for (k, cell) in line.iter().enumerate() {
            let space = " ".repeat(widths[k] - length(cell));
            row += &if k == 0 { format!("{cell}{space}") } else { format!("  {space}{cell}") };
        }
        table += row.trim_end();
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_six_digits() {
        for (x, text) in [
            (0.0, "0"),
            (2.0, "2"),
            (-1234.5678, "-1234.57"),
            (0.000123456789, "0.000123457"),
            (1e-7, "1.00000e-7"),
            (123456789.0, "1.23457e8"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(shown(x), text);
        }
    }

    #[test]
    fn tables_are_aligned() {
        let line = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect();
        assert_eq!(aligned(&[line(&["a", "10"]), line(&["bc", "2"])]), "a   10\nbc   2\n");
    }
}
