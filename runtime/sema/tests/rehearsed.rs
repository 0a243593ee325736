//! Nothing that a body tries leaves a trace: with every expression checked twice, the first time in an attempt that is undone, all
//! programs of the tests get the same messages as otherwise.
//!
//! An expression is rehearsed where it is not a part of one that is being rehearsed, so a program takes as many times longer as its
//! expressions are nested deep, not two to the power of that.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their own files; the ban is for the crate itself"
)]

mod common;

use simple_sema::loader::{FoundModule, LoadedSource, ModuleRequest, SourceLoader};
use simple_sema::{CheckOptions, Checked, check};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Modules of the repository: `std` and `lib` from its library, all others beside the importer.
struct Files;

impl Files {
    fn paths(request: ModuleRequest<'_>) -> Vec<PathBuf> {
        let folder = Path::new(request.importer).parent();
        let folder = folder.unwrap_or(Path::new(""));
        let tail: PathBuf = request.segments.iter().collect();
        let from = match (request.dots, request.segments.first()) {
            (0, Some(&"std")) => root().join("lib"),
            (0, Some(&"lib")) => root(),
            (2, _) => folder.join(".."),
            _ => folder.to_owned(),
        };
        let at = from.join(tail);
        vec![
            at.join("__init__.spl"),
            at.join("mod.spl"),
            at.with_extension("spl"),
        ]
    }
}

impl SourceLoader for Files {
    fn find(&self, request: ModuleRequest<'_>) -> Option<FoundModule> {
        let path = Files::paths(request).into_iter().find(|p| p.is_file())?;
        let path = path.canonicalize().ok()?;
        let library = path.starts_with(root().join("lib").canonicalize().ok()?);
        Some(FoundModule {
            path: path.to_string_lossy().into_owned(),
            library,
        })
    }

    fn read(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|why| why.to_string())
    }

    fn searched(&self, _: ModuleRequest<'_>) -> Vec<String> {
        Vec::new()
    }

    fn candidates(&self, _: ModuleRequest<'_>) -> Vec<String> {
        Vec::new()
    }
}

/// All programs in a folder and those below it.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "spl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

const REHEARSED: CheckOptions = CheckOptions {
    no_prelude: false,
    only_used: false,
    rehearse: true,
    shapes: false,
};

/// The programs for which the two checks differ, with both answers.
fn differing(programs: &[PathBuf], check: impl Fn(&Path, CheckOptions) -> Checked) -> Vec<String> {
    let mut differing = Vec::new();
    for path in programs {
        let plain = common::render(&check(path, CheckOptions::default()));
        let rehearsed = common::render(&check(path, REHEARSED));
        if plain != rehearsed {
            let name = path.display();
            differing.push(format!("{name}\n{plain}rehearsed:\n{rehearsed}"));
        }
    }
    differing
}

fn on_a_deep_stack(work: impl FnOnce() -> Vec<String> + Send + 'static) {
    let differing = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(work)
        .expect("a thread starts")
        .join()
        .expect("the checker does not panic");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn golden_files_get_the_same_messages() {
    on_a_deep_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let files = programs(&folder);
        assert!(files.len() > 60, "only {} golden files", files.len());
        differing(&files, |path, options| {
            let source = std::fs::read_to_string(path).expect("a readable file");
            common::run_with(&source, options)
        })
    });
}

#[test]
fn programs_get_the_same_messages() {
    on_a_deep_stack(|| {
        let files = programs(&root().join("runtime/cli/tests/programs"));
        assert!(files.len() > 600, "only {} programs", files.len());
        differing(&files, |path, options| {
            let root = LoadedSource {
                path: path.to_string_lossy().into_owned(),
                text: std::fs::read_to_string(path).expect("a readable file"),
                library: false,
            };
            check(root, &Files, &common::Known, options)
        })
    });
}
