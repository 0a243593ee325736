//! Archives for `lib/std/compress`: zip and tar, which may be compressed with gzip or Zstandard.
//!
//! An archive is read from bytes. Its entries cross as names and facts; the content of one is asked for by its number,
//! with a limit. Nothing is ever written to a path that an archive names: `lib/std/compress/archive.spl` does that and
//! looks at the names first. Left out: encrypted files, and links and devices but for their names.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::mem::ManuallyDrop;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use simple_ffi_abi::handle::HandleTable;
use simple_system::in_words;
use zip::CompressionMethod;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

use crate::compress::{limited, pack, unpack};

const FILE: i64 = 0;
const FOLDER: i64 = 1;
const LINK: i64 = 2;
const OTHER: i64 = 3;
/// The most files that an archive may have.
const MOST_ENTRIES: usize = 1_000_000;

struct Entry {
    name: String,
    kind: i64,
    size: i64,
    mode: i64,
    /// Seconds since 1970; for zip by a clock in UTC.
    modified: i64,
    /// Where its content begins in a tar.
    start: usize,
}

enum Content {
    Zip(Box<zip::ZipArchive<Cursor<Vec<u8>>>>),
    Tar(Vec<u8>),
}

struct Reading {
    entries: Vec<Entry>,
    content: Content,
}

enum Writing {
    Zip(Box<zip::ZipWriter<Cursor<Vec<u8>>>>),
    /// A tar, and what it is compressed with at the end.
    Tar(Box<tar::Builder<Vec<u8>>>, &'static str),
}

thread_local! {
    // Never dropped: programs may ask while the thread ends.
    static READING: ManuallyDrop<RefCell<HandleTable<Reading>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("archive", 14))) };
    static WRITING: ManuallyDrop<RefCell<HandleTable<Option<Writing>>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("archive writer", 15))) };
}

fn no_zip(error: ZipError) -> String {
    format!("cannot read the zip archive: {error}")
}

fn no_tar(error: std::io::Error) -> String {
    format!("cannot read the tar archive: {}", in_words(&error))
}

/// Opens an archive of bytes; its form is seen in them. A compressed tar has at most `limit` bytes when decompressed.
pub fn open(bytes: &[u8], limit: i64) -> Result<i64, String> {
    let made = match bytes {
        [b'P', b'K', ..] => read_zip(bytes.to_vec())?,
        [0x1f, 0x8b, ..] => read_tar(unpack("gzip", bytes, limit)?)?,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => read_tar(unpack("zstd", bytes, limit)?)?,
        _ => read_tar(bytes.to_vec())?,
    };
    READING.with(|table| {
        table
            .borrow_mut()
            .insert(made)
            .map_err(|error| error.to_string())
    })
}

fn read_zip(bytes: Vec<u8>) -> Result<Reading, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(no_zip)?;
    let mut entries = Vec::new();
    for number in 0..archive.len().min(MOST_ENTRIES) {
        let file = archive.by_index_raw(number).map_err(no_zip)?;
        let kind = match (file.is_dir(), file.is_symlink()) {
            (true, _) => FOLDER,
            (_, true) => LINK,
            _ => FILE,
        };
        let modified = file.last_modified().and_then(|at| {
            let small = |part: u8| i8::try_from(part).ok();
            let year = i16::try_from(at.year()).ok()?;
            let (month, day) = (small(at.month())?, small(at.day())?);
            let clock = (small(at.hour())?, small(at.minute())?, small(at.second())?);
            let date =
                jiff::civil::DateTime::new(year, month, day, clock.0, clock.1, clock.2, 0).ok()?;
            Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
        });
        entries.push(Entry {
            name: file.name().map_err(no_zip)?.into_owned(),
            kind,
            size: i64::try_from(file.size()).unwrap_or(i64::MAX),
            mode: i64::from(
                file.unix_mode()
                    .unwrap_or(if kind == FOLDER { 0o755 } else { 0o644 })
                    & 0o7777,
            ),
            modified: modified.unwrap_or(0),
            start: 0,
        });
    }
    Ok(Reading {
        entries,
        content: Content::Zip(Box::new(archive)),
    })
}

fn read_tar(bytes: Vec<u8>) -> Result<Reading, String> {
    if bytes.len() < 1024 && bytes.iter().any(|byte| *byte != 0) {
        return Err(
            "this is not an archive: expected zip, tar, or tar compressed with gzip or Zstandard"
                .to_owned(),
        );
    }
    let mut archive = tar::Archive::new(bytes.as_slice());
    let mut entries = Vec::new();
    for entry in archive.entries().map_err(no_tar)?.take(MOST_ENTRIES) {
        let entry = entry.map_err(no_tar)?;
        let header = entry.header();
        let kind = match header.entry_type() {
            kind if kind.is_file() || kind.is_contiguous() => FILE,
            kind if kind.is_dir() => FOLDER,
            kind if kind.is_symlink() || kind.is_hard_link() => LINK,
            _ => OTHER,
        };
        entries.push(Entry {
            name: String::from_utf8_lossy(&entry.path_bytes()).into_owned(),
            kind,
            size: i64::try_from(entry.size()).unwrap_or(i64::MAX),
            mode: i64::from(header.mode().unwrap_or(0o644) & 0o7777),
            modified: header
                .mtime()
                .ok()
                .and_then(|at| i64::try_from(at).ok())
                .unwrap_or(0),
            start: usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX),
        });
    }
    Ok(Reading {
        entries,
        content: Content::Tar(bytes),
    })
}

fn with<R>(handle: i64, work: impl FnOnce(&mut Reading) -> Result<R, String>) -> Result<R, String> {
    READING.with(|table| {
        let mut table = table.borrow_mut();
        work(table.get_mut(handle).map_err(|error| error.to_string())?)
    })
}

/// The names of its entries.
pub fn names(handle: i64) -> Result<Vec<String>, String> {
    with(handle, |reading| {
        Ok(reading
            .entries
            .iter()
            .map(|entry| entry.name.clone())
            .collect())
    })
}

/// Kind, size, mode and time of the last change of each.
pub fn facts(handle: i64) -> Result<Vec<i64>, String> {
    let facts = |entry: &Entry| [entry.kind, entry.size, entry.mode, entry.modified];
    with(handle, |reading| {
        Ok(reading.entries.iter().flat_map(facts).collect())
    })
}

/// The content of an entry, which is at most `limit` bytes.
pub fn read(handle: i64, number: i64, limit: i64) -> Result<Vec<u8>, String> {
    with(handle, |reading| {
        let place = usize::try_from(number)
            .ok()
            .filter(|place| *place < reading.entries.len());
        let place = place.ok_or("the archive has no such entry")?;
        let entry = &reading.entries[place];
        let what = format!("`{}` of the archive", entry.name);
        match &mut reading.content {
            Content::Zip(archive) => {
                limited(archive.by_index(place).map_err(no_zip)?, limit, &what)
            }
            Content::Tar(bytes) => {
                let size = usize::try_from(entry.size).unwrap_or(usize::MAX);
                let content = bytes.get(entry.start..entry.start.saturating_add(size));
                limited(
                    content.ok_or_else(|| format!("{what} is cut off"))?,
                    limit,
                    &what,
                )
            }
        }
    })
}

/// Releases an archive.
pub fn free(handle: i64) -> Result<(), String> {
    READING
        .with(|table| table.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|error| error.to_string())
}

/// A new archive: `zip`, `tar`, `tar.gz` or `tar.zst`.
pub fn new(format: &str) -> Result<i64, String> {
    let tar = |compression| Writing::Tar(Box::new(tar::Builder::new(Vec::new())), compression);
    let made = match format {
        "zip" => Writing::Zip(Box::new(zip::ZipWriter::new(Cursor::new(Vec::new())))),
        "tar" => tar(""),
        "tar.gz" | "tgz" => tar("gzip"),
        "tar.zst" => tar("zstd"),
        _ => {
            return Err(format!(
                "unknown archive format `{format}`; expected `zip`, `tar`, `tar.gz` or `tar.zst`"
            ));
        }
    };
    WRITING.with(|table| {
        table
            .borrow_mut()
            .insert(Some(made))
            .map_err(|error| error.to_string())
    })
}

/// Adds a file, or a folder if its name ends in `/`, with its mode and the time of its last change.
pub fn add(
    handle: i64,
    name: &str,
    content: &[u8],
    mode: i64,
    modified: i64,
) -> Result<(), String> {
    let mode = u32::try_from(mode).ok().filter(|mode| *mode <= 0o7777);
    let mode = mode.ok_or("a mode is between 0 and 0o7777")?;
    let wrong = |why: String| format!("cannot add `{name}` to the archive: {why}");
    WRITING.with(|table| {
        let mut table = table.borrow_mut();
        let writing = table.get_mut(handle).map_err(|error| error.to_string())?;
        match writing.as_mut().ok_or("the archive is finished")? {
            Writing::Zip(writer) => {
                let options = SimpleFileOptions::default()
                    .compression_method(CompressionMethod::Deflated)
                    .large_file(content.len() as u64 > u64::from(u32::MAX))
                    .unix_permissions(mode);
                let options = match zip_time(modified) {
                    Some(at) => options.last_modified_time(at),
                    None => options,
                };
                match name.ends_with('/') {
                    true => writer
                        .add_directory(name, options)
                        .map_err(|error| wrong(error.to_string())),
                    false => {
                        writer
                            .start_file(name, options)
                            .map_err(|error| wrong(error.to_string()))?;
                        writer
                            .write_all(content)
                            .map_err(|error| wrong(in_words(&error)))
                    }
                }
            }
            Writing::Tar(builder, _) => {
                let mut header = tar::Header::new_gnu();
                let is_folder = name.ends_with('/');
                header.set_entry_type(if is_folder {
                    tar::EntryType::Directory
                } else {
                    tar::EntryType::Regular
                });
                header.set_size(if is_folder { 0 } else { content.len() as u64 });
                header.set_mode(mode);
                header.set_mtime(u64::try_from(modified).unwrap_or(0));
                let content = if is_folder { &[] } else { content };
                builder
                    .append_data(&mut header, name, content)
                    .map_err(|error| wrong(in_words(&error)))
            }
        }
    })
}

/// The time of a zip entry, which has whole years from 1980 to 2107.
fn zip_time(modified: i64) -> Option<zip::DateTime> {
    let at = Timestamp::from_second(modified)
        .ok()?
        .to_zoned(TimeZone::UTC);
    let small = |part: i8| u8::try_from(part).ok();
    let year = u16::try_from(at.year()).ok()?;
    let (hour, minute, second) = (small(at.hour())?, small(at.minute())?, small(at.second())?);
    zip::DateTime::from_date_and_time(
        year,
        small(at.month())?,
        small(at.day())?,
        hour,
        minute,
        second,
    )
    .ok()
}

/// The bytes of a new archive, which takes no more files.
pub fn finish(handle: i64) -> Result<Vec<u8>, String> {
    let writing = WRITING.with(|table| {
        let mut table = table.borrow_mut();
        let writing = table.get_mut(handle).map_err(|error| error.to_string())?;
        writing
            .take()
            .ok_or_else(|| "the archive is finished already".to_owned())
    })?;
    match writing {
        Writing::Zip(writer) => {
            let written = writer
                .finish()
                .map_err(|error| format!("cannot finish the archive: {error}"))?;
            Ok(written.into_inner())
        }
        Writing::Tar(builder, compression) => {
            let written = builder
                .into_inner()
                .map_err(|error| format!("cannot finish the archive: {error}"))?;
            match compression {
                "" => Ok(written),
                format => pack(format, &written, 6),
            }
        }
    }
}

/// Releases an archive that was being made.
pub fn free_writer(handle: i64) -> Result<(), String> {
    WRITING
        .with(|table| table.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_keep_files_with_their_facts() {
        for format in ["zip", "tar", "tar.gz", "tar.zst"] {
            let writer = new(format).unwrap();
            add(writer, "b/", b"", 0o755, 1_000_000_000).unwrap();
            add(writer, "b/c.txt", b"second", 0o600, 1_000_000_000).unwrap();
            let bytes = finish(writer).unwrap();
            assert!(add(writer, "x", b"", 0o600, 0).is_err());
            free_writer(writer).unwrap();
            let archive = open(&bytes, 1 << 20).unwrap();
            assert_eq!(names(archive).unwrap(), ["b/", "b/c.txt"], "{format}");
            let facts = facts(archive).unwrap();
            assert_eq!(facts[4..], [FILE, 6, 0o600, 1_000_000_000], "{format}");
            assert_eq!(facts[0], FOLDER);
            assert_eq!(read(archive, 1, 100).unwrap(), b"second");
            assert!(
                read(archive, 1, 5)
                    .unwrap_err()
                    .contains("`b/c.txt` of the archive has more than 5 bytes")
            );
            assert!(read(archive, 2, 5).is_err());
            free(archive).unwrap();
            if format != "zip" {
                assert!(format == "tar" || open(&bytes, 100).is_err());
            }
        }
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        for bytes in [&b"PK nonsense"[..], b"nonsense", &[7; 5000], b""] {
            match open(bytes, 100) {
                Ok(archive) => assert!(names(archive).unwrap().is_empty() && bytes.is_empty()),
                Err(why) => assert!(why.contains("archive"), "{why}"),
            }
        }
    }
}
