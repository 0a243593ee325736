//! `simple.lock`: the commit and the hash of each git dependency, so that everyone builds the same.

use super::manifest::quoted;
use serde::Deserialize;
use simple_system::{in_words, open, replace};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The file, beside the manifest.
const LOCK: &str = "simple.lock";
const LARGEST: u64 = 1 << 20;

/// What is known of a dependency.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The address that it was fetched from.
    pub git: String,
    /// The revision that the manifest named.
    pub rev: String,
    /// The commit that this was.
    pub commit: String,
    /// The hash of its files.
    pub hash: String,
}

/// What is known of all.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
pub struct Lock {
    /// By their names.
    #[serde(default)]
    pub dependencies: BTreeMap<String, Locked>,
}

impl Lock {
    /// That of a project; an empty one if it does not exist.
    ///
    /// # Errors
    ///
    /// A message: it cannot be read.
    pub fn read(folder: &Path) -> Result<Lock, String> {
        let path = folder.join(LOCK);
        if !path.exists() {
            return Ok(Lock::default());
        }
        let text = open::read(&path, LARGEST)
            .and_then(open::text_of)
            .map_err(|error| format!("cannot read {}: {}", path.display(), in_words(&error)))?;
        sdn_parser::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Writes it beside the manifest.
    ///
    /// # Errors
    ///
    /// A message: it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join(LOCK);
        replace::write(&path, self.text().as_bytes())
            .map_err(|error| format!("cannot write {}: {}", path.display(), in_words(&error)))
    }

    fn text(&self) -> String {
        let mut text =
            "# Written by `simple add` and `simple build`. Keep it with the project.\ndependencies:\n".to_owned();
        for (name, locked) in &self.dependencies {
            let _ = writeln!(
                text,
                "    {name}:\n        git: {}\n        rev: {}\n        commit: {}\n        hash: {}",
                quoted(&locked.git),
                quoted(&locked.rev),
                quoted(&locked.commit),
                quoted(&locked.hash)
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let locked = Locked {
            git: "file:///a \"b\"".to_owned(),
            rev: "v1".to_owned(),
            commit: "0123".to_owned(),
            hash: "45e6".to_owned(),
        };
        let lock = Lock {
            dependencies: BTreeMap::from([("plots".to_owned(), locked)]),
        };
        assert_eq!(
            sdn_parser::from_str::<Lock>(&lock.text()).expect("a lock file"),
            lock
        );
    }
}
