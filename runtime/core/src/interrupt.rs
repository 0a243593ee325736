//! Ctrl-C and time limits: what ends a program from outside, or stops what a session is computing.
//!
//! A program ends at once, as a shell expects of a process that the signal has stopped: what it has printed is written, one line
//! says why it ends, and its `defer`s and drops do not run. In a session ([`Mode::Session`]) compiled code asks now and then
//! ([`rt_poll`]); the first Ctrl-C then becomes a runtime error, and a second one before that ends the process.
//!
//! A process that was started with the signal ignored, as by `nohup`, goes on ignoring it.

use std::sync::atomic::{AtomicU8, Ordering};

/// What Ctrl-C does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Mode {
    /// It ends the process.
    Program = 0,
    /// It stops the running computation.
    Session = 1,
}

/// Set by the signal, cleared by the code that acts on it.
const REQUESTED: u8 = 2;

/// The mode, with [`REQUESTED`] while an interruption waits.
static STATE: AtomicU8 = AtomicU8::new(0);

/// The message of the error that an interruption becomes.
pub const MESSAGE: &str = "interrupted";

/// Says what Ctrl-C does from now on, while the program runs on this thread.
pub fn install(mode: Mode) {
    crate::io::this_is_the_program();
    STATE.store(mode as u8, Ordering::Relaxed);
    // SAFETY: the action is wholly initialized; the handler calls only functions that are safe in a signal handler.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGINT, std::ptr::null(), &mut old);
        if old.sa_sigaction == libc::SIG_IGN {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
    }
}

/// Asks compiled code to stop, as Ctrl-C does in a session.
pub fn request() {
    STATE.fetch_or(REQUESTED, Ordering::Relaxed);
}

/// Forgets an interruption that came too late for what it was meant to stop.
pub fn forget() {
    STATE.fetch_and(!REQUESTED, Ordering::Relaxed);
}

/// Exit code when the time that [`limit_time`] gives is over, as that of the `timeout` command.
pub const TIME_OVER: i32 = 124;

/// Ends the process with an error if it still runs after so many seconds; what the program has printed is written.
pub fn limit_time(seconds: u64) {
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        crate::io::flush_program();
        crate::io::complain(format_args!(
            "error: the program did not end within {seconds} s (--timeout)"
        ));
        // SAFETY: `_exit` takes any code and touches no memory of the process.
        unsafe { libc::_exit(TIME_OVER) }
    });
}

/// Ends the process because something in it took too long and did not stop when it was asked to; what the program has
/// printed is written.
pub fn end_overdue() -> ! {
    crate::io::flush_program();
    // SAFETY: `_exit` takes any code and touches no memory of the process.
    unsafe { libc::_exit(TIME_OVER) }
}

extern "C" fn on_signal(signal: libc::c_int) {
    let before = STATE.load(Ordering::Relaxed);
    if before == Mode::Session as u8 {
        STATE.store(before | REQUESTED, Ordering::Relaxed);
        return;
    }
    crate::io::flush_program();
    let line = b"simple: interrupted\n";
    // SAFETY: these calls may be made in a signal handler. The default action of the signal ends the process, so that its parent
    // sees what ended it; where it does not, the process ends with the code that a shell shows for it.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::signal(signal, libc::SIG_DFL);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::kill(libc::getpid(), signal);
        libc::_exit(128 + signal);
    }
}

/// Makes a runtime error of an interruption that waits.
pub extern "C" fn rt_poll() {
    if STATE.load(Ordering::Relaxed) & REQUESTED != 0 {
        forget();
        crate::error::interrupt(MESSAGE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_becomes_one_error() {
        STATE.store(Mode::Session as u8, Ordering::Relaxed);
        rt_poll();
        assert!(crate::error::take().is_none());
        on_signal(libc::SIGINT);
        rt_poll();
        let error = crate::error::take().expect("an error");
        assert!(error.message == MESSAGE && error.interrupted);
        // The program's own text is not an interruption.
        crate::error::raise(MESSAGE);
        assert!(!crate::error::take().expect("an error").interrupted);
        rt_poll();
        assert!(crate::error::take().is_none());
        on_signal(libc::SIGINT);
        forget();
        rt_poll();
        assert!(crate::error::take().is_none());
    }
}
