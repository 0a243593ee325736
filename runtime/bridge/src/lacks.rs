//! What the libtorch of this machine lacks of what the torch library declares, as the set-up wrote it down (`runtime/setup/src/lacks.rs`).

use std::collections::HashMap;
use std::path::Path;

/// The functions that a libtorch lacks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lacks {
    /// The release of libtorch, `2.15.0`.
    pub release: String,
    /// Functions, and the operator that each would call.
    functions: HashMap<String, String>,
}

impl Lacks {
    /// Reads the file beside a torch library; empty where that is missing.
    pub fn beside(library: &Path, release: &str) -> Lacks {
        let text = std::fs::read_to_string(library.with_file_name("lacks")).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Lacks {
            release: release.to_owned(),
            functions: lines.map(|(a, b)| (a.to_owned(), b.to_owned())).collect(),
        }
    }

    /// The operator that a function would call, if libtorch lacks it.
    pub fn operator(&self, function: &str) -> Option<&str> {
        self.functions.get(function).map(String::as_str)
    }

    /// All of it in words, by which another libtorch is told from this one.
    pub fn words(&self) -> String {
        let mut functions: Vec<&str> = self.functions.keys().map(String::as_str).collect();
        functions.sort_unstable();
        format!("{} {}", self.release, functions.join(" "))
    }
}
