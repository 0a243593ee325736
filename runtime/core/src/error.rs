//! The recorded runtime error: message, trace, and the byte that compiled code looks at.
//!
//! A failing operation records its error here and returns; nothing unwinds. Compiled code learns of it by a status or by the byte at
//! [`pending_flag`], adds its call sites as it returns ([`rt_trace`]) and the program's owner takes the result with [`take`].
//! A foreign function leaves only a message ([`leave_message`]); [`extern_failed`] makes an error of it.

use crate::error_kind::ErrorKind;
use crate::layout::Header;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A runtime error with the call sites it passed, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuntimeError {
    /// What went wrong.
    pub message: String,
    /// Site numbers of the compiled program.
    pub sites: Vec<i32>,
    /// Whether it is an interruption by Ctrl-C, whatever its message is.
    pub interrupted: bool,
}

/// A place in the source that a program can ask for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The path of the file.
    pub file: String,
    /// The line from 1; 0 when it is not known.
    pub line: u32,
}

/// Says where an error with these call sites arose.
pub type Locator = Box<dyn Fn(&[i32]) -> Place>;

#[derive(Default)]
struct State {
    error: Option<RuntimeError>,
    /// What a foreign function left, not yet an error.
    message: Option<String>,
    /// The call sites of an error of another thread that the message is about.
    message_sites: Vec<i32>,
    /// Errors set aside while a deferred statement or a `drop` runs.
    suspended: Vec<(Option<RuntimeError>, Option<String>)>,
    /// Where the error that was caught last arose.
    caught: Place,
    drop_failed: bool,
}

thread_local! {
    static PENDING: Cell<u8> = const { Cell::new(0) };
    static STATE: RefCell<State> = RefCell::default();
    static LOCATOR: RefCell<Option<Locator>> = const { RefCell::new(None) };
}

/// The address of a byte of this thread that is not 0 while an error or a foreign message is recorded.
pub fn pending_flag() -> *const u8 {
    PENDING.with(|flag| flag.as_ptr().cast_const())
}

fn update(change: impl FnOnce(&mut State)) {
    STATE.with(|state| {
        let mut state = state.borrow_mut();
        change(&mut state);
        let pending = state.error.is_some() || state.message.is_some();
        PENDING.with(|flag| flag.set(pending.into()));
    });
}

/// Sets up what records errors, so that recording one needs next to no memory.
pub fn prepare() {
    STATE.with(|_| {});
    LOCATOR.with(|_| {});
}

/// Whether an error or the message of a foreign function is recorded.
pub fn is_pending() -> bool {
    PENDING.with(|flag| flag.get() != 0)
}

/// Records a runtime error. An error that is recorded already stays: the first one wins.
pub fn raise(message: impl Into<String>) {
    let message = message.into();
    update(|state| {
        state.error.get_or_insert_with(|| RuntimeError {
            message,
            ..RuntimeError::default()
        });
    });
}

/// Records an interruption, which a session shows without a place. An error that is recorded already stays.
pub fn interrupt(message: &str) {
    update(|state| {
        state.error.get_or_insert_with(|| RuntimeError {
            message: message.to_owned(),
            interrupted: true,
            ..RuntimeError::default()
        });
    });
}

/// Records the error of this kind with its two numbers.
pub fn raise_kind(kind: ErrorKind, a: i64, b: i64) {
    raise(
        kind.template()
            .replace("{a}", &a.to_string())
            .replace("{b}", &b.to_string()),
    );
}

/// Takes the recorded error.
pub fn take() -> Option<RuntimeError> {
    let mut taken = None;
    update(|state| taken = state.error.take());
    taken
}

/// Whether the error of some `drop` was reported; the program must then end with exit code 1.
pub fn drop_failed() -> bool {
    STATE.with(|state| state.borrow().drop_failed)
}

/// The program ends with exit code 1, whatever it says: something failed that had no caller which could handle it.
pub(crate) fn note_failure() {
    update(|state| state.drop_failed = true);
}

/// Keeps the message of a failing foreign function until its caller asks for it.
pub fn leave_message(message: String) {
    update(|state| {
        state.message.get_or_insert(message);
    });
}

/// The same of an error of another thread of the program, which passed these call sites.
pub(crate) fn leave_sites(sites: Vec<i32>) {
    update(|state| state.message_sites = sites);
}

/// Sets what says where an error with these call sites arose.
pub fn set_locator(locator: Option<Locator>) {
    LOCATOR.with(|slot| *slot.borrow_mut() = locator);
}

/// Where an error with these call sites arose; empty when that is unknown.
pub(crate) fn locate(sites: &[i32]) -> Place {
    LOCATOR.with(|slot| {
        slot.borrow()
            .as_ref()
            .map(|locate| locate(sites))
            .unwrap_or_default()
    })
}

/// Runs `body`; a panic in it becomes a recorded internal error and `fallback` the result.
///
/// Every function that compiled code calls and that could panic runs inside this, so that nothing unwinds into compiled code.
pub fn guard<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            let reason = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "unknown cause".to_owned());
            raise(format!(
                "internal error in the runtime: {reason}; please report it"
            ));
            fallback
        }
    }
}

/// Records the error `ErrorKind` number `kind` with its two numbers.
pub extern "C" fn rt_raise(kind: i32, a: i64, b: i64) {
    match ErrorKind::from_number(kind) {
        Some(kind) => raise_kind(kind, a, b),
        None => raise(format!(
            "internal error: unknown error number {kind}; please report it"
        )),
    }
}

/// Records a panic with the message `text`.
///
/// # Safety
/// `text` is a live text object.
pub unsafe extern "C" fn rt_panic(text: *const Header) {
    // SAFETY: the caller's contract.
    raise(unsafe { crate::text::as_str(text) });
}

/// Adds a call site to the trace of the recorded error.
pub extern "C" fn rt_trace(site: i32) {
    update(|state| {
        if let Some(error) = &mut state.error {
            error.sites.push(site);
        }
    });
}

/// Makes a runtime error of the message that a foreign function left; whether there was one.
pub fn extern_failed() -> bool {
    let mut failed = false;
    update(|state| {
        if let Some(message) = state.message.take() {
            failed = true;
            let sites = std::mem::take(&mut state.message_sites);
            state.error.get_or_insert_with(|| RuntimeError {
                message,
                sites,
                ..RuntimeError::default()
            });
        }
    });
    failed
}

/// As [`extern_failed`], and adds the call's site to the trace. Also 1 when an error is recorded already, because the function could
/// not be bound.
pub extern "C" fn rt_extern_failed(site: i32) -> u8 {
    extern_failed();
    let mut failed = false;
    update(|state| {
        if let Some(error) = &mut state.error {
            failed = true;
            error.sites.push(site);
        }
    });
    failed.into()
}

/// Sets a recorded error aside, so that a deferred statement or a `drop` can run while it passes.
pub extern "C" fn rt_error_suspend() {
    update(|state| {
        let set_aside = (state.error.take(), state.message.take());
        state.suspended.push(set_aside);
    });
}

/// Undoes the last [`rt_error_suspend`]; the error that was set aside wins over one recorded since.
pub extern "C" fn rt_error_resume() {
    update(|state| {
        if let Some((error, message)) = state.suspended.pop() {
            state.error = error.or(state.error.take());
            state.message = message.or(state.message.take());
        }
    });
}

/// Takes the recorded error for a `catch`: its message. Its place is kept for [`rt_caught_line`] and [`rt_caught_file`].
pub extern "C" fn rt_catch() -> *mut Header {
    let error = take().unwrap_or_default();
    let place = locate(&error.sites);
    update(|state| state.caught = place);
    crate::text::text_from_str(&error.message)
}

/// The line of the error that was caught last; 0 when it is not known.
pub extern "C" fn rt_caught_line() -> i64 {
    STATE.with(|state| state.borrow().caught.line.into())
}

/// The file of the error that was caught last.
pub extern "C" fn rt_caught_file() -> *mut Header {
    crate::text::text_from_str(&STATE.with(|state| state.borrow().caught.file.clone()))
}

/// The message of the error that was set aside last.
pub extern "C" fn rt_passing_error() -> *mut Header {
    STATE.with(|state| {
        let state = state.borrow();
        let error = state.suspended.last().and_then(|(error, _)| error.as_ref());
        crate::text::text_from_str(error.map_or("", |error| &error.message))
    })
}

/// Reports the recorded error as one of a `drop`, which has no caller that could handle it, and forgets it.
pub extern "C" fn rt_drop_failed() {
    if let Some(error) = take() {
        crate::io::flush();
        let Place { file, line } = locate(&error.sites);
        let place = if line == 0 {
            String::new()
        } else {
            format!(" ({file}:{line})")
        };
        crate::io::complain(format_args!("error in drop: {}{place}", error.message));
        update(|state| state.drop_failed = true);
    }
}

/// Flushes the output and ends the process with the low eight bits of `code`.
///
/// Where output is captured, as in a doctest, the capturing code can report nothing any more: that is an error,
/// whatever the code.
pub extern "C" fn rt_exit(code: i64) {
    let code = (code & 0xff) as i32;
    if crate::io::drop_captured() {
        crate::io::complain(format_args!(
            "error: `exit` in an example ends all examples: take it out, or show it in a separate program"
        ));
        crate::io::end_process(code.max(1));
    }
    // What C was refused, and no call has reported, is not a success whatever the program says.
    crate::io::end_process(code.max(crate::callback::unreported().into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending() -> bool {
        // SAFETY: the byte belongs to this thread.
        unsafe { pending_flag().read() != 0 }
    }

    #[test]
    fn the_first_error_wins_and_carries_its_trace() {
        assert!(!pending());
        rt_raise(ErrorKind::IndexOutOfRange as i32, 7, 3);
        raise("second");
        rt_trace(4);
        rt_trace(2);
        assert!(pending());
        let error = take().expect("an error");
        assert_eq!(error.message, "index 7 is out of range for a length of 3");
        assert_eq!(error.sites, [4, 2]);
        assert!(!pending());
        rt_trace(1);
        assert!(take().is_none());
    }

    #[test]
    fn a_foreign_message_becomes_an_error_once() {
        assert!(!extern_failed());
        leave_message("no such device".to_owned());
        assert!(pending() && take().is_none());
        assert!(extern_failed());
        assert_eq!(take().expect("an error").message, "no such device");
        assert!(!extern_failed());
    }

    #[test]
    fn a_suspended_error_wins_over_a_later_one() {
        raise("first");
        rt_error_suspend();
        assert!(!pending());
        raise("in a deferred statement");
        rt_error_resume();
        assert_eq!(take().expect("an error").message, "first");
        rt_error_suspend();
        raise("alone");
        rt_error_resume();
        assert_eq!(take().expect("an error").message, "alone");
    }

    #[test]
    fn a_caught_error_is_gone_and_its_place_is_known() {
        set_locator(Some(Box::new(|sites| Place {
            file: "a.spl".to_owned(),
            line: sites[0] as u32 * 10,
        })));
        raise("broken");
        rt_trace(4);
        rt_error_suspend();
        let passing = rt_passing_error();
        rt_error_resume();
        let (message, line, file) = (rt_catch(), rt_caught_line(), rt_caught_file());
        set_locator(None);
        assert!(!pending());
        assert_eq!(line, 40);
        // SAFETY: these are live texts of this test.
        unsafe {
            assert_eq!(crate::text::as_str(passing), "broken");
            assert_eq!(crate::text::as_str(message), "broken");
            assert_eq!(crate::text::as_str(file), "a.spl");
            for text in [passing, message, file] {
                crate::text::rt_text_destroy(text);
            }
        }
    }

    #[test]
    fn a_panic_does_not_leave_the_runtime() {
        assert_eq!(guard(5, || panic!("broken")), 5);
        assert!(take().expect("an error").message.contains("broken"));
    }
}
