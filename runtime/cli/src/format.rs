//! `simple fmt`: reads files, has `simple-format` format them, writes what has changed.
//!
//! A file is written whole and only if it differs. One that does not parse is reported and stays as it is; the others
//! are formatted nevertheless.

use crate::args::FormatArgs;
use crate::commands;
use crate::files;
use crate::output::{self, complain};
use crate::render;
use simple_format::Refusal;
use simple_syntax::{Severity, SourceMap};
use simple_system::in_words;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// Formats what the command line names.
pub fn run(args: &FormatArgs) -> ExitCode {
    if args.paths.len() == 1 && args.paths[0] == Path::new(STANDARD_INPUT) {
        return standard_input(args);
    }
    let mut found: Vec<PathBuf> = Vec::new();
    let mut failed = false;
    for path in &args.paths {
        match files::below(path, |file| files::has_ending(file, &["spl"])) {
            Ok(files) => found.extend(files),
            Err(message) => return commands::bad_usage(&message),
        }
    }
    if found.is_empty() {
        return commands::bad_usage("there are no .spl files to format");
    }
    if args.lines.is_some() && found.len() != 1 {
        return commands::bad_usage("`--lines` is about one file");
    }
    let mut changed = 0;
    for file in &found {
        match one_file(file, args) {
            Ok(differs) => changed += usize::from(differs),
            Err(message) => {
                failed = true;
                let _ = std::io::stderr().write_all(message.as_bytes());
            }
        }
    }
    if args.check && changed > 0 {
        let files = if changed == 1 { "file is" } else { "files are" };
        complain!("{changed} {files} not formatted; `simple fmt` writes them anew");
    }
    match failed || args.check && changed > 0 {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

/// Formats a file, and says whether it was not in the style.
fn one_file(file: &Path, args: &FormatArgs) -> Result<bool, String> {
    let cannot =
        |what: &str, why: &str| format!("error: cannot {what} {}: {why}\n", file.display());
    let bytes = std::fs::read(file).map_err(|error| cannot("read", &in_words(&error)))?;
    let source = String::from_utf8(bytes).map_err(|_| cannot("read", "it is not UTF-8 text"))?;
    let text = formatted(&source, &file.to_string_lossy(), args)?;
    if text == source {
        return Ok(false);
    }
    match args.check {
        true => output::print(format_args!("{}\n", file.display())),
        false => simple_system::replace::write(file, text.as_bytes())
            .map_err(|error| cannot("write", &in_words(&error)))?,
    }
    Ok(true)
}

fn standard_input(args: &FormatArgs) -> ExitCode {
    let mut source = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut source) {
        complain!("error: cannot read standard input: {}", in_words(&error));
        return ExitCode::FAILURE;
    }
    match formatted(&source, "<standard input>", args) {
        Ok(text) if args.check => match text == source {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        },
        Ok(text) => {
            output::print(format_args!("{text}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            let _ = std::io::stderr().write_all(message.as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// The text in the style, or messages that say why not.
fn formatted(source: &str, path: &str, args: &FormatArgs) -> Result<String, String> {
    let result = match &args.lines {
        Some(lines) => simple_format::format_lines(source, lines.clone()),
        None => simple_format::format(source),
    };
    result.map_err(|refusal| match refusal {
        Refusal::Syntax(diagnostics) => {
            let mut sources = SourceMap::default();
            sources.add(path, source);
            let colour = output::wants_colour(&std::io::stderr());
            let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
            let shown = errors.map(|found| render::human(found, &sources, colour) + "\n");
            shown.collect::<String>() + &format!("error: {path} does not parse; it is left as it is\n")
        }
        Refusal::Meaning => {
            let lines = args.lines.is_some();
            let why = match lines {
                true => "these lines cannot be formatted without those around them",
                false => "this text cannot be formatted without changing what it means, which is a mistake of the formatter",
            };
            format!("error: {path}: {why}; it is left as it is\n")
        }
    })
}
