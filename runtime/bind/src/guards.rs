//! The macro by which a header sees that it was read before: `#ifndef ZLIB_H`, `#define ZLIB_H` around everything in it.
//!
//! It is not a constant of the library. Only the text of the header shows it, because the preprocessor takes conditions out.

/// The name of a header's guard.
pub fn guard(text: &str) -> Option<String> {
    let lines = logical_lines(text);
    let is_pragma =
        |line: &Option<String>| matches!(line, Some(line) if split_word(line).0 == "pragma");
    let mut directives = lines
        .iter()
        .map(|line| directive(line))
        .filter(|line| !is_pragma(line));
    let first = directives.next()??;
    let name = guarded_name(&first)?;
    let (word, rest) = split_word(&directives.next()??);
    if word != "define" || split_word(&rest).0 != name {
        return None;
    }
    // The condition has to go on to the end.
    let mut depth = 1usize;
    for line in directives {
        if depth == 0 {
            return None;
        }
        let Some(line) = line else { continue };
        match split_word(&line).0.as_str() {
            "if" | "ifdef" | "ifndef" => depth += 1,
            "endif" => depth -= 1,
            _ => {}
        }
    }
    (depth == 0).then_some(name)
}

/// The name in `ifndef NAME`, `if !defined NAME` and `if !defined(NAME)`, if nothing else is asked.
fn guarded_name(directive: &str) -> Option<String> {
    let (word, rest) = split_word(directive);
    let rest = match word.as_str() {
        "ifndef" => rest,
        "if" => {
            let rest = rest.strip_prefix('!')?.trim_start();
            let rest = rest.strip_prefix("defined")?.trim();
            let inside = rest
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'));
            inside.unwrap_or(rest).trim().to_owned()
        }
        _ => return None,
    };
    let (name, after) = split_word(&rest);
    (!name.is_empty() && after.is_empty()).then_some(name)
}

fn split_word(text: &str) -> (String, String) {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    (text[..end].to_owned(), text[end..].trim().to_owned())
}

/// What is after the `#` of a directive; `None` for a line of C.
fn directive(line: &str) -> Option<String> {
    line.strip_prefix('#').map(|rest| rest.trim().to_owned())
}

/// Lines that are not empty, without comments, those joined that end in a backslash.
fn logical_lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace("\\\n", " ");
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let end = crate::pieces::quoted(rest.as_bytes());
                let end = (end..=rest.len()).find(|at| rest.is_char_boundary(*at));
                let end = end.unwrap_or(rest.len());
                plain.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            c => {
                plain.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    let lines = plain.lines().map(str::trim);
    let some = lines.filter(|line| !line.is_empty());
    some.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_found() {
        let guarded = |text: &str| guard(text);
        assert_eq!(
            guarded(
                "/* a\n#ifndef NOT */\n#ifndef A_H\n# define\tA_H 1 // one\nint a;\n#if X\n#endif\n#endif /* A_H */\n"
            ),
            Some("A_H".to_owned())
        );
        assert_eq!(
            guarded("#if !defined( A_H )\n#define A_H\n#endif\n"),
            Some("A_H".to_owned())
        );
        // A constant with a default.
        assert_eq!(
            guarded("#ifndef LIMIT\n#define LIMIT 5\n#endif\nint a;\n"),
            None
        );
        assert_eq!(
            guarded("#pragma once\n#ifndef A_H\n#define A_H\n#endif\n"),
            Some("A_H".to_owned())
        );
        assert_eq!(guarded("#ifndef A_H\n#define B_H\n#endif\n"), None);
        assert_eq!(guarded("#if !defined(A) && B\n#define A\n#endif\n"), None);
        for odd in [
            "",
            "#",
            "/*",
            "#endif",
            "\"",
            "#ifndef",
            "'é",
            "#ifndef A\n#define A\n#endif\n#endif",
        ] {
            assert_eq!(guarded(odd), None, "{odd}");
        }
    }
}
