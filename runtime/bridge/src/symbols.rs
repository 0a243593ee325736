//! Whether a library itself defines a symbol, as its dynamic section says.
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
const GNU_HASH: i64 = 0x6fff_fef5;

/// Whether the library itself defines `symbol`; false where it has no table of the usual kind.
///
/// # Safety
///
/// `map` is the loader's entry of an open library.
pub(crate) unsafe fn defines(map: &LinkMap, symbol: &str) -> bool {
    let Ok(wanted) = CString::new(symbol) else {
        return false;
    };
    if !cfg!(target_pointer_width = "64") {
        return false;
    }
    // SAFETY: the caller's contract: the dynamic section of an open library ends with a tag of 0.
    let [strings, symbols, table] =
        [STRINGS, SYMBOLS, GNU_HASH].map(|tag| unsafe { address_of(map, tag) });
    let (Some(strings), Some(symbols), Some(table)) = (strings, symbols, table) else {
        return false;
    };
    let (strings, symbols, table) = (
        strings as *const c_char,
        symbols as *const Symbol,
        table as *const u32,
    );
    // SAFETY: the tables of an open library are laid out in memory as the format of `DT_GNU_HASH` has them: four
    // numbers, a filter of words of eight bytes, the first symbol of each bucket, and for each symbol from `first` on
    // its hash, whose lowest bit ends a bucket.
    unsafe {
        let [buckets, first, filter] = [0, 1, 2].map(|at| table.add(at).read() as usize);
        let heads = table.add(4 + 2 * filter);
        let chain = heads.add(buckets);
        let hash = hash_of(symbol);
        if buckets == 0 {
            return false;
        }
        let mut at = heads.add(hash as usize % buckets).read() as usize;
        if at < first {
            return false;
        }
        loop {
            let other = chain.add(at - first).read();
            if other | 1 == hash | 1 {
                let entry = &*symbols.add(at);
                let name = CStr::from_ptr(strings.add(entry.name as usize));
                if entry.section != 0 && name == wanted.as_c_str() {
                    return true;
                }
            }
            if other & 1 == 1 {
                return false;
            }
            at += 1;
        }
    }
}

/// The hash of `DT_GNU_HASH`.
fn hash_of(symbol: &str) -> u32 {
    symbol.bytes().fold(5381, |hash: u32, byte| {
        hash.wrapping_mul(33).wrapping_add(u32::from(byte))
    })
}

/// The address that the dynamic section has for a tag. Some loaders leave it relative to the library.
///
/// # Safety
///
/// As for [`defines`].
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
    use super::hash_of;

    #[test]
    fn hashes_are_those_of_the_format() {
        assert_eq!(hash_of(""), 0x1505);
        assert_eq!(hash_of("printf"), 0x156b_2bb8);
        assert_eq!(hash_of("exit"), 0x7c96_7e3f);
    }
}
