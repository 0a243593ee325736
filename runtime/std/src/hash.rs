//! Hashes for `lib/std/hash`: of bytes at once, of files piece by piece, and of pieces that a program gives.
//!
//! The algorithms are those of the RustCrypto crates and of `blake3`; a name such as `sha256` chooses one, and `hmac-`
//! in front of it its keyed form. A CRC-32 has the four bytes of its number, the highest first. Left out: hashes of
//! passwords.

use std::cell::RefCell;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::Path;

use hmac::digest::{Digest, DynDigest, KeyInit};
use hmac::{Mac, SimpleHmac};
use simple_ffi_abi::handle::HandleTable;
use simple_system::open::or_stream;
use simple_system::{in_words, memory};

const NAMES: &str = "`sha256`, `sha512`, `sha384`, `sha224`, `sha1`, `md5`, `blake3` and `crc32`";

/// A hash of pieces.
trait Hasher {
    fn update(&mut self, bytes: &[u8]);
    /// The hash of the pieces so far; more may follow.
    fn digest(&self) -> Vec<u8>;
}

struct Plain(Box<dyn DynDigest>);

impl Hasher for Plain {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn digest(&self) -> Vec<u8> {
        self.0.box_clone().finalize().into_vec()
    }
}

struct Keyed<M>(M);

impl<M: Mac + Clone> Hasher for Keyed<M> {
    fn update(&mut self, bytes: &[u8]) {
        Mac::update(&mut self.0, bytes);
    }

    fn digest(&self) -> Vec<u8> {
        self.0.clone().finalize().into_bytes().to_vec()
    }
}

impl Hasher for blake3::Hasher {
    fn update(&mut self, bytes: &[u8]) {
        blake3::Hasher::update(self, bytes);
    }

    fn digest(&self) -> Vec<u8> {
        self.finalize().as_bytes().to_vec()
    }
}

impl Hasher for crc32fast::Hasher {
    fn update(&mut self, bytes: &[u8]) {
        crc32fast::Hasher::update(self, bytes);
    }

    fn digest(&self) -> Vec<u8> {
        self.clone().finalize().to_be_bytes().to_vec()
    }
}

fn keyed<M: Mac + KeyInit + Clone + 'static>(key: &[u8]) -> Result<Box<dyn Hasher>, String> {
    let made = <M as KeyInit>::new_from_slice(key);
    Ok(Box::new(Keyed(made.map_err(|error| error.to_string())?)))
}

fn plain(made: impl DynDigest + 'static) -> Box<dyn Hasher> {
    Box::new(Plain(Box::new(made)))
}

/// The hasher of a name; the key counts for `hmac-` only.
fn hasher(name: &str, key: &[u8]) -> Result<Box<dyn Hasher>, String> {
    Ok(match name {
        "sha256" => plain(sha2::Sha256::new()),
        "sha512" => plain(sha2::Sha512::new()),
        "sha384" => plain(sha2::Sha384::new()),
        "sha224" => plain(sha2::Sha224::new()),
        "sha1" => plain(sha1::Sha1::new()),
        "md5" => plain(md5::Md5::new()),
        "blake3" => Box::new(blake3::Hasher::new()),
        "crc32" => Box::new(crc32fast::Hasher::new()),
        "hmac-sha256" => keyed::<SimpleHmac<sha2::Sha256>>(key)?,
        "hmac-sha512" => keyed::<SimpleHmac<sha2::Sha512>>(key)?,
        "hmac-sha384" => keyed::<SimpleHmac<sha2::Sha384>>(key)?,
        "hmac-sha224" => keyed::<SimpleHmac<sha2::Sha224>>(key)?,
        "hmac-sha1" => keyed::<SimpleHmac<sha1::Sha1>>(key)?,
        "hmac-md5" => keyed::<SimpleHmac<md5::Md5>>(key)?,
        _ => {
            let shown = name.trim_start_matches("hmac-");
            return Err(match name.starts_with("hmac-") {
                true => format!(
                    "unknown hash `{shown}` for an HMAC; expected `md5` or one of the `sha` hashes"
                ),
                false => format!("unknown hash `{shown}`; expected one of {NAMES}"),
            });
        }
    })
}

/// The hash of bytes.
pub fn digest(name: &str, key: &[u8], bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut hasher = hasher(name, key)?;
    hasher.update(bytes);
    Ok(hasher.digest())
}

/// The hash of a file, which is read piece by piece.
pub fn file(name: &str, key: &[u8], path: &str) -> Result<Vec<u8>, String> {
    let mut hasher = hasher(name, key)?;
    let failed = |error: std::io::Error| format!("cannot read `{path}`: {}", in_words(&error));
    let (mut file, _) = or_stream(Path::new(path)).map_err(failed)?;
    let mut piece = vec![0; 256 << 10];
    loop {
        match file.read(&mut piece).map_err(failed)? {
            0 => return Ok(hasher.digest()),
            count => hasher.update(&piece[..count]),
        }
    }
}

thread_local! {
    // Never dropped: programs may ask while the thread ends.
    static HASHERS: ManuallyDrop<RefCell<HandleTable<Box<dyn Hasher>>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("hasher", 13))) };
}

/// A hasher for pieces.
pub fn new(name: &str, key: &[u8]) -> Result<i64, String> {
    let made = hasher(name, key)?;
    HASHERS.with(|table| {
        table
            .borrow_mut()
            .insert(made)
            .map_err(|error| error.to_string())
    })
}

/// Adds a piece.
pub fn update(handle: i64, bytes: &[u8]) -> Result<(), String> {
    HASHERS.with(|table| {
        let mut table = table.borrow_mut();
        table
            .get_mut(handle)
            .map_err(|error| error.to_string())?
            .update(bytes);
        Ok(())
    })
}

/// The hash of the pieces so far.
pub fn current(handle: i64) -> Result<Vec<u8>, String> {
    HASHERS.with(|table| {
        let mut table = table.borrow_mut();
        Ok(table
            .get_mut(handle)
            .map_err(|error| error.to_string())?
            .digest())
    })
}

/// Releases a hasher.
pub fn free(handle: i64) -> Result<(), String> {
    HASHERS
        .with(|table| table.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Bytes of the system's generator, which cannot be predicted.
pub fn random_bytes(count: i64) -> Result<Vec<u8>, String> {
    let count = usize::try_from(count).map_err(|_| "a number of bytes is not negative")?;
    let mut bytes = memory::zeros(count)?;
    let read =
        std::fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
    read.map_err(|error| format!("the system gives no random bytes: {}", in_words(&error)))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::hex;

    #[test]
    fn hashes_of_abc() {
        let of = |name| hex(&digest(name, b"", b"abc").unwrap());
        assert_eq!(of("md5"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(of("sha1"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert!(of("sha256").starts_with("ba7816bf8f01cfea"));
        assert!(of("blake3").starts_with("6437b3ac38465133"));
        assert_eq!(
            digest("crc32", b"", b"123456789").unwrap(),
            0xCBF4_3926_u32.to_be_bytes()
        );
        assert!(digest("x", b"", b"").is_err_and(|why| why.contains("unknown hash `x`")));
    }

    #[test]
    fn pieces_make_the_whole_and_keys_count() {
        // RFC 4231, test case 2.
        let handle = new("hmac-sha256", b"Jefe").unwrap();
        update(handle, b"what do ya want ").unwrap();
        current(handle).unwrap();
        update(handle, b"for nothing?").unwrap();
        let found = hex(&current(handle).unwrap());
        assert_eq!(
            found,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        free(handle).unwrap();
        assert!(update(handle, b"").is_err());
        assert!(new("hmac-blake3", b"").is_err());
    }
}
