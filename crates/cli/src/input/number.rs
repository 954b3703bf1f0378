//! Numbers as people write them, and what stands where a number is missing.
//!
//! Plain decimals with or without exponent (`1.5`, `.5`, `+2`, `1e-3`, Fortran's `1.5D+03`), a typographic
//! minus, thousands in groups (`1,234,567.8`), and in files with semicolons, where the comma is free for
//! it, a decimal comma (`3,14`, `1.234,5`).

use std::borrow::Cow;

use clap::ValueEnum;

/// What a comma within a number means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decimal {
    /// It separates thousands.
    Point,
    /// It separates the fraction.
    Comma,
}

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Number(f64),
    Missing,
    /// A number that no double can hold, or infinity.
    NotFinite,
    Text,
}

/// Words that stand for a value that is not there.
const MISSING: [&str; 9] = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?"];

impl Cell {
    pub(crate) fn read(cell: &[u8], decimal: Decimal) -> Self {
        let Ok(text) = std::str::from_utf8(cell) else { return Cell::Text };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => return Cell::Number(number),
            Ok(number) if number.is_infinite() => return Cell::NotFinite,
            _ => {}
        }
        if MISSING.contains(&text) {
            return Cell::Missing;
        }
        match plain(text, decimal).map(|plain| plain.parse::<f64>()) {
            Some(Ok(number)) if number.is_finite() => Cell::Number(number),
            Some(Ok(_)) => Cell::NotFinite,
            _ => Cell::Text,
        }
    }
}

/// A number in plain decimals; `None` for what is not one.
fn plain(text: &str, decimal: Decimal) -> Option<Cow<'_, str>> {
    let (sign, rest) = match text.strip_prefix('−') {
        Some(rest) => ("-", rest),
        None if text.starts_with(['+', '-']) => text.split_at(1),
        None => ("", text),
    };
    if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',') {
        return None;
    }
    let rest = rest.replacen(['D', 'd'], "e", 1);
    let (group, point) = match decimal {
        Decimal::Comma if rest.matches(',').count() == 1 => ('.', ','),
        _ => (',', '.'),
    };
    let end = rest.find([point, 'e', 'E']).unwrap_or(rest.len());
    let (whole, tail) = rest.split_at(end);
    let mut groups = whole.split(group);
    let first = groups.next()?;
    let grouped: Vec<&str> = groups.collect();
    let in_thousands = grouped.is_empty()
        || (1..=3).contains(&first.len()) && grouped.iter().all(|part| part.len() == 3);
    let tail = tail.replacen(point, ".", 1);
    in_thousands.then(|| Cow::Owned(format!("{sign}{first}{}{tail}", grouped.concat())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_their_usual_forms() {
        for (text, value) in [
            ("1", 1.0),
            ("+2", 2.0),
            (".4e1", 4.0),
            ("3.", 3.0),
            ("-1E-3", -1e-3),
            ("1.5D+03", 1500.0),
            ("−7.5", -7.5),
            ("1,234", 1234.0),
            ("-12,345,678.9", -12345678.9),
            ("0.1", 0.1),
        ] {
            assert_eq!(Cell::read(text.as_bytes(), Decimal::Point), Cell::Number(value), "{text}");
        }
        for (text, value) in
            [("3,25", 3.25), ("1.234,5", 1234.5), ("-0,5", -0.5), ("2.5", 2.5), ("1,2e3", 1200.0)]
        {
            assert_eq!(Cell::read(text.as_bytes(), Decimal::Comma), Cell::Number(value), "{text}");
        }
    }

    #[test]
    fn other_words_are_not_numbers() {
        for text in
            ["red", "1,2", "12,34", "1 2", "0x1F", "1.2.3", "e5", "-", ".", "1,2345", "d", "1/2"]
        {
            assert_eq!(Cell::read(text.as_bytes(), Decimal::Point), Cell::Text, "{text}");
        }
        for text in ["", "NA", "NaN", "?", "null"] {
            assert_eq!(Cell::read(text.as_bytes(), Decimal::Point), Cell::Missing, "{text}");
        }
        for text in ["inf", "-Infinity", "1e999"] {
            assert_eq!(Cell::read(text.as_bytes(), Decimal::Point), Cell::NotFinite, "{text}");
        }
        assert_eq!(Cell::read(b"\xff", Decimal::Point), Cell::Text);
    }
}
