//! Memory of this library: the system's, with words instead of an abort when there is none.
//!
//! What grows with data asks through `simple_system::memory` and can be refused, which becomes an error of the program. For everything else the
//! process ends with a message and exit code 1; Rust itself would abort. libtorch has its own allocators and errors.

use std::alloc::{GlobalAlloc, Layout, System};

use simple_system::memory::can_fail;

struct OrEnd;

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

// SAFETY: every piece is the system's.
unsafe impl GlobalAlloc for OrEnd {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        or_end(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        or_end(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(piece, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract.
        or_end(unsafe { System.realloc(piece, layout, size) })
    }
}

#[inline(always)]
fn or_end(piece: *mut u8) -> *mut u8 {
    if piece.is_null() {
        end_unless_refusable();
    }
    piece
}

/// Ends the process without asking for memory.
#[cold]
fn end_unless_refusable() {
    if can_fail() {
        return;
    }
    let words = b"error: out of memory in the torch library\n";
    // SAFETY: the words are readable; `_exit` takes any code and touches no memory of the process.
    unsafe {
        libc::write(libc::STDERR_FILENO, words.as_ptr().cast(), words.len());
        libc::_exit(1)
    }
}
