//! A file being read: how far, how much can still come, and what is wrong where.
//!
//! No parser allocates what a file merely claims: [`Source::bytes`] compares a claim with what the file can still hold, and grows its memory
//! with the bytes that really arrive.

use std::fmt::{self, Display};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use simple_system::memory::{self, OutOfMemory};
use simple_system::open::{File, read_into, regular};

use super::limit::{Unpacked, most_unpacked};

pub use simple_system::in_words;

/// Where in a file something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A byte, counted from 0.
    Byte(u64),
    /// A line and a column of a text, counted from 1.
    Line(u64, u64),
    /// A byte of a file inside an archive.
    Entry(String, u64),
    /// A tensor, by name.
    Tensor(String),
}

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What was found and what was expected.
    pub why: String,
}

impl Fault {
    /// Something wrong with the file as a whole.
    pub fn whole(why: impl Into<String>) -> Fault {
        Fault {
            place: Place::Whole,
            why: why.into(),
        }
    }

    /// Something wrong at a byte.
    pub fn at(byte: u64, why: impl Into<String>) -> Fault {
        Fault {
            place: Place::Byte(byte),
            why: why.into(),
        }
    }

    /// Something wrong with a tensor.
    pub fn tensor(name: &str, why: impl Into<String>) -> Fault {
        Fault {
            place: Place::Tensor(name.to_owned()),
            why: why.into(),
        }
    }

    /// The same fault, of a file that is an entry of an archive.
    pub fn inside(self, entry: &str) -> Fault {
        match self.place {
            Place::Byte(byte) => Fault {
                place: Place::Entry(entry.to_owned(), byte),
                ..self
            },
            Place::Whole => Fault {
                place: Place::Entry(entry.to_owned(), 0),
                ..self
            },
            _ => self,
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Whole => {}
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
            Place::Line(line, column) => write!(f, "line {line}, column {column}: ")?,
            Place::Entry(entry, byte) => write!(f, "`{entry}`, byte {byte}: ")?,
            Place::Tensor(name) => write!(f, "tensor `{name}`: ")?,
        }
        f.write_str(&self.why)
    }
}

/// A failure with the operation and the file that it is about.
#[derive(Debug)]
pub struct FileError {
    op: &'static str,
    path: String,
    fault: Fault,
}

impl FileError {
    /// This fault, of this file, found by this operation.
    pub fn new(op: &'static str, path: &str, fault: Fault) -> FileError {
        FileError {
            op,
            path: path.to_owned(),
            fault,
        }
    }
}

impl Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.op, self.path, self.fault)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::whole(in_words(&error))
    }
}

impl From<OutOfMemory> for Fault {
    fn from(error: OutOfMemory) -> Fault {
        Fault::whole(error.to_string())
    }
}

/// Opens a file, which must be one, and tells its length.
pub fn open(path: &Path) -> Result<(BufReader<File>, u64), Fault> {
    let (file, length) = regular(path)?;
    Ok((BufReader::new(file), length))
}

/// Deflate makes at most this many bytes of one.
pub const MOST_OF_DEFLATE: u64 = 1032;
/// Bytes asked for at once.
const STEP: usize = 1 << 20;

/// Bytes being read, from a file or from memory.
pub struct Source<R> {
    reader: R,
    position: u64,
    // More bytes than this cannot come.
    bound: u64,
    // The bound is the true length.
    exact: bool,
}

impl<'a> Source<&'a [u8]> {
    /// Reads from memory.
    pub fn of_memory(bytes: &'a [u8]) -> Self {
        Source {
            reader: bytes,
            position: 0,
            bound: bytes.len() as u64,
            exact: true,
        }
    }
}

impl Source<Box<dyn Read + Send>> {
    /// Opens a file, unpacking it if it is gzipped, which its first two bytes tell.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let (mut file, length) = regular(path)?;
        let mut magic = [0; 2];
        let gzipped = length >= 2 && {
            file.read_exact(&mut magic)?;
            magic == [0x1f, 0x8b]
        };
        file.seek(SeekFrom::Start(0))?;
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(if gzipped {
            let most = most_unpacked()?;
            Source {
                reader: Box::new(Unpacked::new(MultiGzDecoder::new(reader), most)),
                position: 0,
                bound: length.saturating_mul(MOST_OF_DEFLATE),
                exact: false,
            }
        } else {
            Source {
                reader: Box::new(reader),
                position: 0,
                bound: length,
                exact: true,
            }
        })
    }
}

impl<R: Read> Source<R> {
    /// Reads what another reader gives, of which there are `bound` bytes, or at most that many unless `exact`.
    pub fn new(reader: R, bound: u64, exact: bool) -> Self {
        Source {
            reader,
            position: 0,
            bound,
            exact,
        }
    }

    /// How many bytes have been read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// How many bytes can still come.
    pub fn left(&self) -> u64 {
        self.bound.saturating_sub(self.position)
    }

    /// The next `count` bytes, which are `what`.
    pub fn bytes(&mut self, count: usize, what: &str) -> Result<Vec<u8>, Fault> {
        if count as u64 > self.left() {
            return Err(self.short(count as u64, what, self.exact.then(|| self.left())));
        }
        let mut bytes = memory::with_room(if self.exact { count } else { 0 })?;
        while bytes.len() < count {
            let done = bytes.len();
            let step = STEP.min(count - done);
            memory::reserve(&mut bytes, step)?;
            bytes.resize(done + step, 0);
            let mut filled = done;
            while filled < bytes.len() {
                match self.reader.read(&mut bytes[filled..]) {
                    Ok(0) => return Err(self.short(count as u64, what, Some(filled as u64))),
                    Ok(read) => filled += read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => {
                        return Err(Fault::at(
                            self.position + filled as u64,
                            format!("cannot be read: {}", in_words(&error)),
                        ));
                    }
                }
            }
        }
        self.position += count as u64;
        Ok(bytes)
    }

    /// The next bytes, as many as `N`.
    pub fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Fault> {
        let bytes = self.bytes(N, what)?;
        let mut array = [0; N];
        array.copy_from_slice(&bytes);
        Ok(array)
    }

    /// All bytes that are left, of which there must not be more than `most`.
    pub fn rest(&mut self, most: u64) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        read_into(&mut self.reader, &mut bytes, most).map_err(|error| {
            let at = self.position + bytes.len() as u64;
            Fault::at(at, format!("cannot be read: {}", in_words(&error)))
        })?;
        self.position += bytes.len() as u64;
        Ok(bytes)
    }

    /// Checks that nothing is left.
    pub fn end(&mut self) -> Result<(), Fault> {
        let mut one = [0];
        match self.reader.read(&mut one) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Fault::at(
                self.position,
                "the file should end here, but goes on",
            )),
            Err(error) => Err(Fault::at(
                self.position,
                format!("cannot be read: {}", in_words(&error)),
            )),
        }
    }

    fn short(&self, count: u64, what: &str, left: Option<u64>) -> Fault {
        let left = match left {
            Some(0) => "the file ends here".to_owned(),
            Some(left) => format!("only {left} are left"),
            None => "the file is too small for that".to_owned(),
        };
        Fault::at(
            self.position,
            format!("{what} should take {count} bytes, but {left}"),
        )
    }
}
