//! The file of an executable: a copy of `simple-start` with a program attached, as a segment of its own.
//!
//! ```text
//! | what simple-start has                        | program | names of sections | sections |
//!   headers of segments: a note becomes the                    one more: .simple.program
//!   segment of the program
//!   .simple: where the program is
//! ```
//!
//! No linker is needed for it, and the system maps the program as it maps the rest of the executable. The section is
//! there for tools such as `strip`, which keep what sections say of. The form is that of ELF for 64 bits,
//! little-endian (gABI, chapters 4 and 5).

use crate::attached::SECTION;
use std::ops::Range;

/// Why nothing could be attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AttachError {
    /// Not an executable of this system.
    #[error("it is not an ELF file for 64 bits")]
    NotElf,
    /// Not a file of the kind of `simple-start`.
    #[error("it is not `simple-start`: {0}")]
    NotStart(&'static str),
}

pub(crate) const HEADER: usize = 64;
pub(crate) const SEGMENT: usize = 56;
pub(crate) const SECTION_HEADER: usize = 64;

/// Kinds of segments, flags of segments, kinds and flags of sections.
pub(crate) const PT_LOAD: u32 = 1;
pub(crate) const PT_NOTE: u32 = 4;
pub(crate) const PF_R: u32 = 4;
pub(crate) const SHT_PROGBITS: u32 = 1;
pub(crate) const SHF_ALLOC: u64 = 2;

/// Segments begin at addresses that differ from their places in the file by a multiple of this, the largest page of
/// the supported machines.
pub(crate) const PAGE: u64 = 64 << 10;

/// The name of the section of the program.
pub(crate) const PROGRAM_SECTION: &str = ".simple.program";

/// The bytes of an executable: `start` is the file of `simple-start`.
///
/// # Errors
///
/// If `start` is another file.
pub fn attach(start: &[u8], program: &[u8]) -> Result<Vec<u8>, AttachError> {
    let elf = Elf::new(start)?;
    let slot = elf
        .sections()
        .find(|section| section.name == SECTION.as_bytes())
        .ok_or(AttachError::NotStart("it has no section `.simple`"))?;
    let segments: Vec<(u32, Range<u64>)> = elf.segments().collect();
    let last_load = segments.iter().rposition(|(kind, _)| *kind == PT_LOAD);
    let note = segments.iter().rposition(|(kind, _)| *kind == PT_NOTE);
    let note = note
        .filter(|note| Some(*note) > last_load)
        .ok_or(AttachError::NotStart("it has no note to replace"))?;
    let loads = segments.iter().filter(|(kind, _)| *kind == PT_LOAD);
    let end = loads.map(|(_, memory)| memory.end).max().unwrap_or(0);

    let mut out = start.to_vec();
    pad(&mut out);
    let offset = out.len() as u64;
    let address = end.next_multiple_of(PAGE) + offset % PAGE;
    out.extend_from_slice(program);

    let size = program.len() as u64;
    let at = elf.segment_table + note * SEGMENT;
    put_u32(&mut out, at, PT_LOAD);
    put_u32(&mut out, at + 4, PF_R);
    for (index, value) in [offset, address, address, size, size, PAGE]
        .into_iter()
        .enumerate()
    {
        put_u64(&mut out, at + 8 + index * 8, value);
    }
    put_u64(&mut out, slot.offset, address - slot.address);
    put_u64(&mut out, slot.offset + 8, size);

    let mut names = elf.names.to_vec();
    let name = names.len() as u32;
    names.extend_from_slice(PROGRAM_SECTION.as_bytes());
    names.push(0);
    let names_at = out.len() as u64;
    out.extend_from_slice(&names);
    pad(&mut out);
    let table = out.len();
    let old = elf.section_table..elf.section_table + elf.section_count * SECTION_HEADER;
    out.extend_from_slice(&start[old]);
    let of_names = table + elf.names_index * SECTION_HEADER;
    put_u64(&mut out, of_names + 24, names_at);
    put_u64(&mut out, of_names + 32, names.len() as u64);
    let new = out.len();
    out.resize(new + SECTION_HEADER, 0);
    put_u32(&mut out, new, name);
    put_u32(&mut out, new + 4, SHT_PROGBITS);
    for (index, value) in [SHF_ALLOC, address, offset, size].into_iter().enumerate() {
        put_u64(&mut out, new + 8 + index * 8, value);
    }
    put_u64(&mut out, new + 48, ALIGNMENT as u64);
    put_u64(&mut out, 0x28, table as u64);
    let count = elf.section_count as u16 + 1;
    out[0x3c..0x3e].copy_from_slice(&count.to_le_bytes());
    Ok(out)
}

/// The program and the tables begin at multiples of this.
pub(crate) const ALIGNMENT: usize = 16;

pub(crate) fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
}

pub(crate) fn put_u32(out: &mut [u8], at: usize, value: u32) {
    out[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

pub(crate) fn put_u64(out: &mut [u8], at: usize, value: u64) {
    out[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// An ELF file whose tables lie inside of it.
pub(crate) struct Elf<'f> {
    file: &'f [u8],
    pub(crate) segment_table: usize,
    pub(crate) segment_count: usize,
    pub(crate) section_table: usize,
    pub(crate) section_count: usize,
    pub(crate) names_index: usize,
    /// The names of sections.
    pub(crate) names: &'f [u8],
}

/// A section that has a name.
pub(crate) struct Section<'f> {
    name: &'f [u8],
    address: u64,
    offset: usize,
}

impl<'f> Elf<'f> {
    pub(crate) fn new(file: &'f [u8]) -> Result<Elf<'f>, AttachError> {
        // Class 2 is 64 bits, encoding 1 little-endian.
        if file.len() < HEADER || !file.starts_with(b"\x7fELF\x02\x01") {
            return Err(AttachError::NotElf);
        }
        let cut = AttachError::NotStart("a part of it is missing");
        let word = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
        let place =
            |at: usize| usize::try_from(u64_at(file, at).unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let mut elf = Elf {
            file,
            segment_table: place(0x20),
            segment_count: word(0x38),
            section_table: place(0x28),
            section_count: word(0x3c),
            names_index: word(0x3e),
            names: &[],
        };
        let fits = |at: usize, count: usize, size: usize| {
            let end = count
                .checked_mul(size)
                .and_then(|bytes| at.checked_add(bytes));
            end.is_some_and(|end| end <= file.len())
        };
        if !fits(elf.segment_table, elf.segment_count, SEGMENT)
            || !fits(elf.section_table, elf.section_count, SECTION_HEADER)
            || elf.names_index >= elf.section_count
        {
            return Err(cut);
        }
        let header = elf.section_table + elf.names_index * SECTION_HEADER;
        let (at, size) = (place(header + 24), place(header + 32));
        let end = at.checked_add(size).ok_or(cut)?;
        elf.names = file.get(at..end).ok_or(cut)?;
        Ok(elf)
    }

    /// Kinds of the segments and where they are in memory.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (u32, Range<u64>)> {
        (0..self.segment_count).filter_map(|index| {
            let at = self.segment_table + index * SEGMENT;
            let (start, size) = (u64_at(self.file, at + 16)?, u64_at(self.file, at + 40)?);
            Some((u32_at(self.file, at)?, start..start.checked_add(size)?))
        })
    }

    /// The number of the section of a name.
    pub(crate) fn section(&self, name: &str) -> Option<usize> {
        (0..self.section_count).find(|index| {
            let at = self.section_table + index * SECTION_HEADER;
            let start = u32_at(self.file, at).map_or(usize::MAX, |start| start as usize);
            let rest = self.names.get(start..).unwrap_or(&[]);
            rest.split(|&byte| byte == 0).next() == Some(name.as_bytes())
        })
    }

    fn sections(&self) -> impl Iterator<Item = Section<'f>> {
        (0..self.section_count).filter_map(|index| {
            let at = self.section_table + index * SECTION_HEADER;
            let name = self.names.get(u32_at(self.file, at)? as usize..)?;
            let offset = usize::try_from(u64_at(self.file, at + 24)?).ok()?;
            // A slot must lie inside of the file.
            let _slot = self.file.get(offset..offset.checked_add(16)?)?;
            Some(Section {
                name: name.split(|&byte| byte == 0).next()?,
                address: u64_at(self.file, at + 16)?,
                offset,
            })
        })
    }
}

pub(crate) fn u32_at(file: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?))
}

pub(crate) fn u64_at(file: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(file.get(at..at + 8)?.try_into().ok()?))
}
