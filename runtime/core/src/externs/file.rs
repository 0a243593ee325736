//! Files and folders.
//!
//! Functions that answer `bool`, a size or a time do not fail: they keep the reason for `rt_file_error`. Paths are UTF-8.
//!
//! A file is written whole or not at all (`simple_system::replace`). Pipes and devices are read and written as what they are, as `cat` and
//! a shell's `>` do it: a program may be meant to read `/dev/stdin` or `<(...)`, and then it waits until somebody writes.
//! Left out: open files, permissions, links, removing folders with all that is in them.

use crate::host::{NO_RESULT, TextBuffer};
use simple_ffi_abi::SffiBuffer;
use simple_system::in_words;
use simple_system::open::{read_from, refuse_other_than_file};
use simple_system::replace::{self, Failed, Sync};
use std::cell::RefCell;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::str::Utf8Error;
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
    outcome.map_err(|error| format!("cannot {what} `{path}`: {}", in_words(&error)))
}

pub(super) fn last_error() -> String {
    LAST_ERROR.with(|last| last.borrow().clone())
}

pub(super) fn read_bytes(path: &str) -> Result<Vec<u8>, String> {
    simple_system::reads::note(Path::new(path));
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let read = opened.and_then(|(size, file)| read_from(file, size, u64::MAX));
    explain(read, "read", path)
}

/// A whole file in the memory of the text that the program gets.
pub(super) fn read_text(path: &str) -> Result<SffiBuffer, String> {
    simple_system::reads::note(Path::new(path));
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let (size, file) = explain(opened, "read", path)?;
    let not_text = |error: Utf8Error| {
        let at = error.valid_up_to();
        format!(
            "cannot read `{path}` as text: it is not valid UTF-8 from byte {at} on; rt_file_read_bytes reads any file"
        )
    };
    if size == 0 {
        // Files of the system, pipes and devices have no size.
        let content = explain(read_from(file, 0, u64::MAX), "read", path)?;
        let mut buffer = TextBuffer::new(content.len())?;
        let (to, _) = buffer.room(0);
        // SAFETY: the buffer has room for the content, which is then written.
        return unsafe {
            to.copy_from_nonoverlapping(content.as_ptr(), content.len());
            buffer.finish(content.len())
        }
        .map_err(not_text);
    }
    let mut buffer = TextBuffer::new(usize::try_from(size).unwrap_or(usize::MAX))?;
    let length = explain(fill(&file, &mut buffer), "read", path)?;
    // SAFETY: `fill` has written so many bytes.
    unsafe { buffer.finish(length) }.map_err(not_text)
}

/// Reads until the file ends or the buffer is full; how many bytes that were.
fn fill(file: &File, buffer: &mut TextBuffer) -> std::io::Result<usize> {
    let mut length = 0;
    loop {
        let (to, room) = buffer.room(length);
        if room == 0 {
            return Ok(length);
        }
        // SAFETY: `room` bytes can be written at `to`.
        let read = unsafe { libc::read(file.as_raw_fd(), to.cast(), room) };
        match usize::try_from(read) {
            Ok(0) => return Ok(length),
            Ok(read) => length += read,
            Err(_) => {
                let error = std::io::Error::last_os_error();
                if error.kind() != std::io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}

pub(super) fn try_read(path: &str) -> SffiBuffer {
    remember(read_text(path)).unwrap_or(NO_RESULT)
}

pub(super) fn write_text(path: &str, content: &str) -> bool {
    write_bytes(path, content.as_bytes())
}

pub(super) fn write_bytes(path: &str, content: &[u8]) -> bool {
    let written = replace::write(Path::new(path), content);
    remember(explain(written, "write", path)).is_some()
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
    let outcome = copy_whole(Path::new(source), Path::new(target))
        .map_err(|error| format!("cannot copy `{source}` to `{target}`: {}", in_words(&error)));
    remember(outcome).is_some()
}

/// Copies a file with its mode.
fn copy_whole(source: &Path, target: &Path) -> std::io::Result<()> {
    let data = fs::metadata(source)?;
    refuse_other_than_file(data.file_type())?;
    let mut from = File::open(source)?;
    let copied = replace::replace(target, Sync::WhenReplacing, |out| {
        std::io::copy(&mut from, out).map(drop)
    });
    copied.map_err(|failed| match failed {
        Failed::File(error) | Failed::Content(error) => error,
    })?;
    fs::set_permissions(target, Permissions::from_mode(data.mode() & 0o777))
}

pub(super) fn rename(source: &str, target: &str) -> bool {
    let outcome = fs::rename(source, target).map_err(|error| {
        format!(
            "cannot rename `{source}` to `{target}`: {}",
            in_words(&error)
        )
    });
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
