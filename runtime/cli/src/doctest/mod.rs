//! `simple doctest`: runs the examples in the comments of programs and in documents, and says which do not do what they show.
//!
//! In `.spl` files, `>>>` lines of docstrings and doc comments are entries of a session (`source.rs`, `crate::repl::engine`); in
//! Markdown, fenced blocks are programs (`page.rs`). Folders are searched for both.

pub mod page;
mod source;

use crate::args::DoctestArgs;
use crate::files;
use crate::output::{complain, say};
use page::{Page, Said, Setting};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How many examples did what they show.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Count {
    passed: u32,
    failed: u32,
}

/// Runs the examples of the files and folders named on the command line.
pub fn run(args: &DoctestArgs) -> ExitCode {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in &args.paths {
        match files::below(path, |file| files::has_ending(file, &["spl", "md"])) {
            Ok(files) => found.extend(files),
            Err(message) => return crate::commands::bad_usage(&message),
        }
    }
    let mut count = Count::default();
    for file in &found {
        let document = file.extension().is_some_and(|ending| ending == "md");
        let outcome = if document {
            check_page(file, &mut count)
        } else {
            source::check(file, &mut count)
        };
        if let Err(message) = outcome {
            complain!("error: {message}");
            count.failed += 1;
        }
    }
    say!("{} passed, {} failed", count.passed, count.failed);
    match count {
        Count { failed: 1.., .. } => ExitCode::FAILURE,
        Count { passed: 0, .. } => {
            complain!(
                "error: there are no examples: no `>>>` in a doc comment, no block tagged `simple`"
            );
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn check_page(file: &Path, count: &mut Count) -> Result<(), String> {
    let binary = std::env::current_exe()
        .map_err(|error| format!("cannot find the command itself: {error}"))?;
    let setting = Setting {
        binary,
        home: crate::session::home(),
    };
    let mut page = Page::read(file, &setting)?;
    let examples = page.examples.iter().filter(|example| example.is_run());
    let all = examples.count() as u32;
    let problems = page.check(Said::Part);
    for problem in &problems {
        say!("{problem}");
    }
    let failed = problems.len() as u32;
    count.failed += failed;
    count.passed += all.saturating_sub(failed);
    Ok(())
}
