//! The allocator of the compiler's own data: many small pieces that live as long as a pass, on a few threads.
//!
//! As in `memory.rs`, a piece comes from a chunk that is cut into blocks of one size class, and a freed block goes to the front of its
//! class's list, so both take a few instructions. Each thread has its lists; a block goes to the lists of the thread that frees it.
//! When a thread ends, the next one takes its lists over. Chunks are never given back: what a compilation needed is
//! there for the next. Large pieces are the system's, which gives them back and grows them in place.
//!
//! ```text
//! thread 1 ── Heap ── free[16 bytes] ─> block ─> block
//!                     free[32 bytes] ─> block
//!                     bump ....... end        the unused rest of the newest chunk
//! ended ───── Heap    waits in `IDLE`
//! ```
//!
//! Where the system has no memory, the process ends with a message and exit code 1, unless the request can be refused
//! (`simple_system::memory`): Rust itself would abort, as if the compiler had crashed.
//!
//! Compiled programs do not use this; their objects are in `memory.rs`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Larger pieces come from the system.
const LARGEST: usize = 32 << 10;
/// What every block is aligned to; pieces that need more come from the system.
const GRAIN: usize = 16;
/// Up to here classes are a grain apart, from here on a quarter of a power of two.
const FINE: usize = 512;
const FINE_CLASSES: usize = FINE / GRAIN + 1;
const CLASSES: usize = FINE_CLASSES + 4 * (LARGEST / FINE).ilog2() as usize;
const FIRST_CHUNK: usize = 64 << 10;
/// As large as a huge page on most machines, and aligned so: a compilation that needs many chunks then waits for the kernel's pages a
/// few times only.
const LARGEST_CHUNK: usize = 2 << 20;

/// The allocator; a program sets it with `#[global_allocator]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator;

/// A thread's lists.
struct Heap {
    /// The first free block of each class; a free block begins with the address of the next one.
    free: [*mut u8; CLASSES],
    /// The unused rest of the newest chunk.
    bump: *mut u8,
    end: *mut u8,
    next_chunk: usize,
    /// The next heap of no thread.
    next: *mut Heap,
}

/// The heaps of ended threads, as a list through `next`.
static IDLE: AtomicPtr<Heap> = AtomicPtr::new(ptr::null_mut());

/// Puts a list of heaps in front of those in [`IDLE`].
///
/// # Safety
/// `first` is a heap of no thread and not in the list, and so are those that follow it.
unsafe fn leave(first: *mut Heap) {
    let mut last = first;
    // SAFETY: heaps live forever, and by the caller's contract nothing else uses these.
    unsafe {
        while !(*last).next.is_null() {
            last = (*last).next;
        }
        let mut others = IDLE.load(Ordering::Relaxed);
        loop {
            (*last).next = others;
            match IDLE.compare_exchange_weak(others, first, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => others = now,
            }
        }
    }
}

/// Hands the thread's heap on when the thread ends.
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        let heap = HEAP.replace(ptr::null_mut());
        if heap.is_null() {
            return;
        }
        // SAFETY: the heap was this thread's alone, which has just released it.
        unsafe {
            (*heap).next = ptr::null_mut();
            leave(heap);
        }
    }
}

thread_local! {
    static HEAP: Cell<*mut Heap> = const { Cell::new(ptr::null_mut()) };
    static GUARD: Guard = const { Guard };
}

/// The class of a piece of up to [`LARGEST`] bytes, and how large its blocks are.
fn class_of(size: usize) -> (usize, usize) {
    if size <= FINE {
        let class = size.div_ceil(GRAIN);
        return (class, class * GRAIN);
    }
    let last = size - 1;
    let power = last.ilog2();
    let quarters = last >> (power - 2);
    let class = FINE_CLASSES + 4 * (power - FINE.ilog2()) as usize + (quarters & 3);
    (class, (quarters + 1) << (power - 2))
}

/// Whether a piece comes from a heap.
fn is_small(size: usize, align: usize) -> bool {
    size <= LARGEST && align <= GRAIN
}

/// This thread's heap; null for a thread that is ending, or where the system has no memory.
#[inline]
fn heap() -> *mut Heap {
    let heap = HEAP.get();
    if heap.is_null() { adopt_heap() } else { heap }
}

/// Gives the thread the heap of an ended one, or a new one.
#[cold]
fn adopt_heap() -> *mut Heap {
    if GUARD.try_with(|_| ()).is_err() {
        return ptr::null_mut();
    }
    // Registering the guard may have allocated.
    let heap = HEAP.get();
    if !heap.is_null() {
        return heap;
    }
    // All are taken and the others left again: taking one alone could go wrong when it comes back meanwhile.
    let mut heap = IDLE.swap(ptr::null_mut(), Ordering::Acquire);
    if heap.is_null() {
        // SAFETY: the layout has a size; zero bytes are a heap without blocks.
        heap = unsafe { System.alloc_zeroed(Layout::new::<Heap>()).cast() };
    } else {
        // SAFETY: what was in the list is now this thread's alone.
        unsafe {
            let others = (*heap).next;
            if !others.is_null() {
                leave(others);
            }
        }
    }
    HEAP.set(heap);
    heap
}

impl Heap {
    /// A block of the class from the newest chunk, or from a new one; null where the system has none.
    #[cold]
    fn refill(&mut self, block: usize) -> *mut u8 {
        if (self.end as usize) - (self.bump as usize) < block {
            let size = self.next_chunk.clamp(FIRST_CHUNK, LARGEST_CHUNK);
            let chunk = take_chunk(size);
            if chunk.is_null() {
                return chunk;
            }
            self.next_chunk = size * 2;
            self.bump = chunk;
            self.end = chunk.wrapping_add(size);
        }
        let found = self.bump;
        self.bump = found.wrapping_add(block);
        found
    }
}

/// Memory for a chunk; null where the system has none.
fn take_chunk(size: usize) -> *mut u8 {
    let align = if size < LARGEST_CHUNK { GRAIN } else { size };
    let Ok(layout) = Layout::from_size_align(size, align) else {
        return ptr::null_mut();
    };
    // SAFETY: the layout has a size.
    let chunk = unsafe { System.alloc(layout) };
    #[cfg(target_os = "linux")]
    if size == LARGEST_CHUNK && !chunk.is_null() {
        // SAFETY: the memory is this chunk's alone; the advice does not change its content, and may be refused.
        unsafe { libc::madvise(chunk.cast(), size, libc::MADV_HUGEPAGE) };
    }
    chunk
}

/// The piece, unless there is none and the caller cannot go on without it.
#[inline(always)]
fn or_end(piece: *mut u8, size: usize) -> *mut u8 {
    if piece.is_null() {
        end_unless_refusable(size);
    }
    piece
}

/// Ends the process for lack of so many bytes, without asking for more.
#[cold]
fn end_unless_refusable(size: usize) {
    if simple_system::memory::can_fail() {
        return;
    }
    crate::io::flush_program();
    let mut line = crate::io::Line::default();
    let _ = write!(line, "error: out of memory: no room for {size} more bytes");
    line.end();
    // SAFETY: `_exit` takes any code and touches no memory of the process.
    unsafe { libc::_exit(1) }
}

// SAFETY: a block is `class_of(size).1` bytes long, which is at least `size`, and aligned to a grain, as chunks are and all blocks
// before it in its chunk are long. It is on no list while it is in use, and on the lists of one thread otherwise. Which
// allocator a piece belongs to depends on its layout alone, so it is freed where it was made.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_small(layout.size(), layout.align()) {
            // SAFETY: the caller's contract.
            return or_end(unsafe { System.alloc(layout) }, layout.size());
        }
        let (class, block) = class_of(layout.size());
        let heap = heap();
        if heap.is_null() {
            // SAFETY: `block` is not zero, as no caller asks for nothing. Later the block is as good as one of a chunk.
            let piece = unsafe { System.alloc(Layout::from_size_align_unchecked(block, GRAIN)) };
            return or_end(piece, block);
        }
        // SAFETY: the heap is this thread's alone, and nothing below comes back here.
        let heap = unsafe { &mut *heap };
        let first = heap.free[class];
        if first.is_null() {
            return or_end(heap.refill(block), block);
        }
        // SAFETY: a block on a list begins with the address of the next one.
        heap.free[class] = unsafe { first.cast::<*mut u8>().read() };
        first
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if !is_small(layout.size(), layout.align()) {
            // SAFETY: the caller's contract; such a piece came from the system.
            return unsafe { System.dealloc(piece, layout) };
        }
        let heap = heap();
        // The last pieces of an ending thread may be part of a chunk; they are few and stay.
        if heap.is_null() {
            return;
        }
        // SAFETY: the heap is this thread's alone; the piece is a block of this class and no longer in use.
        unsafe {
            let list = &mut (*heap).free[class_of(layout.size()).0];
            piece.cast::<*mut u8>().write(*list);
            *list = piece;
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !is_small(layout.size(), layout.align()) {
            // SAFETY: the caller's contract.
            return or_end(unsafe { System.alloc_zeroed(layout) }, layout.size());
        }
        // SAFETY: the caller's contract; a new block has room for that many bytes.
        unsafe {
            let piece = self.alloc(layout);
            if !piece.is_null() {
                piece.write_bytes(0, layout.size());
            }
            piece
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let before = is_small(layout.size(), layout.align());
        let after = is_small(size, layout.align());
        if !before && !after {
            // SAFETY: the caller's contract; such a piece came from the system.
            return or_end(unsafe { System.realloc(piece, layout, size) }, size);
        }
        if before && after && class_of(size) == class_of(layout.size()) {
            return piece;
        }
        // SAFETY: the caller's contract: `size` is not zero and fits the alignment, and the piece is used no more.
        unsafe {
            let wanted = Layout::from_size_align_unchecked(size, layout.align());
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(piece, moved, size.min(layout.size()));
                self.dealloc(piece, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_its_piece_and_little_more() {
        let mut classes = Vec::new();
        for size in 1..=LARGEST {
            let (class, block) = class_of(size);
            assert!(class < CLASSES, "{size}");
            assert!(block >= size && block % GRAIN == 0, "{size}: {block}");
            assert!(
                block < size + GRAIN || block * 4 <= size * 5 + 3,
                "{size}: {block}"
            );
            classes.push((class, block));
        }
        classes.dedup();
        // One block size for each class, in order.
        assert!(
            classes
                .windows(2)
                .all(|pair| pair[0].0 + 1 == pair[1].0 && pair[0].1 < pair[1].1)
        );
        assert_eq!(classes.last(), Some(&(CLASSES - 1, LARGEST)));
    }

    /// Takes, grows, hands over and frees pieces of many sizes, each filled with its own byte.
    #[test]
    fn pieces_keep_their_content_and_go_from_thread_to_thread() {
        let make = |seed: usize| {
            let mut pieces = Vec::new();
            for step in 0..2000usize {
                let size = 1 + (seed * 7919 + step * step * 31) % (LARGEST + 9000);
                let layout = Layout::from_size_align(size, 8).expect("a layout");
                // SAFETY: the layout has a size, and every byte written is in the piece.
                unsafe {
                    let piece = Allocator.alloc(layout);
                    assert!(!piece.is_null() && (piece as usize).is_multiple_of(8));
                    piece.write_bytes(step as u8, size);
                    pieces.push((piece as usize, layout, step as u8));
                }
            }
            pieces
        };
        let change = |pieces: Vec<(usize, Layout, u8)>| {
            for (piece, layout, byte) in pieces {
                let larger = layout.size() * 3 / 2 + 1;
                // SAFETY: the piece has this layout, is owned by nothing else, and is freed once, with the layout it
                // then has.
                unsafe {
                    let grown = Allocator.realloc(piece as *mut u8, layout, larger);
                    let bytes = std::slice::from_raw_parts(grown, layout.size());
                    assert!(bytes.iter().all(|&found| found == byte));
                    let layout = Layout::from_size_align(larger, 8).expect("a layout");
                    Allocator.dealloc(grown, layout);
                    let zeroed = Allocator.alloc_zeroed(layout);
                    let bytes = std::slice::from_raw_parts(zeroed, larger);
                    assert!(bytes.iter().all(|&found| found == 0));
                    Allocator.dealloc(zeroed, layout);
                }
            }
        };
        for round in 0..3 {
            let made: Vec<_> = (0..4)
                .map(|seed| std::thread::spawn(move || make(seed + round)))
                .collect();
            let made: Vec<_> = made
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect();
            let changed: Vec<_> = made
                .into_iter()
                .map(|pieces| std::thread::spawn(move || change(pieces)))
                .collect();
            for thread in changed {
                thread.join().expect("no panic");
            }
        }
    }

    #[test]
    fn a_heap_outlives_its_thread_and_serves_the_next() {
        let layout = Layout::from_size_align(48, 8).expect("a layout");
        // SAFETY: the piece is freed once, with its layout.
        let work = move || unsafe {
            let piece = Allocator.alloc(layout);
            Allocator.dealloc(piece, layout);
            HEAP.get() as usize
        };
        let heaps: Vec<usize> = (0..50)
            .map(|_| std::thread::spawn(work).join().expect("no panic"))
            .collect();
        let mut distinct = heaps.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // Other tests' threads may take one in between.
        assert!(distinct.len() < heaps.len() / 2, "{} heaps", distinct.len());
    }
}
