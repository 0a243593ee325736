//! The programs that are mutated, without those whose mutants could do harm.

use std::path::{Path, PathBuf};

/// Words of programs that are left out: foreign functions may be called with anything, and files, processes and the environment
/// belong to whoever runs the test. Mutants take their words from the other seeds, so none of these comes up again.
const HARMFUL: &[&str] = &[
    "extern",
    "@Lib",
    "Ptr",
    "rt_",
    "process",
    "shell",
    "exec",
    "spawn",
    "file",
    "dir_",
    "folder",
    ".io",
    "io.",
    "env",
    "path",
    "http",
    "socket",
    "download",
    "save",
    "load",
    "write",
    "remove_all",
    "input",
    "sleep",
    "ffi",
    "stdin",
    "exit",
];

/// The texts of all seeds, in a fixed order.
pub fn harmless(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for folder in [
        "runtime/cli/tests/programs/pass",
        "runtime/cli/tests/programs/panic",
        "runtime/cli/tests/torch_programs",
        "runtime/sema/tests/golden/ok",
        "examples",
    ] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let texts = files
        .iter()
        .map(|file| std::fs::read_to_string(file).expect("a readable program"));
    texts
        .filter(|text| !HARMFUL.iter().any(|word| text.contains(word)))
        .collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder)
        .expect("a folder of programs")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "spl") {
            found.push(path);
        }
    }
}
