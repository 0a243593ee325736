//! Connects libtorch with this runtime instead of libgomp.
//!
//! libtorch calls libgomp through the slots of its procedure linkage table, which the loader fills with addresses when a function is first called.
//! [`take_over`] fills those of OpenMP's functions before, with the functions of this runtime. Only the slots of this one library change, so a
//! program's own libraries that use OpenMP keep theirs.
//!
//! It is all or nothing: if libtorch imports an OpenMP function that is not here (from another version, or another compiler's runtime), or has its
//! slots where they cannot be written, nothing changes and libtorch keeps what it came with. [`kept`] says why.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::sync::OnceLock;

use super::{FUNCTIONS, Function, team};

/// The type of a relocation that fills a slot.
#[cfg(target_arch = "x86_64")]
const JUMP_SLOT: u64 = 7;
#[cfg(target_arch = "aarch64")]
const JUMP_SLOT: u64 = 1026;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const JUMP_SLOT: u64 = u64::MAX;

const LIBRARY: &[u8] = b"libtorch_cpu.so";

/// The variable that turns this runtime off: `0`.
const SWITCH: &str = "SIMPLE_OPENMP";

static OUTCOME: OnceLock<Result<(), Kept>> = OnceLock::new();

/// Why libtorch keeps the OpenMP runtime that it came with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The variable says so.
    SwitchedOff,
    /// No libtorch is open.
    NoLibtorch,
    /// It calls no OpenMP function through slots that are known here.
    NoSlots,
    /// It calls a function that this runtime lacks.
    Lacks(String),
    /// The slot of this function cannot be written.
    Fixed(String),
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kept::SwitchedOff => write!(f, "{SWITCH}=0"),
            Kept::NoLibtorch => f.write_str("no libtorch is open"),
            Kept::NoSlots => f.write_str("it calls no OpenMP function in a form that is known"),
            Kept::Lacks(name) => write!(f, "it calls `{name}`, which Simple's runtime lacks"),
            Kept::Fixed(name) => write!(f, "its slot of `{name}` cannot be written"),
        }
    }
}

/// Connects the libtorch that is open, unless `SIMPLE_OPENMP=0`. Called when that library has been opened, before libtorch has begun a team;
/// later calls change nothing.
pub fn take_over() {
    OUTCOME.get_or_init(|| match std::env::var_os(SWITCH) {
        Some(value) if value == "0" => Err(Kept::SwitchedOff),
        _ => connect(),
    });
}

/// Why libtorch keeps the runtime that it came with; `None` if it uses this one.
pub fn kept() -> Option<Kept> {
    match OUTCOME.get() {
        Some(outcome) => outcome.clone().err(),
        None => Some(Kept::NoLibtorch),
    }
}

fn connect() -> Result<(), Kept> {
    let mut found: Option<Library> = None;
    // SAFETY: `visit` gets `found` back and does not unwind.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    let library = found.ok_or(Kept::NoLibtorch)?;
    for (slot, function) in library.slots()? {
        // SAFETY: `slots` says that it is a slot of libtorch that can be written. Other threads may call through it: they see the old
        // address or the new one.
        unsafe { slot.write_volatile(function) };
    }
    Ok(())
}

/// Says how many threads libtorch's operators may use on this thread, for the shim, which otherwise has to ask libgomp. 0 if libtorch does not use
/// this runtime.
#[unsafe(no_mangle)]
extern "C" fn simple_openmp_want(count: c_int) -> c_int {
    let ours = matches!(OUTCOME.get(), Some(Ok(())));
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
    /// The slots of OpenMP's functions, each with the function that belongs there; an error if one cannot be served.
    fn slots(&self) -> Result<Vec<(*mut Function, Function)>, Kept> {
        let dynamic = self.dynamic().ok_or(Kept::NoSlots)?;
        if !dynamic.with_addend || dynamic.symbols == 0 || dynamic.names == 0 {
            return Err(Kept::NoSlots);
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
            let words = || name.to_string_lossy().into_owned();
            let (_, function) = FUNCTIONS
                .iter()
                .find(|(known, _)| known.as_bytes() == name.to_bytes())
                .ok_or_else(|| Kept::Lacks(words()))?;
            let slot = self.base + relocation.offset as usize;
            if relocation.info & 0xffff_ffff != JUMP_SLOT || !self.can_be_written(slot) {
                return Err(Kept::Fixed(words()));
            }
            slots.push((slot as *mut Function, *function));
        }
        if slots.is_empty() {
            return Err(Kept::NoSlots);
        }
        Ok(slots)
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
    fn without_a_libtorch_nothing_is_connected() {
        assert_eq!(kept(), Some(Kept::NoLibtorch));
        take_over();
        assert_eq!(kept(), Some(Kept::NoLibtorch));
        assert_eq!(simple_openmp_want(3), 0);
    }

    #[test]
    fn reasons_name_what_is_missing() {
        let lacks = Kept::Lacks("GOMP_task".into());
        assert_eq!(
            lacks.to_string(),
            "it calls `GOMP_task`, which Simple's runtime lacks"
        );
        assert_eq!(Kept::SwitchedOff.to_string(), "SIMPLE_OPENMP=0");
    }

    #[test]
    fn openmp_is_known_by_its_names() {
        assert!(is_openmp(b"GOMP_parallel"));
        assert!(is_openmp(b"__kmpc_fork_call"));
        assert!(!is_openmp(b"mkl_serv_omp_in_parallel"));
    }
}
