//! Small programs, each for one rule of the checker, with what it answers written below the lines that it is about.
//!
//! A case is a file of `cases`, in the folder of its area. It begins with a comment that says the rule, and looks
//! like this:
//!
//! ```text
//! # An argument has the type of its parameter.
//! fn double(n: i64) -> i64: n * 2
//! print double("two")
//! #~           ^^^^^ E0301 the argument `n` has the wrong type
//! #~                 found: text
//! ```
//!
//! Lines that begin with `#~` are the answer: they are taken out before the program is checked, and
//! `UPDATE_GOLDEN=1` writes them again. This is the form of rustc's `//~ ERROR`, with the underline and the advice
//! that its `.stderr` files keep elsewhere: one file shows what was written, which part of it is meant, from its
//! first to its last character, and all that a user reads. A message does not name its line, so that a line more
//! above it changes nothing. As all marks are comments, `simple check` takes the file too.
//!
//! - `^^^` underlines what a message is about, `---` what it names besides. What begins in column 1 or 2, where `#~` is, has that number before it.
//! - A line that ends in `#?` asks for the types of the variables that are declared in it: `#~ name: type`. It shows what was inferred where
//!   nothing is wrong.
//! - `#=== file NAME` begins another file of the program. `lib/std` is there for all; `std.tensors` has tensors with shapes, `std.learning`
//!   those with the other annotations of tensors, `std.ranks` calls of several processes.
//!
//! A program without marks below it is accepted without a word.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their own files; the ban is for the crate itself"
)]

mod common;

use common::marks;
use common::{Known, MapLoader};
use simple_sema::loader::{FoundModule, LoadedSource, ModuleRequest, SourceLoader};
use simple_sema::{CheckOptions, Checked, check};
use simple_syntax::{Diagnostic, Fix};
use simple_testing::golden;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The modules of the standard library, read once for all cases.
static LIBRARY: LazyLock<MapLoader> = LazyLock::new(|| {
    let mut loader = MapLoader::default();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for path in files_below(&top.join("lib/std")) {
        let name = path.strip_prefix(&top).expect("below the top");
        let text = std::fs::read_to_string(&path).expect("a module is text");
        loader.files.insert(name.display().to_string(), text);
    }
    for (name, text) in [
        ("tensors", include_str!("common/tensors.spl")),
        ("learning", include_str!("common/learning.spl")),
        ("ranks", include_str!("common/ranks.spl")),
    ] {
        let path = format!("lib/std/{name}.spl");
        loader.files.insert(path, text.to_owned());
    }
    loader
});

/// All files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files_below(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// The files of a case before those of the library.
struct Files(MapLoader);

impl SourceLoader for Files {
    fn find(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        self.0.find(request).or_else(|| LIBRARY.find(request))
    }

    fn read(&self, path: &str) -> Result<String, String> {
        self.0.read(path).or_else(|_| LIBRARY.read(path))
    }

    fn searched(&self, request: ModuleRequest<'_>) -> Vec<String> {
        self.0.searched(request)
    }

    fn candidates(&self, request: ModuleRequest<'_>) -> Vec<String> {
        self.0.candidates(request)
    }
}

fn checked(source: &str) -> Checked {
    let (text, mut own) = common::split_files(source);
    own.files.remove("lib/std/tensors.spl");
    let root = LoadedSource {
        path: "main.spl".into(),
        text,
        library: false,
    };
    check(root, &Files(own), &Known, CheckOptions::default())
}

/// A case and what the checker answers.
struct Case {
    path: PathBuf,
    source: String,
    checked: Checked,
}

/// Every case, checked once for all tests, on as many threads as there are processors, each with room for deep trees.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let paths = files_below(&folder);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut cases = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let whole = std::fs::read_to_string(path).expect("a case is text");
            let source = marks::taken_out(&whole);
            cases.push(Case {
                path: path.clone(),
                checked: checked(&source),
                source,
            });
        }
        cases
    };
    let mut cases: Vec<Case> = on_each_processor(&work).into_iter().flatten().collect();
    cases.sort_by(|a, b| a.path.cmp(&b.path));
    cases
});

fn on_each_processor<T: Send>(work: &(impl Fn() -> T + Sync)) -> Vec<T> {
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                let builder = std::thread::Builder::new().stack_size(64 << 20);
                builder.spawn_scoped(scope, work).expect("a thread starts")
            })
            .collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended
            .map(|result| result.expect("the checker does not panic"))
            .collect()
    })
}

#[test]
fn the_checker_answers_as_written() {
    let problems: Vec<String> = CASES
        .iter()
        .filter_map(|case| match marks::put_in(&case.source, &case.checked) {
            Ok(whole) => golden::compare(&case.path, &whole).err(),
            Err(why) => Some(format!("{}: {why}", case.path.display())),
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(CASES.len() >= 300, "there are {} cases", CASES.len());
}

#[test]
fn every_case_says_its_rule() {
    for Case { path, source, .. } in CASES.iter() {
        let first = source.lines().next().unwrap_or_default();
        assert!(
            path.extension().is_some_and(|end| end == "spl")
                && first.starts_with("# ")
                && first.ends_with('.'),
            "{}: a case is a `.spl` that begins with a comment, the sentence that says its rule",
            path.display()
        );
    }
}

/// What no case can show: a module that is there and cannot be read, and a mistake of the compiler itself.
const NOT_SHOWN: [&str; 2] = ["E0214", "E0329"];

#[test]
fn every_code_is_shown_by_a_case() {
    let diagnostics = CASES.iter().flat_map(|case| &case.checked.diagnostics);
    let shown: BTreeSet<&str> = diagnostics.map(|d| d.code).collect();
    let missing: Vec<&str> = simple_sema::codes::ALL
        .iter()
        .map(|(code, _)| *code)
        .filter(|code| !shown.contains(code) && !NOT_SHOWN.contains(code))
        .collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
}

/// The text with a fix in it, if the fix is in the root file.
fn repaired(case: &Case, fix: &Fix) -> Option<String> {
    let (lo, hi) = (fix.span.lo as usize, fix.span.hi as usize);
    let in_root = case.checked.sources.file(fix.span.file).path == "main.spl";
    let source = &case.source;
    in_root.then(|| format!("{}{}{}", &source[..lo], fix.replacement, &source[hi..]))
}

#[test]
fn a_fix_removes_what_it_fixes() {
    let mut problems = Vec::new();
    for case in CASES.iter() {
        for diagnostic in &case.checked.diagnostics {
            let Some(text) = (diagnostic.fix.as_ref()).and_then(|fix| repaired(case, fix)) else {
                continue;
            };
            let again = checked(&text);
            let same = |d: &&Diagnostic| {
                (d.code, &d.message, d.span.lo)
                    == (diagnostic.code, &diagnostic.message, diagnostic.span.lo)
            };
            if again.diagnostics.iter().any(|d| same(&d)) {
                let answer = marks::put_in(&text, &again).unwrap_or_else(|why| why);
                let path = case.path.display();
                problems.push(format!(
                    "{path}: with the fix of {}\n{answer}",
                    diagnostic.code
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
