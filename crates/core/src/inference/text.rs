//! Numbers and names as a table shows them.

/// Stands for a number that is undefined.
pub(super) const UNDEFINED: &str = "–";

/// The power of ten of the leading digit; 0 for zero and for what is not finite.
pub(super) fn decimal_exponent(x: f64) -> isize {
    power_of_ten(&format!("{x:e}"))
}

/// The number with so many significant digits: fixed between 0.0001 and 10⁷, else scientific. A number
/// that has fewer is shown with those, so that 2 is `2` and 2.0000001 is `2.0000`.
pub(super) fn significant(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return UNDEFINED.into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "∞".into() } else { "-∞".into() };
    }
    if x == 0.0 {
        return "0".into();
    }
    // Without a precision Rust writes the fewest digits that mean x.
    let shortest = format!("{x:e}");
    let needed = shortest.find('e').and_then(|e| e.checked_sub(shortest.find('.')? + 1));
    let decimals = needed.unwrap_or(0).min(digits.max(1) - 1);
    let scientific = format!("{x:.decimals$e}");
    let power = power_of_ten(&scientific);
    if (-4..7).contains(&power) {
        let decimals = decimals.saturating_add_signed(-power);
        format!("{x:.decimals$}")
    } else {
        scientific
    }
}

/// The exponent of a number in scientific notation.
fn power_of_ten(scientific: &str) -> isize {
    scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// A p-value with three significant digits.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-300 { "<1e-300".into() } else { significant(p, 3) }
}

/// A test statistic with three decimals, fewer where it is large.
pub(super) fn statistic(t: f64) -> String {
    match t.abs() {
        size if size < 1e4 => format!("{t:.3}"),
        size if size < 1e6 => format!("{t:.1}"),
        _ => significant(t, 5),
    }
}

/// A whole number as such, another one with two decimals.
pub(super) fn count(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x}") } else { format!("{x:.2}") }
}

/// How many columns of a terminal the text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The text in at most `limit` columns, its middle replaced by `…` where it is longer (long names
/// tend to differ at the end), and control characters by `�`, which keeps the table in its lines.
pub(super) fn fit(name: &str, limit: usize) -> String {
    let disruptive = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let clean: String = name.chars().map(|c| if disruptive(c) { '\u{fffd}' } else { c }).collect();
    if width(&clean) <= limit {
        return clean;
    }
    let room = limit.saturating_sub(1);
    let head = room.div_ceil(2);
    let mut used = 0;
    let mut within = |budget: usize, c: char| {
        used += char_width(c);
        used <= budget
    };
    let start: String = clean.chars().take_while(|&c| within(head, c)).collect();
    used = 0;
    let mut within = |budget: usize, c: char| {
        used += char_width(c);
        used <= budget
    };
    let end: Vec<char> = clean.chars().rev().take_while(|&c| within(room - head, c)).collect();
    // A combining mark without its base character would hang on the `…`.
    let end: String = end.into_iter().rev().skip_while(|&c| char_width(c) == 0).collect();
    format!("{start}…{end}")
}

/// Columns of one character: 0 for combining marks, 2 for East Asian wide characters and emoji.
fn char_width(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f
        | 0x0483..=0x0489
        | 0x0591..=0x05bd
        | 0x064b..=0x065f
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x200b..=0x200d
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_significant_digits() {
        let cases = [
            (-0.262323073774029, 5, "-0.26232"),
            (890420.383607373, 5, "890420"),
            (-3482258.63459582, 5, "-3482259"),
            (34822586.3459582, 5, "3.4823e7"),
            (4.297968481999e-4, 5, "0.00042980"),
            (4.297968481999e-7, 5, "4.2980e-7"),
            (2.0, 5, "2"),
            (-2.5, 5, "-2.5"),
            (2.0000001, 5, "2.0000"),
            (99999.96, 5, "100000"),
            (1e300, 5, "1e300"),
            (100.0, 2, "100"),
            (0.0, 5, "0"),
            (-0.0, 5, "0"),
            (f64::NEG_INFINITY, 5, "-∞"),
            (f64::NAN, 5, "–"),
            (5e-324, 17, "5e-324"),
            (0.1 + 0.2, 17, "0.30000000000000004"),
            (0.1, 99, "0.1"),
            (0.1, 0, "0.1"),
        ];
        for (x, digits, text) in cases {
            assert_eq!(significant(x, digits), text, "{x}");
        }
    }

    #[test]
    fn p_values_and_statistics() {
        assert_eq!(p_value(0.0123188), "0.0123");
        assert_eq!(p_value(4.654e-90), "4.65e-90");
        assert_eq!(p_value(1e-310), "<1e-300");
        assert_eq!(p_value(0.0), "<1e-300");
        assert_eq!(p_value(1.0), "1");
        assert_eq!(statistic(2331.60578), "2331.606");
        assert_eq!(statistic(-1.1267), "-1.127");
        assert_eq!(statistic(5436385.54), "5436386");
        assert_eq!(statistic(123456.7891), "123456.8");
        assert_eq!(statistic(f64::INFINITY), "∞");
        assert_eq!(count(36.0), "36");
        assert_eq!(count(3.268), "3.27");
    }

    #[test]
    fn names_are_measured_in_columns_and_cut_in_the_middle() {
        assert_eq!(width("Größe"), 5);
        assert_eq!(width("身長"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(fit("short", 10), "short");
        assert_eq!(fit("average_temperature_2019", 11), "avera…_2019");
        assert_eq!(width(&fit("年間平均気温の変化率", 9)), 9);
        assert_eq!(fit("line\nbreak\u{1b}[31m", 30), "line\u{fffd}break\u{fffd}[31m");
        assert_eq!(fit("abc", 1), "…");
        assert_eq!(fit("abc", 0), "…");
        assert_eq!(fit("xxxxae\u{301}", 3), "x…e\u{301}");
        assert_eq!(decimal_exponent(-1234.5), 3);
        assert_eq!(decimal_exponent(0.0), 0);
    }
}
