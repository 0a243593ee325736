//! `simple-setup`: what the launcher builds first and runs at the first start of a source tree, before there is a compiler.

use std::process::ExitCode;

fn main() -> ExitCode {
    simple_setup::first_start()
}
