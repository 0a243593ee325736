//! Whether a library itself defines a symbol, and what it is, as its dynamic section says.
//!
//! The address of a function usually says which library it is in, but not that of an indirect function (`STT_GNU_IFUNC`): its
//! library chooses the address when it is looked up, and may choose one elsewhere. `time` of libc is in a page that the
//! kernel maps into every process. The table that is read here is the one the loader itself searches. `open.rs` asks.

use std::ffi::{CStr, CString, c_char};

/// The public head of glibc's and musl's `struct link_map`.
#[repr(C)]
pub(crate) struct LinkMap {
    /// What is added to addresses of the file.
    pub base: usize,
    /// The path of the library.
    pub name: *const c_char,
    dynamic: *const Dynamic,
}

/// `Elf64_Dyn`.
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

/// `Elf64_Sym`.
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

const STRINGS: i64 = 5;
const SYMBOLS: i64 = 6;
const HASH: i64 = 4;
const GNU_HASH: i64 = 0x6fff_fef5;

/// What a symbol of a library is, as its table says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SymbolKind {
    /// Code, or an indirect function.
    Function,
    /// Data of so many bytes; of each thread its own, in some cases.
    Variable {
        /// 0 where the table does not say.
        size: u64,
    },
    /// The table does not say, as for what is written in assembly.
    Unknown,
}

impl Symbol {
    fn kind(&self) -> SymbolKind {
        match self.info & 15 {
            2 | 10 => SymbolKind::Function,
            1 | 5 | 6 => SymbolKind::Variable { size: self.size },
            _ => SymbolKind::Unknown,
        }
    }
}

/// What `symbol` is if the library itself defines it; `None` also where it has no table of a usual kind.
///
/// # Safety
///
/// `map` is the loader's entry of an open library.
pub(crate) unsafe fn defined(map: &LinkMap, symbol: &str) -> Option<SymbolKind> {
    let wanted = CString::new(symbol).ok()?;
    if !cfg!(target_pointer_width = "64") {
        return None;
    }
    // SAFETY: the caller's contract: the dynamic section of an open library ends with a tag of 0.
    let [strings, symbols, gnu, plain] =
        [STRINGS, SYMBOLS, GNU_HASH, HASH].map(|tag| unsafe { address_of(map, tag) });
    let (strings, symbols) = (strings? as *const c_char, symbols? as *const Symbol);
    // SAFETY: the tables of an open library are laid out in memory as their formats have them.
    unsafe {
        match (gnu, plain) {
            (Some(table), _) => in_gnu_table(table as *const u32, symbols, strings, &wanted),
            (None, Some(table)) => in_plain_table(table as *const u32, symbols, strings, &wanted),
            (None, None) => None,
        }
    }
}

/// Looks a name up by the table of `DT_HASH`: two numbers, the first symbol of each bucket, and for each symbol the next.
///
/// # Safety
///
/// The three are the tables of one open library.
unsafe fn in_plain_table(
    table: *const u32,
    symbols: *const Symbol,
    strings: *const c_char,
    wanted: &CStr,
) -> Option<SymbolKind> {
    // SAFETY: the caller's contract; no chain is longer than there are symbols.
    unsafe {
        let [buckets, count] = [0, 1].map(|at| table.add(at).read() as usize);
        if buckets == 0 {
            return None;
        }
        let chain = table.add(2 + buckets);
        let mut at = table.add(2 + plain_hash(wanted) as usize % buckets).read() as usize;
        for _ in 0..count {
            if at == 0 || at >= count {
                return None;
            }
            let entry = &*symbols.add(at);
            if entry.section != 0 && CStr::from_ptr(strings.add(entry.name as usize)) == wanted {
                return Some(entry.kind());
            }
            at = chain.add(at).read() as usize;
        }
        None
    }
}

/// The hash of `DT_HASH`.
fn plain_hash(symbol: &CStr) -> u32 {
    symbol.to_bytes().iter().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(*byte));
        let high = hash & 0xf000_0000;
        (hash ^ (high >> 24)) & !high
    })
}

/// Looks a name up by the table of `DT_GNU_HASH`: four numbers, a filter of words of eight bytes, the first symbol of each
/// bucket, and for each symbol from `first` on its hash, whose lowest bit ends a bucket.
///
/// # Safety
///
/// The three are the tables of one open library.
unsafe fn in_gnu_table(
    table: *const u32,
    symbols: *const Symbol,
    strings: *const c_char,
    wanted: &CStr,
) -> Option<SymbolKind> {
    // SAFETY: the caller's contract.
    unsafe {
        let [buckets, first, filter] = [0, 1, 2].map(|at| table.add(at).read() as usize);
        let heads = table.add(4 + 2 * filter);
        let chain = heads.add(buckets);
        let hash = hash_of(wanted);
        if buckets == 0 {
            return None;
        }
        let mut at = heads.add(hash as usize % buckets).read() as usize;
        if at < first {
            return None;
        }
        loop {
            let other = chain.add(at - first).read();
            if other | 1 == hash | 1 {
                let entry = &*symbols.add(at);
                let name = CStr::from_ptr(strings.add(entry.name as usize));
                if entry.section != 0 && name == wanted {
                    return Some(entry.kind());
                }
            }
            if other & 1 == 1 {
                return None;
            }
            at += 1;
        }
    }
}

/// The hash of `DT_GNU_HASH`.
fn hash_of(symbol: &CStr) -> u32 {
    symbol.to_bytes().iter().fold(5381, |hash: u32, byte| {
        hash.wrapping_mul(33).wrapping_add(u32::from(*byte))
    })
}

/// The address that the dynamic section has for a tag. Some loaders leave it relative to the library.
///
/// # Safety
///
/// As for [`defined`].
unsafe fn address_of(map: &LinkMap, tag: i64) -> Option<usize> {
    let mut entry = map.dynamic;
    if entry.is_null() {
        return None;
    }
    // SAFETY: the caller's contract.
    unsafe {
        while (*entry).tag != 0 {
            if (*entry).tag == tag {
                let value = (*entry).value as usize;
                return Some(if value < map.base {
                    map.base + value
                } else {
                    value
                });
            }
            entry = entry.add(1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{hash_of, plain_hash};

    #[test]
    fn hashes_are_those_of_the_format() {
        assert_eq!(hash_of(c""), 0x1505);
        assert_eq!(hash_of(c"printf"), 0x156b_2bb8);
        assert_eq!(hash_of(c"exit"), 0x7c96_7e3f);
        assert_eq!(plain_hash(c""), 0);
        assert_eq!(plain_hash(c"printf"), 0x077_905a6);
        assert_eq!(plain_hash(c"exit"), 0x0006_cf04);
    }
}
