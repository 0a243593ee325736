//! Files and folders for `lib/std/fs`, beyond what `core/externs/file.rs` has.
//!
//! Every error names the operation, the path and the system's reason. Paths cross as text, so a name that is not UTF-8
//! comes with U+FFFD where it is not, and cannot be opened by that text. Left out: owners, extended attributes, and
//! what only one system has. The computing with paths that needs no file system is in `lib/std/fs/path.spl`.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use simple_system::open::{or_stream, read_from};
use simple_system::{in_words, replace};

/// Kinds as they cross.
const FILE: i64 = 0;
const FOLDER: i64 = 1;
const LINK: i64 = 2;
const OTHER: i64 = 3;
const NONE: i64 = -1;

/// What folders may nest below one that is copied, as a link may lead to the folder it is in.
const MAX_DEPTH: usize = 500;

fn cannot(what: &str, path: &str) -> impl Fn(Error) -> String {
    move |error| format!("cannot {what} `{path}`: {}", in_words(&error))
}

fn cannot_between(what: &str, from: &str, to: &str) -> impl Fn(Error) -> String {
    move |error| format!("cannot {what} `{from}` to `{to}`: {}", in_words(&error))
}

/// The bytes of a file.
pub fn read(path: &str) -> Result<Vec<u8>, String> {
    let opened = or_stream(Path::new(path));
    let read = opened.and_then(|(file, size)| read_from(file, size, u64::MAX));
    read.map_err(cannot("read", path))
}

/// The text of a file.
pub fn read_text(path: &str) -> Result<String, String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("cannot read `{path}` as text: byte {at} is not valid UTF-8; `read_bytes` reads any file")
    })
}

/// Writes a file, which is there whole or not at all.
pub fn write(path: &str, content: &[u8]) -> Result<(), String> {
    replace::write(Path::new(path), content).map_err(cannot("write", path))
}

/// The same for a text.
pub fn write_text(path: &str, content: &str) -> Result<(), String> {
    write(path, content.as_bytes())
}

/// Adds to the end of a file, which is made if it is missing.
pub fn append(path: &str, content: &[u8]) -> Result<(), String> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(content));
    written.map_err(cannot("append to", path))
}

/// The same for a text.
pub fn append_text(path: &str, content: &str) -> Result<(), String> {
    append(path, content.as_bytes())
}

/// Gives a file or folder another path; a file that is there is replaced.
pub fn rename(from: &str, to: &str) -> Result<(), String> {
    fs::rename(from, to).map_err(|error| match error.kind() {
        ErrorKind::CrossesDevices => format!(
            "cannot rename `{from}` to `{to}`: they are on different file systems; copy it and remove the old one"
        ),
        _ => cannot_between("rename", from, to)(error),
    })
}

/// Copies a file with its mode.
pub fn copy(from: &str, to: &str) -> Result<(), String> {
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(cannot_between("copy", from, to))
}

/// Copies a folder with all that is in it to a path where nothing is; links are copied as links.
pub fn copy_all(from: &str, to: &str) -> Result<(), String> {
    if kind(from, true) == FILE {
        return copy(from, to);
    }
    fs::create_dir(to).map_err(cannot_between("copy", from, to))?;
    copy_below(Path::new(from), Path::new(to), 0).map_err(cannot_between("copy", from, to))
}

fn copy_below(from: &Path, to: &Path, depth: usize) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            "its folders nest too deeply",
        ));
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            fs::create_dir(&target)?;
            copy_below(&source, &target, depth + 1)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Removes a file, a link or an empty folder.
pub fn remove(path: &str) -> Result<(), String> {
    let removed = match kind(path, false) {
        FOLDER => fs::remove_dir(path),
        _ => fs::remove_file(path),
    };
    removed.map_err(|error| match error.kind() {
        ErrorKind::DirectoryNotEmpty => {
            format!("cannot remove `{path}`: the folder is not empty; `remove_all` removes what is in it too")
        }
        _ => cannot("remove", path)(error),
    })
}

/// Removes a file, or a folder with all that is in it. Links are removed, not followed.
pub fn remove_all(path: &str) -> Result<(), String> {
    let removed = match kind(path, false) {
        FOLDER => fs::remove_dir_all(path),
        _ => fs::remove_file(path),
    };
    removed.map_err(cannot("remove", path))
}

/// Makes a folder: it alone, or those above it too, and then it may be there.
pub fn make_dir(path: &str, parents: bool) -> Result<(), String> {
    let made = match parents {
        true => fs::create_dir_all(path),
        false => fs::create_dir(path),
    };
    made.map_err(cannot("make the folder", path))
}

/// The names in a folder, sorted.
pub fn list(path: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("cannot list `{path}`: no such folder"),
        ErrorKind::NotADirectory => format!("cannot list `{path}`: it is a file, not a folder"),
        _ => cannot("list", path)(error),
    })?;
    let name = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.iter().map(name).collect();
    names.sort_unstable();
    Ok(names)
}

/// The paths of all files below a folder, sorted within each folder; with folders, each before what is in it, if asked
/// for. Links are listed, not followed.
pub fn walk(path: &str, folders: bool) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let start = path.trim_end_matches('/');
    let below = |folder: &str| -> Result<Vec<(String, bool)>, String> {
        let shown = match folder {
            "" if path.starts_with('/') => "/",
            _ => folder,
        };
        let names = list(shown)?;
        Ok(names
            .iter()
            .rev()
            .map(|name| {
                let inside = format!("{folder}/{name}");
                let is_folder = kind(&inside, false) == FOLDER;
                (inside, is_folder)
            })
            .collect())
    };
    let mut waiting = below(start)?;
    while let Some((next, is_folder)) = waiting.pop() {
        if is_folder {
            waiting.extend(below(&next)?);
        }
        if folders || !is_folder {
            found.push(next);
        }
    }
    Ok(found)
}

/// The paths that match a pattern with `*`, `?`, `[ab]` and `**`, sorted. Names that begin with a point match only
/// patterns that do.
pub fn glob(pattern: &str) -> Result<Vec<String>, String> {
    let options = glob::MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let paths = glob::glob_with(pattern, options).map_err(|error| {
        format!(
            "invalid pattern `{pattern}`: character {}: {}",
            error.pos + 1,
            error.msg
        )
    })?;
    let mut found: Vec<String> = paths
        .filter_map(Result::ok)
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    found.sort_unstable();
    Ok(found)
}

/// What is at a path: file, folder, link (unless links are followed), something else, or nothing.
pub fn kind(path: &str, follow: bool) -> i64 {
    look(path, follow).map_or(NONE, |data| kind_of(&data))
}

fn look(path: &str, follow: bool) -> Result<fs::Metadata, Error> {
    match follow {
        true => fs::metadata(path),
        false => fs::symlink_metadata(path),
    }
}

fn kind_of(data: &fs::Metadata) -> i64 {
    match data.file_type() {
        kind if kind.is_file() => FILE,
        kind if kind.is_dir() => FOLDER,
        kind if kind.is_symlink() => LINK,
        _ => OTHER,
    }
}

/// Kind, size, mode, and the times of the last change and the last reading in nanoseconds since 1970. Of a link, unless
/// it is followed, itself.
pub fn facts(path: &str, follow: bool) -> Result<Vec<i64>, String> {
    let data = look(path, follow).map_err(cannot("find", path))?;
    let nanos =
        |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Ok(vec![
        kind_of(&data),
        i64::try_from(data.len()).unwrap_or(i64::MAX),
        i64::from(data.mode() & 0o7777),
        nanos(data.mtime(), data.mtime_nsec()),
        nanos(data.atime(), data.atime_nsec()),
    ])
}

/// Sets the mode of a file or folder.
pub fn set_mode(path: &str, mode: i64) -> Result<(), String> {
    let checked = u32::try_from(mode).ok().filter(|mode| *mode <= 0o7777);
    let checked = checked.ok_or_else(|| {
        format!("cannot set the mode of `{path}`: a mode is between 0 and 0o7777, found {mode}")
    })?;
    let set = fs::set_permissions(path, Permissions::from_mode(checked));
    set.map_err(cannot("set the mode of", path))
}

/// Sets the times of the last reading and the last change.
pub fn set_times(path: &str, read: i64, changed: i64) -> Result<(), String> {
    let time = |nanos: i64| -> SystemTime {
        let distance = Duration::from_nanos(nanos.unsigned_abs());
        match nanos < 0 {
            false => UNIX_EPOCH + distance,
            true => UNIX_EPOCH - distance,
        }
    };
    let times = fs::FileTimes::new()
        .set_accessed(time(read))
        .set_modified(time(changed));
    let set = File::open(path).and_then(|file| file.set_times(times));
    set.map_err(cannot("set the times of", path))
}

/// Makes an empty file, or sets the times of the one that is there to now.
pub fn touch(path: &str) -> Result<(), String> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    let set = opened.and_then(|file| file.set_modified(SystemTime::now()));
    set.map_err(cannot("touch", path))
}

/// The absolute path with links followed and without `.` and `..`.
pub fn real(path: &str) -> Result<String, String> {
    let found = fs::canonicalize(path).map_err(cannot("find", path))?;
    Ok(found.to_string_lossy().into_owned())
}

/// Makes a link at `path` that leads to `target`.
pub fn link(target: &str, path: &str) -> Result<(), String> {
    std::os::unix::fs::symlink(target, path).map_err(cannot("make the link", path))
}

/// Where a link leads.
pub fn link_target(path: &str) -> Result<String, String> {
    let target = fs::read_link(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => format!("cannot read the link `{path}`: it is not a link"),
        _ => cannot("read the link", path)(error),
    })?;
    Ok(target.to_string_lossy().into_owned())
}

/// A new folder, or an empty file, that only this user can read, in a folder; in the system's one for temporary files
/// if that is empty.
pub fn temporary(
    is_folder: bool,
    prefix: &str,
    suffix: &str,
    within: &str,
) -> Result<String, String> {
    if prefix.contains('/') || suffix.contains('/') {
        return Err("the prefix and suffix of a temporary name hold no `/`".to_owned());
    }
    let within = match within {
        "" => std::env::temp_dir(),
        given => given.into(),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix);
    let made = match is_folder {
        true => builder.tempdir_in(&within).map(tempfile::TempDir::keep),
        false => builder
            .tempfile_in(&within)
            .and_then(|file| file.into_temp_path().keep().map_err(|error| error.error)),
    };
    let shown = within.to_string_lossy();
    let path = made.map_err(cannot("make a temporary file in", &shown))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Makes a folder the working one.
pub fn enter(path: &str) -> Result<(), String> {
    std::env::set_current_dir(path).map_err(cannot("enter", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_filled_walked_and_removed() {
        let root = temporary(true, "t", "", "").unwrap();
        let at = |name: &str| format!("{root}/{name}");
        make_dir(&at("a/b"), true).unwrap();
        write(&at("a/b/x.txt"), b"1").unwrap();
        append(&at("a/b/x.txt"), b"2").unwrap();
        write(&at("a/.hidden"), b"").unwrap();
        assert_eq!(read(&at("a/b/x.txt")).unwrap(), b"12");
        assert_eq!(
            walk(&root, false).unwrap(),
            [at("a/.hidden"), at("a/b/x.txt")]
        );
        assert_eq!(walk(&root, true).unwrap().len(), 4);
        assert_eq!(glob(&at("**/*.txt")).unwrap(), [at("a/b/x.txt")]);
        set_mode(&at("a/b/x.txt"), 0o600).unwrap();
        set_times(&at("a/b/x.txt"), 1, 2_000_000_003).unwrap();
        assert_eq!(
            facts(&at("a/b/x.txt"), true).unwrap(),
            [0, 2, 0o600, 2_000_000_003, 1]
        );
        link("b", &at("a/l")).unwrap();
        copy_all(&at("a"), &at("c")).unwrap();
        assert_eq!(link_target(&at("c/l")).unwrap(), "b");
        assert_eq!(read_text(&at("c/l/x.txt")).unwrap(), "12");
        assert!(remove(&root).unwrap_err().contains("not empty"));
        remove_all(&root).unwrap();
        assert!(list(&root).unwrap_err().contains("no such"));
    }
}
