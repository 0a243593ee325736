//! Open files for `lib/std/fs/file.spl`: read and written piece by piece.
//!
//! A file is a handle. What is written is collected and reaches the system when enough is there, at [`flush`] and at
//! the end. Left out: files that are read and written at once, and locks.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Error, Read, Seek, SeekFrom, Write};
use std::mem::ManuallyDrop;
use std::path::Path;

use simple_ffi_abi::handle::HandleTable;
use simple_system::in_words;
use simple_system::open::refuse_other_than_file;

enum Stream {
    Reader(BufReader<File>),
    Writer(BufWriter<File>),
}

struct Open {
    path: String,
    /// Lines that were read, for messages.
    lines: u64,
    stream: Stream,
}

thread_local! {
    // Never dropped: programs may ask while the thread ends.
    static OPEN: ManuallyDrop<RefCell<HandleTable<Open>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("file", 18))) };
}

fn with<R>(handle: i64, work: impl FnOnce(&mut Open) -> Result<R, String>) -> Result<R, String> {
    OPEN.with(|table| {
        let mut table = table.borrow_mut();
        work(table.get_mut(handle).map_err(|error| error.to_string())?)
    })
}

fn cannot<'p>(what: &str, path: &'p str) -> impl Fn(Error) -> String + use<'p> {
    let what = what.to_owned();
    move |error| format!("cannot {what} `{path}`: {}", in_words(&error))
}

/// Opens a file: `r` to read it, `w` to replace it, `a` to add to its end, `x` to write one that is not there yet.
pub fn open(path: &str, mode: &str) -> Result<i64, String> {
    let mut options = OpenOptions::new();
    match mode {
        "r" => options.read(true),
        "w" => options.write(true).create(true).truncate(true),
        "a" => options.append(true).create(true),
        "x" => options.write(true).create_new(true),
        _ => {
            return Err(format!(
                "unknown mode `{mode}` for `{path}`; expected `r`, `w`, `a` or `x`"
            ));
        }
    };
    let stream = match mode {
        "r" => {
            let file = options.open(Path::new(path)).and_then(|file| {
                // A folder opens, but cannot be read.
                match file.metadata()?.is_dir() {
                    true => refuse_other_than_file(file.metadata()?.file_type()).map(|()| file),
                    false => Ok(file),
                }
            });
            Stream::Reader(BufReader::with_capacity(
                64 << 10,
                file.map_err(cannot("read", path))?,
            ))
        }
        _ => {
            let file = options
                .open(Path::new(path))
                .map_err(cannot("write", path))?;
            Stream::Writer(BufWriter::with_capacity(64 << 10, file))
        }
    };
    let made = Open {
        path: path.to_owned(),
        lines: 0,
        stream,
    };
    OPEN.with(|table| {
        table
            .borrow_mut()
            .insert(made)
            .map_err(|error| error.to_string())
    })
}

fn reader(open: &mut Open) -> Result<&mut BufReader<File>, String> {
    match &mut open.stream {
        Stream::Reader(reader) => Ok(reader),
        Stream::Writer(_) => Err(format!(
            "`{}` is open for writing, not for reading",
            open.path
        )),
    }
}

fn writer(open: &mut Open) -> Result<&mut BufWriter<File>, String> {
    match &mut open.stream {
        Stream::Writer(writer) => Ok(writer),
        Stream::Reader(_) => Err(format!(
            "`{}` is open for reading, not for writing",
            open.path
        )),
    }
}

/// The next bytes, at most `most`; fewer only at the end.
pub fn read(handle: i64, most: i64) -> Result<Vec<u8>, String> {
    with(handle, |open| {
        let most = u64::try_from(most).map_err(|_| "a number of bytes is not negative")?;
        let mut bytes = Vec::new();
        let mut limited = reader(open)?.take(most);
        let read = simple_system::open::read_into(&mut limited, &mut bytes, u64::MAX);
        read.map_err(cannot("read", &open.path))?;
        Ok(bytes)
    })
}

/// The next line with its line break; empty at the end.
pub fn line(handle: i64) -> Result<String, String> {
    with(handle, |open| {
        let mut bytes = Vec::new();
        let read = reader(open)?.read_until(b'\n', &mut bytes);
        read.map_err(cannot("read", &open.path))?;
        open.lines += 1;
        String::from_utf8(bytes).map_err(|_| {
            let line = open.lines;
            format!(
                "cannot read `{}` as text: the line {line} that was read is not valid UTF-8",
                open.path
            )
        })
    })
}

/// Writes bytes.
pub fn write(handle: i64, content: &[u8]) -> Result<(), String> {
    with(handle, |open| {
        let written = writer(open)?.write_all(content);
        written.map_err(cannot("write", &open.path))
    })
}

/// Gives the system what was collected.
pub fn flush(handle: i64) -> Result<(), String> {
    with(handle, |open| {
        let flushed = writer(open)?.flush();
        flushed.map_err(cannot("write", &open.path))
    })
}

/// Continues at a place, counted in bytes from the start, or from the end if it is negative; yields the place. Without
/// one it yields where it is.
pub fn seek(handle: i64, place: Option<i64>) -> Result<i64, String> {
    with(handle, |open| {
        let to = match place {
            None => SeekFrom::Current(0),
            Some(place) => u64::try_from(place).map_or(SeekFrom::End(place), SeekFrom::Start),
        };
        let at = match &mut open.stream {
            Stream::Reader(reader) if place.is_none() => reader.stream_position(),
            Stream::Reader(reader) => reader.seek(to),
            Stream::Writer(writer) if place.is_none() => writer.stream_position(),
            Stream::Writer(writer) => writer.seek(to),
        };
        let at = at.map_err(cannot("find the place in", &open.path))?;
        i64::try_from(at).map_err(|_| "the place is beyond 2^63".to_owned())
    })
}

/// Closes a file; an error says that what was collected could not be written.
pub fn close(handle: i64) -> Result<(), String> {
    let removed = OPEN.with(|table| table.borrow_mut().remove(handle));
    let mut removed = removed.map_err(|error| error.to_string())?;
    match &mut removed.stream {
        Stream::Reader(_) => Ok(()),
        Stream::Writer(writer) => writer.flush().map_err(cannot("write", &removed.path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let path = path.to_str().unwrap();
        let file = open(path, "w").unwrap();
        write(file, b"one\ntwo\n").unwrap();
        assert!(read(file, 1).unwrap_err().contains("open for writing"));
        flush(file).unwrap();
        assert_eq!(seek(file, None).unwrap(), 8);
        close(file).unwrap();
        assert!(write(file, b"").is_err());
        let file = open(path, "a").unwrap();
        write(file, b"\xff").unwrap();
        close(file).unwrap();
        assert!(open(path, "x").is_err() && open(path, "rw").is_err());
        let file = open(path, "r").unwrap();
        assert_eq!(line(file).unwrap(), "one\n");
        assert_eq!(read(file, 2).unwrap(), b"tw");
        assert_eq!(line(file).unwrap(), "o\n");
        assert!(line(file).unwrap_err().contains("not valid UTF-8"));
        assert_eq!(line(file).unwrap(), "");
        assert_eq!(seek(file, Some(-2)).unwrap(), 7);
        assert_eq!(read(file, 100).unwrap(), b"\n\xff");
        assert_eq!(seek(file, Some(1)).unwrap(), 1);
        assert!(seek(file, Some(-100)).is_err());
        close(file).unwrap();
        assert!(
            open(folder.path().to_str().unwrap(), "r")
                .unwrap_err()
                .contains("folder")
        );
    }
}
