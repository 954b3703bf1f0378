//! Times as people write them: `10s`, `500ms`, `2min`, `1h`, or a number of seconds.

use std::time::Duration;

pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time: there are ms, s, min and h")),
    };
    let number: f64 =
        number.trim().parse().map_err(|_| "a time is written like 10s".to_string())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, milliseconds) in
            [("10s", 10_000), ("500ms", 500), ("2min", 120_000), ("1.5", 1500)]
        {
            assert_eq!(parse(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "soon", "10 parsecs", "-1s", "1e99h", "NaNs"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
