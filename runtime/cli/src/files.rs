//! Files named on the command line, folders replaced by the files in them.

use simple_system::in_words;
use std::path::{Path, PathBuf};

/// Folders that contain no part of the project itself.
const SKIPPED_FOLDERS: &[&str] = &["target", "node_modules"];

/// The file itself, or every file below the folder that `wanted` takes, sorted. Hidden folders and those of tools are left out.
///
/// # Errors
///
/// A message when there is nothing at `path`, or a folder cannot be read.
pub fn below(path: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return if path.exists() {
            Ok(vec![path.to_owned()])
        } else {
            Err(format!(
                "cannot read {}: no such file or folder",
                path.display()
            ))
        };
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .map_err(|error| format!("cannot read {}: {}", folder.display(), in_words(&error)))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let path = match folder == Path::new(".") {
                true => PathBuf::from(&name),
                false => entry.path(),
            };
            let name = name.to_string_lossy();
            // Links to folders are not followed: they may lead back up.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if !name.starts_with('.') && !SKIPPED_FOLDERS.contains(&&*name) {
                    folders.push(path);
                }
            } else if wanted(&path) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a file's name ends in one of these, which are without the point.
pub fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension()
        .is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted))
}
