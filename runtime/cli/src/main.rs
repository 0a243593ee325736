//! The `simple` command; the work is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    simple_cli::main()
}
