//! Files that are there whole or not at all.
//!
//! A file is written beside its place, flushed to the disk, and moved in by a rename, which the file system does at one stroke; then the
//! folder is flushed too. A program killed at any instant leaves the old file or the new one, and perhaps a `.part` file with its number, which
//! the next write of the same file removes.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::source::{Fault, in_words};

/// Writes a file by `body`, in one piece as others see it.
pub fn write(
    path: &Path,
    body: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if path.is_dir() {
        return Err(Fault::whole("this is a folder, not a file"));
    }
    let beside = beside(path);
    let written = write_beside(&beside, body).and_then(|()| {
        fs::rename(&beside, path)
            .map_err(|error| Fault::whole(format!("cannot be moved in: {}", in_words(&error))))
    });
    if written.is_err() {
        // The reason why it could not be written is what counts; a rest of it is only untidy.
        let _ = fs::remove_file(&beside);
        return written;
    }
    flush_folder(path);
    remove_left_over(path);
    Ok(())
}

fn write_beside(
    beside: &Path,
    body: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let file = File::create(beside).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
            _ => in_words(&error),
        };
        Fault::whole(format!("cannot be written: {why}"))
    })?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    body(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()?;
    Ok(())
}

/// Where a file lies until it is complete: in the same folder, because a rename does not reach further, and under a name that no other running
/// program uses.
fn beside(path: &Path) -> PathBuf {
    path.with_file_name(format!("{}{}{PART}", prefix(path), std::process::id()))
}

const PART: &str = ".part";

fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    format!("{}.", name.to_string_lossy())
}

/// Removes what programs left that were killed while they wrote this file. That it cannot be removed is no failure of the present write.
fn remove_left_over(path: &Path) {
    let Ok(entries) = fs::read_dir(folder_of(path)) else {
        return;
    };
    let prefix = prefix(path);
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_prefix(prefix.as_str()))
            .and_then(|name| name.strip_suffix(PART))
            .and_then(|number| number.parse::<i32>().ok());
        if number.is_some_and(|number| number > 0 && !runs(number)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a process of this number runs, as far as one can tell.
fn runs(number: i32) -> bool {
    // SAFETY: signal 0 is sent to nobody; it only asks whether there is such a process.
    let asked = unsafe { libc::kill(number, 0) };
    asked == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Makes a rename last through a loss of power. File systems that cannot flush folders do so by themselves.
fn flush_folder(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
}
