//! The documents tell the truth: every program in them does what the text around it says, and every error code has its page.
//!
//! `simple_cli::doctest::page` reads the programs of a page and runs them; it says how they are tagged. `error_pages.rs` holds the rules for
//! `doc/errors`. `UPDATE_GOLDEN=1 cargo test -p simple-cli --test documents` rewrites what the examples print.

mod error_pages;
mod links;

use simple_cli::doctest::page::{Page, Said, Setting};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn root() -> PathBuf {
    std::fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository's folder")
}

/// By what the examples are run.
pub fn setting() -> Setting {
    Setting {
        binary: env!("CARGO_BIN_EXE_simple").into(),
        home: root(),
    }
}

/// Every Markdown file below `folder`, sorted.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .expect("a readable folder")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            found.extend(pages_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Runs `check` on every page, several at a time, and fails with all their problems.
fn check_all(pages: Vec<PathBuf>, check: impl Fn(&mut Page) -> Vec<String> + Sync) {
    assert!(!pages.is_empty(), "no pages found");
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get());
    let mut problems: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut problems = Vec::new();
            while let Some(path) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                match Page::read(path, &setting()) {
                    Ok(mut page) => {
                        problems.extend(check(&mut page));
                        if simple_testing::golden::updating() {
                            page.save();
                        }
                    }
                    Err(problem) => problems.push(problem),
                }
            }
            problems
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().expect("no panic while checking a page"))
            .collect()
    });
    problems.sort();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn every_example_in_the_documents_does_what_it_says() {
    let errors = root().join("doc/errors");
    let mut pages = vec![root().join("README.md")];
    pages.extend(pages_below(&root().join("doc")));
    pages.retain(|page| !page.starts_with(&errors));
    check_all(pages, |page| page.check(Said::Part));
}

#[test]
fn every_error_page_shows_its_error_and_how_to_fix_it() {
    let pages = error_pages::all();
    check_all(pages, error_pages::check);
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    error_pages::check_index();
}
