//! Standard output and standard error of a program.
//!
//! The first lines are written as they come, so that `simple x.spl | tee log` shows a program that prints now and then; what follows
//! them quickly is collected and written in large pieces: when the buffer is full, a tenth of a second later ([`Flusher`]), before
//! anything goes to standard error, before input is read or another program runs, when the program asks for it, and at the end. On
//! a terminal every line is written at its end. A reader that goes away (`simple x.spl | head`) ends the
//! program with [`CLOSED_OUTPUT`], as a shell shows a program that the closed pipe has stopped.

use crate::layout::Header;
use crate::pool;
use crate::text::as_str;
use simple_system::in_words;
use std::cell::Cell;
use std::io::{ErrorKind, IsTerminal, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Exit code when the reader of standard output has gone: 128 and the number of SIGPIPE.
pub const CLOSED_OUTPUT: i32 = 141;
const BUFFER: usize = 64 << 10;
/// How long what a program has printed may wait in the buffer.
const PATIENCE: Duration = Duration::from_millis(100);
/// So many lines are written at once within that time: a program that prints no more needs no thread.
const LINES_AT_ONCE: u32 = 16;

struct Output {
    buffer: Vec<u8>,
    terminal: bool,
    /// Whether what is printed stays in the buffer for [`capture`].
    capturing: bool,
    /// How many lines may be written at once before the next turn of the [`Flusher`].
    at_once: u32,
    /// Whether that has been asked for a turn.
    asked: bool,
}

/// The thread that writes what waits in the buffer of the process's program. It begins when something waits for the first time, and sleeps
/// while nothing does.
struct Flusher {
    asked: Mutex<bool>,
    wake: Condvar,
    /// Whether it holds the output.
    writing: AtomicBool,
}

static FLUSHER: Flusher = Flusher {
    asked: Mutex::new(false),
    wake: Condvar::new(),
    writing: AtomicBool::new(false),
};

impl Flusher {
    /// Asks for a turn. Nothing more happens where no thread can be had: then what waits is written at the end, or when there is more.
    fn ask(&'static self) {
        static THREAD: OnceLock<bool> = OnceLock::new();
        let runs = THREAD.get_or_init(|| {
            let Some(&output) = PROGRAM.get() else {
                return false;
            };
            let output_thread = std::thread::Builder::new()
                .name("output".to_owned())
                .stack_size(128 << 10);
            pool::without_signals(|| output_thread.spawn(move || self.run(output)).is_ok())
        });
        if *runs {
            *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.wake.notify_one();
        }
    }

    fn run(&self, output: &Mutex<Output>) {
        loop {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            while !*asked {
                asked = self
                    .wake
                    .wait(asked)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            *asked = false;
            drop(asked);
            std::thread::sleep(PATIENCE);
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            self.writing.store(true, Ordering::Relaxed);
            (output.asked, output.at_once) = (false, LINES_AT_ONCE);
            if !output.capturing {
                let written = written_of(&output.buffer);
                output.buffer.drain(..written);
            }
            self.writing.store(false, Ordering::Relaxed);
        }
    }
}

thread_local! {
    /// Locked because Ctrl-C and a time limit write out from other threads what a program has printed. Lives as long as the
    /// process, so that they may come at any time.
    static OUTPUT: &'static Mutex<Output> = match GIVEN.get() {
        Some(output) => output,
        None => Box::leak(Box::new(Mutex::new(Output {
            buffer: Vec::with_capacity(BUFFER),
            terminal: std::io::stdout().is_terminal(),
            capturing: false,
            at_once: LINES_AT_ONCE,
            asked: false,
        }))),
    };
    /// The output of the thread that started this one.
    static GIVEN: Cell<Option<&'static Mutex<Output>>> = const { Cell::new(None) };
}

/// The output of this thread, for one that it starts.
#[derive(Clone, Copy)]
pub(crate) struct Shared(&'static Mutex<Output>);

/// See [`share`].
pub(crate) fn shared() -> Shared {
    Shared(OUTPUT.with(|output| *output))
}

/// Prints where another thread prints, line by line. Before this thread has printed anything.
pub(crate) fn share(output: Shared) {
    GIVEN.set(Some(output.0));
}

/// The output of the thread that runs the process's program.
static PROGRAM: OnceLock<&'static Mutex<Output>> = OnceLock::new();

fn output() -> MutexGuard<'static, Output> {
    let output = OUTPUT.with(|output| *output);
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes what has been collected.
pub fn flush() {
    let output = &mut *output();
    if !output.capturing {
        write_out(&mut output.buffer);
    }
}

/// Writes each line that this thread prints at its end, as on a terminal: what else the process prints comes in order.
pub fn write_lines_at_once() {
    output().terminal = true;
}

/// Says that the program of this process runs on this thread.
pub(crate) fn this_is_the_program() {
    PROGRAM.get_or_init(|| OUTPUT.with(|output| *output));
}

/// Writes what the program has collected, unless its thread is at work on that just now. May be called in a signal handler.
///
/// For callers that end the process at once: the program can print nothing more, so that nothing is written twice.
pub(crate) fn flush_program() {
    let Some(output) = PROGRAM.get() else { return };
    let mut locked = output.try_lock();
    // The flusher is done soon, unless the reader is not.
    for _ in 0..50 {
        if locked.is_ok() || !FLUSHER.writing.load(Ordering::Relaxed) {
            break;
        }
        drop(locked);
        let pause = libc::timespec {
            tv_sec: 0,
            tv_nsec: 1_000_000,
        };
        // SAFETY: `nanosleep` may be called in a signal handler; it need not say how much time was left.
        unsafe { libc::nanosleep(&pause, std::ptr::null_mut()) };
        locked = output.try_lock();
    }
    let Ok(output) = locked else { return };
    let output = std::mem::ManuallyDrop::new(output);
    written_of(&output.buffer);
}

/// Writes bytes to standard output until all are written or that fails; how many are. May be called in a signal handler.
fn written_of(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: `rest` is readable memory; `write` may be called in a signal handler.
        let written = unsafe { libc::write(libc::STDOUT_FILENO, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written @ 1..) => rest = &rest[written..],
            _ => break,
        }
    }
    bytes.len() - rest.len()
}

/// Runs `body` and returns, with its result, what this thread printed to standard output meanwhile, which goes nowhere else.
pub fn capture<R>(body: impl FnOnce() -> R) -> (R, Vec<u8>) {
    flush();
    output().capturing = true;
    let result = body();
    let output = &mut *output();
    output.capturing = false;
    (result, std::mem::take(&mut output.buffer))
}

/// Whether output is being captured; what has been captured is then discarded.
pub(crate) fn drop_captured() -> bool {
    let mut output = output();
    if output.capturing {
        output.buffer.clear();
    }
    output.capturing
}

fn write_out(buffer: &mut Vec<u8>) {
    if !buffer.is_empty() {
        write_out_all(buffer);
        buffer.clear();
    }
}

fn write_out_all(bytes: &[u8]) {
    match write_output(bytes) {
        Ok(()) => {}
        // The reader that closed the pipe has read enough and needs no message.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(CLOSED_OUTPUT),
        Err(error) => {
            complain(format_args!("{}", cannot_write(&error)));
            std::process::exit(1);
        }
    }
}

/// Writes to standard output at once, by its descriptor: what Rust has for it takes one that is closed for one that takes all.
///
/// # Errors
///
/// The system's; `EBADF` where standard output is closed, also if it was when the process began.
pub fn write_output(bytes: &[u8]) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.flush()?;
    if CLOSED.load(Ordering::Relaxed) {
        return Err(std::io::Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: the descriptor is not closed at the end of this function; if it is closed already, writing fails.
    let file = unsafe { std::fs::File::from_raw_fd(libc::STDOUT_FILENO) };
    std::mem::ManuallyDrop::new(file).write_all(bytes)
}

/// Whether standard output was closed when the process began.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Before `main`, since Rust opens `/dev/null` in the place of what is closed.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls what is in this section, without anything that the function needs.
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = {
    extern "C" fn note_closed() {
        // SAFETY: any descriptor may be asked about.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        CLOSED.store(flags == -1, Ordering::Relaxed);
    }
    note_closed
};

/// Writes what has been collected, here and by functions of C, and ends the process at once.
///
/// Destructors of loaded libraries do not run: those of libtorch take tens of milliseconds to free what the system takes
/// back anyway. They do where a tool of NVIDIA has been put into the process (CUDA_INJECTION64_PATH, as `nsys` does): it writes what it has recorded at
/// the exit.
pub fn end_process(code: i32) -> ! {
    flush();
    // Taken out first: what is reported may fail and come here again.
    let done = WAIT_AT_END.with(Cell::take).is_none_or(|wait| wait());
    let reported = AT_END.with(Cell::take).is_none_or(|report| report());
    let code = if done && reported { code } else { code.max(1) };
    // If it can no longer be written, there is nowhere left to report that.
    let _ = std::io::stdout().flush();
    // What functions of C have printed is still in C's own buffers.
    // SAFETY: null means all streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    if std::env::var_os("CUDA_INJECTION64_PATH").is_some_and(|tool| !tool.is_empty()) {
        std::process::exit(code);
    }
    // SAFETY: `_exit` takes any code and touches no memory of the process.
    unsafe { libc::_exit(code) }
}

thread_local! {
    static AT_END: Cell<Option<Box<dyn FnOnce() -> bool>>> = const { Cell::new(None) };
    static WAIT_AT_END: Cell<Option<Box<dyn FnOnce() -> bool>>> = const { Cell::new(None) };
}

/// Has [`end_process`] call `wait` first: it waits for what the program has started, reports what failed, and says whether all is well. One per thread; a
/// later one takes the place of the one before.
pub fn wait_at_end(wait: impl FnOnce() -> bool + 'static) {
    WAIT_AT_END.with(|slot| slot.set(Some(Box::new(wait))));
}

/// Has [`end_process`] call `report` before this thread ends the process, also when the program itself asks for the end. `report` says
/// whether all is well; otherwise the process ends with an error.
pub fn at_end(report: impl FnOnce() -> bool + 'static) {
    AT_END.with(|slot| slot.set(Some(Box::new(report))));
}

/// The message when standard output cannot be written.
pub fn cannot_write(error: &std::io::Error) -> String {
    format!(
        "error: cannot write to standard output: {}",
        in_words(error)
    )
}

/// Writes a line to standard error. If that fails there is nowhere to report it, and it is not a reason to fail otherwise.
pub fn complain(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A line of bounded length, made and written without memory of the heap and without a lock: for signal handlers and for a process without
/// memory. What does not fit is left out.
#[derive(Debug)]
pub(crate) struct Line {
    bytes: [u8; 640],
    length: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            bytes: [0; 640],
            length: 0,
        }
    }
}

impl Line {
    /// Adds bytes, which need not be UTF-8.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let fits = bytes.len().min(room.len());
        room[..fits].copy_from_slice(&bytes[..fits]);
        self.length += fits;
    }

    /// Ends the line and writes it.
    pub(crate) fn end(&mut self) {
        // The end must have room however long the rest is.
        self.length = self.length.min(self.bytes.len() - 1);
        self.add(b"\n");
        self.show();
    }

    /// Writes what there is to standard error.
    fn show(&self) {
        let mut rest = &self.bytes[..self.length];
        while !rest.is_empty() {
            // SAFETY: `rest` is readable memory; `write` may be called in a signal handler.
            let written =
                unsafe { libc::write(libc::STDERR_FILENO, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written) {
                Ok(written @ 1..) => rest = &rest[written..],
                _ => return,
            }
        }
    }
}

impl std::fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

/// Collects `text` for standard output, with a newline if `line`.
pub fn print(text: &str, line: bool) {
    let output = &mut *output();
    if output.buffer.len() + text.len() >= BUFFER && !output.capturing {
        write_out(&mut output.buffer);
    }
    if text.len() >= BUFFER && !output.capturing {
        // A long text needs no copy.
        write_out_all(text.as_bytes());
    } else {
        output.buffer.extend_from_slice(text.as_bytes());
    }
    if line {
        output.buffer.push(b'\n');
    }
    if output.capturing {
        return;
    }
    let ends_line = line || text.contains('\n');
    if output.buffer.len() >= BUFFER || (output.terminal && ends_line) {
        write_out(&mut output.buffer);
    } else if output.at_once > 0 && ends_line {
        output.at_once -= 1;
        write_out(&mut output.buffer);
    } else if !output.asked {
        output.asked = true;
        FLUSHER.ask();
    }
}

/// The text and a newline to standard output.
///
/// # Safety
/// `text` is a live text object.
pub unsafe extern "C" fn rt_print(text: *const Header) {
    // SAFETY: the caller's contract.
    let text = unsafe { as_str(text) };
    crate::error::guard((), || print(text, true));
}

/// The text to standard output.
///
/// # Safety
/// `text` is a live text object.
pub unsafe extern "C" fn rt_print_raw(text: *const Header) {
    // SAFETY: the caller's contract.
    let text = unsafe { as_str(text) };
    crate::error::guard((), || print(text, false));
}

/// The text and a newline to standard error, after everything printed so far.
///
/// # Safety
/// `text` is a live text object.
pub unsafe extern "C" fn rt_eprint(text: *const Header) {
    // SAFETY: the caller's contract.
    let text = unsafe { as_str(text) };
    crate::error::guard((), || {
        flush();
        complain(format_args!("{text}"));
    });
}
