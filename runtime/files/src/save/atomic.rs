//! The one function that writes a file of tensors or data: complete or not at all, as `simple_system::replace`
//! explains.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use simple_system::replace::{Failed, Sync, Writer, replace};

use super::source::{Fault, in_words};

/// Where the content of a file goes. What fails is remembered: encoders wrap it in their own words.
#[derive(Debug)]
pub struct Out<'a> {
    writer: &'a mut Writer,
    failed: Option<String>,
}

impl Out<'_> {
    fn noting<T>(&mut self, outcome: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &outcome {
            self.failed.get_or_insert_with(|| in_words(error));
        }
        outcome
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.writer.write(bytes);
        self.noting(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.writer.flush();
        self.noting(outcome)
    }
}

impl Seek for Out<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let outcome = self.writer.seek(to);
        self.noting(outcome)
    }
}

/// Writes a file by `body`, in one piece as others see it.
///
/// # Errors
///
/// The fault of the body, or why the system does not write; what was there before is there still.
pub fn write(path: &Path, body: impl FnOnce(&mut Out) -> Result<(), Fault>) -> Result<(), Fault> {
    let cannot = |why: &str| Fault::whole(format!("cannot be written: {why}"));
    let content = |writer: &mut Writer| {
        let mut out = Out {
            writer,
            failed: None,
        };
        let outcome = body(&mut out);
        match out.failed {
            Some(why) => Err(cannot(&why)),
            None => outcome,
        }
    };
    replace(path, Sync::Always, content).map_err(|failed| match failed {
        Failed::Content(fault) => fault,
        Failed::File(error) => cannot(&in_words(&error)),
    })
}
