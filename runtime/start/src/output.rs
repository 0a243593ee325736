//! What the commands themselves write: to standard output, and complaints to standard error.
//!
//! Standard output that cannot be written is an error with exit code 1, except that a reader that goes away, as
//! `head` does, has read enough. Standard error that cannot be written changes nothing: the exit code alone must say
//! it then. What programs write is in `simple_core::io`.

use simple_core::io::{cannot_write, write_output};
use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal};

/// Writes a line to standard output.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {
        $crate::output::print(format_args!("{}\n", format_args!($($words)*)))
    };
}

/// Writes a line to standard error.
#[macro_export]
macro_rules! complain {
    ($($words:tt)*) => {
        $crate::output::complain_line(format_args!($($words)*))
    };
}

pub use crate::{complain, say};
pub use simple_core::io::complain as complain_line;

/// Writes to standard output, or ends the process with 1.
pub fn print(text: Arguments<'_>) {
    print_bytes(text.to_string().as_bytes());
}

/// Writes bytes to standard output, or ends the process with 1.
pub fn print_bytes(bytes: &[u8]) {
    checked(write_output(bytes));
}

/// Ends the process with 1 unless standard output was written, or its reader has gone.
pub fn checked(outcome: io::Result<()>) {
    match outcome {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain!("{}", cannot_write(&error));
            std::process::exit(1);
        }
        _ => {}
    }
}

/// Whether what is written there is seen by a person who wants colours: a terminal, unless `NO_COLOR` has a value
/// (<https://no-color.org>).
pub fn wants_colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
