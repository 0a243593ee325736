//! Pages and the programs in them.
//!
//! A fenced block tagged `simple` is run and must end with 0; an `output` block behind it is what it must print. The other tags:
//!
//! | tag | the program | the `output` block |
//! | --- | --- | --- |
//! | `simple:check` | is only compiled | none |
//! | `simple:fail` | is refused, or ends in an error | is part of what it says |
//! | `simple:warn` | compiles with a warning | is part of the warning |
//! | `simple:spec` | is run by `simple test` and passes | is what that prints |
//! | `simple:file NAME` | is a module of this name for the examples below it on the page | none |
//!
//! Leaves out which pages there are (`main.rs`) and the further rules for the pages of errors (`error_pages.rs`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is done with an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Run,
    Check,
    Fail,
    Warn,
    Spec,
}

/// How the `output` block of a refused program is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It is a part of what was said.
    Part,
    /// It is all of it, without the count of errors.
    Whole,
}

/// A program of a page.
pub struct Example {
    pub kind: Kind,
    /// `page.md:12`, for messages.
    place: String,
    code: String,
    /// Modules that stand above it: name and text.
    files: Vec<(String, String)>,
    /// Lines of the page that hold the expected output, without the fences.
    output: Option<std::ops::Range<usize>>,
    /// The line behind the program's closing fence.
    end: usize,
}

/// A Markdown file with its examples.
pub struct Page {
    pub path: PathBuf,
    pub lines: Vec<String>,
    pub examples: Vec<Example>,
    /// New output blocks, to be written under `UPDATE_GOLDEN`: the example and its text.
    updates: Vec<(usize, String)>,
}

/// What an example did.
pub struct Outcome {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Page {
    /// Reads a page; a block whose tag means nothing is a problem.
    pub fn read(path: &Path) -> Result<Page, String> {
        let text = fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut page = Page {
            path: path.to_owned(),
            lines,
            examples: Vec::new(),
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
                "simple:fail" => Kind::Fail,
                "simple:warn" => Kind::Warn,
                "simple:spec" => Kind::Spec,
                "output" => {
                    let example =
                        open.ok_or_else(|| format!("{place}: this is the output of nothing"))?;
                    self.examples[example].output = Some(first..last);
                    continue;
                }
                _ => match tag.strip_prefix("simple:file ") {
                    Some(name) => {
                        files.push((name.trim().to_owned(), code));
                        continue;
                    }
                    None if tag.starts_with("simple") => {
                        return Err(format!("{place}: the tag `{tag}` means nothing"));
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
            match self.examples[index].run() {
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
            Kind::Check => return None,
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

    /// Writes the outputs that differ into the page if `UPDATE_GOLDEN` is set.
    pub fn save_if_asked(&mut self) {
        if std::env::var_os("UPDATE_GOLDEN").is_none() || self.updates.is_empty() {
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
        fs::write(&self.path, text).expect("write the page");
    }
}

impl Example {
    /// Runs the example in a folder of its own, as a user would.
    pub fn run(&self) -> Result<Outcome, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("simple-documents-{}-{number}", std::process::id()));
        let outcome = self.run_in(&folder);
        let _ = fs::remove_dir_all(&folder);
        outcome.map_err(|error| format!("{}: cannot be run: {error}", self.place))
    }

    fn run_in(&self, folder: &Path) -> std::io::Result<Outcome> {
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_simple"));
        match self.kind {
            Kind::Check | Kind::Warn => {
                command.arg("check");
            }
            Kind::Spec => {
                command.arg("test");
            }
            Kind::Run | Kind::Fail => {}
        }
        let output = command
            .arg(name)
            .current_dir(folder)
            .env("SIMPLE_HOME", crate::root())
            .stdin(Stdio::null())
            .output()?;
        Ok(outcome(&output))
    }
}

/// What the process said, without the place of this repository.
fn outcome(output: &Output) -> Outcome {
    let home = crate::root().display().to_string();
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
