//! Pictures that follow the colours of their surroundings.

use crate::chart::PALETTE;

/// The palette in the light and in the dark: eight colours that the colour-blind can tell apart (after
/// Okabe and Ito 2008), the grid, and a warning.
pub const LIGHT: &str = "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#a8558a;--c4:#8a6d00;--c5:#3a9bd9;\
                         --c6:#7a4b2b;--c7:#555;--grid:#e2e2e2;--warn:#c0392b;--ink:#1b1b1b";
/// The same in the dark.
pub const DARK: &str = "--c0:#56b4e9;--c1:#ff9b50;--c2:#2fd0a0;--c3:#e48fc4;--c4:#e8d25a;--c5:#9ad0ff;\
                        --c6:#d1a07c;--c7:#b5b5b5;--grid:#3a3d42;--warn:#ff7b6b;--ink:#e8e6e3";

/// A picture for a page that has the variables of the palette.
pub fn inline(drawn: &str) -> String {
    let mut picture = drawn.to_string();
    for k in 0..PALETTE {
        picture = picture.replace(&format!("#0100{k:02X}"), &format!("var(--c{k})"));
    }
    let picture = picture.replace("#020000", "var(--ink)").replace("#030000", "var(--grid)");
    let picture = picture.replace("#040000", "var(--warn)");
    // Scales with its surroundings: its own extents are in the view box.
    let Some((before, after)) = picture.split_once("<svg width=\"") else { return picture };
    let Some((_, after)) = after.split_once("\" viewBox") else { return picture };
    format!("{before}<svg role=\"img\" viewBox{after}")
}

/// A picture that stands on its own, light or dark as its reader is.
pub fn standalone(drawn: &str) -> String {
    let style =
        format!("<style>svg{{{LIGHT}}}@media(prefers-color-scheme:dark){{svg{{{DARK}}}}}</style>");
    let picture = inline(drawn);
    match picture.find('>') {
        Some(end) => format!("{}{style}{}", &picture[..=end], &picture[end + 1..]),
        None => picture,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_variables_and_extents_go() {
        let drawn = "<svg width=\"480\" height=\"340\" viewBox=\"0 0 480 340\" xmlns=\"x\">\n<path stroke=\"#010003\"/></svg>";
        let picture = inline(drawn);
        assert!(picture.starts_with("<svg role=\"img\" viewBox=\"0 0 480 340\""));
        assert!(picture.contains("stroke=\"var(--c3)\"") && !picture.contains("#0100"));
        assert!(standalone(drawn).contains("<style>svg{--c0:"));
    }
}
