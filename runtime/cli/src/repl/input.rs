//! Where an entry ends: one line, or a block until an empty line, or until what was opened is closed.

use simple_syntax::codes::{UNCLOSED, UNTERMINATED_COMMENT, UNTERMINATED_TEXT};
use simple_syntax::{FileId, Severity};

/// Words that continue the statement of the block before them.
const CONTINUING: &[&str] = &["else", "elif", "catch", "finally", "case", "|"];

/// Whether an entry can be run as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It can.
    Complete,
    /// Something is open that another line must go on with.
    Open,
    /// A block, which an empty line ends, or a line at the margin.
    Block,
}

/// How far the entry is of which `text` has been read.
pub fn state(text: &str) -> State {
    if text.trim().is_empty() {
        return State::Complete;
    }
    if is_unclosed(text) {
        // Two empty lines end the entry: the messages then say what is not closed.
        return if text.ends_with("\n\n\n") {
            State::Complete
        } else {
            State::Open
        };
    }
    let Some(last) = text.lines().rev().find(|line| !line.trim().is_empty()) else {
        return State::Complete;
    };
    let code = without_comment(last).trim_end();
    let waits = code.starts_with('@')
        || ["#[", "##", "///"]
            .iter()
            .any(|mark| last.starts_with(mark));
    if continues(code) || waits {
        return if text.ends_with("\n\n") {
            State::Complete
        } else {
            State::Open
        };
    }
    let opens_block = text
        .lines()
        .any(|line| without_comment(line).trim_end().ends_with(':'));
    let ended = text.ends_with('\n') && text.trim_end().contains('\n');
    if opens_block && !ended {
        State::Block
    } else {
        State::Complete
    }
}

/// Whether a line that begins at the margin belongs to the block of the entry so far.
pub fn continues_block(line: &str) -> bool {
    let line = line.trim_end();
    line.is_empty()
        || line.starts_with(char::is_whitespace)
        || CONTINUING.iter().any(|word| {
            line.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
        || line.starts_with([')', ']', '}'])
}

/// Whether a bracket, a text of several lines or a comment is open at the end.
fn is_unclosed(text: &str) -> bool {
    let (_, problems) = simple_syntax::parse(FileId(0), text);
    problems.iter().any(|problem| {
        problem.severity == Severity::Error
            && match problem.code {
                UNCLOSED | UNTERMINATED_COMMENT => true,
                // A quote that is not closed on its line is a mistake; three of them go on.
                UNTERMINATED_TEXT => text
                    .get(problem.span.lo as usize..)
                    .is_some_and(|rest| rest.trim_start_matches(['f', 'r']).starts_with("\"\"\"")),
                _ => false,
            }
    })
}

/// Whether the line ends with an operator or a backslash, which continues it.
fn continues(code: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "\\", "+", "-", "*", "/", "%", "=", "<", ">", "&", "|", "^", ",", "and", "or", "not", ".",
        "??", "@",
    ];
    if code.trim_start().starts_with('@') {
        return false;
    }
    OPERATORS.iter().any(|operator| {
        code.strip_suffix(operator).is_some_and(|before| {
            !operator.starts_with(char::is_alphabetic) || before.ends_with([' ', '(', '\t'])
        })
    })
}

/// The line without the comment that ends it; a `#` inside quotes does not start one.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return &line[..at],
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_an_entry() {
        for text in [
            "1 + 2",
            "val a = \"x: {1}:\" # c:",
            "",
            "   ",
            "f(1)",
            "x = 'it'",
            "\"not closed",
        ] {
            assert_eq!(state(text), State::Complete, "{text}");
        }
    }

    #[test]
    fn what_is_open_goes_on() {
        for text in [
            "f(1,",
            "val a = [1,\n2",
            "val a =",
            "1 +",
            "1 + # c",
            "\"a # b\" +",
            "'# \\' #' +",
            "1 +\n",
            "a and",
            "\"\"\"text",
            "/* why",
            "@inline",
            "## What it does.",
        ] {
            assert_eq!(state(text), State::Open, "{text}");
        }
        assert_eq!(state("f(1,\n2)"), State::Complete);
    }

    #[test]
    fn an_empty_line_ends_a_block() {
        for text in [
            "fn f():",
            "fn f():\n    1",
            "if a:  # why",
            "if a:\n    f()\nelse:",
        ] {
            assert_eq!(state(text), State::Block, "{text}");
        }
        assert_eq!(state("fn f():\n    1\n"), State::Complete);
        assert_eq!(state("if a:\n    1\nelse:\n    2\n\n"), State::Complete);
    }

    #[test]
    fn lines_at_the_margin_that_belong_to_a_block() {
        for line in ["    x", "else:", "elif a:", "", "| 1 -> 2", ")"] {
            assert!(continues_block(line), "{line}");
        }
        for line in ["x = 1", "elsewhere()", "fn f(): 1"] {
            assert!(!continues_block(line), "{line}");
        }
    }
}
