//! The programs of the tree, for the tests that format them.

use std::path::{Path, PathBuf};

/// The files of programs below these folders of the tree.
pub fn programs(folders: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder)
            .expect("a folder of the tree")
            .flatten()
        {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|ending| ending == "spl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
