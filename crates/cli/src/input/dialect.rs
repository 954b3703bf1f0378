//! How the columns are separated: guessed from the first lines, as a person would.

/// What may separate columns, the most usual first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Lines looked at.
const LINES: usize = 50;

/// The delimiter that splits most of the first lines into the same number of fields; of several the one
/// with the most fields, a comma where nothing splits anything.
pub(super) fn sniff(head: &[u8]) -> u8 {
    let score = |&delimiter: &u8| {
        let counts = delimiters_by_line(head, delimiter);
        let first = counts.first().copied().unwrap_or(0);
        let agreeing = counts.iter().filter(|&&count| count == first).count();
        if first == 0 { (0, 0) } else { (agreeing * 10 / counts.len().max(1), first) }
    };
    let mut best = (DELIMITERS[0], (0, 0));
    for delimiter in DELIMITERS {
        let score = score(&delimiter);
        if score > best.1 {
            best = (delimiter, score);
        }
    }
    best.0
}

/// How often a byte occurs outside quotes in each of the first lines; a last line that may be cut off is
/// left out.
fn delimiters_by_line(head: &[u8], delimiter: u8) -> Vec<usize> {
    let (mut counts, mut count, mut quoted, mut empty) = (Vec::new(), 0, false, true);
    for &byte in head {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                if !empty {
                    counts.push(count);
                }
                if counts.len() == LINES {
                    return counts;
                }
                (count, empty) = (0, true);
                continue;
            }
            b'\r' => continue,
            _ if byte == delimiter && !quoted => count += 1,
            _ => {}
        }
        empty = false;
    }
    if !empty && (counts.is_empty() || head.len() < 1 << 16) {
        counts.push(count);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_separators_are_found() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", b','),
            ("a\tb\n1,5\t2\n", b'\t'),
            ("a;b;c\n1,5;2,5;3\n", b';'),
            ("a|b\n1|2", b'|'),
            ("one column\n1\n2\n", b','),
            ("\"a;b\",c\n\"1;2\",3\n", b','),
            ("", b','),
        ] {
            assert_eq!(sniff(text.as_bytes()), delimiter, "{text}");
        }
    }
}
