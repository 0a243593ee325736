//! A program as a library for C: it starts when C calls one of its functions for the first time, on the thread of that
//! call, and stays until the process ends.
//!
//! Only that thread may call it: a program runs on one thread. Errors do not pass through C; a function that failed
//! yields zeros, and the message of the first error is kept until C asks for it ([`error`]). Nothing of the process is
//! changed: no handlers of signals, no stack of its own.
//!
//! Leaves out the file of a library (`shared.rs`, `object.rs`).

#![allow(
    unsafe_code,
    reason = "reads what stubs refer to, and writes results that C has room for"
)]

use crate::executable::{Parts, prepare};
use crate::failure;
use simple_core::export::OnFailure;
use simple_image::{Executable, Outcome};
use simple_syntax::SourceMap;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The addresses of the functions by number, once the program has started.
pub static TABLE: AtomicPtr<usize> = AtomicPtr::new(ptr::null_mut());

/// How far the program is.
enum State {
    New,
    Starting,
    /// With the table.
    Running(&'static [usize]),
    /// Why it could not start.
    Failed(String),
}

static STATE: Mutex<State> = Mutex::new(State::New);

/// The message of the first error since it was asked last.
static ERROR: Mutex<Option<String>> = Mutex::new(None);

thread_local! {
    /// The program, on its thread.
    static PROGRAM: RefCell<Option<(&'static Executable, Arc<SourceMap>)>> = const { RefCell::new(None) };
    /// What C was shown last.
    static SHOWN: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// What a stub refers to: two numbers, those of a program's bytes and of its functions for C; for each of these, how
/// large a result is that C gets in memory, otherwise 0; and the program.
pub(crate) fn described(program: &[u8], functions: &[Function]) -> Vec<u8> {
    let mut out = (program.len() as u64).to_le_bytes().to_vec();
    out.extend((functions.len() as u64).to_le_bytes());
    for function in functions {
        out.extend(function.returned.to_le_bytes());
    }
    out.extend_from_slice(program);
    out
}

/// A function that C calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub symbol: String,
    /// How large a result is that C gets in memory, otherwise 0.
    pub returned: u32,
}

/// The address of a function of the program, which starts if it has not been started; otherwise what the function
/// yields. `place` is where its result goes if that is in memory.
///
/// # Errors
///
/// What the function yields, if the program could not be started: [`error`] says why.
///
/// # Safety
///
/// `program` is what `described` made, and lives as long as the process. `place` is the first argument of a call.
pub unsafe fn start(program: *const u8, number: usize, place: usize) -> Result<usize, usize> {
    // SAFETY: the caller's contract.
    let (bytes, returned): (&'static [u8], u32) = unsafe {
        let sizes: *const u64 = program.cast();
        let (length, count) = (sizes.read_unaligned(), sizes.add(1).read_unaligned());
        let returned: *const u32 = program.add(16).cast();
        let start = program.add(16 + 4 * count as usize);
        (
            std::slice::from_raw_parts(start, length as usize),
            returned.add(number).read_unaligned(),
        )
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| started(bytes)));
    let outcome = outcome.unwrap_or_else(|_| Err("internal error: the start panicked".to_owned()));
    let why = match outcome.map(|table| table.get(number).copied()) {
        Ok(Some(address)) => return Ok(address),
        Ok(None) => "this library was made by another build of Simple than its runtime".to_owned(),
        Err(why) => why,
    };
    keep(why);
    if returned == 0 {
        return Err(0);
    }
    // SAFETY: C passes room for a result of that many bytes as the first argument.
    unsafe {
        ptr::write_bytes(
            ptr::with_exposed_provenance_mut::<u8>(place),
            0,
            returned as usize,
        )
    };
    Err(place)
}

/// The table of functions.
fn started(bytes: &'static [u8]) -> Result<&'static [usize], String> {
    let state = || STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut now = state();
    match &*now {
        State::Running(table) => return Ok(table),
        State::Failed(why) => return Err(why.clone()),
        State::Starting => {
            return Err(
                "a function of this library was called while its program starts; call it after that".to_owned(),
            );
        }
        State::New => *now = State::Starting,
    }
    drop(now);
    let outcome = load(bytes);
    *state() = match &outcome {
        Ok(table) => State::Running(table),
        Err(why) => State::Failed(why.clone()),
    };
    if let Ok(table) = outcome {
        TABLE.store(table.as_ptr().cast_mut(), Ordering::Release);
    }
    outcome
}

fn load(bytes: &'static [u8]) -> Result<&'static [usize], String> {
    simple_core::callback::this_is_a_library();
    simple_core::io::write_lines_at_once();
    simple_core::export::on_failure(OnFailure {
        failed: note_failure,
        refused: || {
            keep(
                "error: a function of this library was called on another thread than the first one, where its program cannot run; it did nothing and yielded 0\n"
                    .to_owned(),
            );
        },
    });
    let (executable, sources) = prepare(bytes, Parts::all())?;
    let executable: &'static Executable = Box::leak(Box::new(executable));
    PROGRAM.set(Some((executable, Arc::clone(&sources))));
    match executable.start() {
        Outcome::Exit(_) => Ok(Box::leak(executable.exports().into_boxed_slice())),
        Outcome::Error(error) => Err(failure::render(&error, &sources)),
    }
}

/// Keeps the recorded error of a function that C called.
fn note_failure() {
    let message = PROGRAM.with_borrow(|program| {
        let (executable, sources) = program.as_ref()?;
        Some(failure::render(&executable.failure()?, sources))
    });
    keep(message.unwrap_or_else(|| "internal error: a failure without a message".to_owned()));
}

/// Keeps a message unless an earlier one is kept.
fn keep(message: String) {
    let mut kept = ERROR.lock().unwrap_or_else(PoisonError::into_inner);
    kept.get_or_insert(message);
}

/// The message of the first error since it was asked last, with its place and the calls that led there; NULL if there
/// was none. It lasts until the next call on this thread.
pub fn error() -> *const c_char {
    let kept = ERROR.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(message) = kept else {
        return ptr::null();
    };
    let text = message.trim_end().replace('\0', "\u{fffd}");
    let text = CString::new(text).unwrap_or_default();
    SHOWN.with_borrow_mut(|shown| shown.insert(text).as_ptr())
}
