//! Which C library programs and libraries need: the newest version of its symbols that they name.

use std::fmt;
use std::fs;
use std::path::Path;

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, VerneedIterator};

use crate::{Order, PackageError};

/// A version of glibc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glibc {
    pub major: u32,
    pub minor: u32,
}

impl fmt::Display for Glibc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The oldest glibc with which all that is to be packed can be opened.
pub fn glibc(order: &Order) -> Result<Glibc, PackageError> {
    let libraries = order.libraries.iter().map(|(_, library)| library);
    let mut newest = Glibc {
        major: 2,
        minor: 17,
    };
    for path in [&order.program].into_iter().chain(libraries) {
        newest = newest.max(of_file(path)?.unwrap_or(newest));
    }
    Ok(newest)
}

fn of_file(path: &Path) -> Result<Option<Glibc>, PackageError> {
    let bytes = fs::read(path).map_err(PackageError::file(path))?;
    newest(&bytes).map_err(|error| PackageError::NotElf {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

fn newest(bytes: &[u8]) -> object::Result<Option<Glibc>> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let Some((needs, names)) = sections.gnu_verneed(endian, bytes)? else {
        return Ok(None);
    };
    let names = sections.strings(endian, bytes, names)?;
    let mut needs: VerneedIterator<'_, FileHeader64<Endianness>> = needs;
    let mut found = None;
    while let Some((_, mut symbols)) = needs.next()? {
        while let Some(symbol) = symbols.next()? {
            found = found.max(version(symbol.name(endian, names)?));
        }
    }
    Ok(found)
}

/// Reads `GLIBC_2.34`; `GLIBC_PRIVATE` and the versions of other libraries are none.
fn version(name: &[u8]) -> Option<Glibc> {
    let rest = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    let mut parts = rest.split('.');
    let mut number = || parts.next()?.parse().ok();
    Some(Glibc {
        major: number()?,
        minor: number()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_c_library_are_read() {
        let glibc = |major, minor| Some(Glibc { major, minor });
        assert_eq!(version(b"GLIBC_2.34"), glibc(2, 34));
        assert_eq!(version(b"GLIBC_2.2.5"), glibc(2, 2));
        for other in [
            &b"GLIBC_PRIVATE"[..],
            b"GLIBCXX_3.4.29",
            b"GCC_4.2.0",
            b"\xff",
        ] {
            assert_eq!(version(other), None);
        }
        assert!(glibc(2, 9) < glibc(2, 34));
    }

    #[test]
    fn this_test_needs_a_c_library() {
        let own = std::env::current_exe().unwrap();
        assert!(of_file(&own).unwrap() >= Some(Glibc { major: 2, minor: 2 }));
        assert!(matches!(
            of_file(Path::new(env!("CARGO_MANIFEST_PATH"))),
            Err(PackageError::NotElf { .. })
        ));
    }
}
