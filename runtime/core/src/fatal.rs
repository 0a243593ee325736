//! Fatal signals: which foreign function ended the process, where the program called it, and in which library.
//!
//! ```text
//! error: the foreign function `crash` was ended by SIGSEGV: it used memory at address 0x0, which it may not
//!   --> crash.spl:5:15 in main
//!   in the library /home/me/libhost.so
//! ```
//!
//! The handler runs on a separate stack, so that it also sees a stack that overflows. It takes no memory and no lock; what it needs to
//! know is found from the frames on the stack (`frames.rs`), so that calls of foreign functions cost nothing. Then the signal
//! ends the process, as it would have without a word. Leaves out Ctrl-C (`interrupt.rs`).

use crate::frames::{self, CodeMap, Edge};
use crate::io::Line;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::fmt::Write;
use std::os::unix::thread::JoinHandleExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The signals, and what they say when nothing more is known.
const SIGNALS: [(c_int, &str, &str); 5] = [
    (
        libc::SIGSEGV,
        "SIGSEGV",
        "it used memory that it may not use",
    ),
    (
        libc::SIGBUS,
        "SIGBUS",
        "it used memory that is not there, such as that of a file that was cut short",
    ),
    (
        libc::SIGFPE,
        "SIGFPE",
        "it divided an integer by zero, or the result does not fit",
    ),
    (
        libc::SIGILL,
        "SIGILL",
        "it executed an instruction that this processor does not have",
    ),
    (libc::SIGABRT, "SIGABRT", "it called `abort`"),
];

/// The handler's stack: room for the unwinder and the registers that the system saves.
const STACK: usize = 128 << 10;
/// Functions of libraries that are looked at, and libraries that are shown.
const MOST_INSIDE: usize = 24;
const MOST_LIBRARIES: usize = 3;
/// Calls of the program that are shown.
const MOST_CALLS: usize = 20;
/// A fault this far around the lowest address of the stack is an overflow if the stack pointer is there too: libraries may lie right below
/// the stack.
const GUARD: usize = 1 << 20;
/// After so many seconds a handler that hangs, as on a lock of the loader, is ended.
const PATIENCE: u32 = 10;

thread_local! {
    /// Which address of C the runtime is using, if it is.
    static TRUSTED: Cell<&'static str> = const { Cell::new("") };
}

/// How messages call what a program reads, writes and frees.
pub(crate) const POINTER: &str = "a `Ptr`";

/// Uses memory at an address that came from C or from the program, and that nothing here can know: `what` is how messages call it.
pub(crate) fn trusting<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    TRUSTED.set(what);
    let result = work();
    TRUSTED.set("");
    result
}

/// Whether a signal is being reported already.
static REPORTING: AtomicBool = AtomicBool::new(false);

/// Installs the handler, with a stack for this thread, which will run the program.
pub fn install() {
    give_stack();
    for (signal, ..) in SIGNALS {
        let handler = on_signal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        act(
            signal,
            handler as usize,
            libc::SA_SIGINFO | libc::SA_ONSTACK,
        );
    }
    // A file that grows beyond the limit of `ulimit -f` is an error of the function that writes it. The signal is not ignored, because
    // commands that this process starts would inherit that.
    let nothing = do_nothing as extern "C" fn(c_int);
    act(
        libc::SIGXFSZ,
        nothing as usize,
        libc::SA_RESTART | libc::SA_ONSTACK,
    );
}

fn act(signal: c_int, handler: usize, flags: c_int) {
    // SAFETY: the action is wholly initialized; the handlers call only functions that are safe in a signal handler.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

/// Gives this thread a stack for signal handlers. It lives as long as the process.
fn give_stack() {
    // SAFETY: a new mapping has no other user; its lowest page is taken away again, so that an overflow does not go unnoticed.
    unsafe {
        let size = STACK + 4096;
        let base = libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if base == libc::MAP_FAILED {
            return;
        }
        libc::mprotect(base, 4096, libc::PROT_NONE);
        let stack = libc::stack_t {
            ss_sp: base.add(4096),
            ss_flags: 0,
            ss_size: STACK,
        };
        libc::sigaltstack(&stack, std::ptr::null_mut());
    }
}

extern "C" fn do_nothing(_signal: c_int) {}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: `alarm` may be called in a signal handler, and its signal then ends the process.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(PATIENCE);
    }
    if !REPORTING.swap(true, Ordering::Relaxed) {
        crate::io::flush_program();
        report(signal, info, context);
    }
    // SAFETY: these may be called in a signal handler. The default action of the signal ends the process, so that its parent sees what
    // ended it.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::raise(signal);
        libc::_exit(128 + signal);
    }
}

/// Says what is known.
fn report(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let (instruction, stack) = registers(context);
    let (lowest, top) = crate::stack::known_bounds();
    let own_stack = (lowest.saturating_sub(GUARD)..top).contains(&stack);
    let Some(map) = frames::map().filter(|_| own_stack) else {
        let mut line = Line::default();
        let lost = frames::map().is_some();
        let _ = write!(line, "error: the process was ended by {}", name_of(signal));
        let _ = line.write_str(match lost {
            true => ": ",
            false => " on a thread that runs no code of the program: ",
        });
        write_reason(&mut line, signal, info, false);
        if lost {
            let _ = line.write_str(
                "; the thread of the program has left its stack, as after a `longjmp` to a function that had returned",
            );
        }
        line.end();
        return show_libraries(&[instruction]);
    };
    let overflow = matches!(signal, libc::SIGSEGV | libc::SIGBUS)
        && fault_address(info).abs_diff(lowest) < GUARD
        && stack < lowest + GUARD;
    let mut inside = [0; MOST_INSIDE];
    inside[0] = instruction;
    // The unwinder begins in this handler and comes through the place of the fault. A stack that is full would take it too long.
    let found = if overflow || map.has_code(instruction) {
        Edge::default()
    } else {
        let (mut count, mut passed) = (1, false);
        frames::edge(map, &mut |address| {
            if passed && count < MOST_INSIDE {
                inside[count] = address;
                count += 1;
            }
            passed |= address == instruction;
        })
    };
    let (mut address, mut pointer) = (found.address, found.stack);
    // Libraries are opened from a piece of code that is not called by the program.
    let opening = address != 0 && map.call(address).is_none();
    if map.call(address).is_none() {
        let from = if address == 0 {
            stack.max(lowest)
        } else {
            pointer
        };
        (address, pointer) = frames::scan(map, from, top).unwrap_or_default();
    }
    let in_program = map.has_code(instruction) && !overflow;
    let faulty = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
    // Code of the program uses memory of its own, but for what a `Ptr` leads to.
    let through = match TRUSTED.get() {
        "" if in_program && faulty => POINTER,
        trusted => trusted,
    };
    let foreign = map
        .call(address)
        .and_then(|call| call.foreign)
        .filter(|_| !in_program && through.is_empty());
    let mut line = Line::default();
    let _ = match foreign {
        Some(foreign) => {
            let _ = write!(line, "error: the foreign function `");
            map.write_foreign(foreign, &mut line);
            let when = if opening {
                " when its library was opened"
            } else {
                ""
            };
            write!(line, "` was ended by {}{when}: ", name_of(signal))
        }
        None if !through.is_empty() => write!(
            line,
            "error: the program was ended by {}: ",
            name_of(signal)
        ),
        None => write!(line, "error: internal error: {}: ", name_of(signal)),
    };
    write_reason(&mut line, signal, info, overflow);
    let _ = match foreign {
        Some(_) => Ok(()),
        None if !through.is_empty() => write!(line, ", through {through} that is wrong"),
        None => write!(line, "; please report it"),
    };
    line.end();
    if through == POINTER {
        help(NO_POINTER);
    }
    show_calls(map, address, pointer, top);
    show_libraries(&inside);
    // SAFETY: the system hands over the information of the signal.
    let by_fault = unsafe { (*info).si_code } > 0;
    if foreign.is_some() && faulty && by_fault && !overflow && !opening {
        help(WRONG_CALL);
    }
}

/// What to do after a fault of the program's own code.
const NO_POINTER: &str =
    "a program that uses no `Ptr` cannot do that; if this one uses none, please report it";

/// What to do after a fault inside a foreign function.
const WRONG_CALL: &str = "most likely a `Ptr` or a length that it was given is wrong, or its `extern fn` is not declared as the library has it";

/// A line that says what to do.
fn help(text: &str) {
    let mut line = Line::default();
    let _ = write!(line, "  help: {text}");
    line.end();
}

/// The name of a signal that ends a process, such as `SIGSEGV`.
pub fn name_of(signal: c_int) -> &'static str {
    let known = SIGNALS.iter().find(|(number, ..)| *number == signal);
    known.map_or("a signal", |(_, name, _)| name)
}

fn write_reason(line: &mut Line, signal: c_int, info: *mut libc::siginfo_t, overflow: bool) {
    let known = SIGNALS.iter().find(|(number, ..)| *number == signal);
    let Some((.., reason)) = known else { return };
    // SAFETY: the system hands over the information of the signal.
    let by_fault = unsafe { (*info).si_code } > 0;
    let _ = match signal {
        _ if overflow => write!(line, "stack overflow, its calls are nested too deeply"),
        libc::SIGABRT => line.write_str(reason),
        _ if !by_fault => write!(line, "the signal was sent to it"),
        libc::SIGSEGV => write!(
            line,
            "it used memory at address {:#x}, which it may not",
            fault_address(info)
        ),
        _ => line.write_str(reason),
    };
}

fn fault_address(info: *mut libc::siginfo_t) -> usize {
    // SAFETY: the system hands over the information of the signal; for the others this is some number.
    unsafe { (*info).si_addr() }.addr()
}

/// Shows where the program is: its own innermost place first, as other errors are shown, then the calls that led there.
fn show_calls(map: &dyn CodeMap, address: usize, stack: usize, top: usize) {
    let mut own = false;
    let mut shown = 0;
    frames::walk(map, address, stack, top, |site| {
        let library = map.in_library(site);
        let word = match (own, library) {
            (true, _) => "called at",
            (false, true) => "raised at",
            (false, false) => "-->",
        };
        own |= !library;
        let mut line = Line::default();
        let _ = write!(line, "  {word} ");
        map.write_site(site, &mut line);
        line.end();
        shown += 1;
        shown < MOST_CALLS
    });
}

/// Shows which files of the process these addresses belong to, up to this runtime itself.
fn show_libraries(addresses: &[usize]) {
    let mut last = Path::default();
    let mut runtime = Path::default();
    with_library(show_libraries as *const () as usize, |path| {
        runtime.set(path)
    });
    let mut shown = 0;
    for &address in addresses {
        let mut path = Path::default();
        with_library(address, |found| path.set(found));
        if path.get().is_empty() || path.get() == last.get() {
            continue;
        }
        if path.get() == runtime.get() || shown == MOST_LIBRARIES {
            return;
        }
        let mut line = Line::default();
        let _ = line.write_str(if shown == 0 {
            "  in the library "
        } else {
            "  called by "
        });
        line.add(path.get());
        line.end();
        last = path;
        shown += 1;
    }
}

/// A path without memory of the heap.
struct Path {
    bytes: [u8; PATH],
    length: usize,
}

impl Default for Path {
    fn default() -> Path {
        Path {
            bytes: [0; PATH],
            length: 0,
        }
    }
}

impl Path {
    fn set(&mut self, path: &[u8]) {
        self.length = path.len().min(PATH);
        self.bytes[..self.length].copy_from_slice(&path[..self.length]);
    }

    fn get(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Longer paths are cut. All of this must fit on the small stacks that threads have for signals.
const PATH: usize = 320;

/// Finds the file that is mapped at an address, in the system's list of mappings.
fn with_library(address: usize, mut found: impl FnMut(&[u8])) {
    // SAFETY: `open`, `read` and `close` may be called in a signal handler; the buffer has the stated length.
    unsafe {
        let file = libc::open(
            c"/proc/self/maps".as_ptr(),
            libc::O_RDONLY | libc::O_CLOEXEC,
        );
        if file < 0 {
            return;
        }
        let mut buffer = [0u8; 256];
        let (mut line, mut length) = ([0u8; PATH + 128], 0);
        'read: loop {
            let read = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
            let Ok(read @ 1..) = usize::try_from(read) else {
                break;
            };
            for &byte in &buffer[..read] {
                if byte != b'\n' {
                    if length < line.len() {
                        line[length] = byte;
                        length += 1;
                    }
                    continue;
                }
                if let Some(path) = mapped(&line[..length], address) {
                    found(path);
                    break 'read;
                }
                length = 0;
            }
        }
        libc::close(file);
    }
}

/// The path of a line such as `7f00-7f01 r-xp 00000000 08:01 42   /lib/libc.so.6`, if its range holds the address.
fn mapped(line: &[u8], address: usize) -> Option<&[u8]> {
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0usize, |number, &digit| {
            Some(number << 4 | char::from(digit).to_digit(16)? as usize)
        })
    };
    let dash = line.iter().position(|&byte| byte == b'-')?;
    let blank = line.iter().position(|&byte| byte == b' ')?;
    let (from, to) = (number(&line[..dash])?, number(line.get(dash + 1..blank)?)?);
    let path = line.iter().position(|&byte| byte == b'/')?;
    (from..to).contains(&address).then(|| &line[path..])
}

/// The instruction and the stack pointer at which the signal came.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn registers(context: *mut c_void) -> (usize, usize) {
    // SAFETY: the system hands over the context of the signal.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let register = |number: c_int| registers[number as usize] as usize;
    (register(libc::REG_RIP), register(libc::REG_RSP))
}

/// The instruction and the stack pointer at which the signal came.
#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
fn registers(context: *mut c_void) -> (usize, usize) {
    // SAFETY: the system hands over the context of the signal.
    let context = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
    (context.pc as usize, context.sp as usize)
}

/// Elsewhere nothing is known, and only the signal is named.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn registers(_context: *mut c_void) -> (usize, usize) {
    (0, 0)
}

/// How the work of a thread ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended<T> {
    /// With this result.
    With(T),
    /// By a panic, which Rust has reported.
    Panicked,
    /// Not at all: a foreign function ended the thread (`pthread_exit`), which has been reported.
    Forced,
}

/// Runs `work` on a thread with so many bytes of stack, and waits for it.
///
/// # Errors
///
/// The system's, when it gives no such thread.
pub fn on_thread<T: Send + 'static>(
    stack: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<Ended<T>> {
    let slot = Arc::new(Mutex::new(None));
    let end = Arc::clone(&slot);
    let thread = std::thread::Builder::new()
        .stack_size(stack)
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work)).map_or(Ended::Panicked, Ended::With);
            *end.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        })?;
    // Waiting as Rust does it would panic where the thread was ended from outside.
    // SAFETY: the thread has just been made, and nothing else waits for it.
    unsafe { libc::pthread_join(thread.into_pthread_t(), std::ptr::null_mut()) };
    let ended = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(ended.unwrap_or_else(|| {
        crate::io::flush_program();
        crate::io::complain(format_args!(
            "error: a foreign function ended the thread that runs the program (`pthread_exit` or `pthread_cancel`); it must return"
        ));
        Ended::Forced
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_found_by_its_range() {
        let line = b"7f00-7f10 r-xp 00000000 08:01 42                 /lib/with blank.so";
        assert_eq!(mapped(line, 0x7f0f), Some(&b"/lib/with blank.so"[..]));
        assert_eq!(mapped(line, 0x7f10), None);
        assert_eq!(mapped(b"7f00-7f10 rw-p 00000000 00:00 0", 0x7f00), None);
        assert_eq!(mapped(b"", 0), None);
        let mut own = Vec::new();
        with_library(mapped as *const () as usize, |path| {
            own.extend_from_slice(path)
        });
        let expected = std::env::current_exe().unwrap();
        assert_eq!(String::from_utf8(own).unwrap(), expected.to_str().unwrap());
    }

    #[test]
    fn the_first_mapping_and_the_last_are_found_too() {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let files: Vec<&str> = maps.lines().filter(|line| line.contains(" /")).collect();
        for line in [files[0], files[files.len() - 1]] {
            let start = line.split('-').next().unwrap();
            let path = line.split_at(line.find('/').unwrap()).1;
            let mut found = Vec::new();
            with_library(usize::from_str_radix(start, 16).unwrap(), |path| {
                found.extend_from_slice(path)
            });
            assert_eq!(String::from_utf8(found).unwrap(), path);
        }
    }
}
