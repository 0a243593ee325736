//! SHA-256 of files, and the list of hashes that is kept beside what was unpacked.
//!
//! A list has a line `<hash>  <path>` for each file, as `sha256sum` writes them, so anybody can check one with
//! `sha256sum --check`. What may be in it and where it is kept is [`super::cache`]'s matter.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use super::SetupError;

/// The SHA-256 of a file, in lower-case hexadecimal digits; `count` is told the bytes as they are read.
pub fn of_file(path: &Path, mut count: impl FnMut(u64)) -> Result<String, SetupError> {
    let fail = |error| SetupError::io("read", path, error);
    let mut file = File::open(path).map_err(fail)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hash.finalize())),
            Ok(read) => {
                hash.update(&buffer[..read]);
                count(read as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(fail(error)),
        }
    }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hashes of files under one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    /// The hash of each path below the folder.
    files: BTreeMap<PathBuf, String>,
}

impl List {
    /// Adds a file.
    pub fn add(&mut self, path: &Path, hash: String) {
        self.files.insert(path.to_owned(), hash);
    }

    /// Adds the files of another list; where both have one, that one's hash counts.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
    }

    /// The files, sorted.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files
            .iter()
            .map(|(path, hash)| (path.as_path(), hash.as_str()))
    }

    /// The list as text. A wheel's names are text without line breaks, or its RECORD could not be read.
    pub fn to_text(&self) -> String {
        let lines = self.files();
        lines
            .map(|(path, hash)| format!("{hash}  {}\n", path.display()))
            .collect()
    }

    /// Reads a list; `None` for what is not a list, or names a file outside of the folder.
    pub fn parse(text: &str) -> Option<Self> {
        let mut list = Self::default();
        for line in text.lines() {
            let (hash, path) = line.split_once("  ")?;
            let path = Path::new(path);
            let inside = |part| matches!(part, Component::Normal(_));
            if hash.len() != 64 || path.as_os_str().is_empty() || !path.components().all(inside) {
                return None;
            }
            list.add(path, hash.to_owned());
        }
        (text.ends_with('\n')).then_some(list)
    }

    /// Reads the list in a file; `None` where there is none that can be used.
    pub fn read(path: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(path).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::*;

    #[test]
    fn hashes_are_those_of_sha256sum() {
        let scratch = Scratch::new("hash-file");
        let file = scratch.path().join("abc");
        fs::write(&file, "abc").unwrap();
        let mut counted = 0;
        let hash = of_file(&file, |bytes| counted += bytes).unwrap();
        assert_eq!(
            (hash.as_str(), counted),
            (
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                3
            )
        );
        assert!(of_file(&scratch.path().join("none"), |_| {}).is_err());
    }

    #[test]
    fn lists_survive_writing_and_reading_and_lead_nowhere_else() {
        let mut list = List::default();
        list.add("a/b c".as_ref(), "0".repeat(64));
        list.add("d".as_ref(), "f".repeat(64));
        let text = list.to_text();
        assert_eq!(List::parse(&text), Some(list));
        for (bad, why) in [
            ("", "nothing"),
            (&text[..text.len() - 1], "cut off"),
            (&text.replace("a/b c", "/a"), "absolute"),
            (&text.replace("a/b c", "../a"), "outside"),
            (&text.replace("00  ", "  "), "no hash"),
        ] {
            assert_eq!(List::parse(bad), None, "{why}");
        }
    }
}
