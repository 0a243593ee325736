//! Functions of the program that C calls: code at an address of its own for each.
//!
//! C knows a function as an address alone, and a function of the program is a closure. So each that is passed gets a *thunk*: a few
//! instructions that put the address of its [`Slot`] into the first register that C's arguments leave free, and go on to the
//! compiled *entry* for functions of that type, which calls the closure in the slot (`middle/lower/callback.rs`). The address
//! goes into a word of the thread too, which the entry asks for where no register is free ([`rt_callback_slot`]).
//!
//! ```text
//! page of thunks (read, execute)                                  page of slots (read, write)
//! | lea reg, [rip + PAGE - 7]; mov fs:[word], reg; jmp [reg] | ...  | entry, closure, bytes of a result in memory, refusals, who was given it | ...
//! ```
//!
//! A slot that is given back leads to one of [`GONE`], so that a call that comes too late is an error and not a crash: it yields zeros. Slots
//! are used again as late as possible. Only for x86-64.
//!
//! The entry refuses calls on another thread's stack by [`rt_callback_refused`], which counts them in the slot. They are an error of the next
//! call that is given the same function ([`rt_callback_check`]): mostly that during which they came. Other calls have nothing to do with
//! them. What no call reports ends the process with another code than 0 ([`unreported`]). Standard error is told once for each place where
//! such a function was given to C, because the call may never come back.

use crate::error::raise;
use crate::layout::Header;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, Ordering::Relaxed};

/// Bytes of a page of thunks, and of the page of slots after it.
const PAGE: usize = 4096;
/// Bytes of a thunk, and of a slot.
const STEP: usize = 32;
/// How many integer arguments of C there are registers for.
const REGISTERS: usize = 6;
/// The number in place of a register's for a thunk that puts the address of its slot into a word of the thread.
pub const NO_REGISTER: usize = REGISTERS;
/// Forms of thunks.
const FORMS: usize = REGISTERS + 1;

/// What a thunk leads to.
#[repr(C)]
struct Slot {
    /// Where the thunk goes on: compiled code, or one of [`GONE`].
    entry: usize,
    /// The closure that is called; not counted here.
    closure: *const Header,
    /// Bytes of a result that C wants at an address, its first argument; otherwise 0.
    returned: u32,
    /// How often C has called it where it cannot run, as far as that is not reported yet.
    refused: AtomicU32,
    /// A text: which function was given it, and where.
    given: *const Header,
}

/// Offset of the closure in the slot that an entry is given.
pub const SLOT_CLOSURE: i32 = 8;

const _: () = assert!(
    size_of::<Slot>() == STEP && std::mem::offset_of!(Slot, closure) == SLOT_CLOSURE as usize
);

thread_local! {
    /// Thunks that are not in use, for each register, those given back longest ago first.
    static FREE: RefCell<[VecDeque<usize>; FORMS]> = const { RefCell::new([const { VecDeque::new() }; FORMS]) };
    /// The slot of the thunk that was called last on this thread.
    static CALLED: Cell<*const Slot> = const { Cell::new(ptr::null()) };
}

/// Whether this code is in a library that may be opened while the process runs: then the place of a variable of the
/// thread differs from thread to thread, and thunks cannot write to it.
static IN_LIBRARY: AtomicBool = AtomicBool::new(false);

/// Says that this code is in a library.
pub fn this_is_a_library() {
    IN_LIBRARY.store(true, Relaxed);
}

/// How many calls have been refused that are not the error of any call.
static UNREPORTED: AtomicI64 = AtomicI64::new(0);
/// The texts of slots about which standard error was told.
static SAID: [AtomicPtr<Header>; 16] = [const { AtomicPtr::new(ptr::null_mut()) }; 16];

/// A thunk for a closure, which lives until the thunk is given back: its address. `register` is the number of the first register that
/// C's integer arguments leave free, or [`NO_REGISTER`]; `returned` are the bytes of a result in memory, for which it is that.
///
/// # Safety
/// `closure` is a live closure, `entry` the entry for functions of its type, and `given` a text that is there as long as the program, which
/// says which function was given it and where.
pub unsafe extern "C" fn rt_callback_take(
    closure: *const Header,
    entry: usize,
    register: i64,
    returned: i64,
    given: *const Header,
) -> i64 {
    if register as usize >= NO_REGISTER && IN_LIBRARY.load(Relaxed) {
        raise(
            "a library cannot give C a function with more than six integers, or one that yields a struct in memory; pass them by a `Ptr`",
        );
        return 0;
    }
    let taken = FREE.with_borrow_mut(|free| {
        let free = &mut free[(register as usize).min(NO_REGISTER)];
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
        (*slot).returned = returned as u32;
        (*slot).refused.store(0, Relaxed);
        (*slot).given = given;
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
    if crate::error::is_pending() {
        // The error of the call that was given it.
        // SAFETY: the caller's contract.
        unsafe { take_refusals(thunk) };
    }
    let slot: *mut Slot = ptr::with_exposed_provenance_mut(thunk as usize + PAGE);
    // SAFETY: the caller's contract.
    unsafe {
        (*slot).closure = ptr::null();
        let code: *const u8 = ptr::with_exposed_provenance(thunk as usize);
        let register = register_of(std::slice::from_raw_parts(code, 3));
        (*slot).entry = match (*slot).returned {
            0 => GONE[register] as *const () as usize,
            _ => gone_in_memory as *const () as usize,
        };
        FREE.with_borrow_mut(|free| free[register].push_back(thunk as usize));
    }
}

/// After a call that was given a function: an error if C has called it on another thread, during this call or since an earlier one.
///
/// # Safety
/// As for [`rt_callback_give`].
pub unsafe extern "C" fn rt_callback_check(thunk: i64) {
    if thunk == 0 {
        return;
    }
    // SAFETY: the caller's contract; the text lives as long as the program.
    let given = unsafe {
        if take_refusals(thunk) == 0 {
            return;
        }
        let slot: *const Slot = ptr::with_exposed_provenance(thunk as usize + PAGE);
        match (*slot).given.is_null() {
            true => String::new(),
            false => format!(" ({})", crate::text::as_str((*slot).given)),
        }
    };
    raise(format!(
        "C called a function of the program on another thread, where it cannot run: the call was refused and yielded 0{given}"
    ));
}

/// Takes note that the refusals of a thunk are reported, and yields how many there were.
///
/// # Safety
/// `thunk` came from [`rt_callback_take`].
unsafe fn take_refusals(thunk: i64) -> u32 {
    let slot: *const Slot = ptr::with_exposed_provenance(thunk as usize + PAGE);
    // SAFETY: the caller's contract; a slot is never unmapped.
    let refused = unsafe { (*slot).refused.swap(0, Relaxed) };
    UNREPORTED.fetch_sub(refused.into(), Relaxed);
    refused
}

/// Whether C has called a function of the program on another thread without an error of any call that would say so. The process must
/// then not end with 0.
pub fn unreported() -> bool {
    UNREPORTED.load(Relaxed) > 0
}

/// An entry was called on another thread, or another stack. Nothing here takes memory or waits: it may be a signal's.
pub extern "C" fn rt_callback_refused() {
    // SAFETY: the thunk has just put its slot there, which is never unmapped, and whose text lives as long as the program.
    let Some(slot) = (unsafe { CALLED.get().as_ref() }) else {
        // Thunks of a library write no slot.
        UNREPORTED.fetch_add(1, Relaxed);
        return;
    };
    slot.refused.fetch_add(1, Relaxed);
    UNREPORTED.fetch_add(1, Relaxed);
    let given = slot.given.cast_mut();
    for said in &SAID {
        match said.compare_exchange(ptr::null_mut(), given, Relaxed, Relaxed) {
            Ok(_) if !given.is_null() => return say_refused(given),
            Err(known) if known == given => return,
            _ => {}
        }
    }
}

fn say_refused(given: *const Header) {
    // SAFETY: the text of a slot.
    let given = unsafe { crate::text::as_str(given) };
    let parts = [
        "error: C called a function of the program on another thread, where it cannot run; the call was refused and yielded 0 (",
        given,
        ")\n",
    ];
    let parts = parts.map(|part| libc::iovec {
        iov_base: part.as_ptr().cast_mut().cast(),
        iov_len: part.len(),
    });
    // SAFETY: the parts are there, and only read. What cannot be said is still counted.
    let _ = unsafe {
        libc::writev(
            libc::STDERR_FILENO,
            parts.as_ptr(),
            parts.len() as libc::c_int,
        )
    };
}

/// The slot of the thunk by which C has just called.
pub extern "C" fn rt_callback_slot() -> *const Header {
    CALLED.get().cast()
}

/// Zeroes the place of a result.
///
/// # Safety
/// C gave the place for a result of so many bytes.
pub unsafe extern "C" fn rt_callback_zero(place: *const Header, bytes: i64) {
    let place: *mut u8 = place.cast_mut().cast();
    // SAFETY: the caller's contract.
    unsafe { place.write_bytes(0, bytes as usize) };
}

/// What thunks of each form lead to that are not in use: says so, and yields zeros in every register that can have a result.
const GONE: [extern "C" fn(); FORMS] = [
    gone_rdi, gone_rsi, gone_rdx, gone_rcx, gone_r8, gone_r9, gone_rax,
];

macro_rules! gone {
    ($($name:ident $register:literal),*) => { $(
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        extern "C" fn $name() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 8",
                concat!("mov rdi, ", $register),
                "call {say}",
                "xor eax, eax",
                "xor edx, edx",
                "xorps xmm0, xmm0",
                "xorps xmm1, xmm1",
                "add rsp, 8",
                ".cfi_adjust_cfa_offset -8",
                "ret",
                ".cfi_endproc",
                say = sym say_gone,
            )
        }

        /// There are no thunks on other processors.
        #[cfg(not(target_arch = "x86_64"))]
        extern "C" fn $name() {}
    )* };
}

gone!(gone_rdi "rdi", gone_rsi "rsi", gone_rdx "rdx", gone_rcx "rcx", gone_r8 "r8", gone_r9 "r9", gone_rax "rax");

/// The same for a thunk whose result is in memory.
extern "C" fn gone_in_memory(place: *const Header) -> *const Header {
    let slot = CALLED.get();
    // SAFETY: the thunk has just put its slot there, which is never unmapped; C gives the place of such a result first.
    unsafe {
        say_gone(slot);
        rt_callback_zero(place, (*slot).returned.into());
    }
    place
}

/// # Safety
/// The slot is one of a page, whose text lives as long as the program.
unsafe extern "C" fn say_gone(slot: *const Slot) {
    let here = 0u8;
    let (low, high) = crate::stack::known_bounds();
    if !(low..high).contains(&(&raw const here).addr()) {
        return rt_callback_refused();
    }
    if crate::error::is_pending() {
        return;
    }
    // SAFETY: the caller's contract.
    let given = unsafe {
        match (*slot).given.is_null() {
            true => String::new(),
            false => format!(": {}", crate::text::as_str((*slot).given)),
        }
    };
    raise(format!(
        "C called a function of the program that it may not call any more{given}; hold it in a `Callback` as long as C may call it"
    ));
}

/// How far the word [`CALLED`] of a thread is from where the thread's variables are: the same on every thread, because this code is
/// part of the program itself and not of a library that is opened later.
#[cfg(target_arch = "x86_64")]
fn place_of_called() -> u32 {
    let base: usize;
    // SAFETY: the first word at `fs` is its own address; reading it changes nothing.
    unsafe {
        std::arch::asm!("mov {base}, fs:0", base = out(reg) base, options(nostack, readonly, preserves_flags));
    }
    CALLED
        .with(|called| called.as_ptr().addr())
        .wrapping_sub(base) as u32
}

#[cfg(not(target_arch = "x86_64"))]
fn place_of_called() -> u32 {
    0
}

/// The instruction that loads the address of the slot: `lea register, [rip + distance]`, without the distance.
const LOAD: [[u8; 3]; FORMS] = [
    [0x48, 0x8d, 0x3d],
    [0x48, 0x8d, 0x35],
    [0x48, 0x8d, 0x15],
    [0x48, 0x8d, 0x0d],
    [0x4c, 0x8d, 0x05],
    [0x4c, 0x8d, 0x0d],
    [0x48, 0x8d, 0x05],
];
/// The instruction that puts the register into a word of the thread: `mov fs:[place], register`, without the place.
const STORE: [[u8; 5]; FORMS] = [
    [0x64, 0x48, 0x89, 0x3c, 0x25],
    [0x64, 0x48, 0x89, 0x34, 0x25],
    [0x64, 0x48, 0x89, 0x14, 0x25],
    [0x64, 0x48, 0x89, 0x0c, 0x25],
    [0x64, 0x4c, 0x89, 0x04, 0x25],
    [0x64, 0x4c, 0x89, 0x0c, 0x25],
    [0x64, 0x48, 0x89, 0x04, 0x25],
];
/// The instruction that goes on to the entry: `jmp [register]`.
const GO_ON: [&[u8]; FORMS] = [
    &[0xff, 0x27],
    &[0xff, 0x26],
    &[0xff, 0x22],
    &[0xff, 0x21],
    &[0x41, 0xff, 0x20],
    &[0x41, 0xff, 0x21],
    &[0xff, 0x20],
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
        if IN_LIBRARY.load(Relaxed) {
            // `nop` of nine bytes, as long as what it replaces.
            code.extend([0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0]);
        } else {
            code.extend(STORE[register]);
            code.extend(place_of_called().to_le_bytes());
        }
        code.extend(GO_ON[register]);
        let slot = Slot {
            entry: GONE[register] as *const () as usize,
            closure: ptr::null(),
            returned: 0,
            refused: AtomicU32::new(0),
            given: ptr::null(),
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
            let first = rt_callback_take(
                ptr::without_provenance(100),
                entry as *const () as usize,
                1,
                0,
                ptr::null(),
            );
            let second = rt_callback_take(
                ptr::without_provenance(200),
                entry as *const () as usize,
                1,
                0,
                ptr::null(),
            );
            type Function = extern "C" fn(i64) -> i64;
            let call = |thunk: i64, x| std::mem::transmute::<usize, Function>(thunk as usize)(x);
            assert_eq!((call(first, 1), call(second, 2)), (101, 202));
            rt_callback_give(first);
            assert_eq!((call(first, 1), call(second, 3)), (0, 203));
            assert!(take().expect("an error").message.contains("`Callback`"));
            rt_callback_give(second);
        }
    }

    /// A thunk whose function refuses every call, as on another thread.
    fn refusing() -> i64 {
        extern "C" fn refuse(_: i64) -> i64 {
            rt_callback_refused();
            0
        }
        // SAFETY: the entry does not look into the closure.
        let thunk = unsafe {
            rt_callback_take(
                ptr::without_provenance(8),
                refuse as *const () as usize,
                1,
                0,
                ptr::null(),
            )
        };
        assert_ne!(thunk, 0);
        thunk
    }

    fn call(thunk: i64) -> i64 {
        // SAFETY: a thunk of a function with one integer.
        unsafe { std::mem::transmute::<usize, extern "C" fn(i64) -> i64>(thunk as usize)(1) }
    }

    #[test]
    fn refusals_are_an_error_of_calls_with_that_function_alone() {
        let (refused, innocent) = (refusing(), refusing());
        let before = UNREPORTED.load(Relaxed);
        // SAFETY: thunks that are given back once.
        unsafe {
            assert_eq!((call(refused), call(refused)), (0, 0));
            assert_eq!(UNREPORTED.load(Relaxed), before + 2);
            rt_callback_check(innocent);
            assert!(take().is_none());
            rt_callback_check(refused);
            assert!(take().expect("an error").message.contains("another thread"));
            assert_eq!(UNREPORTED.load(Relaxed), before);
            rt_callback_check(refused);
            assert!(take().is_none());
            rt_callback_check(0);
            // Given back with an error on its way: that of its call, which says so.
            call(refused);
            raise("an error");
            rt_callback_give(refused);
            assert_eq!(UNREPORTED.load(Relaxed), before);
            take();
            // Given back without: no call has said so, and none will.
            call(innocent);
            rt_callback_give(innocent);
            assert_eq!(UNREPORTED.load(Relaxed), before + 1);
            assert!(unreported());
        }
    }
}
