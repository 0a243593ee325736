//! The file of a library for C: a copy of `libsimple_library.so` with a program attached, and one symbol more for each
//! function.
//!
//! ```text
//! | what libsimple_library.so has            | stubs | program | symbols | names of symbols | ... | sections |
//!   headers of segments: a note becomes        one segment more, read and executed
//!   the new segment
//!   .dynamic: where the tables of symbols are
//! ```
//!
//! The tables of symbols are copies of those that were there, with more entries; what the loader knows of them in
//! `.dynamic`, and linkers in the headers of sections, leads to the copies. Names are found by `DT_HASH`, which has no
//! order that all symbols had to be in. The form is that of ELF for 64 bits, little-endian (gABI, chapters 4 and 5).
//! Next: `library.rs` for what happens when C calls a function.

use crate::attach::{
    ALIGNMENT, AttachError, Elf, PAGE, PF_R, PROGRAM_SECTION, PT_LOAD, PT_NOTE, SECTION_HEADER,
    SEGMENT, SHF_ALLOC, SHT_PROGBITS, pad, put_u32, put_u64, u32_at, u64_at,
};
use crate::library::{Function, described};
use crate::object::{ENTER, ERROR, STUB, stub};
use std::ops::Range;

const PT_DYNAMIC: u32 = 2;
const PF_X: u32 = 1;
const SHF_EXECINSTR: u64 = 4;
const SHT_HASH: u32 = 5;

/// Tags of entries in `.dynamic`.
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_STRSZ: u64 = 10;
const DT_SONAME: u64 = 14;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
const DT_VERSYM: u64 = 0x6fff_fff0;

/// Bytes of a symbol.
const SYMBOL: usize = 24;
/// A function that other files see.
const GLOBAL_FUNCTION: u8 = 1 << 4 | 2;
/// The version of a symbol that has none.
const VERSION_GLOBAL: u16 = 1;

/// The bytes of a library with these functions of a program: `start` is the file `libsimple_library.so`. `error` is the
/// name of the function that yields the message of an error, `name` that of the library.
///
/// # Errors
///
/// If `start` is another file.
pub fn shared(
    start: &[u8],
    program: &[u8],
    functions: &[Function],
    (name, error): (&str, &str),
) -> Result<Vec<u8>, AttachError> {
    let elf = Elf::new(start)?;
    let segments: Vec<(u32, Range<u64>)> = elf.segments().collect();
    let of_kind = |kind| segments.iter().rposition(|(found, _)| *found == kind);
    let note = of_kind(PT_NOTE).filter(|note| of_kind(PT_LOAD) < Some(*note));
    let note = note.ok_or(missing("it has no note to replace"))?;
    let dynamic = of_kind(PT_DYNAMIC).ok_or(missing("it has no dynamic section"))?;
    let loads = segments.iter().filter(|(kind, _)| *kind == PT_LOAD);
    let end = loads.map(|(_, memory)| memory.end).max().unwrap_or(0);
    let tables = Tables::of(&elf, start)?;
    let place = |wanted| tables.symbol(wanted);
    let enter = place(ENTER).ok_or(missing("it has no `simple_library_enter`"))?;
    let last_error = place(ERROR).ok_or(missing("it has no `simple_library_error`"))?;

    let mut out = start.to_vec();
    pad(&mut out);
    let offset = out.len() as u64;
    let segment = Segment {
        offset,
        address: end.next_multiple_of(PAGE) + offset % PAGE,
    };
    add_program(&mut out, program, functions, (segment, enter))?;
    let content = out.len() as u64 - offset;

    // The new section is the last one.
    let section = elf.section_count as u16;
    let (mut names, mut symbols) = (tables.names.1.to_vec(), tables.symbols.1.to_vec());
    for (number, function) in functions.iter().enumerate() {
        let here = Place {
            value: segment.address + (number * STUB) as u64,
            section,
        };
        add_symbol(&mut symbols, &mut names, &function.symbol, here);
    }
    add_symbol(&mut symbols, &mut names, error, last_error);
    let own_name = add_name(&mut names, name);
    let mut versions = tables.versions.map_or(&[][..], |(_, bytes)| bytes).to_vec();
    if !versions.is_empty() {
        let all = symbols.len() / SYMBOL;
        let more = all - versions.len() / 2;
        versions.extend(VERSION_GLOBAL.to_le_bytes().repeat(more));
    }
    let hash = hash_table(&symbols, &names);
    let mut add = |bytes: &[u8]| {
        pad(&mut out);
        let at = out.len();
        out.extend_from_slice(bytes);
        at
    };
    let moved = Moved {
        symbols: (add(&symbols), symbols.len()),
        names: (add(&names), names.len()),
        hash: (add(&hash), hash.len()),
        versions: (add(&versions), versions.len()),
    };
    let size = out.len() as u64 - offset;
    let header = elf.segment_table + note * SEGMENT;
    put_u32(&mut out, header, PT_LOAD);
    put_u32(&mut out, header + 4, PF_R | PF_X);
    let address = segment.address;
    for (index, value) in [offset, address, address, size, size, PAGE]
        .into_iter()
        .enumerate()
    {
        put_u64(&mut out, header + 8 + index * 8, value);
    }
    let header = elf.segment_table + dynamic * SEGMENT;
    lead_loader(&mut out, header, segment, &moved, own_name.into())?;
    lead_linkers(&mut out, (&elf, start), &tables, (segment, content), &moved);
    Ok(out)
}

fn missing(what: &'static str) -> AttachError {
    AttachError::NotStart(what)
}

/// Where the new segment begins, in the file and in memory.
#[derive(Clone, Copy)]
struct Segment {
    offset: u64,
    address: u64,
}

impl Segment {
    /// The address of what is there in the file.
    fn at(self, place: usize) -> u64 {
        self.address + (place as u64 - self.offset)
    }
}

/// The tables of symbols that were there: where the header of each section is, and its bytes.
struct Tables<'f> {
    symbols: (usize, &'f [u8]),
    names: (usize, &'f [u8]),
    hash: (usize, &'f [u8]),
    versions: Option<(usize, &'f [u8])>,
}

impl<'f> Tables<'f> {
    fn of(elf: &Elf<'f>, file: &'f [u8]) -> Result<Tables<'f>, AttachError> {
        let table = |name: &str| {
            let header = elf.section_table + elf.section(name)? * SECTION_HEADER;
            let start = u64_at(file, header + 24)? as usize;
            let end = start.checked_add(u64_at(file, header + 32)? as usize)?;
            Some((header, file.get(start..end)?))
        };
        Ok(Tables {
            symbols: table(".dynsym").ok_or(missing("it has no symbols"))?,
            names: table(".dynstr").ok_or(missing("it has no names of symbols"))?,
            hash: table(".gnu.hash").ok_or(missing("it has no hash table"))?,
            versions: table(".gnu.version"),
        })
    }

    fn symbol(&self, wanted: &str) -> Option<Place> {
        let mut symbols = self.symbols.1.chunks_exact(SYMBOL);
        let found = symbols.find(|symbol| name_of(symbol, self.names.1) == wanted.as_bytes())?;
        Some(Place {
            value: u64_at(found, 8)?,
            section: u16::from_le_bytes([found[6], found[7]]),
        })
    }
}

/// Where the copies are in the file, and how long they are.
struct Moved {
    symbols: (usize, usize),
    names: (usize, usize),
    hash: (usize, usize),
    versions: (usize, usize),
}

/// Adds the stubs and the program.
fn add_program(
    out: &mut Vec<u8>,
    program: &[u8],
    functions: &[Function],
    (segment, enter): (Segment, Place),
) -> Result<(), AttachError> {
    let program_at = (functions.len() * STUB).next_multiple_of(ALIGNMENT) as u64;
    for number in 0..functions.len() {
        let here = segment.address + (number * STUB) as u64;
        let distance = |to: u64| {
            let distance = to.wrapping_sub(here).cast_signed();
            i32::try_from(distance).map_err(|_| missing("it is too large"))
        };
        let to_program = distance(segment.address + program_at)?;
        out.extend(stub(number as u32, to_program, distance(enter.value)?));
    }
    pad(out);
    out.extend(described(program, functions));
    Ok(())
}

fn add_name(names: &mut Vec<u8>, name: &str) -> u32 {
    let place = names.len() as u32;
    names.extend_from_slice(name.as_bytes());
    names.push(0);
    place
}

fn add_symbol(symbols: &mut Vec<u8>, names: &mut Vec<u8>, name: &str, place: Place) {
    symbols.extend(add_name(names, name).to_le_bytes());
    symbols.extend([GLOBAL_FUNCTION, 0]);
    symbols.extend(place.section.to_le_bytes());
    symbols.extend(place.value.to_le_bytes());
    symbols.extend((STUB as u64).to_le_bytes());
}

/// Writes where the copies are into the dynamic section, whose segment has this header.
fn lead_loader(
    out: &mut [u8],
    header: usize,
    segment: Segment,
    moved: &Moved,
    name: u64,
) -> Result<(), AttachError> {
    let place = |at| u64_at(out, at).map_or(usize::MAX, |value| value as usize);
    let from = place(header + 8);
    let end = from.saturating_add(place(header + 32));
    if end > out.len() {
        return Err(missing("a part of it is missing"));
    }
    for here in (from..end).step_by(16) {
        let value = match u64_at(out, here).unwrap_or_default() {
            DT_SYMTAB => segment.at(moved.symbols.0),
            DT_STRTAB => segment.at(moved.names.0),
            DT_STRSZ => moved.names.1 as u64,
            DT_GNU_HASH => segment.at(moved.hash.0),
            DT_VERSYM => segment.at(moved.versions.0),
            DT_SONAME => name,
            _ => continue,
        };
        if u64_at(out, here) == Some(DT_GNU_HASH) {
            put_u64(out, here, DT_HASH);
        }
        put_u64(out, here + 8, value);
    }
    Ok(())
}

/// Writes a new table of sections, in which linkers and `strip` find the copies and the program.
fn lead_linkers(
    out: &mut Vec<u8>,
    (elf, start): (&Elf<'_>, &[u8]),
    tables: &Tables<'_>,
    (segment, content): (Segment, u64),
    moved: &Moved,
) {
    pad(out);
    let mut names = elf.names.to_vec();
    let name = add_name(&mut names, PROGRAM_SECTION);
    let names_at = out.len() as u64;
    out.extend_from_slice(&names);
    pad(out);
    let table = out.len();
    out.extend_from_slice(&start[elf.section_table..][..elf.section_count * SECTION_HEADER]);
    let copied = |header: usize| table + (header - elf.section_table);
    let mut all = vec![
        (tables.symbols.0, moved.symbols),
        (tables.names.0, moved.names),
        (tables.hash.0, moved.hash),
    ];
    all.extend(tables.versions.map(|(header, _)| (header, moved.versions)));
    for (header, (place, bytes)) in all {
        let header = copied(header);
        put_u64(out, header + 16, segment.at(place));
        put_u64(out, header + 24, place as u64);
        put_u64(out, header + 32, bytes as u64);
    }
    let hash = copied(tables.hash.0);
    put_u32(out, hash + 4, SHT_HASH);
    put_u64(out, hash + 56, 4);
    let of_names = table + elf.names_index * SECTION_HEADER;
    put_u64(out, of_names + 24, names_at);
    put_u64(out, of_names + 32, names.len() as u64);
    let new = out.len();
    out.resize(new + SECTION_HEADER, 0);
    put_u32(out, new, name);
    put_u32(out, new + 4, SHT_PROGBITS);
    let flags = SHF_ALLOC | SHF_EXECINSTR;
    let own = [flags, segment.address, segment.offset, content];
    for (index, value) in own.into_iter().enumerate() {
        put_u64(out, new + 8 + index * 8, value);
    }
    put_u64(out, new + 48, ALIGNMENT as u64);
    put_u64(out, 0x28, table as u64);
    let count = elf.section_count as u16 + 1;
    out[0x3c..0x3e].copy_from_slice(&count.to_le_bytes());
}

/// Where a symbol is.
#[derive(Clone, Copy)]
struct Place {
    value: u64,
    section: u16,
}

fn name_of<'n>(symbol: &[u8], names: &'n [u8]) -> &'n [u8] {
    let start = u32_at(symbol, 0).unwrap_or(0) as usize;
    let rest = names.get(start..).unwrap_or(&[]);
    rest.split(|&byte| byte == 0).next().unwrap_or(&[])
}

/// The table in which the loader finds symbols by their names (gABI, "Hash Table").
fn hash_table(symbols: &[u8], names: &[u8]) -> Vec<u8> {
    let count = symbols.len() / SYMBOL;
    let mut buckets = vec![0u32; count.max(1)];
    let mut chains = vec![0u32; count];
    // The first symbol has no name.
    for (index, symbol) in symbols.chunks_exact(SYMBOL).enumerate().skip(1) {
        let bucket = hash(name_of(symbol, names)) as usize % buckets.len();
        chains[index] = std::mem::replace(&mut buckets[bucket], index as u32);
    }
    let sizes = [buckets.len() as u32, count as u32];
    let all = sizes.iter().chain(&buckets).chain(&chains);
    all.flat_map(|word| word.to_le_bytes()).collect()
}

/// The hash of a name, from the same place.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0u32, |hash, &byte| {
        let hash = (hash << 4).wrapping_add(byte.into());
        let high = hash & 0xf000_0000;
        (hash ^ (high >> 24)) & !high
    })
}
