//! Files that are read: opened without waiting, refused unless they are files, and read no further than a limit.
//!
//! Opening a pipe waits until somebody writes to it, and a device may never end. Where a file is meant, [`regular`] opens without waiting
//! and looks at what it got. The streams that the process was started with (`/dev/stdin`, `/dev/fd/63` of a shell's `<(...)`) are meant
//! as what they are; [`or_stream`] reads them too.

use crate::faults::{Step, step};
use crate::memory;
use crate::reads;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// An open file.
#[derive(Debug)]
pub struct File(std::fs::File);

impl File {
    pub(crate) fn new(file: std::fs::File) -> File {
        File(file)
    }

    /// The file as the standard library has it.
    pub fn inner(&self) -> &std::fs::File {
        &self.0
    }
}

impl Read for File {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        step(Step::Read)?;
        self.0.read(bytes)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        step(Step::Write)?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Opens a file for reading and tells its length.
///
/// # Errors
///
/// At once when this is not a regular file: a pipe, a device, a socket or a folder.
pub fn regular(path: &Path) -> io::Result<(File, u64)> {
    reads::note(path);
    step(Step::Open)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    step(Step::Look)?;
    let data = file.metadata()?;
    refuse_other_than_file(data.file_type())?;
    Ok((File(file), data.len()))
}

/// As [`regular`], and opens the streams of this process too, whose length is 0.
///
/// # Errors
///
/// As for [`regular`].
pub fn or_stream(path: &Path) -> io::Result<(File, u64)> {
    if !is_stream(path) {
        return regular(path);
    }
    step(Step::Open)?;
    let file = std::fs::File::open(path)?;
    let data = file.metadata()?;
    let length = if data.is_file() { data.len() } else { 0 };
    Ok((File(file), length))
}

/// Whether this is a stream that the process already has, by the names that systems give them.
pub fn is_stream(path: &Path) -> bool {
    let named = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let folders = ["/dev/fd", "/proc/self/fd"];
    named.iter().any(|name| path == Path::new(name))
        || path
            .parent()
            .is_some_and(|folder| folders.iter().any(|known| folder == Path::new(known)))
}

/// Names the kind of a file that is not a regular one.
///
/// # Errors
///
/// If it is not one.
pub fn refuse_other_than_file(kind: std::fs::FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        // Words for it are made of the kind, as for a folder that the system itself refuses.
        return Err(ErrorKind::IsADirectory.into());
    }
    let found = format!("it is {}, not a file", kind_in_words(kind));
    Err(io::Error::new(ErrorKind::InvalidInput, found))
}

/// What messages call a file of this kind.
pub fn kind_in_words(kind: std::fs::FileType) -> &'static str {
    if kind.is_file() {
        "a file"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// All bytes of a regular file that has at most `most`.
///
/// # Errors
///
/// The system's, as for [`regular`], when the file is larger, and when there is no memory for it.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = regular(path)?;
    read_from(file, length, most)
}

/// All bytes of an open file or stream that probably has `length` and may have at most `most`.
///
/// # Errors
///
/// The system's, when there is more, and when there is no memory for it.
pub fn read_from(mut reader: impl Read, length: u64, most: u64) -> io::Result<Vec<u8>> {
    if length > most {
        return Err(too_large(Some(length), most));
    }
    // One byte more than there is, so that the end is found without growing.
    let mut bytes = memory::with_room(
        usize::try_from(length)
            .unwrap_or(usize::MAX)
            .saturating_add(1),
    )?;
    read_into(&mut reader, &mut bytes, most)?;
    Ok(bytes)
}

/// Appends all that is left to `bytes`, which may become `most` long.
///
/// # Errors
///
/// The system's, when there is more, and when there is no memory for it; `bytes` then holds what came before.
pub fn read_into(mut reader: impl Read, bytes: &mut Vec<u8>, most: u64) -> io::Result<()> {
    const STEP: usize = 64 << 10;
    loop {
        if bytes.len() as u64 > most {
            return Err(too_large(None, most));
        }
        if bytes.len() == bytes.capacity() {
            memory::reserve(bytes, STEP)?;
        }
        let done = bytes.len();
        let room = (bytes.capacity() - done).min(STEP.max(done));
        bytes.resize(done + room, 0);
        let read = reader.read(&mut bytes[done..]);
        bytes.truncate(done + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn too_large(length: Option<u64>, most: u64) -> io::Error {
    let length = length.map_or("more".to_owned(), |length| format!("{length} bytes"));
    io::Error::new(
        ErrorKind::InvalidData,
        format!("it has {length}, and at most {most} bytes are read"),
    )
}

/// The text of bytes, which are given back when they are not UTF-8 from some byte on.
///
/// # Errors
///
/// Says where they stop being UTF-8.
pub fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    utf8(bytes, "; save it as UTF-8")
}

/// Bytes that come from outside through no file, such as those of standard input, as a text.
///
/// # Errors
///
/// Says where they stop being UTF-8.
pub fn text_from_outside(bytes: Vec<u8>) -> io::Result<String> {
    utf8(bytes, "")
}

fn utf8(bytes: Vec<u8>, advice: &str) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(
            ErrorKind::InvalidData,
            format!("it is not UTF-8 text (byte {at} does not fit){advice}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_words;

    fn why<T>(outcome: io::Result<T>) -> String {
        in_words(&outcome.err().expect("an error"))
    }

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(why(regular(&pipe)), "it is a pipe, not a file");
        assert_eq!(why(regular(folder.path())), "it is a folder, not a file");
        assert_eq!(
            why(regular(Path::new("/dev/zero"))),
            "it is a device, not a file"
        );
        assert!(why(regular(&socket)).contains("socket"));
        assert_eq!(why(or_stream(&pipe)), "it is a pipe, not a file");
        assert!(or_stream(Path::new("/dev/stdin")).is_ok() || !Path::new("/dev/stdin").exists());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [7; 100_000]).unwrap();
        assert_eq!(read(&path, 100_000).unwrap(), [7; 100_000]);
        assert!(why(read(&path, 99_999)).contains("it has 100000 bytes, and at most 99999"));
        let (file, _) = regular(&path).unwrap();
        assert!(why(read_from(file, 0, 10)).contains("it has more"));
        let (file, _) = regular(&path).unwrap();
        assert_eq!(read_from(file, 0, u64::MAX).unwrap().len(), 100_000);
    }

    #[test]
    fn a_text_must_be_utf8() {
        assert_eq!(text_of(b"abc".to_vec()).unwrap(), "abc");
        assert!(why(text_of(b"ab\xff".to_vec())).contains("byte 2"));
    }
}
