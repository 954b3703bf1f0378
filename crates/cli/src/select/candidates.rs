//! Ranges of candidates as people write them.

use std::str::FromStr;

/// Degrees from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Degrees {
    pub(crate) low: usize,
    pub(crate) high: usize,
}

/// Penalties between two ends, or the path that the data suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Penalties {
    Range(f64, f64),
    Path,
}

impl FromStr for Degrees {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (low, high) = ends(text);
        match (low.parse(), high.parse()) {
            (Ok(low), Ok(high)) if low <= high && high <= 1000 => Ok(Self { low, high }),
            _ => Err("degrees are written like 1..12".into()),
        }
    }
}

impl FromStr for Penalties {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "path" {
            return Ok(Penalties::Path);
        }
        let (low, high) = ends(text);
        let valid = |value: &f64| value.is_finite() && *value > 0.0;
        match (low.parse::<f64>(), high.parse::<f64>()) {
            (Ok(low), Ok(high)) if valid(&low) && valid(&high) && low <= high => {
                Ok(Penalties::Range(low, high))
            }
            _ => Err("penalties are positive and written like 1e-4..1e4".into()),
        }
    }
}

/// The two ends of `a..b` or `a..=b`; a single number is both.
fn ends(text: &str) -> (&str, &str) {
    match text.split_once("..") {
        Some((low, high)) => (low.trim(), high.trim_start_matches('=').trim()),
        None => (text.trim(), text.trim()),
    }
}

/// Numbers from the largest to the least, evenly on a logarithmic scale.
pub(crate) fn descending(low: f64, high: f64, count: usize) -> Vec<f64> {
    if low == high || count < 2 {
        return vec![high];
    }
    let step = |k: usize| {
        let share = k as f64 / (count - 1) as f64;
        // The ends exactly.
        if k == 0 {
            high
        } else if k == count - 1 {
            low
        } else {
            high * (low / high).powf(share)
        }
    };
    (0..count).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!("1..12".parse(), Ok(Degrees { low: 1, high: 12 }));
        assert_eq!("3".parse(), Ok(Degrees { low: 3, high: 3 }));
        assert_eq!("1e-4..1e4".parse(), Ok(Penalties::Range(1e-4, 1e4)));
        assert_eq!("path".parse(), Ok(Penalties::Path));
        for text in ["12..1", "a..b", "-1..2", ""] {
            assert!(
                text.parse::<Degrees>().is_err() && text.parse::<Penalties>().is_err(),
                "{text}"
            );
        }
        let grid = descending(0.01, 100.0, 5);
        assert_eq!((grid[0], grid[4]), (100.0, 0.01));
        assert!((grid[2] - 1.0).abs() < 1e-12);
    }
}
