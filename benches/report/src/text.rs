//! Numbers as people read them.

use crate::Timing;

/// Seconds in the unit that fits.
pub fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (1e3 * s, "ms"),
        s => (1e6 * s, "µs"),
    };
    format!("{} {unit}", three(value))
}

/// Seconds that are a round number of some unit.
pub fn round_seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 0.999 => format!("{s:.0} s"),
        s if s >= 0.999e-3 => format!("{:.0} ms", 1e3 * s),
        s => format!("{:.0} µs", 1e6 * s),
    }
}

/// A median with its quartiles.
pub fn timing(timing: &Timing) -> String {
    let spread = (timing.upper - timing.lower) / timing.median;
    match timing.samples {
        1 => format!("{} (once)", seconds(timing.median)),
        _ => format!("{} ± {:.0} %", seconds(timing.median), 50.0 * spread),
    }
}

/// A ratio: `9.9`, `340`, `0.42`.
pub fn ratio(ratio: f64) -> String {
    format!("{}×", three(ratio))
}

/// How many times as much: `2.4`, `292,912`.
pub fn times(factor: f64) -> String {
    match factor {
        f if f < 1000.0 => format!("{f:.1}"),
        f => grouped(f.round() as usize),
    }
}

/// A count with its thousands separated.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What stands before a number that is a lower bound.
pub fn at_least(bound: bool) -> &'static str {
    if bound { "> " } else { "" }
}

/// A relative gap, with the digits that matter.
pub fn gap(gap: f64) -> String {
    if gap <= 0.0 { "0".to_string() } else { format!("{gap:.0e}") }
}

/// A power of ten: `10⁻³`.
pub fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.unsigned_abs().to_string();
    let raised = digits.chars().filter_map(|c| c.to_digit(10)).map(|d| DIGITS[d as usize]);
    let sign = if exponent < 0 { "⁻" } else { "" };
    match exponent {
        0 => "1".to_string(),
        1 => "10".to_string(),
        _ => format!("10{sign}{}", raised.collect::<String>()),
    }
}

/// A day from seconds since 1970, as `2026-11-16` (Howard Hinnant's `civil_from_days`).
pub fn day(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    format!("{}-{month:02}-{day:02}", year + 400 * era + u64::from(month <= 2))
}

/// About three figures.
fn three(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(23.04), "23.0 s");
        assert_eq!(round_seconds(10_f64.powf(-1.0)), "100 ms");
        assert_eq!(ratio(0.421), "0.42×");
        assert_eq!(power_of_ten(-14), "10⁻¹⁴");
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(951_782_400), "2000-02-29");
        assert_eq!(day(1_794_823_200), "2026-11-16");
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!((times(2.44), times(292_912.4)), ("2.4".into(), "292,912".into()));
    }
}
