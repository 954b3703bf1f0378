//! The report as one page that needs nothing but itself.

use crate::record::Run;
use crate::svg::{self, DARK, LIGHT};
use crate::{Part, Section, Table, Tone, markdown};

/// The whole page.
pub fn page(run: &Run, sections: &[Section]) -> String {
    let command = markdown::command(run);
    let command = match command.split_once("`, ") {
        Some((code, rest)) => {
            format!("<code>{}</code>, {}", escape(code.trim_start_matches('`')), escape(rest))
        }
        None => escape(&command),
    };
    let headings = sections.iter().enumerate();
    let contents: String = headings
        .map(|(k, section)| format!("<li><a href=\"#s{k}\">{}</a></li>", escape(&section.heading)))
        .collect();
    let mut body = String::new();
    for (k, section) in sections.iter().enumerate() {
        body += &format!("<section id=\"s{k}\"><h2>{}</h2>", escape(&section.heading));
        section.parts.iter().for_each(|part| body += &part_html(part));
        body += "</section>\n";
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>minrisk: accuracy and speed</title><style>{}</style></head>\n<body><header>\
         <h1>minrisk: accuracy and speed</h1><p>{command}</p><nav><ul>{contents}</ul></nav></header>\n\
         <main>{body}</main></body></html>\n",
        style()
    )
}

fn style() -> String {
    format!(
        ":root{{{LIGHT};--paper:#fff;--soft:#f4f5f6;--faint:#6b6f76;--good:#0a7a3c}}\
         @media(prefers-color-scheme:dark){{:root{{{DARK};--paper:#16181c;--soft:#1f2227;\
         --faint:#9aa0a8;--good:#5fd38d}}}}{STYLE}"
    )
}

const STYLE: &str = "
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,main{max-width:72rem;margin:0 auto;padding:0 1rem}
h1{font-size:1.7rem;margin:1.5rem 0 .2rem}h2{font-size:1.25rem;margin:2.2rem 0 .6rem}
p{max-width:48rem;margin:.5rem 0}a{color:var(--c0)}code{font-size:.9em}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
.wide{overflow-x:auto;margin:.8rem 0}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}
th{font-weight:600;background:var(--soft)}
th:first-child,td:first-child,.words{text-align:left}
td.words{white-space:normal;min-width:13rem}
tr.good td.mark{color:var(--good);font-weight:600}tr.bad td.mark{color:var(--warn);font-weight:600}
tr.faint td{color:var(--faint)}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:1rem;margin:1rem 0}
.pictures svg{width:100%;max-width:34rem;height:auto;font-family:system-ui,sans-serif}
details{margin:.4rem 0;border-left:3px solid var(--grid);padding-left:.8rem}
summary{cursor:pointer}
@media(max-width:40rem){table{font-size:.8rem}th,td{padding:.25rem .45rem}
.cards table,.cards tbody,.cards tr,.cards td{display:block}.cards thead{display:none}
.cards tr{padding:.5rem 0;border-bottom:1px solid var(--grid)}
.cards td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.05rem 0;white-space:normal;min-width:0;text-align:right}
.cards td:first-child{font-weight:600;text-align:left}
.cards td:not(:first-child)::before{content:attr(data-name);color:var(--faint);white-space:nowrap}}
";

fn part_html(part: &Part) -> String {
    match part {
        Part::Paragraph(text) => format!("<p>{}</p>", escape(text)),
        Part::Table(table) => table_html(table),
        Part::Pictures(pictures) => {
            let pictures: String = pictures.iter().map(|picture| svg::inline(picture)).collect();
            format!("<div class=\"pictures\">{pictures}</div>")
        }
        Part::Folded(heading, parts) => {
            let parts: String = parts.iter().map(part_html).collect();
            format!("<details><summary>{}</summary>{parts}</details>", escape(heading))
        }
    }
}

fn table_html(table: &Table) -> String {
    let head = table.head.iter();
    let head: String =
        head.map(|name| format!("<th{}>{}</th>", class(name), escape(name))).collect();
    let mut rows = String::new();
    for row in &table.rows {
        let tone = match row.tone {
            Tone::Plain => "",
            Tone::Good => " class=\"good\"",
            Tone::Bad => " class=\"bad\"",
            Tone::Faint => " class=\"faint\"",
        };
        let cells = row.cells.iter().zip(&table.head);
        let cells = cells.map(|(cell, name)| {
            let (class, name) = (class(name), escape(name));
            format!("<td{class} data-name=\"{name}\">{}</td>", escape(cell))
        });
        rows += &format!("<tr{tone}>{}</tr>", cells.collect::<String>());
    }
    // A row of sentences becomes a card where the page is narrow; a grid of numbers is scrolled.
    let kind = match table.head.first().map(String::as_str) {
        Some("problem" | "what" | "who") => "wide cards",
        _ => "wide",
    };
    format!(
        "<div class=\"{kind}\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

/// How the cells of a column look: words, or a number that the tone of its row marks.
fn class(column: &str) -> &'static str {
    match column {
        "ratio" | "change" => " class=\"mark\"",
        "note" | "best peer" | "version, or why it is absent" | "" => " class=\"words\"",
        _ => "",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
