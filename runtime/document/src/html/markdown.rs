//! Comments as HTML: paragraphs, lists, tables, code that is indented or in fences, examples after `>>>`.
//!
//! Only what comments of the library use of Markdown. A name in backquotes links to what it is, if that is known.
//! Anything else stays text, so no comment can break a page.

use super::escape;

/// A comment; `link` knows the address of a name.
pub(super) fn html(text: &str, link: &dyn Fn(&str) -> Option<String>) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.trim().is_empty() {
            at += 1;
        } else if line.trim_start().starts_with("```") {
            let end = find(&lines, at + 1, |line| line.trim_start().starts_with("```"));
            code(&lines[at + 1..end], &mut out);
            at = end + 1;
        } else if is_code(line) {
            let end = find(&lines, at, |line| !is_code(line) && !line.trim().is_empty());
            code(&lines[at..end], &mut out);
            at = end;
        } else if line.trim_start().starts_with(">>>") {
            let end = find(&lines, at, |line| line.trim().is_empty());
            code(&lines[at..end], &mut out);
            at = end;
        } else if is_item(line) {
            let end = find(&lines, at, |line| {
                line.trim().is_empty() || !is_item(line) && !line.starts_with(' ')
            });
            list(&lines[at..end], link, &mut out);
            at = end;
        } else if line.trim_start().starts_with('|') {
            let end = find(&lines, at, |line| !line.trim_start().starts_with('|'));
            table(&lines[at..end], link, &mut out);
            at = end;
        } else {
            let end = find(&lines, at + 1, |line| {
                let start = line.trim_start();
                line.trim().is_empty()
                    || is_item(line)
                    || start.starts_with(['|'])
                    || start.starts_with(">>>")
            });
            out.push_str("<p>");
            out.push_str(&inline(&lines[at..end].join("\n"), link));
            out.push_str("</p>\n");
            at = end;
        }
    }
    out
}

/// The first sentence of a comment, as plain text.
pub(super) fn first_sentence(text: &str) -> String {
    let paragraph: Vec<&str> = text
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
    paragraph[..end].trim().to_owned()
}

/// The first line from `from` on for which this holds, or the end.
fn find(lines: &[&str], from: usize, holds: impl Fn(&str) -> bool) -> usize {
    let found = lines.iter().skip(from).position(|line| holds(line));
    found.map_or(lines.len(), |at| from + at)
}

fn is_code(line: &str) -> bool {
    line.starts_with("    ")
}

fn is_item(line: &str) -> bool {
    let start = line.trim_start();
    start.starts_with("- ") || start.starts_with("* ")
}

fn code(lines: &[&str], out: &mut String) {
    let indent = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.get(indent..).unwrap_or(""))
        .collect();
    out.push_str("<pre><code>");
    out.push_str(&escape(lines.join("\n").trim_end()));
    out.push_str("</code></pre>\n");
}

fn list(lines: &[&str], link: &dyn Fn(&str) -> Option<String>, out: &mut String) {
    let mut items: Vec<String> = Vec::new();
    for line in lines {
        match (is_item(line), items.last_mut()) {
            (false, Some(last)) => {
                last.push('\n');
                last.push_str(line.trim());
            }
            _ => items.push(
                line.trim_start()
                    .trim_start_matches(['-', '*'])
                    .trim()
                    .to_owned(),
            ),
        }
    }
    out.push_str("<ul>\n");
    for item in items {
        out.push_str(&format!("<li>{}</li>\n", inline(&item, link)));
    }
    out.push_str("</ul>\n");
}

fn table(lines: &[&str], link: &dyn Fn(&str) -> Option<String>, out: &mut String) {
    out.push_str("<div class=\"wide\"><table>\n");
    for (number, line) in lines.iter().enumerate() {
        let cells: Vec<&str> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        if cells
            .iter()
            .all(|cell| cell.chars().all(|c| matches!(c, '-' | ':')))
        {
            continue;
        }
        let tag = if number == 0 { "th" } else { "td" };
        out.push_str("<tr>");
        for cell in cells {
            out.push_str(&format!("<{tag}>{}</{tag}>", inline(cell, link)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

/// Text within a line: code in backquotes, links, words in bold.
fn inline(text: &str, link: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[', '*']) {
        out.push_str(&escape(&rest[..at]));
        rest = &rest[at..];
        let taken = match &rest[..1] {
            "`" => span(rest, "`", "`").map(|(inside, taken)| (named(inside, link), taken)),
            "*" => span(rest, "**", "**")
                .map(|(inside, taken)| (format!("<strong>{}</strong>", escape(inside)), taken)),
            _ => web_link(rest),
        };
        match taken {
            Some((html, taken)) => {
                out.push_str(&html);
                rest = &rest[taken..];
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(&escape(rest));
    out
}

/// What is between two marks, and how long it is with them.
fn span<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, usize)> {
    let inside = text.strip_prefix(open)?;
    let end = inside.find(close).filter(|end| *end > 0)?;
    Some((&inside[..end], open.len() + end + close.len()))
}

fn named(code: &str, link: &dyn Fn(&str) -> Option<String>) -> String {
    let name = code.split(['(', '<', '[']).next().unwrap_or(code);
    match link(name) {
        Some(address) => format!(
            "<a href=\"{}\"><code>{}</code></a>",
            escape(&address),
            escape(code)
        ),
        None => format!("<code>{}</code>", escape(code)),
    }
}

/// `[text](https://...)`; other addresses are those of documents that are not here.
fn web_link(text: &str) -> Option<(String, usize)> {
    let (words, taken) = span(text, "[", "]")?;
    let (address, more) = span(&text[taken..], "(", ")")?;
    let html = match address.starts_with("https://") || address.starts_with("http://") {
        true => format!("<a href=\"{}\">{}</a>", escape(address), escape(words)),
        false => escape(words),
    };
    Some((html, taken + more))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        html(text, &|name| {
            (name == "Conv2d").then(|| "a.html#Conv2d".to_owned())
        })
    }

    #[test]
    fn blocks() {
        let text = "One\ntwo `Conv2d(1, 2)`.\n\n    code <b>\n\n- a\n  more\n- b\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n>>> f(1)\n2";
        let expected = "<p>One\ntwo <a href=\"a.html#Conv2d\"><code>Conv2d(1, 2)</code></a>.</p>\n<pre><code>code &lt;b&gt;</code></pre>\n<ul>\n<li>a\nmore</li>\n<li>b</li>\n</ul>\n<div class=\"wide\"><table>\n<tr><th>x</th><th>y</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table></div>\n<pre><code>&gt;&gt;&gt; f(1)\n2</code></pre>\n";
        assert_eq!(plain(text), expected);
    }

    #[test]
    fn what_is_not_markdown_stays_text() {
        assert_eq!(plain("a[0] * b ` <i>"), "<p>a[0] * b ` &lt;i&gt;</p>\n");
        assert_eq!(
            plain("[here](doc.md) and [there](https://x.y)"),
            "<p>here and <a href=\"https://x.y\">there</a></p>\n"
        );
        assert_eq!(plain("**now**"), "<p><strong>now</strong></p>\n");
        assert_eq!(plain("```\nx\n"), "<pre><code>x</code></pre>\n");
    }

    #[test]
    fn the_first_sentence() {
        assert_eq!(
            first_sentence("Adds `a.b` to\nall. Then more.\n\nEnd."),
            "Adds `a.b` to all."
        );
    }
}
