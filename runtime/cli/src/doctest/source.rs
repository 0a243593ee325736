//! The examples in docstrings and doc comments of a `.spl` file.
//!
//! ```text
//! ## The mean of numbers.
//! ## >>> mean([1.0, 2.0])
//! ## 1.5
//! ```
//!
//! A line after `>>>` is an entry of a session, `...` goes on with it, and the lines up to the next prompt or empty line are what it must
//! print. All prompts of one docstring or comment share a session, which sees what the module exports. An entry that ends in an error
//! prints `error: ` and its message; one that does not compile, `error[E0301]: ` and that.

use super::Count;
use crate::loader::{self, FileLoader};
use crate::output::{print, say};
use crate::repl::engine::{Answer, End, Engine};
use crate::session::Session;
use simple_bridge::dl_config::Overrides;
use simple_syntax::Severity;
use std::path::Path;

/// A prompt with what it should print.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Example {
    /// Its line in the file, from 1.
    line: usize,
    code: String,
    expected: String,
}

/// Runs the examples of a file.
///
/// # Errors
///
/// A message when the file cannot be read.
pub fn check(file: &Path, count: &mut Count) -> Result<(), String> {
    let text = FileLoader::root(file)?.text;
    let groups = examples(&text);
    if groups.is_empty() {
        return Ok(());
    }
    // The same path as that under which the library is found: a module must not be loaded twice under two names.
    let absolute = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let session = Session::new(&loader::parent(&absolute), Overrides::default());
    for group in groups {
        let mut engine = Engine::new(&session, &absolute);
        if let Some(import) = import_of(&absolute) {
            let path = format!("{} (import)", absolute.display());
            let (answer, _) = simple_core::io::capture(|| engine.enter(&path, &import, false));
            if !matches!(answer.end, End::Done) {
                count.failed += group.len() as u32;
                say!(
                    "{}: the module itself fails\n{}",
                    file.display(),
                    said(&answer)
                );
                continue;
            }
        }
        for example in group {
            let path = format!("{} (line {})", absolute.display(), example.line);
            let (answer, printed) =
                simple_core::io::capture(|| engine.enter(&path, &example.code, true));
            let found = String::from_utf8_lossy(&printed).into_owned() + &said(&answer);
            if lines(&found) == lines(&example.expected) {
                count.passed += 1;
            } else {
                count.failed += 1;
                print(format_args!("{}", report(file, &example, &found)));
            }
        }
        // What drops print at the end belongs to no example.
        let _ = simple_core::io::capture(|| engine.end());
    }
    Ok(())
}

/// What an answer says apart from what was printed: the first error.
fn said(answer: &Answer) -> String {
    match &answer.end {
        End::Done => String::new(),
        End::Failed(failure) => format!("error: {}\n", failure.message),
        End::Internal(message) => format!("error: {message}\n"),
        End::Refused => {
            let first = answer
                .diagnostics
                .iter()
                .find(|report| report.severity == Severity::Error);
            first.map_or(String::new(), |report| {
                format!("error[{}]: {}\n", report.code, report.message)
            })
        }
    }
}

/// Lines without the blanks at their ends, and without empty ones at the end.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

fn report(file: &Path, example: &Example, found: &str) -> String {
    let indented = |text: &str| -> String {
        if text.trim().is_empty() {
            return "    (nothing)\n".to_owned();
        }
        let lines = text.trim_end().lines();
        lines.map(|line| format!("    {line}\n")).collect()
    };
    format!(
        "{}:{}: the example\n{}  printed\n{}  instead of\n{}",
        file.display(),
        example.line,
        indented(&example.code),
        indented(found),
        indented(&example.expected)
    )
}

/// The `use` by which the module of a file sees its own exports; `None` when its name is not a module name.
fn import_of(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_str()?;
    let name = match stem {
        "mod" | "__init__" => {
            let folder = file.parent()?.file_name()?.to_str()?;
            return is_name(folder).then(|| format!("use ..{folder}.*\n"));
        }
        stem => stem,
    };
    is_name(name).then(|| format!("use .{name}.*\n"))
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// What a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    /// Lines that begin with `##` or `///`.
    Comment,
    /// A `/** */` comment.
    Block,
    /// A docstring.
    Text,
}

/// The examples of a text, those of one docstring or comment together.
fn examples(text: &str) -> Vec<Vec<Example>> {
    let mut groups: Vec<Vec<Example>> = Vec::new();
    let mut group: Vec<Example> = Vec::new();
    let mut inside = Inside::Code;
    // Whether the lines that follow are expected output.
    let mut open = false;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let comment = ["##", "///"]
            .iter()
            .find_map(|mark| trimmed.strip_prefix(mark));
        let before = inside;
        let content = match inside {
            Inside::Code | Inside::Comment => match comment {
                Some(content) => {
                    inside = Inside::Comment;
                    Some(content.strip_prefix(' ').unwrap_or(content))
                }
                None if trimmed.starts_with("\"\"\"") => {
                    let rest = &trimmed[3..];
                    inside = if rest.contains("\"\"\"") {
                        Inside::Code
                    } else {
                        Inside::Text
                    };
                    (inside == Inside::Text).then_some(rest)
                }
                None if trimmed.starts_with("/**") => {
                    let closed = trimmed.contains("*/");
                    inside = if closed { Inside::Code } else { Inside::Block };
                    None
                }
                None => {
                    inside = Inside::Code;
                    None
                }
            },
            Inside::Text if line.contains("\"\"\"") => {
                inside = Inside::Code;
                None
            }
            Inside::Block if line.contains("*/") => {
                inside = Inside::Code;
                None
            }
            Inside::Block => Some(trimmed.strip_prefix("* ").unwrap_or(trimmed)),
            Inside::Text => Some(line),
        };
        if inside != before && !group.is_empty() {
            groups.push(std::mem::take(&mut group));
            open = false;
        }
        let Some(content) = content else {
            open = false;
            continue;
        };
        let shown = content.trim_start();
        if let Some(code) = shown.strip_prefix(">>>") {
            group.push(Example {
                line: index + 1,
                code: code.strip_prefix(' ').unwrap_or(code).to_owned() + "\n",
                expected: String::new(),
            });
            open = true;
        } else if shown.is_empty() {
            open = false;
        } else if let (true, Some(example)) = (open, group.last_mut()) {
            match shown.strip_prefix("...") {
                Some(code) if example.expected.is_empty() => {
                    example
                        .code
                        .push_str(code.strip_prefix(' ').unwrap_or(code));
                    example.code.push('\n');
                }
                _ => {
                    example.expected.push_str(shown);
                    example.expected.push('\n');
                }
            }
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_comments_and_docstrings() {
        let text = "## Says a.\n## >>> a\n## 1\n##\n## >>> b\nfn a(): 1\n\nfn c():\n    \"\"\"\n    >>> for i in 0..2:\n    ...     print i\n    0\n    1\n    \"\"\"\n    >>> no\n/**\n * >>> d\n * 4\n */\n";
        let found = examples(text);
        let example = |line, code: &str, expected: &str| Example {
            line,
            code: code.to_owned(),
            expected: expected.to_owned(),
        };
        assert_eq!(
            found,
            [
                vec![example(2, "a\n", "1\n"), example(5, "b\n", "")],
                vec![example(10, "for i in 0..2:\n    print i\n", "0\n1\n")],
                vec![example(17, "d\n", "4\n")],
            ]
        );
    }

    #[test]
    fn a_module_sees_its_own_exports() {
        let import = |path: &str| import_of(Path::new(path));
        assert_eq!(import("lib/std/math.spl").as_deref(), Some("use .math.*\n"));
        assert_eq!(
            import("lib/torch/mod.spl").as_deref(),
            Some("use ..torch.*\n")
        );
        assert_eq!(import("a-b.spl"), None);
    }
}
