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
    /// As near to this address as can be had.
    Near(usize),
}

impl Arena {
    /// Zeroed, writable memory of at least `size` bytes.
    ///
    /// # Errors
    ///
    /// The system's, when there is no memory.
    pub(crate) fn new(size: usize, place: Place) -> io::Result<Arena> {
        let size = size.max(1).next_multiple_of(page_size());
        let hint = match place {
            Place::Anywhere => 0,
            Place::Near(address) => address & !(page_size() - 1),
        };
        // SAFETY: a private anonymous mapping at a place the system chooses (the hint is not forced) touches nothing
        // that exists.
        let start = unsafe {
            libc::mmap(
                std::ptr::without_provenance_mut(hint),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast())
            .ok_or_else(|| io::Error::other("the system mapped address zero"))?;
        Ok(Arena { start, size })
    }

    /// The address of the first byte.
    pub(crate) fn base(&self) -> usize {
        self.start.addr().get()
    }

    /// The pointer to the first byte.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Changes what the first `size` bytes, which are whole pages, may be used for.
    ///
    /// # Errors
    ///
    /// The system's; some refuse to make memory executable.
    ///
    /// # Safety
    ///
    /// No code in these bytes runs and no slice of them lives when the access it needs is taken away.
    pub(crate) unsafe fn protect(&self, size: usize, access: Access) -> io::Result<()> {
        assert!(size <= self.size);
        let protection = match access {
            Access::Write => libc::PROT_READ | libc::PROT_WRITE,
            Access::Execute => libc::PROT_READ | libc::PROT_EXEC,
        };
        // SAFETY: the range is the start of this mapping; the caller vouches for its users.
        if unsafe { libc::mprotect(self.start.as_ptr().cast(), size, protection) } != 0 {
            return Err(io::Error::last_os_error());
        }
        if access == Access::Execute {
            synchronize(self.start.as_ptr(), size);
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

impl Arena {
    /// The first `size` bytes.
    ///
    /// # Safety
    ///
    /// They are writable and nothing else reads or writes them while the slice lives.
    pub(crate) unsafe fn start_of(&mut self, size: usize) -> &mut [u8] {
        assert!(size <= self.size);
        // SAFETY: the mapping has as many initialized bytes; the caller vouches for access and exclusiveness.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), size) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the range is a mapping of this size made by `new`, and its owner is going. A failure leaves it
        // mapped.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.size) };
    }
}

fn page_size() -> usize {
    // SAFETY: a query without arguments that point anywhere.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
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
    fn memory_is_zeroed_and_a_part_of_it_can_be_executed() {
        let mut arena = Arena::new(3 * page_size(), Place::Anywhere).unwrap();
        let page = page_size();
        // SAFETY: the arena is writable and used by this test alone.
        let bytes = unsafe { arena.bytes() };
        assert!(bytes.len() == 3 * page && bytes.iter().all(|&byte| byte == 0));
        // SAFETY: no code runs in it, and the slice above is gone.
        unsafe { arena.protect(page, Access::Execute) }.unwrap();
        let written = arena.pointer().wrapping_add(page);
        // SAFETY: the second page is still writable.
        unsafe { written.write(1) };
    }
}
