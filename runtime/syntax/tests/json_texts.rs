//! Texts of JSON in every kind of string: what was written is what is read, or an error shows how braces are written.
//!
//! The texts are generated: nested objects and lists, keys and values with quotes, backslashes and braces, compact, spaced and on
//! several lines. No brace is ever lost in silence.

use simple_syntax::ast::{ExprKind, StmtKind, TextPart};
use simple_syntax::{FileId, Severity, parse};

/// A generator of numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// How objects and lists are written.
#[derive(Clone, Copy)]
struct Style {
    /// After a colon and a comma.
    space: &'static str,
    /// Inside of brackets.
    pad: &'static str,
    /// Whether texts may contain braces.
    braces: bool,
}

fn text(random: &mut Random, style: Style) -> String {
    const PLAIN: &[&str] = &["a", "b c", "é", ":", ",", "5", "\\\"", "\\\\", "\\n", "x:5"];
    // `{x}` is a hole and `{{x}}` the text of one: these mean something else.
    const BRACES: &[&str] = &["}", "}}", "}}}", "}}}}", "{:", "{,"];
    let mut out = String::from('"');
    for _ in 0..random.below(4) {
        let pieces = if style.braces && random.below(3) == 0 {
            BRACES
        } else {
            PLAIN
        };
        out.push_str(pieces[random.below(pieces.len() as u64) as usize]);
    }
    out.push('"');
    out
}

fn value(random: &mut Random, style: Style, depth: u32) -> String {
    let kind = if depth == 0 {
        2 + random.below(3)
    } else {
        random.below(5)
    };
    let count = random.below(3);
    let Style { space, pad, .. } = style;
    match kind {
        0 if count > 0 => {
            let members: Vec<String> = (0..count)
                .map(|_| {
                    let key = text(random, style);
                    format!("{key}:{space}{}", value(random, style, depth - 1))
                })
                .collect();
            format!("{{{pad}{}{pad}}}", members.join(&format!(",{space}")))
        }
        0 => "{}".to_owned(),
        1 => {
            let items: Vec<String> = (0..count)
                .map(|_| value(random, style, depth - 1))
                .collect();
            format!("[{}]", items.join(&format!(",{space}")))
        }
        2 => text(random, style),
        3 => random.below(100).to_string(),
        _ => "true".to_owned(),
    }
}

/// What a program of one expression says: its text, or nothing with the reason why not.
fn read(source: &str) -> Result<String, String> {
    let (module, diagnostics) = parse(FileId(0), source);
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    if !errors.is_empty() {
        let shows = errors.iter().any(|d| {
            let mut said = d.help.iter().chain(&d.notes);
            said.any(|text| text.contains("{{"))
        });
        assert!(
            shows,
            "no error shows how braces are written:\n{source}\n{errors:?}"
        );
        return Err(errors[0].message.clone());
    }
    let [stmt] = &module.stmts[..] else {
        panic!("one statement: {source}");
    };
    let StmtKind::Let {
        value: Some(value), ..
    } = &stmt.kind
    else {
        panic!("a binding: {source}");
    };
    Ok(joined(value, source))
}

fn joined(e: &simple_syntax::ast::Expr, source: &str) -> String {
    match &e.kind {
        ExprKind::Binary(_, a, b) => joined(a, source) + &joined(b, source),
        ExprKind::Paren(inner) => joined(inner, source),
        ExprKind::Text(parts) => parts
            .iter()
            .map(|part| match part {
                TextPart::Literal(text) => text.as_str(),
                TextPart::Hole { .. } => panic!("a hole was read in silence: {source}"),
            })
            .collect(),
        _ => panic!("a text: {source}"),
    }
}

/// A text as it is written between double quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// Reads `source`, whose text should be `json`; whether it could be read.
fn same(source: &str, json: &str) -> bool {
    match read(source) {
        Ok(text) => {
            assert_eq!(text, json, "{source}");
            true
        }
        Err(_) => false,
    }
}

#[test]
fn json_is_read_as_it_is_written_or_refused() {
    const COMPACT: Style = Style {
        space: "",
        pad: "",
        braces: false,
    };
    const WIDE: Style = Style {
        space: " ",
        ..COMPACT
    };
    const LINES: Style = Style {
        space: " ",
        pad: "\n",
        ..COMPACT
    };
    const PADDED: Style = Style {
        space: " ",
        pad: " ",
        ..COMPACT
    };
    let mut random = Random(2026);
    let (mut tried, mut taken) = (0, 0);
    for round in 0..6000 {
        let style = [COMPACT, WIDE, LINES, PADDED][round % 4];
        let style = Style {
            braces: round % 3 == 0,
            ..style
        };
        let json = value(&mut random, style, 4);
        // Without an object `}}` is one brace, as everywhere.
        if !json
            .replace("{}", "")
            .contains(if style.braces { "{\"" } else { "" })
        {
            continue;
        }
        // What has no braces but those of objects, each before a backslash, can always be written.
        let plain = !style.braces && style.pad != " ";
        let cooked = same(&format!("val x = \"{}\"\n", escaped(&json)), &json);
        assert!(cooked || !plain, "refused: {json}");
        let doubled = escaped(&json).replace('{', "{{").replace('}', "}}");
        assert!(same(&format!("val x = \"{doubled}\"\n"), &json), "{json}");
        let lines = json.replace('\\', "\\\\");
        let quoted = json.starts_with('"') || json.ends_with('"');
        if !quoted {
            let formatted = same(&format!("val x = f\"\"\"{lines}\"\"\"\n"), &json);
            assert!(
                formatted || !plain || style.pad == "\n" || json.contains('\\'),
                "refused: {json}"
            );
            taken += u32::from(formatted);
            assert!(same(&format!("val x = \"\"\"{json}\"\"\"\n"), &json));
        }
        if !json.contains('\n') {
            assert!(same(&format!("val x = '{json}'\n"), &json));
        }
        // In two strings, cut before a key, a value or a closing bracket.
        let cuts: Vec<usize> = json
            .match_indices(['"', '}', ']'])
            .map(|(at, _)| at)
            .collect();
        if !cuts.is_empty() && !style.braces {
            let at = cuts[random.below(cuts.len() as u64) as usize];
            let (a, b) = json.split_at(at);
            if !a.ends_with(['{', '\\']) {
                let source = format!("val x = \"{}\" + \"{}\"\n", escaped(a), escaped(b));
                taken += u32::from(same(&source, &json));
            }
        }
        tried += 1;
        taken += u32::from(cooked);
    }
    assert!(taken > tried, "{taken} of {tried}");
}
