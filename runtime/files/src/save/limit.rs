//! How much a compressed file may become.
//!
//! A thousand times as much as is stored can come out of a file, so a small one may fill any memory. What is unpacked ends at a limit,
//! [`MOST`] unless the environment says more or less.

use std::io::{self, Read};

use super::source::Fault;

/// The variable that sets the limit: bytes, or a number with `K`, `M`, `G` or `T`.
pub const VARIABLE: &str = "SIMPLE_MAX_UNPACKED";
/// The limit without the variable.
pub const MOST: u64 = 4 << 30;

/// How many bytes a file may become when it is unpacked.
///
/// # Errors
///
/// When the variable holds no size.
pub fn most_unpacked() -> Result<u64, Fault> {
    match std::env::var_os(VARIABLE) {
        Some(value) if !value.is_empty() => {
            let shown = value.to_string_lossy();
            size(&shown).ok_or_else(|| {
                Fault::whole(format!(
                    "the environment variable {VARIABLE} is `{shown}`, not a size such as 8G"
                ))
            })
        }
        _ => Ok(MOST),
    }
}

/// A size as people write it: `1000`, `512M`, `8G`.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1u64,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The message about a file that becomes larger than this.
pub fn too_large(most: u64) -> String {
    format!("it unpacks to more than {most} bytes; if it is meant to, set {VARIABLE} (such as 64G)")
}

/// What comes out of an unpacker, up to a limit.
pub struct Unpacked<R> {
    reader: R,
    left: u64,
    most: u64,
}

impl<R> Unpacked<R> {
    /// As this reader, but failing once it gives more than `most` bytes.
    pub fn new(reader: R, most: u64) -> Self {
        Unpacked {
            reader,
            left: most,
            most,
        }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(bytes)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => {
                self.left = left;
                Ok(read)
            }
            None => Err(io::Error::other(too_large(self.most))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("8k", 8 << 10),
            ("512M", 512 << 20),
            ("64GiB", 64 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in [
            "",
            "G",
            "-1",
            "1.5G",
            "8 G",
            "many",
            "99999999999999999999",
            "99999999T",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn what_goes_beyond_the_limit_fails() {
        let mut read = Vec::new();
        Unpacked::new(&[7; 10][..], 10)
            .read_to_end(&mut read)
            .unwrap();
        assert_eq!(read.len(), 10);
        let beyond = Unpacked::new(&[7; 11][..], 10).read_to_end(&mut read);
        assert!(beyond.unwrap_err().to_string().contains(VARIABLE));
    }
}
