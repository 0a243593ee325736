//! Memory of counted objects: free lists by size for small ones, the system's allocator for large ones.
//!
//! Objects of up to [`LARGEST_SMALL`] bytes come from chunks that are cut into blocks of one size class; a freed block goes to the
//! front of its class's list, so allocating and freeing are a few instructions each. Larger ones go to `malloc`, which
//! returns big ones to the system when they are freed and grows them in place where it can.
//!
//! With [`track_objects`] every live object is remembered, for the report of `leaks.rs`.

use crate::error::raise;
use crate::layout::{Header, TypeDesc};
use crate::leaks;
use simple_system::memory::{LARGE, has_room};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Objects up to this many bytes come from the free lists.
pub const LARGEST_SMALL: usize = 512;
const GRAIN: usize = 16;
const CLASSES: usize = LARGEST_SMALL / GRAIN + 1;
const SMALLEST_CHUNK: usize = 4 << 10;
const FIRST_CHUNK: usize = 32 << 10;
const LARGEST_CHUNK: usize = 1 << 20;
/// What is kept back, so that an error of missing memory has room for its message and trace.
const RESERVE: usize = 64 << 10;

struct Heap {
    /// The first free block of each class; a free block begins with the address of the next one.
    free: [Cell<*mut u8>; CLASSES],
    /// The unused rest of the newest chunk.
    bump: Cell<*mut u8>,
    bump_end: Cell<*mut u8>,
    next_chunk: Cell<usize>,
    /// Bytes of all chunks.
    chunks: Cell<usize>,
    /// [`LARGEST_SMALL`], or 0 when every object comes from `malloc`.
    largest_small: Cell<usize>,
    /// [`RESERVE`] bytes, or null before the first chunk and after a refusal.
    reserve: Cell<*mut u8>,
    tracking: Cell<bool>,
    /// Bytes that came from other threads, less those that went to them.
    surplus: Cell<isize>,
}

/// Free blocks that one thread has too many of, for threads that need some: lists by class.
static SPARE: Mutex<[Vec<Spare>; CLASSES]> = Mutex::new([const { Vec::new() }; CLASSES]);
/// How many lists there are.
static SPARE_LISTS: AtomicUsize = AtomicUsize::new(0);
/// So much more comes to a thread than leaves it before it gives free blocks to others: a thread that only receives would else
/// collect the memory of all senders.
const MOST_SURPLUS: isize = 1 << 20;

/// The first block of a free list.
struct Spare(*mut u8);

// SAFETY: a free block belongs to no thread.
unsafe impl Send for Spare {}

/// How a thread makes objects, for threads that exchange objects with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    largest_small: usize,
    tracking: bool,
}

/// How this thread makes objects.
pub(crate) fn manner() -> Manner {
    HEAP.with(|heap| Manner {
        largest_small: heap.largest_small.get(),
        tracking: heap.tracking.get(),
    })
}

/// Makes objects on this thread as another one does. Before its first object.
pub(crate) fn use_manner(manner: Manner) {
    HEAP.with(|heap| {
        heap.largest_small.set(manner.largest_small);
        heap.tracking.set(manner.tracking);
    });
}

/// Whether this thread remembers its live objects.
pub fn is_tracking() -> bool {
    HEAP.with(|heap| heap.tracking.get())
}

/// A block of this many bytes goes to another thread.
pub(crate) fn leaves(block: *mut u8, size: usize) {
    HEAP.with(|heap| {
        heap.surplus.set(heap.surplus.get() - size as isize);
        if heap.tracking.get() {
            leaks::gone(block as usize);
        }
    });
}

/// A block of this many bytes came from another thread; it may be an object.
pub(crate) fn enters(block: *mut u8, size: usize, object: bool) {
    HEAP.with(|heap| {
        heap.surplus.set(heap.surplus.get() + size as isize);
        if heap.tracking.get() {
            leaks::made(block as usize, size, object);
        }
        if heap.surplus.get() > MOST_SURPLUS {
            heap.surplus.set(0);
            let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
            for (class, free) in heap.free.iter().enumerate() {
                let first = free.replace(ptr::null_mut());
                if !first.is_null() {
                    spare[class].push(Spare(first));
                    SPARE_LISTS.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
}

/// A free list of another thread, of which this one takes the first block; null where there is none.
fn take_spare(heap: &Heap, class: usize) -> *mut u8 {
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(Spare(first)) = spare[class].pop() else {
        return ptr::null_mut();
    };
    SPARE_LISTS.fetch_sub(1, Ordering::Relaxed);
    // SAFETY: a block on a free list begins with the address of the next free one.
    heap.free[class].set(unsafe { first.cast::<*mut u8>().read() });
    first
}

thread_local! {
    static HEAP: Heap = const {
        Heap {
            free: [const { Cell::new(ptr::null_mut()) }; CLASSES],
            bump: Cell::new(ptr::null_mut()),
            bump_end: Cell::new(ptr::null_mut()),
            next_chunk: Cell::new(FIRST_CHUNK),
            chunks: Cell::new(0),
            largest_small: Cell::new(LARGEST_SMALL),
            reserve: Cell::new(ptr::null_mut()),
            tracking: Cell::new(false),
            surplus: Cell::new(0),
        }
    };
}

/// What fills objects that are freed while objects are tracked: no length, address or count that a program could have.
const GONE: u8 = 0xDB;

/// Starts or ends the remembering of live objects on this thread; while it lasts, freed objects are overwritten. Forgets those remembered so far.
pub fn track_objects(on: bool) {
    HEAP.with(|heap| heap.tracking.set(on));
    leaks::forget();
}

/// From now on every object of this thread comes from `malloc`, so that a memory checker such as valgrind sees each of them.
///
/// Must be called before this thread makes its first object, as an object is freed by the allocator that made it.
pub fn use_system_allocator() {
    HEAP.with(|heap| heap.largest_small.set(0));
}

/// Has `malloc` keep what large lists leave, up to 128 MB, instead of giving it back to the system at once: a step that makes the same lists as
/// the one before would otherwise pay for each of their pages again. For the whole process, at its start.
pub fn keep_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: numbers are set, and no other thread is there yet.
    unsafe {
        // The most that it takes.
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 20);
    }
}

/// A new object of `size` bytes with count 1, its fields not initialized; an error and null when there is no room.
///
/// # Safety
/// `size` is at least that of [`Header`]; `desc` is null or lives as long as the object.
pub unsafe extern "C" fn rt_alloc(size: i64, desc: *const TypeDesc) -> *mut Header {
    let object = try_alloc(size as usize);
    if object.is_null() {
        raise(format!(
            "out of memory: no room for an object of {size} bytes"
        ));
        return object;
    }
    // SAFETY: the block has room for a header, by the caller's contract.
    unsafe {
        (*object).count = 1;
        (*object).desc = desc;
    }
    object
}

/// A block of `size` bytes for an object, or null when the system has none.
pub fn try_alloc(size: usize) -> *mut Header {
    HEAP.with(|heap| {
        let block = take_block(heap, size);
        if heap.tracking.get() && !block.is_null() {
            leaks::made(block as usize, size, true);
        }
        block.cast()
    })
}

/// As [`try_alloc`], with all bytes zero. Large blocks come from the system, which has zeroed pages and gives them when they are touched.
pub fn try_alloc_zeroed(size: usize) -> *mut Header {
    HEAP.with(|heap| {
        let block: *mut u8 = if size > heap.largest_small.get() {
            if !has_room(size) {
                return ptr::null_mut();
            }
            // SAFETY: `calloc` takes any size; its blocks are freed as those of `malloc`.
            unsafe { libc::calloc(1, size).cast() }
        } else {
            let block = take_block(heap, size);
            if !block.is_null() {
                // SAFETY: the block has `size` bytes and belongs to this function.
                unsafe { block.write_bytes(0, size) };
            }
            block
        };
        if heap.tracking.get() && !block.is_null() {
            leaks::made(block as usize, size, true);
        }
        block.cast()
    })
}

/// A block of `size` bytes that is not an object, such as the buffer of a hash table; null when the system has none.
pub fn allocate(size: usize) -> *mut u8 {
    HEAP.with(|heap| {
        let block = take_block(heap, size);
        if heap.tracking.get() && !block.is_null() {
            leaks::made(block as usize, size, false);
        }
        block
    })
}

/// Frees a block that is not an object.
///
/// # Safety
/// `block` came from [`allocate`] with this `size`, and is used no more.
pub unsafe fn deallocate(block: *mut u8, size: usize) {
    HEAP.with(|heap| {
        if heap.tracking.get() {
            leaks::gone(block as usize);
        }
        // SAFETY: the caller's contract.
        unsafe { put_block(heap, block, size) }
    });
}

fn take_block(heap: &Heap, size: usize) -> *mut u8 {
    if size > heap.largest_small.get() {
        if !has_room(size) {
            return ptr::null_mut();
        }
        // SAFETY: `malloc` takes any size.
        return unsafe { libc::malloc(size).cast() };
    }
    let class = size.div_ceil(GRAIN);
    let block = heap.free[class].get();
    if block.is_null() {
        return refill(heap, class);
    }
    // SAFETY: a block on a free list begins with the address of the next free one.
    heap.free[class].set(unsafe { block.cast::<*mut u8>().read() });
    block
}

/// # Safety
/// `block` came from [`take_block`] with this `size`, and is used no more.
unsafe fn put_block(heap: &Heap, block: *mut u8, size: usize) {
    if size <= heap.largest_small.get() {
        let list = &heap.free[size.div_ceil(GRAIN)];
        // SAFETY: the block is at least a grain long and no longer in use.
        unsafe { block.cast::<*mut u8>().write(list.get()) };
        list.set(block);
    } else {
        // SAFETY: blocks of this size come from `malloc`.
        unsafe { libc::free(block.cast()) };
    }
}

/// The size and place of a new chunk, null when the machine has no room. Where memory runs short a smaller one will do: an error
/// that was caught has freed objects, but blocks of their class alone.
fn new_chunk(heap: &Heap) -> (usize, *mut u8) {
    let mut chunk = heap.next_chunk.get();
    if (heap.chunks.get() + chunk) % LARGE < chunk && !has_room(LARGE) {
        return (chunk, ptr::null_mut());
    }
    loop {
        // SAFETY: `malloc` takes any size; its blocks are aligned to 16 bytes.
        let memory: *mut u8 = unsafe { libc::malloc(chunk).cast() };
        if !memory.is_null() || chunk <= SMALLEST_CHUNK {
            return (chunk, memory);
        }
        chunk /= 2;
    }
}

/// A block of the class from the newest chunk, or from a new one.
#[cold]
fn refill(heap: &Heap, class: usize) -> *mut u8 {
    if SPARE_LISTS.load(Ordering::Relaxed) > 0 {
        let spare = take_spare(heap, class);
        if !spare.is_null() {
            return spare;
        }
    }
    let size = class * GRAIN;
    let left = heap.bump_end.get() as usize - heap.bump.get() as usize;
    if left < size {
        // The rest of the old chunk becomes a free block of its own class.
        if left >= GRAIN {
            let rest = heap.bump.get();
            // SAFETY: `rest` is the unused end of a chunk, at least one grain long and aligned to a grain.
            unsafe { rest.cast::<*mut u8>().write(heap.free[left / GRAIN].get()) };
            heap.free[left / GRAIN].set(rest);
        }
        let (chunk, memory) = new_chunk(heap);
        if memory.is_null() {
            // SAFETY: the reserve is null or came from `malloc`, and is forgotten.
            unsafe { libc::free(heap.reserve.replace(ptr::null_mut()).cast()) };
            heap.bump.set(ptr::null_mut());
            heap.bump_end.set(ptr::null_mut());
            return ptr::null_mut();
        }
        if heap.reserve.get().is_null() {
            crate::error::prepare();
            // SAFETY: `malloc` takes any size; null is as good as no reserve.
            heap.reserve.set(unsafe { libc::malloc(RESERVE).cast() });
        }
        // Only what was given counts, so that after a refusal the system is asked again.
        heap.chunks.set(heap.chunks.get() + chunk);
        heap.next_chunk.set((chunk * 2).min(LARGEST_CHUNK));
        heap.bump.set(memory);
        heap.bump_end.set(memory.wrapping_add(chunk));
    }
    let block = heap.bump.get();
    heap.bump.set(block.wrapping_add(size));
    block
}

/// Gives the memory of a dead object back.
///
/// # Safety
/// `object` came from [`rt_alloc`] or [`grow`] with this `size`, and nothing refers to it any more.
pub unsafe extern "C" fn rt_free(object: *mut Header, size: i64) {
    let size = size as usize;
    HEAP.with(|heap| {
        if heap.tracking.get() {
            leaks::gone(object as usize);
            // Make reads of a freed object noticeable.
            // SAFETY: the caller hands over a block of this size.
            unsafe { object.cast::<u8>().write_bytes(GONE, size) };
        }
        // SAFETY: the caller's contract.
        unsafe { put_block(heap, object.cast(), size) };
    });
}

/// The object with room for `new_size` bytes, its contents kept; null, with the object untouched, when there is no memory.
///
/// # Safety
/// As for [`rt_free`]; the caller holds the only reference and uses the result instead of `object` from then on.
pub unsafe fn grow(object: *mut Header, old_size: i64, new_size: i64) -> *mut Header {
    let largest_small = HEAP.with(|heap| heap.largest_small.get());
    if old_size.min(new_size) as usize > largest_small {
        if new_size > old_size && !has_room((new_size - old_size) as usize) {
            return ptr::null_mut();
        }
        // SAFETY: blocks of this size come from `malloc`.
        let moved: *mut Header = unsafe { libc::realloc(object.cast(), new_size as usize).cast() };
        if !moved.is_null() && HEAP.with(|heap| heap.tracking.get()) {
            leaks::moved(object as usize, moved as usize, new_size as usize);
        }
        return moved;
    }
    let moved = try_alloc(new_size as usize);
    if !moved.is_null() {
        // SAFETY: both blocks hold that many bytes and do not overlap; the old one is not used afterwards.
        unsafe {
            ptr::copy_nonoverlapping(
                object.cast::<u8>(),
                moved.cast::<u8>(),
                old_size.min(new_size) as usize,
            );
            rt_free(object, old_size);
        }
    }
    moved
}

/// Ends the process because the system has no memory for `size` bytes and the caller cannot fail.
#[cold]
pub fn out_of_memory(size: usize) -> ! {
    crate::io::flush();
    crate::io::complain(format_args!(
        "error: out of memory: no room for {size} more bytes"
    ));
    std::process::exit(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(size: usize) -> *mut Header {
        // SAFETY: every size used here holds a header, and a null descriptor is allowed.
        unsafe { rt_alloc(size as i64, ptr::null()) }
    }

    #[test]
    fn a_freed_block_is_used_again() {
        let first = make(48);
        // SAFETY: made just above with this size.
        unsafe { rt_free(first, 48) };
        assert_eq!(make(40), first);
    }

    #[test]
    fn blocks_do_not_overlap() {
        let sizes = [16, 17, 32, 100, 512, 513, 4000];
        let mut blocks: Vec<(usize, usize)> = Vec::new();
        for round in 0..2000 {
            let size = sizes[round % sizes.len()];
            blocks.push((make(size) as usize, size));
        }
        blocks.sort_unstable();
        for pair in blocks.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0);
            assert_eq!(pair[0].0 % 16, 0);
        }
    }

    #[test]
    fn growing_keeps_contents() {
        for (old, new) in [(32, 64), (64, 4096), (4096, 1 << 20)] {
            let object = make(old);
            // SAFETY: the object is `old` bytes long and grows to `new`.
            unsafe {
                let end = object.cast::<u8>().add(old - 1);
                end.write(77);
                let grown = grow(object, old as i64, new as i64);
                assert_eq!(grown.cast::<u8>().add(old - 1).read(), 77);
                assert_eq!((*grown).count, 1);
                rt_free(grown, new as i64);
            }
        }
    }

    #[test]
    fn leaks_are_counted_by_type() {
        static NAME: &str = "Point";
        let desc = TypeDesc {
            destroy: None,
            name: NAME.as_ptr(),
            name_len: NAME.len() as i64,
            stride: 0,
            retain_elements: None,
            stored_hash: 0,
            ..TypeDesc::NONE
        };
        track_objects(true);
        assert_eq!(leaks::report(), [] as [String; 0]);
        // SAFETY: `desc` outlives both objects.
        let (a, b) = unsafe { (rt_alloc(32, &desc), rt_alloc(2000, &desc)) };
        assert_eq!(leaks::report()[0], "2 objects still live: 2 Point");
        // SAFETY: made just above with these sizes.
        unsafe {
            let b = grow(b, 2000, 1 << 20);
            assert_eq!(leaks::report()[0], "2 objects still live: 2 Point");
            rt_free(a, 32);
            rt_free(b, 1 << 20);
        }
        assert_eq!(leaks::report(), [] as [String; 0]);
        track_objects(false);
    }
}
