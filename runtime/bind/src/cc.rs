//! The C compiler of the machine: it preprocesses headers, says whether they are C, and judges layouts.
//!
//! `CC` names another one than `cc`. Leaves out what its output means (`origin.rs`, `parse.rs`).

use crate::{Error, Options};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The compiler with what every call of it gets.
pub struct Compiler {
    command: String,
    arguments: Vec<String>,
    include: String,
}

/// How much of what the compiler says is shown.
const MOST_LINES: usize = 12;
const MOST_COLUMNS: usize = 200;

/// In front of the line of the first macro that is expanded.
const MACROS: &str = "simple_bind_macros_follow";

impl Compiler {
    /// The compiler for these options, with flags of packages. `folder` is where relative paths begin.
    pub fn new(options: &Options, flags: &[String], folder: &Path) -> Compiler {
        let included = |header: &String| {
            let path = folder.join(header);
            match path.is_file() {
                true => {
                    let path = std::path::absolute(&path).unwrap_or(path);
                    format!("#include \"{}\"\n", path.display())
                }
                false => format!("#include <{header}>\n"),
            }
        };
        let all = options.before.iter().chain([&options.header]);
        let include = all.map(included).collect::<String>();
        let mut arguments = Vec::new();
        for path in &options.include {
            arguments.push(format!("-I{}", folder.join(path).display()));
        }
        for define in &options.define {
            arguments.push(format!("-D{define}"));
        }
        arguments.extend_from_slice(flags);
        Compiler {
            command: std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()),
            arguments,
            include,
        }
    }

    /// The header and what it includes, with line markers and every `#define`.
    pub fn preprocess(&self) -> Result<String, Error> {
        // The parser does not know `__int128`. No header writes an integer that is complex, so that is what it gets to see.
        let known = ["-E", "-dD", "-D__int128=long _Complex"];
        self.run(&known, &self.include).map_err(Failed::into_error)
    }

    /// What each of these macros stands for, every macro in it replaced; in their order.
    pub fn expand<'a>(&self, macros: impl Iterator<Item = &'a str>) -> Result<Vec<String>, Error> {
        let mut source = format!("{}{MACROS}\n", self.include);
        let names: Vec<&str> = macros.collect();
        for (index, name) in names.iter().enumerate() {
            // The number in front finds the line again; a macro may stand for nothing.
            source.push_str(&format!("{index} : {name}\n"));
        }
        let known = ["-E", "-D__int128=long _Complex"];
        // One that makes sense in `#if` alone, such as `__has_attribute`, is an error, and the others come all the same.
        let (output, message) = match self.run(&known, &source) {
            Ok(output) => (output, String::new()),
            Err(Failed::Said(message, output)) => (output, message),
            Err(failed) => return Err(failed.into_error()),
        };
        let mut expanded = vec![String::new(); names.len()];
        let after = output.split_once(&format!("\n{MACROS}\n"));
        let mut current = None;
        for line in after.map_or("", |(_, after)| after).lines() {
            if line.starts_with('#') {
                continue;
            }
            let numbered = line.split_once(" :").and_then(|(number, rest)| {
                let number: usize = number.parse().ok()?;
                (current.is_none_or(|current| number > current) && number < names.len())
                    .then_some((number, rest))
            });
            let (index, text) = match (numbered, current) {
                (Some((number, rest)), _) => (number, rest),
                (None, Some(current)) => (current, line),
                (None, None) => continue,
            };
            current = Some(index);
            expanded[index].push_str(text);
            expanded[index].push(' ');
        }
        // What comes of such a one is not its value.
        for line in message.lines().filter(|line| line.contains(" error:")) {
            let line = line
                .strip_prefix("<stdin>:")
                .and_then(|line| line.split_once(':'));
            let line = line.and_then(|(line, _)| line.parse::<usize>().ok());
            // After the headers and `MACROS`, from 1.
            let first = self.include.lines().count() + 2;
            let index = line.and_then(|line| line.checked_sub(first));
            if let Some(text) = index.and_then(|index| expanded.get_mut(index)) {
                *text = "#".to_owned();
            }
        }
        Ok(expanded)
    }

    /// Compiles the header with these assertions after it, in which no macro of a name in `hidden` counts. Yields the numbers of
    /// those that do not hold; an assertion is an expression with its number.
    pub fn judge(
        &self,
        hidden: &BTreeSet<&str>,
        assertions: &[(usize, String)],
    ) -> Result<Vec<usize>, Error> {
        let mut source = format!("#include <stddef.h>\n{}", self.include);
        for name in hidden {
            source.push_str(&format!("#undef {name}\n"));
        }
        for (number, holds) in assertions {
            source.push_str(&format!(
                "_Static_assert({holds}, \"layout {number} end\");\n"
            ));
        }
        let message = match self.run(&["-fsyntax-only", "-w"], &source) {
            Ok(_) => return Ok(Vec::new()),
            Err(Failed::Said(message, _)) => message,
            Err(failed) => return Err(failed.into_error()),
        };
        let mut wrong: Vec<usize> = message
            .split("layout ")
            .filter_map(|part| part.split_once(" end")?.0.parse().ok())
            .collect();
        wrong.sort_unstable();
        wrong.dedup();
        // What is wrong in the assertions is in the text that was passed in; anything else is the header's.
        let headers = |line: &&str| line.contains("error:") && !line.starts_with("<stdin>:");
        match wrong.is_empty() || message.lines().any(|line| headers(&line)) {
            true => {
                let ours = |line: &&str| line.starts_with("<stdin>:") && line.contains("layout ");
                let said: Vec<&str> = message.lines().filter(|line| !ours(line)).collect();
                Err(Failed::Said(said.join("\n"), String::new()).into_error())
            }
            false => Ok(wrong),
        }
    }

    fn run(&self, options: &[&str], source: &str) -> Result<String, Failed> {
        let started = Command::new(&self.command)
            .args(options)
            .args(&self.arguments)
            .args(["-x", "c", "-"])
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = started.map_err(|error| Failed::Missing(self.command.clone(), error))?;
        let input = child.stdin.take();
        let source = source.to_owned();
        // On a thread: the compiler may write before it has read everything.
        let writer = std::thread::spawn(move || {
            // One that ends early says why itself.
            let _ = input.map(|mut input| input.write_all(source.as_bytes()));
        });
        let output = child.wait_with_output();
        let _ = writer.join();
        let output = output.map_err(|error| Failed::Missing(self.command.clone(), error))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(Failed::Said(
                String::from_utf8_lossy(&output.stderr).into_owned(),
                String::from_utf8_lossy(&output.stdout).into_owned(),
            )),
        }
    }
}

/// Why the compiler yielded nothing.
enum Failed {
    /// It cannot be started.
    Missing(String, std::io::Error),
    /// It says so; what it yielded all the same.
    Said(String, String),
}

impl Failed {
    fn into_error(self) -> Error {
        match self {
            Failed::Missing(command, reason) => Error::NoCompiler { command, reason },
            Failed::Said(message, _) => match asked_macro(&message) {
                Some(option) => Error::WantsMacro {
                    option,
                    message: first_lines(&message),
                },
                None => Error::NotC {
                    message: first_lines(&message),
                },
            },
        }
    }
}

/// The option that a header's own `#error` asks for: the one that it writes, or the macro that it says is not defined, with the first
/// number that it proposes.
fn asked_macro(message: &str) -> Option<String> {
    let asked: Vec<&str> = message
        .lines()
        .filter_map(|line| line.split_once("error: #error "))
        .map(|(_, text)| text)
        .collect();
    let first = asked.first()?;
    let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    if let Some((_, written)) = first.split_once("-D") {
        let end = written.find(|c| !is_word(c) && c != '=');
        let written = &written[..end.unwrap_or(written.len())];
        return (!written.is_empty()).then(|| format!("-D {}", written.trim_end_matches('.')));
    }
    let is_macro = |word: &&str| {
        let upper = |c: char| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit();
        word.len() > 3 && word.contains('_') && word.chars().all(upper)
    };
    let said = first.to_ascii_lowercase();
    let asks = ["define", "set"].iter().any(|word| said.contains(word));
    let name = first
        .split(|c| !is_word(c))
        .find(is_macro)
        .filter(|_| asks)?;
    let numbers = asked.iter().flat_map(|text| text.split(|c| !is_word(c)));
    let mut numbers = numbers.filter(|word| word.parse::<u64>().is_ok());
    Some(match numbers.next() {
        Some(number) => format!("-D {name}={number}"),
        None => format!("-D {name}=..."),
    })
}

/// The first lines of what the compiler says, fit for a terminal.
fn first_lines(message: &str) -> String {
    let mut lines = message.trim_end().lines();
    let fit = |line: &str| -> String {
        let plain = line.chars().filter(|c| !c.is_control());
        plain.take(MOST_COLUMNS).collect()
    };
    let mut shown: Vec<String> = lines.by_ref().take(MOST_LINES).map(fit).collect();
    let more = lines.count();
    if more > 0 {
        shown.push(format!("({more} more lines)"));
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_header_asks_for() {
        let asked = |text: &str| asked_macro(&format!("a.h:1:2: error: #error {text}\n"));
        assert_eq!(
            asked(
                "PCRE2_CODE_UNIT_WIDTH must be defined before including pcre2.h.\na.h:2:2: error: #error Use 8, 16, or 32;"
            ),
            Some("-D PCRE2_CODE_UNIT_WIDTH=8".to_owned())
        );
        assert_eq!(
            asked("Please add -D_FILE_OFFSET_BITS=64 to your compile flags!"),
            Some("-D _FILE_OFFSET_BITS=64".to_owned())
        );
        assert_eq!(
            asked("\"You must define NAME_OF_IT\""),
            Some("-D NAME_OF_IT=...".to_owned())
        );
        assert_eq!(asked("Only <dbus/dbus.h> can be included directly"), None);
        assert_eq!(asked_macro("a.h:1:2: error: unknown type name"), None);
    }
}
