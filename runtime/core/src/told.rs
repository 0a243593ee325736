//! Which line calls the foreign function that is running, in a few nanoseconds and without the system's unwinder.
//!
//! Compiled code tells its stack pointer around calls of functions that take long, such as those of the torch library. From there the frames of
//! compiled code are walked as in `frames.rs`, and what an address means is looked up once. Anything unusual is left to the unwinder.

use crate::frames::{self, CodeMap, Edge};
use std::cell::{Cell, RefCell};

/// No place of the program.
const NONE: i32 = -1;

/// What is known about an address that a call of compiled code returns to.
#[derive(Clone, Copy)]
struct Seen {
    address: usize,
    frame: u32,
    foreign: bool,
    /// The innermost place that is not in the library, of the call and those that it was inlined from.
    own: i32,
    /// The innermost place.
    inner: i32,
}

/// How many addresses are remembered; a power of two.
const ROOM: usize = 1024;

thread_local! {
    /// The stack pointer during the foreign call that is running, where compiled code tells it; otherwise 0.
    static STACK: Cell<usize> = const { Cell::new(0) };
    /// By address; empty until something is asked.
    static SEEN: RefCell<Vec<Option<Seen>>> = const { RefCell::new(Vec::new()) };
}

/// The address of the word to which compiled code tells this thread's stack pointer before it calls a foreign function that takes long, and 0
/// after it.
pub fn stack_word() -> *const usize {
    STACK.with(|stack| stack.as_ptr().cast_const())
}

/// Forgets what addresses mean, before other code may get them.
pub(crate) fn forget() {
    SEEN.with(|seen| seen.borrow_mut().clear());
}

/// The innermost place of the program that called the foreign function that is running, of the library if it has none.
pub(crate) fn calling_site() -> Option<i32> {
    let map = frames::map()?;
    match walk(map) {
        Ok(site) => site,
        Err(Some(edge)) => frames::site_from(map, edge),
        Err(None) => frames::own_site(),
    }
}

/// Walks the frames from the stack pointer that was told. Fails with the edge to go on from, or without one if none was told.
fn walk(map: &dyn CodeMap) -> Result<Option<i32>, Option<Edge>> {
    let mut stack = STACK.get();
    let (here, top) = (0u8, crate::stack::top());
    // Elsewhere a call does not leave its return address on the stack.
    let told = cfg!(target_arch = "x86_64") && (&raw const here).addr() < stack && stack <= top;
    if !told {
        return Err(None);
    }
    // SAFETY: the word is between this frame and the top of this thread's stack.
    let mut address = unsafe { (stack as *const usize).sub(1).read() };
    match look_up(map, address) {
        Some(seen) if seen.foreign => {}
        _ => return Err(None),
    }
    let mut inner = NONE;
    loop {
        let Some(seen) = look_up(map, address) else {
            return Err(Some(Edge { address, stack }));
        };
        if seen.own != NONE {
            return Ok(Some(seen.own));
        }
        if inner == NONE {
            inner = seen.inner;
        }
        let frame = stack + seen.frame as usize;
        if frame + 16 > top || !frame.is_multiple_of(8) {
            return Ok((inner != NONE).then_some(inner));
        }
        // SAFETY: as in `frames::walk`: the words are below the top of this thread's stack, where every function that calls saves the frame
        // pointer, with its own return address above it.
        address = unsafe { (frame as *const usize).add(1).read() };
        stack = frame + 16;
    }
}

fn look_up(map: &dyn CodeMap, address: usize) -> Option<Seen> {
    SEEN.with(|seen| {
        let mut seen = seen.borrow_mut();
        if seen.is_empty() {
            seen.resize(ROOM, None);
        }
        // Calls are at least five bytes long.
        let place = &mut seen[(address / 4) % ROOM];
        match place {
            Some(known) if known.address == address => {}
            _ => *place = Some(asked(map, address)?),
        }
        *place
    })
}

fn asked(map: &dyn CodeMap, address: usize) -> Option<Seen> {
    let call = map.call(address)?;
    let (mut own, mut inner) = (NONE, NONE);
    map.sites(address, &mut |site| {
        if inner == NONE {
            inner = site;
        }
        let library = map.in_library(site);
        if !library {
            own = site;
        }
        library
    });
    Some(Seen {
        address,
        frame: call.frame,
        foreign: call.foreign.is_some(),
        own,
        inner,
    })
}
