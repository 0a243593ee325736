//! Connects libtorch with this runtime instead of libgomp.
//!
//! libtorch calls libgomp through the slots of its procedure linkage table, which the loader fills with addresses when a function is first called.
//! [`take_over`] fills those of OpenMP's functions before, with the functions of this runtime. Only the slots of this one library change, so a
//! program's own libraries that use OpenMP keep theirs.
//!
//! It is all or nothing: if libtorch imports an OpenMP function that is not here (from another version, or another
//! compiler's runtime), or has its slots where they cannot be written, nothing changes and libtorch goes on with what it came with.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::{FUNCTIONS, Function, team};

/// The type of a relocation that fills a slot.
#[cfg(target_arch = "x86_64")]
const JUMP_SLOT: u64 = 7;
#[cfg(target_arch = "aarch64")]
const JUMP_SLOT: u64 = 1026;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const JUMP_SLOT: u64 = u64::MAX;

const LIBRARY: &[u8] = b"libtorch_cpu.so";

static TAKEN_OVER: AtomicBool = AtomicBool::new(false);

/// Connects the libtorch that is open. Called once, when this library has been opened, before libtorch has begun a team.
pub fn take_over() {
    let mut found: Option<Library> = None;
    // SAFETY: `visit` gets `found` back and does not unwind.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    let Some(slots) = found.and_then(|library| library.slots()) else {
        return;
    };
    for (slot, function) in slots {
        // SAFETY: `slots` says that it is a slot of libtorch that can be written. Other threads may call through it: they see the old
        // address or the new one.
        unsafe { slot.write_volatile(function) };
    }
    TAKEN_OVER.store(true, Relaxed);
}

/// Says how many threads libtorch's operators may use on this thread, for the shim, which otherwise has to ask libgomp. 0 if libtorch does not use
/// this runtime.
#[unsafe(no_mangle)]
extern "C" fn simple_openmp_want(count: c_int) -> c_int {
    let ours = TAKEN_OVER.load(Relaxed);
    if ours {
        team::want(count.max(1) as usize);
    }
    c_int::from(ours)
}

/// A library in memory.
struct Library {
    /// What its addresses are relative to.
    base: usize,
    headers: &'static [libc::Elf64_Phdr],
}

/// Keeps the library that is looked for.
///
/// # Safety
/// The loader calls it, with `found` as `take_over` gave it.
unsafe extern "C" fn visit(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    found: *mut c_void,
) -> c_int {
    // SAFETY: the loader's record lives during the call; the headers and the name as long as the library, and libtorch is never closed.
    unsafe {
        let info = &*info;
        let name = CStr::from_ptr(info.dlpi_name).to_bytes();
        if name.rsplit(|byte| *byte == b'/').next() != Some(LIBRARY) {
            return 0;
        }
        *found.cast::<Option<Library>>() = Some(Library {
            base: info.dlpi_addr as usize,
            headers: std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()),
        });
    }
    1
}

/// The parts of a library's dynamic section that lead to its slots.
#[derive(Default)]
struct Dynamic {
    symbols: usize,
    names: usize,
    relocations: usize,
    size: usize,
    with_addend: bool,
}

/// An entry of the dynamic section.
#[repr(C)]
struct Entry {
    tag: i64,
    value: u64,
}

/// A relocation with an addend (`Elf64_Rela`).
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    _addend: i64,
}

const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_PLTREL: i64 = 20;
const DT_JMPREL: i64 = 23;

impl Library {
    /// The slots of OpenMP's functions, each with the function that belongs there; none if one cannot be served.
    fn slots(&self) -> Option<Vec<(*mut Function, Function)>> {
        let dynamic = self.dynamic()?;
        if !dynamic.with_addend || dynamic.symbols == 0 || dynamic.names == 0 {
            return None;
        }
        let count = dynamic.size / size_of::<Relocation>();
        // SAFETY: the loader has read these tables, and they stay.
        let relocations =
            unsafe { std::slice::from_raw_parts(dynamic.relocations as *const Relocation, count) };
        let mut slots = Vec::with_capacity(FUNCTIONS.len());
        for relocation in relocations {
            let symbol = (relocation.info >> 32) as usize;
            // SAFETY: as above; the names are C strings in the table of names.
            let name = unsafe {
                let symbol = &*(dynamic.symbols as *const libc::Elf64_Sym).add(symbol);
                CStr::from_ptr((dynamic.names as *const c_char).add(symbol.st_name as usize))
            };
            if !is_openmp(name.to_bytes()) {
                continue;
            }
            let (_, function) = FUNCTIONS
                .iter()
                .find(|(known, _)| known.as_bytes() == name.to_bytes())?;
            let slot = self.base + relocation.offset as usize;
            if relocation.info & 0xffff_ffff != JUMP_SLOT || !self.can_be_written(slot) {
                return None;
            }
            slots.push((slot as *mut Function, *function));
        }
        Some(slots)
    }

    fn dynamic(&self) -> Option<Dynamic> {
        let header = self
            .headers
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut entry = (self.base + header.p_vaddr as usize) as *const Entry;
        let mut dynamic = Dynamic::default();
        loop {
            // SAFETY: the section ends with an entry whose tag is 0.
            let Entry { tag, value } = unsafe { entry.read() };
            match tag {
                0 => return (dynamic.relocations != 0).then_some(dynamic),
                DT_PLTRELSZ => dynamic.size = value as usize,
                DT_STRTAB => dynamic.names = self.address(value),
                DT_SYMTAB => dynamic.symbols = self.address(value),
                DT_JMPREL => dynamic.relocations = self.address(value),
                DT_PLTREL => dynamic.with_addend = value == DT_RELA as u64,
                _ => {}
            }
            // SAFETY: this was not the last one.
            entry = unsafe { entry.add(1) };
        }
    }

    /// An address of the dynamic section, which glibc has made absolute on some machines.
    fn address(&self, value: u64) -> usize {
        let value = value as usize;
        if value < self.base {
            self.base + value
        } else {
            value
        }
    }

    /// Whether a slot is in memory that stays writable after loading.
    fn can_be_written(&self, slot: usize) -> bool {
        let inside = |header: &libc::Elf64_Phdr| {
            let start = self.base + header.p_vaddr as usize;
            (start..start + header.p_memsz as usize).contains(&slot)
        };
        let writable = |header: &libc::Elf64_Phdr| {
            header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0
        };
        self.headers
            .iter()
            .any(|header| writable(header) && inside(header))
            && !self
                .headers
                .iter()
                .any(|header| header.p_type == libc::PT_GNU_RELRO && inside(header))
    }
}

/// Whether a function belongs to OpenMP's runtime, of whichever compiler.
fn is_openmp(name: &[u8]) -> bool {
    [b"GOMP_".as_slice(), b"GOACC_", b"omp_", b"__kmpc_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_libtorch_is_taken_over() {
        take_over();
        assert!(TAKEN_OVER.load(Relaxed));
        tch::set_num_threads(3);
        assert_eq!(team::wanted(), 3);
        tch::set_num_threads(2);
        assert_eq!(team::wanted(), 2);
    }

    #[test]
    fn openmp_is_known_by_its_names() {
        assert!(is_openmp(b"GOMP_parallel"));
        assert!(is_openmp(b"__kmpc_fork_call"));
        assert!(!is_openmp(b"mkl_serv_omp_in_parallel"));
    }
}
