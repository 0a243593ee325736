//! Looks at a library's file before the loader does, which waits at a pipe, maps what is not there and crashes, or passes
//! over a library of another machine without a word.
//!
//! Only what the file says about itself is compared: its kind, its machine, and that it is as long as its headers
//! promise. What is between the headers is not read, so other damage is not found here. Libraries that it needs and
//! that the loader would take from a run path or LD_LIBRARY_PATH are looked at too; those of the system are not.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::OpenError;
use simple_system::in_words;
use simple_system::open::refuse_other_than_file;

/// Bytes of the header of a 64-bit file, of a program header, of a section header and of an entry of the dynamic section.
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
const SECTION_HEADER: usize = 64;
const DYNAMIC_ENTRY: usize = 16;
/// No sane library has more of anything that is counted here.
const MAX_TABLE: u64 = 1 << 24;

/// Checks a file before it is opened, and the libraries that come with it.
///
/// # Errors
///
/// What is wrong with it, or with one of those.
pub(crate) fn check(path: &Path) -> Result<(), OpenError> {
    let mut seen = HashSet::new();
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
        if seen.insert(path.clone()) {
            waiting.extend(check_one(&path)?.unwrap_or_default());
        }
    }
    Ok(())
}

/// Checks what the loader would open in LD_LIBRARY_PATH for a file name without folder, and returns why it would pass over
/// a file of that name, if it does.
///
/// # Errors
///
/// What is wrong with the file that it would not pass over, if that would end the process or make it wait.
pub(crate) fn check_library_path(file_name: &str) -> Result<Option<OpenError>, OpenError> {
    let mut unfit = None;
    for path in library_path().map(|folder| folder.join(file_name)) {
        match check(&path) {
            Err(OpenError::Missing { .. }) => {}
            Err(error @ OpenError::OtherMachine { .. }) => {
                unfit.get_or_insert(error);
            }
            // A file that is not a library, such as a linker script, is refused by the loader itself.
            Err(OpenError::NotALibrary { .. }) if path.is_file() => break,
            outcome => return outcome.map(|()| unfit),
        }
    }
    Ok(unfit)
}

fn library_path() -> impl Iterator<Item = PathBuf> {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    // The loader takes an empty part for the current folder.
    let folders: Vec<PathBuf> = match folders.is_empty() {
        true => Vec::new(),
        false => std::env::split_paths(&folders).collect(),
    };
    folders.into_iter()
}

/// Checks one file, and returns the files that the loader would open with it; `None` where there is nothing to compare with.
fn check_one(path: &Path) -> Result<Option<Vec<PathBuf>>, OpenError> {
    let file = open(path)?;
    if !cfg!(all(
        target_os = "linux",
        target_pointer_width = "64",
        target_endian = "little"
    )) {
        return Ok(None);
    }
    let elf = Elf::read(path, &file)?;
    Ok(Some(elf.needed()))
}

/// Opens a regular file without waiting for anything.
fn open(path: &Path) -> Result<File, OpenError> {
    let shown = || path.display().to_string();
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => OpenError::Missing { path: shown() },
        _ => OpenError::Refused {
            path: shown(),
            reason: error.to_string(),
        },
    };
    let kind = std::fs::metadata(path).map_err(failed)?.file_type();
    if let Err(reason) = refuse_other_than_file(kind) {
        return Err(OpenError::NotALibrary {
            path: shown(),
            found: in_words(&reason),
        });
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path);
    file.map_err(failed)
}

/// A library whose headers have been compared with its size.
struct Elf<'file> {
    path: &'file Path,
    file: &'file File,
    /// Where parts of the file are mapped into memory: address, place in the file, length.
    loads: Vec<(u64, u64, u64)>,
    /// Place and length of the dynamic section.
    dynamic: (u64, u64),
}

impl<'file> Elf<'file> {
    fn read(path: &'file Path, file: &'file File) -> Result<Elf<'file>, OpenError> {
        let shown = || path.display().to_string();
        let other = |found: &str| OpenError::NotALibrary {
            path: shown(),
            found: found.to_owned(),
        };
        let damaged = |found: String| OpenError::Damaged {
            path: shown(),
            found,
        };
        let unreadable = |error: io::Error| OpenError::Refused {
            path: shown(),
            reason: error.to_string(),
        };
        let size = file.metadata().map_err(unreadable)?.len();
        let mut head = [0; HEADER];
        let filled = read_up_to(file, &mut head).map_err(unreadable)?;
        match &head[..filled] {
            [] => return Err(other("the file is empty")),
            [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => {
                return Err(other("it is an archive for the linker (.a)"));
            }
            start if !start.starts_with(b"\x7fELF") => {
                return Err(other("it has no ELF header"));
            }
            start if start.len() < HEADER => {
                return Err(damaged(format!(
                    "it is truncated: it has only {filled} bytes"
                )));
            }
            _ => {}
        }
        // The machine first: the rest of the header depends on it.
        let machine = u16_at(&head, 18);
        if (head[4], head[5], machine) != (2, 1, HOST_MACHINE) {
            return Err(OpenError::OtherMachine {
                path: shown(),
                machine: machine_name(&head),
            });
        }
        match u16_at(&head, 16) {
            3 => {}
            1 => return Err(other("it is an object file (.o)")),
            2 => return Err(other("it is a program")),
            4 => return Err(other("it is the memory of a crashed program")),
            kind => return Err(damaged(format!("it is of the unknown kind {kind}"))),
        }
        let table = |place: u64, count: u16, each: usize, stated: u16, what: &str| {
            if count > 0 && usize::from(stated) != each {
                let found = format!("its {what} headers have {stated} bytes each, not {each}");
                return Err(damaged(found));
            }
            let length = u64::from(count) * each as u64;
            within(place, length, size).map_err(damaged)?;
            let mut bytes = vec![0; length as usize];
            file.read_exact_at(&mut bytes, place).map_err(unreadable)?;
            Ok(bytes)
        };
        let programs = table(
            u64_at(&head, 32),
            u16_at(&head, 56),
            PROGRAM_HEADER,
            u16_at(&head, 54),
            "program",
        )?;
        let mut elf = Elf {
            path,
            file,
            loads: Vec::new(),
            dynamic: (0, 0),
        };
        for header in programs.chunks_exact(PROGRAM_HEADER) {
            let (place, length) = (u64_at(header, 8), u64_at(header, 32));
            within(place, length, size).map_err(damaged)?;
            match u32_at(header, 0) {
                1 => elf.loads.push((u64_at(header, 16), place, length)),
                2 => elf.dynamic = (place, length),
                _ => {}
            }
        }
        if elf.loads.is_empty() || elf.dynamic.1 == 0 {
            return Err(damaged("it holds nothing that could be loaded".to_owned()));
        }
        // Libraries may lack a table of sections, or have one of more than 65,279, which is counted elsewhere.
        if u64_at(&head, 40) > 0 {
            let sections = table(
                u64_at(&head, 40),
                u16_at(&head, 60),
                SECTION_HEADER,
                u16_at(&head, 58),
                "section",
            )?;
            for header in sections.chunks_exact(SECTION_HEADER) {
                // Sections of zeros (8), and the one of no kind, take no room in the file.
                if !matches!(u32_at(header, 4), 0 | 8) {
                    within(u64_at(header, 24), u64_at(header, 32), size).map_err(damaged)?;
                }
            }
        }
        Ok(elf)
    }

    /// The files of needed libraries, as far as a run path or LD_LIBRARY_PATH leads to them.
    fn needed(&self) -> Vec<PathBuf> {
        let Some(entries) = self.bytes(self.dynamic.0, self.dynamic.1) else {
            return Vec::new();
        };
        let entries: Vec<(u64, u64)> = entries
            .chunks_exact(DYNAMIC_ENTRY)
            .map(|entry| (u64_at(entry, 0), u64_at(entry, 8)))
            .take_while(|(tag, _)| *tag != 0)
            .collect();
        let value = |wanted: u64| {
            let entry = entries.iter().find(|(tag, _)| *tag == wanted);
            entry.map(|(_, value)| *value)
        };
        let strings = value(5)
            .zip(value(10))
            .and_then(|(address, length)| self.bytes(self.place_of(address)?, length))
            .unwrap_or_default();
        let string = |at: u64| {
            let rest = strings.get(usize::try_from(at).ok()?..)?;
            Some(&rest[..rest.iter().position(|&byte| byte == 0)?])
        };
        let origin = self.path.parent().unwrap_or(Path::new("."));
        let run_path = |tag: u64| -> Vec<PathBuf> {
            let Some(folders) = value(tag).and_then(string) else {
                return Vec::new();
            };
            folders
                .split(|&byte| byte == b':')
                .filter_map(|folder| expand(folder, origin))
                .collect()
        };
        // 15 is the older form, which comes before LD_LIBRARY_PATH and counts only without the newer one, 29.
        let newer = run_path(29);
        let older = if newer.is_empty() {
            run_path(15)
        } else {
            Vec::new()
        };
        let folders: Vec<PathBuf> = older
            .into_iter()
            .chain(library_path())
            .chain(newer)
            .collect();
        let names = entries.iter().filter(|(tag, _)| *tag == 1);
        names
            .filter_map(|(_, at)| string(*at))
            .filter(|name| !name.contains(&b'/'))
            .filter_map(|name| {
                let name = std::ffi::OsStr::from_bytes(name);
                let places = folders.iter().map(|folder| folder.join(name));
                places.into_iter().find(|place| fits(place))
            })
            .collect()
    }

    /// The place in the file of an address in memory.
    fn place_of(&self, address: u64) -> Option<u64> {
        self.loads.iter().find_map(|(start, place, length)| {
            let inside = address.checked_sub(*start).filter(|at| at < length)?;
            place.checked_add(inside)
        })
    }

    fn bytes(&self, place: u64, length: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![
            0;
            usize::try_from(length)
                .ok()
                .filter(|_| length <= MAX_TABLE)?
        ];
        self.file.read_exact_at(&mut bytes, place).ok()?;
        Some(bytes)
    }
}

/// Whether the loader would stop at this file: it passes over what is not there and what is of another machine.
fn fits(path: &Path) -> bool {
    !matches!(
        open(path).and_then(|file| Elf::read(path, &file).map(|_| ())),
        Err(OpenError::Missing { .. } | OpenError::OtherMachine { .. })
    )
}

/// A folder of a run path, in which `$ORIGIN` is that of the library; `None` for what names something else of the loader's.
fn expand(folder: &[u8], origin: &Path) -> Option<PathBuf> {
    let folder = std::str::from_utf8(folder).ok()?;
    let rest = ["$ORIGIN", "${ORIGIN}"]
        .iter()
        .find_map(|word| folder.strip_prefix(word));
    match rest {
        Some(rest) => Some(origin.join(rest.trim_start_matches('/'))),
        None if folder.starts_with('/') && !folder.contains('$') => Some(folder.into()),
        None => None,
    }
}

/// Checks that a part of a file is within it.
fn within(place: u64, length: u64, size: u64) -> Result<(), String> {
    match place.checked_add(length) {
        Some(end) if end <= size => Ok(()),
        Some(end) => Err(format!(
            "it is truncated: it has {size} bytes, and its headers name {end}"
        )),
        None => Err("its headers make no sense".to_owned()),
    }
}

fn read_up_to(file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

const X86_64: u16 = 62;
const AARCH64: u16 = 183;
/// The number of this machine in an ELF header.
const HOST_MACHINE: u16 = if cfg!(target_arch = "aarch64") {
    AARCH64
} else {
    X86_64
};

/// The machine that a header names.
fn machine_name(head: &[u8; HEADER]) -> String {
    let (bits, little) = (head[4], head[5] == 1);
    let number = match little {
        true => u16_at(head, 18),
        false => u16_at(head, 18).swap_bytes(),
    };
    let name = match number {
        3 => "x86",
        8 => "MIPS",
        20 => "PowerPC",
        21 => "PowerPC64",
        22 => "S/390",
        40 => "ARM",
        X86_64 => "x86-64",
        AARCH64 => "AArch64",
        243 => "RISC-V",
        258 => "LoongArch",
        _ => return format!("a machine with the ELF number {number}"),
    };
    match (bits, little) {
        (2, true) => name.to_owned(),
        (1, true) => format!("{name} with 32 bits"),
        (_, false) => format!("big-endian {name}"),
        _ => format!("{name} of an unknown width"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_paths_start_at_the_library() {
        let origin = Path::new("/a/lib");
        for (folder, expected) in [
            ("$ORIGIN", Some("/a/lib/")),
            ("${ORIGIN}/../x", Some("/a/lib/../x")),
            ("/usr/x", Some("/usr/x")),
            ("$LIB/x", None),
            ("relative", None),
            ("", None),
        ] {
            let found = expand(folder.as_bytes(), origin);
            assert_eq!(found.as_deref(), expected.map(Path::new), "{folder}");
        }
    }

    #[test]
    fn parts_beyond_the_end_and_beyond_all_numbers() {
        assert_eq!(within(10, 10, 20), Ok(()));
        assert!(
            within(10, 11, 20)
                .unwrap_err()
                .contains("20 bytes, and its headers name 21")
        );
        assert!(within(u64::MAX, 1, 20).unwrap_err().contains("no sense"));
    }
}
