//! The process around the program: environment, arguments, folders, the system's shell.

use simple_system::in_words;
use simple_system::memory::{self, OutOfMemory};
use simple_system::open::{read_from, text_from_outside};
use std::cell::{Cell, RefCell};
use std::io::{Error, Read};
use std::process::{Child, Command, Stdio};

thread_local! {
    static ARGS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static EXIT_CODE: Cell<i64> = const { Cell::new(0) };
    /// What the last program of `run` wrote to its two outputs.
    static OUTPUTS: RefCell<(String, String)> = const { RefCell::new((String::new(), String::new())) };
}

/// Sets the arguments that the program on this thread sees, without the names of the command and the program.
pub fn set_program_args(args: Vec<String>) {
    ARGS.with(|slot| *slot.borrow_mut() = args);
}

pub(super) fn args() -> Vec<String> {
    ARGS.with(|args| args.borrow().clone())
}

pub(super) fn get(name: &str) -> String {
    std::env::var_os(name)
        .map(|value| value.to_string_lossy().into_owned())
        .unwrap_or_default()
}

pub(super) fn has(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

pub(super) fn set(name: &str, value: &str) -> bool {
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        return false;
    }
    // SAFETY: Rust's own readers of the environment are locked out meanwhile. A program runs on one thread, and a library
    // that reads the environment on its own threads does so while it is initialized, during a call of that thread.
    unsafe { std::env::set_var(name, value) };
    true
}

pub(super) fn cwd() -> Result<String, String> {
    let folder = std::env::current_dir()
        .map_err(|error| format!("cannot find the current folder: {error}"))?;
    Ok(folder.to_string_lossy().into_owned())
}

pub(super) fn home() -> String {
    std::env::home_dir()
        .map(|folder| folder.to_string_lossy().into_owned())
        .unwrap_or_default()
}

pub(super) fn os_name() -> &'static str {
    std::env::consts::OS
}

/// A command that runs a line in the system's shell.
fn shell_command(line: &str) -> Command {
    // What the program printed so far must come before what the command prints.
    crate::io::flush();
    let (shell, option) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("/bin/sh", "-c")
    };
    let mut command = Command::new(shell);
    command.arg(option).arg(line);
    command
}

/// Remembers the exit code; -1 for a command that a signal ended.
fn remember(status: std::process::ExitStatus) -> i64 {
    let code = i64::from(status.code().unwrap_or(-1));
    EXIT_CODE.set(code);
    code
}

pub(super) fn shell(line: &str) -> Result<i64, String> {
    let status = shell_command(line).status();
    status
        .map(remember)
        .map_err(|error| format!("cannot run the shell for `{line}`: {error}"))
}

pub(super) fn shell_output(line: &str) -> Result<String, String> {
    let mut command = shell_command(line);
    command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
    let cannot = |error: &Error| format!("cannot run the shell for `{line}`: {}", in_words(error));
    let child = command.stdout(Stdio::piped()).spawn();
    let (stdout, _) = finish(child.map_err(|error| cannot(&error))?)
        .map_err(|error| format!("cannot read what `{line}` writes: {}", in_words(&error)))?;
    Ok(stdout)
}

/// Reads what a command writes to the outputs that are pipes, until it ends, and remembers its exit code.
fn finish(mut child: Child) -> std::io::Result<(String, String)> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // An unread pipe blocks the command, so both are read at once.
    let read = std::thread::scope(|scope| {
        let stderr = stderr.map(|stderr| scope.spawn(move || read_all(stderr)));
        let stdout = stdout.map_or(Ok(String::new()), read_all);
        let stderr = stderr.map_or(Ok(String::new()), |stderr| {
            stderr.join().unwrap_or_else(|_| Ok(String::new()))
        });
        Ok((stdout?, stderr?))
    });
    // The pipes are closed by now: a command of which not all was read ends when it writes.
    remember(child.wait()?);
    read
}

fn read_all(output: impl Read) -> std::io::Result<String> {
    text_from_outside(read_from(output, 0, u64::MAX)?)
}

/// The exit code that shells give for a program that is not there.
const NOT_STARTED: i64 = 127;

pub(super) fn run(program: &str, arguments: &str) -> Result<i64, String> {
    // What the program printed so far must come before what the command does.
    crate::io::flush();
    let child = Command::new(program)
        .args(arguments.split_terminator('\0'))
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    match child {
        Ok(child) => {
            OUTPUTS.set(finish(child).map_err(|error| {
                format!("cannot read what `{program}` writes: {}", in_words(&error))
            })?);
            Ok(EXIT_CODE.get())
        }
        Err(error) => {
            let reason = format!("cannot run `{program}`: {}\n", in_words(&error));
            OUTPUTS.set((String::new(), reason));
            EXIT_CODE.set(NOT_STARTED);
            Ok(NOT_STARTED)
        }
    }
}

pub(super) fn stdout() -> Result<String, OutOfMemory> {
    OUTPUTS.with(|outputs| copy_of(&outputs.borrow().0))
}

pub(super) fn stderr() -> Result<String, OutOfMemory> {
    OUTPUTS.with(|outputs| copy_of(&outputs.borrow().1))
}

fn copy_of(text: &str) -> Result<String, OutOfMemory> {
    let mut copy = memory::Text::with_room(text.len())?;
    copy.add(text)?;
    Ok(copy.done())
}

pub(super) fn exit_code() -> i64 {
    EXIT_CODE.get()
}
