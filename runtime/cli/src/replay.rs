//! `simple run --replay-on-error`: a program that a GPU's failure ended runs once more, with one kernel at a time.
//!
//! A GPU reports a failure late, at a line that only waited for it. With `DEBUG_CUDA=1` every kernel is waited for, so that the same failure
//! comes out at its own line; nothing else of the program changes. What the first run wrote, it writes again.

use crate::output::complain;
use simple_ffi_abi::device;

/// Whether another run would say more about an error that ended this one.
pub fn helps(message: &str) -> bool {
    device::fails_late(message) && !device::launches_one_by_one()
}

/// Runs this process's command again in its place; returns only if that fails.
#[cfg(unix)]
pub fn again() -> u8 {
    use std::os::unix::process::CommandExt;
    complain!(
        "simple: running the program again with one kernel at a time (DEBUG_CUDA=1), so that the line of the failure is right"
    );
    let failed = std::env::current_exe().map(|program| {
        std::process::Command::new(program)
            .args(std::env::args_os().skip(1))
            .env("DEBUG_CUDA", "1")
            .exec()
    });
    let why = match failed {
        Ok(error) | Err(error) => error,
    };
    complain!("error: the program cannot be run again: {why}");
    1
}

/// As above, where no process can take another's place.
#[cfg(not(unix))]
pub fn again() -> u8 {
    complain!("error: the program cannot be run again on this system; set DEBUG_CUDA=1 and run it");
    1
}
