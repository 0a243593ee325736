//! Files and folders.
//!
//! Functions that answer `bool`, a size or a time do not fail: they keep the reason for `rt_file_error`. Paths are UTF-8.
//! Left out: open files, permissions, links, removing folders with all that is in them.

use std::cell::RefCell;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::UNIX_EPOCH;

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Remembers the reason of a failure, or that there was none.
fn remember<T>(outcome: Result<T, String>) -> Option<T> {
    let (value, reason) = match outcome {
        Ok(value) => (Some(value), String::new()),
        Err(reason) => (None, reason),
    };
    LAST_ERROR.with(|last| *last.borrow_mut() = reason);
    value
}

/// A failure with what was tried and on what.
fn explain<T>(outcome: std::io::Result<T>, what: &str, path: &str) -> Result<T, String> {
    outcome.map_err(|error| format!("cannot {what} `{path}`: {error}"))
}

pub(super) fn last_error() -> String {
    LAST_ERROR.with(|last| last.borrow().clone())
}

pub(super) fn read_bytes(path: &str) -> Result<Vec<u8>, String> {
    explain(fs::read(path), "read", path)
}

pub(super) fn read_text(path: &str) -> Result<String, String> {
    String::from_utf8(read_bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!(
            "cannot read `{path}` as text: it is not valid UTF-8 from byte {at} on; rt_file_read_bytes reads any file"
        )
    })
}

pub(super) fn try_read(path: &str) -> String {
    remember(read_text(path)).unwrap_or_default()
}

pub(super) fn write_text(path: &str, content: &str) -> bool {
    write_bytes(path, content.as_bytes())
}

pub(super) fn write_bytes(path: &str, content: &[u8]) -> bool {
    remember(explain(fs::write(path, content), "write", path)).is_some()
}

pub(super) fn append_text(path: &str, content: &str) -> bool {
    let append = || {
        fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)?
            .write_all(content.as_bytes())
    };
    remember(explain(append(), "append to", path)).is_some()
}

pub(super) fn exists(path: &str) -> bool {
    Path::new(path).exists()
}

pub(super) fn delete(path: &str) -> bool {
    remember(explain(fs::remove_file(path), "delete", path)).is_some()
}

pub(super) fn copy(source: &str, target: &str) -> bool {
    let outcome = fs::copy(source, target)
        .map_err(|error| format!("cannot copy `{source}` to `{target}`: {error}"));
    remember(outcome).is_some()
}

pub(super) fn rename(source: &str, target: &str) -> bool {
    let outcome = fs::rename(source, target)
        .map_err(|error| format!("cannot rename `{source}` to `{target}`: {error}"));
    remember(outcome).is_some()
}

pub(super) fn size(path: &str) -> i64 {
    let size = explain(fs::metadata(path), "find the size of", path).map(|data| data.len());
    remember(size).map_or(-1, |size| i64::try_from(size).unwrap_or(i64::MAX))
}

pub(super) fn modified_ms(path: &str) -> i64 {
    let time = explain(
        fs::metadata(path).and_then(|data| data.modified()),
        "find the time of",
        path,
    );
    let since = remember(time).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(-1, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

pub(super) fn is_dir(path: &str) -> bool {
    Path::new(path).is_dir()
}

pub(super) fn create_dir(path: &str) -> bool {
    remember(explain(fs::create_dir_all(path), "make the folder", path)).is_some()
}

pub(super) fn delete_dir(path: &str) -> bool {
    remember(explain(fs::remove_dir(path), "delete the folder", path)).is_some()
}

pub(super) fn list_dir(path: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = explain(entries, "list the folder", path)?;
    let mut names: Vec<String> = entries
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    Ok(names)
}
