//! Compressed bytes for `lib/std/compress`: gzip, zlib, raw deflate and Zstandard.
//!
//! What is decompressed has a limit, so that a small file cannot fill the memory. Left out: levels of Zstandard, as its
//! crate writes one; dictionaries.

use std::io::{BufReader, Read, Write};

use flate2::Compression;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use simple_system::{in_words, memory};

/// Reads at most `limit` bytes; `what` is what messages call them.
pub fn limited(mut reader: impl Read, limit: i64, what: &str) -> Result<Vec<u8>, String> {
    let most = usize::try_from(limit).map_err(|_| "a limit is not negative")?;
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let read = reader.read(&mut piece);
        let read =
            read.map_err(|error| format!("cannot decompress {what}: {}", in_words(&error)))?;
        if read == 0 {
            return Ok(bytes);
        }
        if read > most - bytes.len() {
            return Err(format!(
                "{what} has more than {most} bytes when decompressed; `limit` allows more"
            ));
        }
        if bytes.capacity() - bytes.len() < read {
            // Doubling, but no more than may come.
            let more = read.max((most - bytes.len()).min(bytes.len()));
            memory::reserve(&mut bytes, more).map_err(|error| error.to_string())?;
        }
        bytes.extend_from_slice(&piece[..read]);
    }
}

/// Compresses bytes in a format: `gzip`, `zlib`, `deflate` or `zstd`. The level is 0 (none) to 9.
pub fn pack(format: &str, bytes: &[u8], level: i64) -> Result<Vec<u8>, String> {
    let level = u32::try_from(level).ok().filter(|level| *level <= 9);
    let level = Compression::new(level.ok_or("a level is between 0 and 9")?);
    memory::probe(bytes.len())?;
    let written = match format {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
        "zlib" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
        "deflate" => {
            let mut encoder = DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).and_then(|()| encoder.finish())
        }
        "zstd" => Ok(compress_to_vec(bytes, CompressionLevel::Fastest)),
        _ => return Err(format!("unknown format `{format}`")),
    };
    written.map_err(|error| format!("cannot compress: {}", in_words(&error)))
}

/// Decompresses bytes to at most `limit`.
pub fn unpack(format: &str, bytes: &[u8], limit: i64) -> Result<Vec<u8>, String> {
    match format {
        "gzip" => limited(MultiGzDecoder::new(bytes), limit, "gzip data"),
        "zlib" => limited(ZlibDecoder::new(bytes), limit, "zlib data"),
        "deflate" => limited(DeflateDecoder::new(bytes), limit, "deflate data"),
        "zstd" => limited(Frames::new(bytes)?, limit, "Zstandard data"),
        _ => Err(format!("unknown format `{format}`")),
    }
}

/// Frames of Zstandard one after the other.
struct Frames<'a> {
    decoder: Option<Decoder<'a>>,
}

type Decoder<'a> =
    ruzstd::decoding::StreamingDecoder<BufReader<&'a [u8]>, ruzstd::decoding::FrameDecoder>;

impl<'a> Frames<'a> {
    fn new(bytes: &'a [u8]) -> Result<Frames<'a>, String> {
        let decoder = Decoder::new(BufReader::new(bytes));
        let decoder =
            decoder.map_err(|error| format!("cannot decompress Zstandard data: {error}"))?;
        Ok(Frames {
            decoder: Some(decoder),
        })
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            match decoder.read(out)? {
                0 => {}
                read => return Ok(read),
            }
            let Some(ended) = self.decoder.take() else {
                break;
            };
            let mut rest = ended.into_inner();
            if !std::io::BufRead::fill_buf(&mut rest)?.is_empty() {
                self.decoder = Some(Decoder::new(rest).map_err(std::io::Error::other)?);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_read_back_and_has_a_limit() {
        let bytes = b"abc".repeat(100_000);
        for format in ["gzip", "zlib", "deflate", "zstd"] {
            let packed = pack(format, &bytes, 6).unwrap();
            assert!(packed.len() < 5000, "{format}");
            assert_eq!(unpack(format, &packed, 300_000).unwrap(), bytes);
            assert!(
                unpack(format, &packed, 299_999)
                    .unwrap_err()
                    .contains("more than 299999 bytes")
            );
            assert!(unpack(format, b"nonsense", 100).is_err());
            assert_eq!(
                unpack(format, &pack(format, b"", 6).unwrap(), 0).unwrap(),
                b"",
                "{format}"
            );
        }
        for format in ["gzip", "zstd"] {
            let two = [
                pack(format, b"ab", 1).unwrap(),
                pack(format, b"c", 1).unwrap(),
            ]
            .concat();
            assert_eq!(unpack(format, &two, 10).unwrap(), b"abc", "{format}");
        }
        assert!(pack("gzip", b"", 10).is_err());
    }
}
