//! The process around the program: environment, arguments, folders, the system's shell.

use std::cell::{Cell, RefCell};
use std::process::Command;

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
    // that reads the environment on threads of its own does so while it is initialized, during a call of that thread.
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
    command
        .stdin(std::process::Stdio::inherit())
        .stderr(std::process::Stdio::inherit());
    let output = command
        .output()
        .map_err(|error| format!("cannot run the shell for `{line}`: {error}"))?;
    remember(output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The exit code that shells give for a program that is not there.
const NOT_STARTED: i64 = 127;

pub(super) fn run(program: &str, arguments: &str) -> i64 {
    // What the program printed so far must come before what the command does.
    crate::io::flush();
    let output = Command::new(program)
        .args(arguments.split_terminator('\0'))
        .stdin(std::process::Stdio::inherit())
        .output();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output {
        Ok(output) => {
            OUTPUTS.set((text(&output.stdout), text(&output.stderr)));
            remember(output.status)
        }
        Err(error) => {
            OUTPUTS.set((String::new(), format!("cannot run `{program}`: {error}\n")));
            EXIT_CODE.set(NOT_STARTED);
            NOT_STARTED
        }
    }
}

pub(super) fn stdout() -> String {
    OUTPUTS.with(|outputs| outputs.borrow().0.clone())
}

pub(super) fn stderr() -> String {
    OUTPUTS.with(|outputs| outputs.borrow().1.clone())
}

pub(super) fn exit_code() -> i64 {
    EXIT_CODE.get()
}
