//! `simple explain E0301`: prints the page of `doc/errors` about a code; without a code, the list of them.
//!
//! Leaves out what the pages say: they are written by hand, and `tests/documents` keeps them true.

use crate::args::ExplainArgs;
use crate::loader::LARGEST_SOURCE;
use crate::output::{self, complain};
use crate::session;
use simple_system::{in_words, open};
use std::fmt::Write as _;
use std::process::ExitCode;

/// Every code of the compiler with its title, by number; errors begin with `E`, warnings with `W`.
pub fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut all: Vec<_> = [simple_syntax::codes::ALL, simple_sema::codes::ALL]
        .concat()
        .into_iter()
        .chain(simple_middle::lower::CODES.iter().copied())
        .collect();
    all.sort_by_key(|(code, _)| &code[1..]);
    all.into_iter()
}

/// Prints what is known about a code.
pub fn run(args: &ExplainArgs) -> ExitCode {
    let text = match &args.code {
        None => list(),
        Some(word) => match page(word) {
            Ok(text) => text,
            Err(message) => {
                complain!("error: {message}");
                return ExitCode::FAILURE;
            }
        },
    };
    output::print(format_args!("{text}"));
    ExitCode::SUCCESS
}

fn list() -> String {
    let mut text = String::new();
    for (code, title) in codes() {
        let _ = writeln!(text, "{code}  {title}");
    }
    text
}

/// The page about the code that `word` names, for a terminal.
fn page(word: &str) -> Result<String, String> {
    let Some((code, _)) = find(word) else {
        return Err(match nearest(word) {
            Some((code, title)) => {
                format!("unknown code `{word}`; the nearest is {code}: {title}")
            }
            None => format!(
                "`{word}` is not the code of an error, such as E0301; `simple explain` lists them"
            ),
        });
    };
    let path = session::home()
        .join("doc/errors")
        .join(format!("{code}.md"));
    let text = open::read(&path, LARGEST_SOURCE)
        .and_then(open::text_of)
        .map_err(|error| format!("cannot read {}: {}", path.display(), in_words(&error)))?;
    Ok(for_terminal(&text))
}

/// The code that `word` means: case does not count, nor do the letter and leading zeros.
fn find(word: &str) -> Option<(&'static str, &'static str)> {
    let number = number_of(word)?;
    codes().find(|(code, _)| code[1..] == number)
}

/// The four digits of a code as people write it: `E0301`, `e0301`, `[E0301]`, `301`.
fn number_of(word: &str) -> Option<String> {
    let word = word.trim_matches(|c| matches!(c, '[' | ']' | ':'));
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let short = word.len() - digits.len() <= 1 && (1..=4).contains(&digits.len());
    (short && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| format!("{digits:0>4}"))
}

/// The code that differs from `word` in a single digit; of several, the nearest number.
fn nearest(word: &str) -> Option<(&'static str, &'static str)> {
    let number = number_of(word)?;
    let value = |digits: &str| digits.parse::<u32>().unwrap_or(0);
    codes()
        .filter(|(code, _)| {
            let pairs = code[1..].bytes().zip(number.bytes());
            pairs.filter(|(left, right)| left != right).count() == 1
        })
        .min_by_key(|(code, _)| value(&code[1..]).abs_diff(value(&number)))
}

/// Markdown without its marks: blocks of code are indented, what the compiler says of them as well.
fn for_terminal(markdown: &str) -> String {
    let mut text = String::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
            // A block directly after another is set off from it.
            if in_code && !text.is_empty() && !text.ends_with("\n\n") {
                text.push('\n');
            }
        } else if in_code && !line.is_empty() {
            let _ = writeln!(text, "    {line}");
        } else {
            let _ = writeln!(text, "{}", line.trim_start_matches("# "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_in_order() {
        let all: Vec<_> = codes().collect();
        assert!(all.windows(2).all(|pair| pair[0].0[1..] < pair[1].0[1..]));
    }

    #[test]
    fn a_code_is_found_however_it_is_written() {
        for word in [
            "E0301",
            "e0301",
            "0301",
            "301",
            "E301",
            "[E0301]",
            "error[E0301]:",
        ] {
            let found = find(word.trim_start_matches("error")).map(|(code, _)| code);
            assert_eq!(found, Some("E0301"), "{word}");
        }
        assert_eq!(find("E0402").map(|(code, _)| code), Some("W0402"));
        assert_eq!(find("E9301"), None);
        assert_eq!(nearest("E9301").map(|(code, _)| code), Some("E0301"));
        assert_eq!(nearest("what"), None);
    }

    #[test]
    fn code_is_indented_and_marks_are_left_out() {
        assert_eq!(
            for_terminal("# A: b\n\ntext\n\n```simple\nx:\n\n    y\n```\n```output\n1\n```\n"),
            "A: b\n\ntext\n\n    x:\n\n        y\n\n    1\n"
        );
    }
}
