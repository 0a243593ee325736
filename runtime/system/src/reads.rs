//! Which files this process reads, for `simple --watch`, which runs a program again when one of them changes.
//!
//! Nothing is noted unless [`log_in`] was called. Files that libraries open themselves are not known.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where paths go, and which are there already.
struct Log {
    file: File,
    known: HashSet<PathBuf>,
}

static LOG: OnceLock<Mutex<Log>> = OnceLock::new();

/// Has the paths of files that are opened for reading written to this file from now on, a line each.
pub fn log_in(file: File) {
    let log = Log {
        file,
        known: HashSet::new(),
    };
    let _ = LOG.set(Mutex::new(log));
}

/// A file is opened for reading, or would have been if it were there.
pub fn note(path: &Path) {
    let Some(log) = LOG.get() else {
        return;
    };
    let Ok(path) = std::path::absolute(path) else {
        return;
    };
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if log.known.insert(path.clone()) {
        // A line at once, as several processes may write to the file. What cannot be written is not watched.
        let line = format!("{}\n", path.display());
        let _ = log.file.write_all(line.as_bytes());
    }
}
