//! Memory from the system for code and data, given back when the owner goes.
//!
//! Code is written while it cannot run and runs while it cannot be written. Nothing here knows what the memory
//! contains.

#![allow(
    unsafe_code,
    reason = "mapping memory and making it executable is what this file does"
)]

use std::io;
use std::ptr::NonNull;

/// A mapping of whole pages.
#[derive(Debug)]
pub(crate) struct Arena {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: the mapping belongs to this value alone and is reached only through it.
unsafe impl Send for Arena {}

/// What the pages may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Reading and writing.
    Write,
    /// Reading and executing.
    Execute,
}

/// Where to ask for memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Where the system puts mappings, shared libraries among them.
    Anywhere,
    /// Below 2 GiB if there is room, where addresses are short constants.
    Low,
    /// As near to this address as can be had.
    Near(usize),
    /// At this address, and nowhere else.
    At(usize),
}

impl Arena {
    /// Zeroed, writable memory of at least `size` bytes.
    ///
    /// # Errors
    ///
    /// The system's, when there is no memory.
    pub(crate) fn new(size: usize, place: Place) -> io::Result<Arena> {
        let size = size.max(1).next_multiple_of(page_size());
        let (hint, flags) = match place {
            Place::Anywhere => (0, 0),
            Place::Low if cfg!(all(target_arch = "x86_64", target_os = "linux")) => (0, low_flag()),
            Place::Low => (0, 0),
            Place::Near(address) => (address & !(page_size() - 1), 0),
            Place::At(address) => (address, no_replacing()),
        };
        let map = |hint: usize, flags| {
            // SAFETY: a private anonymous mapping at a place the system chooses (the hint is not forced) touches nothing
            // that exists.
            unsafe {
                libc::mmap(
                    std::ptr::without_provenance_mut(hint),
                    size,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
                    -1,
                    0,
                )
            }
        };
        let mut start = map(hint, flags);
        if start == libc::MAP_FAILED && place == Place::Low {
            start = map(0, 0);
        }
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast())
            .ok_or_else(|| io::Error::other("the system mapped address zero"))?;
        let arena = Arena { start, size };
        match place {
            Place::At(address) if arena.base() != address => {
                Err(io::Error::from(io::ErrorKind::AddrInUse))
            }
            _ => Ok(arena),
        }
    }

    /// The address of the first byte.
    pub(crate) fn base(&self) -> usize {
        self.start.addr().get()
    }

    /// The pointer to the first byte.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Changes what the pages may be used for.
    ///
    /// # Errors
    ///
    /// The system's; some refuse to make memory executable.
    ///
    /// # Safety
    ///
    /// No code in the arena runs and no slice of [`Arena::bytes`] lives when the access it needs is taken away.
    pub(crate) unsafe fn protect(&self, access: Access) -> io::Result<()> {
        let protection = match access {
            Access::Write => libc::PROT_READ | libc::PROT_WRITE,
            Access::Execute => libc::PROT_READ | libc::PROT_EXEC,
        };
        // SAFETY: the range is this mapping; the caller vouches for its users.
        if unsafe { libc::mprotect(self.start.as_ptr().cast(), self.size, protection) } != 0 {
            return Err(io::Error::last_os_error());
        }
        if access == Access::Execute {
            synchronize(self.start.as_ptr(), self.size);
        }
        Ok(())
    }

    /// The memory.
    ///
    /// # Safety
    ///
    /// The pages are writable and nothing else reads or writes them while the slice lives.
    pub(crate) unsafe fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has `size` initialized bytes; the caller vouches for access and exclusiveness.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.size) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the range is a mapping of this size made by `new`, and its owner is going. A failure leaves it mapped.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.size) };
    }
}

fn page_size() -> usize {
    // SAFETY: a query without arguments that point anywhere.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn low_flag() -> libc::c_int {
    libc::MAP_32BIT
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn low_flag() -> libc::c_int {
    0
}

/// Has the system refuse a place that is taken; where it cannot, it takes another place.
#[cfg(target_os = "linux")]
fn no_replacing() -> libc::c_int {
    libc::MAP_FIXED_NOREPLACE
}

#[cfg(not(target_os = "linux"))]
fn no_replacing() -> libc::c_int {
    0
}

/// Makes written code visible to instruction fetch.
#[cfg(not(target_arch = "aarch64"))]
fn synchronize(_start: *const u8, _size: usize) {}

/// Makes written code visible to instruction fetch: data cache to the point of unification, then instruction cache.
#[cfg(target_arch = "aarch64")]
fn synchronize(start: *const u8, size: usize) {
    // 4 words of 4 bytes are the least line size that the architecture allows.
    const LINE: usize = 16;
    for offset in (0..size).step_by(LINE) {
        // SAFETY: cache maintenance by address inside the mapping changes no memory.
        unsafe {
            std::arch::asm!("dc cvau, {0}", "ic ivau, {0}", in(reg) start.wrapping_add(offset))
        };
    }
    // SAFETY: barriers only order what is above.
    unsafe { std::arch::asm!("dsb ish", "isb") };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_writable_and_low_where_asked() {
        let mut arena = Arena::new(10, Place::Low).unwrap();
        if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            assert!(arena.base() < 1 << 31);
        }
        // SAFETY: the arena is writable and used by this test alone.
        let bytes = unsafe { arena.bytes() };
        assert!(bytes.len() >= 10 && bytes.iter().all(|&byte| byte == 0));
        bytes[0] = 1;
    }

    #[test]
    fn a_place_is_given_once() {
        let first = Arena::new(10, Place::Low).unwrap();
        let base = first.base();
        assert!(Arena::new(10, Place::At(base)).is_err());
        drop(first);
        assert_eq!(Arena::new(10, Place::At(base)).unwrap().base(), base);
    }
}
