//! What Tab offers: names, members after a dot by the type of what precedes it, commands, an indentation.

use super::command::Command;
use super::engine::Engine;
use simple_sema::session::Place;

/// What Tab inserts at the beginning of a line.
const INDENT: &str = "    ";

/// Words of the language that may begin or continue an expression or statement.
const WORDS: &[&str] = &[
    "and", "assert", "break", "case", "class", "const", "continue", "defer", "elif", "else",
    "enum", "false", "fn", "for", "if", "impl", "in", "is", "loop", "match", "nil", "not", "or",
    "return", "struct", "trait", "true", "use", "val", "var", "while", "with",
];

/// Where the word before the cursor begins, and what may be completed there.
pub fn complete(before: &str, engine: &Engine<'_>) -> (usize, Vec<String>) {
    let line = before.rsplit('\n').next().unwrap_or(before);
    if line.trim().is_empty() {
        return (before.len(), vec![INDENT.to_owned()]);
    }
    if before.starts_with(':') && !before.contains(char::is_whitespace) {
        return (0, starting_with(before, Command::names().collect()));
    }
    let start = word_start(before);
    let word = &before[start..];
    let names = match before[..start].strip_suffix('.') {
        Some(rest) => {
            let base = &rest[expression_start(rest)..];
            if base.is_empty() {
                return (start, Vec::new());
            }
            engine.names_at(Place::MemberOf(base))
        }
        None => {
            let mut names = engine.names_at(Place::Bare);
            names.extend(WORDS.iter().map(|word| (*word).to_owned()));
            names.sort_unstable();
            names
        }
    };
    (start, starting_with(word, names))
}

fn starting_with(word: &str, mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| name.starts_with(word));
    names
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_start(text: &str) -> usize {
    text.trim_end_matches(is_word).len()
}

/// Where the expression begins that ends the text and could precede a dot: names, dots, calls, brackets, texts.
fn expression_start(text: &str) -> usize {
    let mut start = text.len();
    loop {
        let rest = &text[..start];
        let Some(last) = rest.chars().next_back() else {
            return start;
        };
        start = match last {
            '.' => start - 1,
            ')' | ']' | '}' => match opening(rest) {
                Some(open) => open,
                None => return start,
            },
            '"' => match rest[..start - 1].rfind('"') {
                Some(open) => return open,
                None => return start,
            },
            c if is_word(c) => word_start(rest),
            '?' | '!' => start - 1,
            _ => return start,
        };
    }
}

/// The bracket that the last character of the text closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use simple_bridge::dl_config::Overrides;
    use std::path::Path;

    #[test]
    fn the_expression_before_a_dot() {
        for (text, base) in [
            ("xs", "xs"),
            ("f(a.b", "a.b"),
            ("1 + g(x, 2)[0]", "g(x, 2)[0]"),
            ("print \"a b\"", "\"a b\""),
            ("[1, 2]", "[1, 2]"),
            ("x = m.f(1).g", "m.f(1).g"),
            ("x = m.f()?.g", "m.f()?.g"),
            ("1 + a!.b", "a!.b"),
            ("f(xs[0]!)", "f(xs[0]!)"),
        ] {
            assert_eq!(&text[expression_start(text)..], base);
        }
    }

    #[test]
    fn names_members_commands_and_indentation() {
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib");
        let session = Session::with_library(library, Path::new("."), Overrides::default());
        let mut engine = Engine::new(&session, Path::new("./repl"));
        engine.enter(
            "input 1",
            "struct Point:\n    x: i64\n    fn norm() -> i64: x * x\n    static fn origin() -> Point: Point(x: 0)\nval point = Point(x: 3)\n",
            true,
        );
        let offers = |text: &str| complete(text, &engine);
        assert_eq!(offers("print poi"), (6, vec!["point".to_owned()]));
        assert_eq!(
            offers("point."),
            (6, vec!["norm".to_owned(), "x".to_owned()])
        );
        assert_eq!(offers("Point."), (6, vec!["origin".to_owned()]));
        assert_eq!(offers("\"a\".upp"), (4, vec!["upper".to_owned()]));
        assert_eq!(offers("whi"), (0, vec!["while".to_owned()]));
        assert_eq!(offers(":q"), (0, vec![":quit".to_owned()]));
        assert_eq!(offers("if a:\n"), (6, vec![INDENT.to_owned()]));
        assert_eq!(offers("nothing."), (8, Vec::new()));
    }
}
