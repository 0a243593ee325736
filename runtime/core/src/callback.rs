//! Functions of the program that C calls: code at an address of its own for each.
//!
//! C knows a function as an address alone, and a function of the program is a closure. So each that is passed gets a *thunk*: a few
//! instructions that put the address of its [`Slot`] into the first register that C's arguments leave free, and go on to the
//! compiled *entry* for functions of that type, which calls the closure in the slot (`codegen/lower/callback.rs`).
//!
//! ```text
//! page of thunks (read, execute)                page of slots (read, write)
//! | lea reg, [rip + PAGE - 7]; jmp [reg] | ...  | entry, closure, -, - | ...
//! ```
//!
//! A slot that is given back leads to [`gone`], so that a call that comes too late is an error and not a crash; slots are used again
//! as late as possible. The entry refuses calls on another thread's stack by [`rt_callback_refused`]. Only for x86-64.

use crate::error::raise;
use crate::layout::Header;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Write;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes of a page of thunks, and of the page of slots after it.
const PAGE: usize = 4096;
/// Bytes of a thunk, and of a slot.
const STEP: usize = 32;
/// How many integer arguments of C there are registers for.
const REGISTERS: usize = 6;

/// What a thunk leads to.
#[repr(C)]
struct Slot {
    /// Where the thunk goes on: compiled code, or [`gone`].
    entry: usize,
    /// The closure that is called; not counted here.
    closure: *const Header,
    unused: [usize; 2],
}

/// Offset of the closure in the slot that an entry is given.
pub const SLOT_CLOSURE: i32 = 8;

const _: () = assert!(
    size_of::<Slot>() == STEP && std::mem::offset_of!(Slot, closure) == SLOT_CLOSURE as usize
);

thread_local! {
    /// Thunks that are not in use, for each register, those given back longest ago first.
    static FREE: RefCell<[VecDeque<usize>; REGISTERS]> = const { RefCell::new([const { VecDeque::new() }; REGISTERS]) };
}

/// Whether a call from another thread has been refused.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// A thunk for a closure, which lives until the thunk is given back: its address. `register` is the number of C's integer arguments.
///
/// # Safety
/// `closure` is a live closure, and `entry` the entry for functions of its type.
pub unsafe extern "C" fn rt_callback_take(
    closure: *const Header,
    entry: usize,
    register: i64,
) -> i64 {
    let taken = FREE.with_borrow_mut(|free| {
        let free = &mut free[register as usize % REGISTERS];
        if free.len() < PAGE / STEP / 2 {
            free.extend(new_page(register as usize)?);
        }
        free.pop_front()
    });
    let Some(thunk) = taken else {
        raise("the system gives no memory for a function that C can call");
        return 0;
    };
    let slot: *mut Slot = ptr::with_exposed_provenance_mut(thunk + PAGE);
    // SAFETY: the slot of a free thunk is used by nothing else.
    unsafe {
        (*slot).closure = closure;
        (*slot).entry = entry;
    }
    thunk as i64
}

/// Gives a thunk back; a call of it is an error from now on.
///
/// # Safety
/// `thunk` is 0, or came from [`rt_callback_take`] and was not given back.
pub unsafe extern "C" fn rt_callback_give(thunk: i64) {
    if thunk == 0 {
        return;
    }
    let slot: *mut Slot = ptr::with_exposed_provenance_mut(thunk as usize + PAGE);
    // SAFETY: the caller's contract.
    unsafe {
        (*slot).entry = gone as *const () as usize;
        (*slot).closure = ptr::null();
        let code: *const u8 = ptr::with_exposed_provenance(thunk as usize);
        let register = register_of(std::slice::from_raw_parts(code, 3));
        FREE.with_borrow_mut(|free| free[register].push_back(thunk as usize));
    }
}

/// After a call that was given functions: an error if C called one of them on another thread.
pub extern "C" fn rt_callback_check() {
    if REFUSED.swap(false, Relaxed) {
        raise(
            "C called a function of the program on another thread, where it cannot run: the call was refused and yielded 0",
        );
    }
}

/// An entry was called on another thread, or another stack: says so, once, since that thread has no place in the program.
pub extern "C" fn rt_callback_refused() {
    if !REFUSED.swap(true, Relaxed) {
        let _ = std::io::stderr().write_all(
            b"error: C called a function of the program on another thread, where it cannot run; the call was refused\n",
        );
    }
}

/// What thunks lead to that are not in use.
extern "C" fn gone() -> i64 {
    let here = 0u8;
    let (low, high) = crate::stack::known_bounds();
    match (low..high).contains(&(&raw const here).addr()) {
        true if crate::error::is_pending() => {}
        true => raise(
            "C called a function of the program after the call that it was passed to; hold it in a `Callback` as long as C may call it",
        ),
        false => rt_callback_refused(),
    }
    0
}

/// The instruction that loads the address of the slot: `lea register, [rip + distance]`, without the distance.
const LOAD: [[u8; 3]; REGISTERS] = [
    [0x48, 0x8d, 0x3d],
    [0x48, 0x8d, 0x35],
    [0x48, 0x8d, 0x15],
    [0x48, 0x8d, 0x0d],
    [0x4c, 0x8d, 0x05],
    [0x4c, 0x8d, 0x0d],
];
/// The instruction that goes on to the entry: `jmp [register]`.
const GO_ON: [&[u8]; REGISTERS] = [
    &[0xff, 0x27],
    &[0xff, 0x26],
    &[0xff, 0x22],
    &[0xff, 0x21],
    &[0x41, 0xff, 0x20],
    &[0x41, 0xff, 0x21],
];

fn register_of(code: &[u8]) -> usize {
    LOAD.iter().position(|load| load == code).unwrap_or(0)
}

/// Maps a page of thunks for a register with its slots: their addresses. `None` when the system gives no memory.
fn new_page(register: usize) -> Option<Vec<usize>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping of two pages, which is never unmapped: C may keep addresses in it.
    let memory = unsafe { libc::mmap(ptr::null_mut(), 2 * PAGE, access, flags, -1, 0) };
    if memory == libc::MAP_FAILED {
        return None;
    }
    let base = memory.expose_provenance();
    let thunks: Vec<usize> = (0..PAGE / STEP).map(|index| base + index * STEP).collect();
    for &thunk in &thunks {
        let mut code = LOAD[register].to_vec();
        code.extend((PAGE as u32 - 7).to_le_bytes());
        code.extend(GO_ON[register]);
        let slot = Slot {
            entry: gone as *const () as usize,
            closure: ptr::null(),
            unused: [0; 2],
        };
        // SAFETY: both are inside of the mapping, which is writable and known here alone.
        unsafe {
            let to: *mut u8 = ptr::with_exposed_provenance_mut(thunk);
            ptr::copy_nonoverlapping(code.as_ptr(), to, code.len());
            let to: *mut Slot = ptr::with_exposed_provenance_mut(thunk + PAGE);
            to.write(slot);
        }
    }
    // SAFETY: the first page of the mapping; what was written there is whole.
    let failed = unsafe { libc::mprotect(memory, PAGE, libc::PROT_READ | libc::PROT_EXEC) };
    (failed == 0).then_some(thunks)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::error::take;

    extern "C" fn entry(x: i64, slot: *const Slot) -> i64 {
        // SAFETY: the thunk gives the slot.
        x + unsafe { (*slot).closure.addr() } as i64
    }

    #[test]
    fn a_thunk_finds_its_slot_until_it_is_given_back() {
        crate::stack::limit_address();
        // SAFETY: the entry does not look into the closure, so that any address will do; the thunk takes one integer.
        unsafe {
            let first =
                rt_callback_take(ptr::without_provenance(100), entry as *const () as usize, 1);
            let second =
                rt_callback_take(ptr::without_provenance(200), entry as *const () as usize, 1);
            type Function = extern "C" fn(i64) -> i64;
            let call = |thunk: i64, x| std::mem::transmute::<usize, Function>(thunk as usize)(x);
            assert_eq!((call(first, 1), call(second, 2)), (101, 202));
            rt_callback_give(first);
            assert_eq!((call(first, 1), call(second, 3)), (0, 203));
            assert!(take().expect("an error").message.contains("`Callback`"));
            rt_callback_give(second);
        }
    }

    #[test]
    fn refusals_are_told_once() {
        rt_callback_check();
        assert!(take().is_none());
        rt_callback_refused();
        rt_callback_check();
        assert!(take().expect("an error").message.contains("another thread"));
        rt_callback_check();
        assert!(take().is_none());
    }
}
