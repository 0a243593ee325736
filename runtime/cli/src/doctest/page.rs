//! Pages and the programs in them.
//!
//! A fenced block tagged `simple` is run and must end with 0; an `output` block after it is what it must print. The other tags:
//!
//! | tag | the program | the `output` block |
//! | --- | --- | --- |
//! | `simple:check` | is only compiled | none |
//! | `simple:fail` | is refused, or ends in an error | is part of what it says |
//! | `simple:warn` | compiles with a warning | is part of the warning |
//! | `simple:skip` | is not looked at | none |
//! | `simple:ignore-output` | is run and ends with 0 | none |
//! | `simple:should-fail` | as `simple:fail` | is part of what it says |
//! | `simple:spec` | is run by `simple test` and passes | is what that prints |
//! | `simple:file NAME` | is a module of this name for the examples below it on the page | none |
//!
//! Leaves out which pages there are: the command's arguments, or in the tests of this repository all of `doc`.

use crate::loader::LARGEST_SOURCE;
use crate::output::complain;
use simple_system::{in_words, open, replace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What is done with an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It runs.
    Run,
    /// It runs, whatever it prints.
    RunOnly,
    /// It is compiled.
    Check,
    /// It is refused, or ends in an error.
    Fail,
    /// It compiles with a warning.
    Warn,
    /// It is run as tests.
    Spec,
    /// Nothing.
    Skip,
}

/// By what examples are run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The command.
    pub binary: PathBuf,
    /// The folder of its library; what examples say about it is replaced by `<simple>`.
    pub home: PathBuf,
}

/// How the `output` block of a refused program is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// It is a part of what was said.
    Part,
    /// It is all of it, without the count of errors.
    Whole,
}

/// A program of a page.
#[derive(Debug)]
pub struct Example {
    /// What is done with it.
    pub kind: Kind,
    /// `page.md:12`, for messages.
    place: String,
    code: String,
    /// Modules that precede it: name and text.
    files: Vec<(String, String)>,
    /// Lines of the page that hold the expected output, without the fences.
    output: Option<std::ops::Range<usize>>,
    /// The line after the program's closing fence.
    end: usize,
}

/// A Markdown file with its examples.
#[derive(Debug)]
pub struct Page {
    /// The file.
    pub path: PathBuf,
    /// Its lines.
    pub lines: Vec<String>,
    /// Its programs, from above.
    pub examples: Vec<Example>,
    setting: Setting,
    /// New output blocks, which [`Page::save`] writes: the example and its text.
    updates: Vec<(usize, String)>,
}

/// What an example did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether it ended with 0.
    pub success: bool,
    /// What it printed.
    pub stdout: String,
    /// What it said on standard error.
    pub stderr: String,
}

impl Page {
    /// Reads a page.
    ///
    /// # Errors
    ///
    /// A message when the file cannot be read, or when a block is not closed or its tag means nothing.
    pub fn read(path: &Path, setting: &Setting) -> Result<Page, String> {
        let text = open::read(path, LARGEST_SOURCE)
            .and_then(open::text_of)
            .map_err(|error| format!("cannot read {}: {}", path.display(), in_words(&error)))?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut page = Page {
            path: path.to_owned(),
            lines,
            examples: Vec::new(),
            setting: setting.clone(),
            updates: Vec::new(),
        };
        page.find_examples()?;
        Ok(page)
    }

    fn find_examples(&mut self) -> Result<(), String> {
        let mut files = Vec::new();
        // The example that an output block here would belong to.
        let mut open: Option<usize> = None;
        let mut at = 0;
        while at < self.lines.len() {
            let Some(tag) = self.lines[at].strip_prefix("```") else {
                if !self.lines[at].trim().is_empty() {
                    open = None;
                }
                at += 1;
                continue;
            };
            let place = format!("{}:{}", self.path.display(), at + 1);
            let first = at + 1;
            let last = (first..self.lines.len())
                .find(|&line| self.lines[line] == "```")
                .ok_or_else(|| format!("{place}: this block is not closed"))?;
            let code = self.lines[first..last].join("\n") + "\n";
            at = last + 1;
            let kind = match tag {
                "simple" => Kind::Run,
                "simple:check" => Kind::Check,
                "simple:ignore-output" => Kind::RunOnly,
                "simple:skip" => Kind::Skip,
                "simple:fail" | "simple:should-fail" => Kind::Fail,
                "simple:warn" => Kind::Warn,
                "simple:spec" => Kind::Spec,
                "output" => {
                    let example = open.ok_or_else(|| {
                        format!("{place}: output block without an example before it")
                    })?;
                    self.examples[example].output = Some(first..last);
                    continue;
                }
                _ => match tag.strip_prefix("simple:file ") {
                    Some(name) => {
                        files.push((name.trim().to_owned(), code));
                        continue;
                    }
                    None if tag.starts_with("simple") => {
                        return Err(format!("{place}: unknown tag `{tag}`"));
                    }
                    None => continue,
                },
            };
            self.examples.push(Example {
                kind,
                place,
                code,
                files: files.clone(),
                output: None,
                end: at,
            });
            open = Some(self.examples.len() - 1);
        }
        Ok(())
    }

    /// Runs every example; returns what is not as the page says.
    pub fn check(&mut self, said: Said) -> Vec<String> {
        let mut problems = Vec::new();
        for index in 0..self.examples.len() {
            if !self.examples[index].is_run() {
                continue;
            }
            match self.examples[index].run(&self.setting) {
                Ok(outcome) => problems.extend(self.compare(index, &outcome, said)),
                Err(problem) => problems.push(problem),
            }
        }
        problems
    }

    /// Compares an example's outcome with the page.
    pub fn compare(&mut self, index: usize, outcome: &Outcome, said: Said) -> Option<String> {
        let example = &self.examples[index];
        let place = &example.place;
        let expected = example
            .output
            .clone()
            .map(|range| self.lines[range].join("\n") + "\n");
        let all = format!("{}{}", outcome.stdout, outcome.stderr);
        if outcome.success == (example.kind == Kind::Fail) {
            let ended = if outcome.success {
                "succeeded"
            } else {
                "failed"
            };
            return Some(format!("{place}: the program {ended}\n{all}"));
        }
        let found = match example.kind {
            Kind::Run | Kind::Spec => outcome.stdout.clone(),
            Kind::Check | Kind::RunOnly | Kind::Skip => return None,
            Kind::Fail | Kind::Warn if said == Said::Whole => without_count(&outcome.stderr),
            Kind::Fail | Kind::Warn => {
                let expected = expected?;
                return (!all.contains(expected.trim_end()))
                    .then(|| format!("{place}: said\n{all}instead of\n{expected}"));
            }
        };
        let missing = expected.is_none();
        let expected = expected.unwrap_or_default();
        if found == expected || missing && said == Said::Part {
            return None;
        }
        self.updates.push((index, found.clone()));
        Some(format!(
            "{place}: printed\n{found}instead of\n{expected}{}",
            outcome.stderr
        ))
    }

    /// Writes the outputs that differ into the page.
    pub fn save(&mut self) {
        if self.updates.is_empty() {
            return;
        }
        // From the last one upwards, so that line numbers above stay right.
        self.updates.sort_by_key(|(index, _)| *index);
        for (index, text) in self.updates.drain(..).rev() {
            let example = &self.examples[index];
            let new = text.trim_end_matches('\n').lines().map(str::to_owned);
            match &example.output {
                Some(range) => {
                    self.lines.splice(range.clone(), new);
                }
                None => {
                    let block = ["```output".to_owned()]
                        .into_iter()
                        .chain(new)
                        .chain(["```".to_owned()]);
                    let end = example.end;
                    self.lines.splice(end..end, block);
                }
            }
        }
        let text = self.lines.join("\n") + "\n";
        if let Err(error) = replace::write(&self.path, text.as_bytes()) {
            complain!(
                "error: cannot write {}: {}",
                self.path.display(),
                in_words(&error)
            );
        }
    }
}

impl Example {
    /// Whether anything is done with it.
    pub fn is_run(&self) -> bool {
        self.kind != Kind::Skip
    }

    /// Runs the example in a separate folder, as a user would.
    ///
    /// # Errors
    ///
    /// A message when the machine does not let it be run.
    pub fn run(&self, setting: &Setting) -> Result<Outcome, String> {
        let folder = tempfile::Builder::new()
            .prefix("simple-documents-")
            .tempdir();
        let outcome = folder.and_then(|folder| self.run_in(folder.path(), setting));
        outcome.map_err(|error| format!("{}: cannot be run: {error}", self.place))
    }

    fn run_in(&self, folder: &Path, setting: &Setting) -> std::io::Result<Outcome> {
        fs::create_dir_all(folder)?;
        let name = match self.kind {
            Kind::Spec => "example_spec.spl",
            _ => "example.spl",
        };
        let main = (name.to_owned(), self.code.clone());
        for (name, text) in self.files.iter().chain([&main]) {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)?;
        }
        let mut command = Command::new(&setting.binary);
        match self.kind {
            Kind::Check | Kind::Warn => {
                command.arg("check");
            }
            Kind::Spec => {
                command.arg("test");
            }
            Kind::Run | Kind::RunOnly | Kind::Fail | Kind::Skip => {}
        }
        let output = command
            .arg(name)
            .current_dir(folder)
            .env("SIMPLE_HOME", &setting.home)
            .stdin(Stdio::null())
            .output()?;
        Ok(outcome(&output, &setting.home))
    }
}

/// What the process said, without the place of the library.
fn outcome(output: &Output, home: &Path) -> Outcome {
    let home = home.display().to_string();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&home, "<simple>");
    Outcome {
        success: output.status.success(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// Diagnostics without the line `2 errors` at their end.
fn without_count(stderr: &str) -> String {
    let text = stderr.trim_end();
    let text = match text.rsplit_once('\n') {
        Some((head, last)) if last.ends_with(" error") || last.ends_with(" errors") => head,
        _ => text,
    };
    text.trim_end().to_owned() + "\n"
}
