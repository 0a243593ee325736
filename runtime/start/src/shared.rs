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
    let missing = |what| AttachError::NotStart(what);
    let segments: Vec<(u32, std::ops::Range<u64>)> = elf.segments().collect();
    let of_kind = |kind| segments.iter().rposition(|(found, _)| *found == kind);
    let note = of_kind(PT_NOTE).ok_or(missing("it has no note to replace"))?;
    let last_load = of_kind(PT_LOAD);
    if last_load.is_none_or(|last| last > note) {
        return Err(missing("it has no note to replace"));
    }
    let loads = segments.iter().filter(|(kind, _)| *kind == PT_LOAD);
    let end = loads.map(|(_, memory)| memory.end).max().unwrap_or(0);
    let table = |name: &str| {
        let index = elf.section(name)?;
        let header = elf.section_table + index * SECTION_HEADER;
        let offset = u64_at(start, header + 24)? as usize;
        let bytes = start.get(offset..offset.checked_add(u64_at(start, header + 32)? as usize)?)?;
        Some((header, bytes))
    };
    let (symbols_header, symbols) = table(".dynsym").ok_or(missing("it has no symbols"))?;
    let (names_header, names) = table(".dynstr").ok_or(missing("it has no names of symbols"))?;
    let (hash_header, _) = table(".gnu.hash").ok_or(missing("it has no hash table"))?;
    let versions = table(".gnu.version");
    let address_of = |wanted: &str| symbol_address(symbols, names, wanted);
    let enter = address_of(ENTER).ok_or(missing("it has no `simple_library_enter`"))?;
    let last_error = address_of(ERROR).ok_or(missing("it has no `simple_library_error`"))?;

    let mut out = start.to_vec();
    pad(&mut out);
    let offset = out.len() as u64;
    let address = end.next_multiple_of(PAGE) + offset % PAGE;
    // Addresses in the new segment are as far from this as places in the file.
    let at = |place: usize| address + (place as u64 - offset);

    let program_at = (functions.len() * STUB).next_multiple_of(ALIGNMENT);
    for (number, _) in functions.iter().enumerate() {
        let here = address + (number * STUB) as u64;
        let too_far = |_| missing("it is too large");
        let distance =
            |to: u64| i32::try_from(to.wrapping_sub(here).cast_signed()).map_err(too_far);
        let code = stub(
            number as u32,
            distance(address + program_at as u64)?,
            distance(enter.value)?,
        );
        out.extend_from_slice(&code);
    }
    pad(&mut out);
    out.extend(described(program, functions));
    pad(&mut out);
    let content_end = out.len();

    // The new section is the last one.
    let section = elf.section_count as u16;
    let (mut all_names, mut all_symbols) = (names.to_vec(), symbols.to_vec());
    let mut add = |name: &str, value: u64, section: u16, size: u64| {
        let place = all_names.len() as u32;
        all_names.extend_from_slice(name.as_bytes());
        all_names.push(0);
        all_symbols.extend(place.to_le_bytes());
        all_symbols.extend([GLOBAL_FUNCTION, 0]);
        all_symbols.extend(section.to_le_bytes());
        all_symbols.extend(value.to_le_bytes());
        all_symbols.extend(size.to_le_bytes());
        place
    };
    for (number, function) in functions.iter().enumerate() {
        let value = address + (number * STUB) as u64;
        add(&function.symbol, value, section, STUB as u64);
    }
    add(error, last_error.value, last_error.section, 0);
    let count = all_symbols.len() / SYMBOL;
    let own_name = all_names.len() as u64;
    all_names.extend_from_slice(name.as_bytes());
    all_names.push(0);

    let symbols_at = out.len();
    out.extend_from_slice(&all_symbols);
    let names_at = out.len();
    out.extend_from_slice(&all_names);
    pad(&mut out);
    let hash = hash_table(&all_symbols, &all_names);
    let hash_at = out.len();
    out.extend_from_slice(&hash);
    pad(&mut out);
    let versions_at = out.len();
    let mut version_bytes = 0;
    if let Some((_, versions)) = versions {
        out.extend_from_slice(versions);
        let more = count - versions.len() / 2;
        (0..more).for_each(|_| out.extend(VERSION_GLOBAL.to_le_bytes()));
        version_bytes = out.len() - versions_at;
    }
    let size = out.len() as u64 - offset;

    let header = elf.segment_table + note * SEGMENT;
    put_u32(&mut out, header, PT_LOAD);
    put_u32(&mut out, header + 4, PF_R | PF_X);
    for (index, value) in [offset, address, address, size, size, PAGE]
        .into_iter()
        .enumerate()
    {
        put_u64(&mut out, header + 8 + index * 8, value);
    }
    let dynamic = of_kind(PT_DYNAMIC).ok_or(missing("it has no dynamic section"))?;
    let dynamic = elf.segment_table + dynamic * SEGMENT;
    let place = |at| u64_at(start, at).map_or(usize::MAX, |value| value as usize);
    let (from, length) = (place(dynamic + 8), place(dynamic + 32));
    let entries = start
        .get(from..from.saturating_add(length))
        .ok_or(missing("a part of it is missing"))?;
    for (index, entry) in entries.chunks_exact(16).enumerate() {
        let here = from + index * 16;
        let tag = u64_at(entry, 0).unwrap_or_default();
        let (tag, value) = match tag {
            DT_SYMTAB => (DT_SYMTAB, at(symbols_at)),
            DT_STRTAB => (DT_STRTAB, at(names_at)),
            DT_STRSZ => (DT_STRSZ, all_names.len() as u64),
            DT_GNU_HASH | DT_HASH => (DT_HASH, at(hash_at)),
            DT_VERSYM => (DT_VERSYM, at(versions_at)),
            DT_SONAME => (DT_SONAME, own_name),
            _ => continue,
        };
        put_u64(&mut out, here, tag);
        put_u64(&mut out, here + 8, value);
    }

    pad(&mut out);
    let mut section_names = elf.names.to_vec();
    let section_name = section_names.len() as u32;
    section_names.extend_from_slice(PROGRAM_SECTION.as_bytes());
    section_names.push(0);
    let section_names_at = out.len() as u64;
    out.extend_from_slice(&section_names);
    pad(&mut out);
    let table_at = out.len();
    out.extend_from_slice(&start[elf.section_table..][..elf.section_count * SECTION_HEADER]);
    let copied = |header: usize| table_at + (header - elf.section_table);
    let mut moved = vec![
        (symbols_header, symbols_at, all_symbols.len()),
        (names_header, names_at, all_names.len()),
        (hash_header, hash_at, hash.len()),
    ];
    moved.extend(versions.map(|(header, _)| (header, versions_at, version_bytes)));
    for (header, place, bytes) in moved {
        let header = copied(header);
        put_u64(&mut out, header + 16, at(place));
        put_u64(&mut out, header + 24, place as u64);
        put_u64(&mut out, header + 32, bytes as u64);
    }
    put_u32(&mut out, copied(hash_header) + 4, SHT_HASH);
    put_u64(&mut out, copied(hash_header) + 56, 4);
    let of_names = table_at + elf.names_index * SECTION_HEADER;
    put_u64(&mut out, of_names + 24, section_names_at);
    put_u64(&mut out, of_names + 32, section_names.len() as u64);
    let new = out.len();
    out.resize(new + SECTION_HEADER, 0);
    put_u32(&mut out, new, section_name);
    put_u32(&mut out, new + 4, SHT_PROGBITS);
    let own = [
        SHF_ALLOC | SHF_EXECINSTR,
        address,
        offset,
        content_end as u64 - offset,
    ];
    for (index, value) in own.into_iter().enumerate() {
        put_u64(&mut out, new + 8 + index * 8, value);
    }
    put_u64(&mut out, new + 48, ALIGNMENT as u64);
    put_u64(&mut out, 0x28, table_at as u64);
    out[0x3c..0x3e].copy_from_slice(&(section + 1).to_le_bytes());
    Ok(out)
}

/// Where a symbol is.
#[derive(Clone, Copy)]
struct Place {
    value: u64,
    section: u16,
}

fn symbol_address(symbols: &[u8], names: &[u8], wanted: &str) -> Option<Place> {
    let found = symbols
        .chunks_exact(SYMBOL)
        .find(|symbol| name_of(symbol, names) == wanted.as_bytes())?;
    Some(Place {
        value: u64_at(found, 8)?,
        section: u16::from_le_bytes([found[6], found[7]]),
    })
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
    // The first symbol is none.
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
