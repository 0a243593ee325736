//! Which calls of compiled code are running: from the stack to places in the program, without anything that compiled code does for it.
//!
//! Compiled code has no unwind information. Functions of libraries have, so the system's unwinder can walk from anywhere down to the
//! first return address in compiled code; from there each frame is as long as the [`CodeMap`] says. Nothing here takes memory of the
//! heap, so that a signal handler may ask (`fatal.rs`). Next: `told.rs`, which does without the
//! unwinder, and `memory.rs`, which asks where objects are made.

use crate::told;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::fmt::Write;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A call in compiled code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The foreign function that it calls, as the runtime is told it.
    pub foreign: Option<i32>,
    /// From the stack pointer during the call to the saved frame pointer of the caller, in bytes.
    pub frame: u32,
}

/// What knows compiled code by its addresses. It must answer without memory of the heap.
pub trait CodeMap {
    /// The call that returns to this address.
    fn call(&self, returns_to: usize) -> Option<Call>;
    /// Whether an address is in compiled code.
    fn has_code(&self, address: usize) -> bool;
    /// The places of the call that returns to this address, as the runtime is told them: its own, then those of the calls that it was
    /// inlined from, the innermost first, until `visit` says no.
    fn sites(&self, returns_to: usize, visit: &mut dyn FnMut(i32) -> bool);
    /// Whether a site is in the library rather than in the program.
    fn in_library(&self, site: i32) -> bool;
    /// Writes where a site is, as in `a.spl:3:5 in main`.
    fn write_site(&self, site: i32, out: &mut dyn Write);
    /// Where a site is: function, file and line. Unlike the others it may take memory.
    fn place(&self, site: i32) -> Option<(String, String, u32)>;
    /// Writes the name of a foreign function.
    fn write_foreign(&self, foreign: i32, out: &mut dyn Write);
}

/// The map of the program that runs; behind a pointer of one word, so that it can change in one step.
static MAP: AtomicPtr<Box<dyn CodeMap>> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// Whether this is the thread whose code the map knows.
    static MINE: Cell<bool> = const { Cell::new(false) };
    /// The map of this thread's copy of the program, on a thread that the program has started; otherwise null.
    static BESIDE: Cell<*const Box<dyn CodeMap>> = const { Cell::new(std::ptr::null()) };
}

/// Makes a map known on this thread alone, which runs a copy of a program beside it, while `work` runs.
pub fn with_map_beside<T>(map: Box<dyn CodeMap>, work: impl FnOnce() -> T) -> T {
    /// Takes the map back, also when the work panics.
    struct Known;
    impl Drop for Known {
        fn drop(&mut self) {
            BESIDE.set(std::ptr::null());
        }
    }
    BESIDE.set(&raw const map);
    let _known = Known;
    work()
}

/// Makes a map known while `program` runs on this thread.
pub fn with_map<T>(map: Box<dyn CodeMap>, program: impl FnOnce() -> T) -> T {
    /// Takes the map back, also when the program panics.
    struct Known {
        before: *mut Box<dyn CodeMap>,
        mine: bool,
        _map: Box<Box<dyn CodeMap>>,
    }
    impl Drop for Known {
        fn drop(&mut self) {
            MAP.store(self.before, Ordering::Release);
            MINE.set(self.mine);
            told::forget();
        }
    }
    let mut map = Box::new(map);
    told::forget();
    let _known = Known {
        before: MAP.swap(&raw mut *map, Ordering::AcqRel),
        mine: MINE.replace(true),
        _map: map,
    };
    program()
}

/// Makes a map known from now on, on this thread, for as long as the process lives.
pub fn keep_map(map: Box<dyn CodeMap>) {
    told::forget();
    MAP.store(Box::into_raw(Box::new(map)), Ordering::Release);
    MINE.set(true);
}

/// The map, on the thread that runs the program.
pub(crate) fn map() -> Option<&'static dyn CodeMap> {
    let beside = BESIDE.get();
    if !beside.is_null() {
        // SAFETY: the map lives until `with_map_beside` has taken it back, which is above this frame.
        return Some(unsafe { &**beside });
    }
    if !MINE.get() {
        return None;
    }
    let map = MAP.load(Ordering::Acquire);
    // SAFETY: the map lives until `with_map` has taken it back, on this thread, which is above this frame.
    (!map.is_null()).then(|| unsafe { &**map })
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        trace: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

/// Where the stack leaves the functions of libraries.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Edge {
    /// The first address in compiled code; 0 if there is none.
    pub(crate) address: usize,
    /// The stack pointer there.
    pub(crate) stack: usize,
}

struct Search<'m, 'v> {
    map: &'m dyn CodeMap,
    /// Is shown the addresses before.
    visit: &'v mut dyn FnMut(usize),
    found: Edge,
    left: u32,
}

/// The most frames that are looked at; a recursion in C may have many.
const MOST_FRAMES: u32 = 100_000;

extern "C" fn look(context: *mut c_void, argument: *mut c_void) -> c_int {
    // SAFETY: the argument is the search of the caller below, the context that of the unwinder.
    let (search, address, stack) = unsafe {
        (
            &mut *argument.cast::<Search<'_, '_>>(),
            _Unwind_GetIP(context),
            _Unwind_GetCFA(context),
        )
    };
    if search.map.has_code(address) {
        search.found = Edge { address, stack };
        return 1;
    }
    (search.visit)(address);
    search.left -= 1;
    // Anything but 0 ends the walk.
    c_int::from(search.left == 0)
}

/// The innermost frame of compiled code, seen from here; `visit` is shown the addresses in the functions between.
pub(crate) fn edge(map: &dyn CodeMap, visit: &mut dyn FnMut(usize)) -> Edge {
    let mut search = Search {
        map,
        visit,
        found: Edge::default(),
        left: MOST_FRAMES,
    };
    // SAFETY: the callback gets this search, which outlives the call. The unwinder reads unwind information and the stack.
    unsafe { _Unwind_Backtrace(look, (&raw mut search).cast()) };
    search.found
}

/// The places of the calls that are running, the innermost first, from this return address and stack pointer on, which must be below
/// `top`. `visit` says whether to go on.
pub(crate) fn walk(
    map: &dyn CodeMap,
    mut address: usize,
    mut stack: usize,
    top: usize,
    mut visit: impl FnMut(i32) -> bool,
) {
    loop {
        let Some(call) = map.call(address) else {
            // A function of the runtime that calls the program back, as for `fn drop()`.
            match scan(map, stack, top) {
                Some(further) => (address, stack) = further,
                None => return,
            }
            continue;
        };
        let mut goes_on = true;
        map.sites(address, &mut |site| {
            goes_on = visit(site);
            goes_on
        });
        let frame = stack.wrapping_add(call.frame as usize);
        if !goes_on || frame < stack || frame.saturating_add(16) > top || !frame.is_multiple_of(8) {
            return;
        }
        // SAFETY: the words are between this thread's stack pointer and the end of its stack. Every function that calls saves the frame
        // pointer there, with its own return address above it.
        address = unsafe { (frame as *const usize).add(1).read() };
        stack = frame + 16;
    }
}

/// The lowest word from `stack` to `top` that a call of compiled code may have left as its return address: that address, and the stack
/// pointer during the call. For stacks that the unwinder cannot read.
pub(crate) fn scan(map: &dyn CodeMap, stack: usize, top: usize) -> Option<(usize, usize)> {
    let mut at = stack.next_multiple_of(8);
    while at + 8 <= top {
        // SAFETY: the caller's range is part of this thread's stack.
        let word = unsafe { (at as *const usize).read() };
        if map.call(word).is_some() {
            return Some((word, at + 8));
        }
        at += 8;
    }
    None
}

/// Shows `visit` the places of the program that are running, the innermost first, until it says no; those of the library are left out.
pub(crate) fn own_sites(map: &dyn CodeMap, mut visit: impl FnMut(i32) -> bool) {
    let found = edge(map, &mut |_| ());
    if found.address == 0 {
        return;
    }
    let top = crate::stack::top();
    walk(map, found.address, found.stack, top, |site| {
        map.in_library(site) || visit(site)
    });
}

/// The innermost place of the program that is running, of the library if it has none.
pub(crate) fn own_site() -> Option<i32> {
    let map = map()?;
    site_from(map, edge(map, &mut |_| ()))
}

/// As [`own_site`], from this edge on.
pub(crate) fn site_from(map: &dyn CodeMap, found: Edge) -> Option<i32> {
    if found.address == 0 {
        return None;
    }
    let mut site = None;
    walk(
        map,
        found.address,
        found.stack,
        crate::stack::top(),
        |next| {
            let library = map.in_library(next);
            if site.is_none() || !library {
                site = Some(next);
            }
            library
        },
    );
    site
}
