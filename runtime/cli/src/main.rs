//! The `simple` command; the work is in the library beside it.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: simple_core::allocator::Allocator = simple_core::allocator::Allocator;

fn main() -> ExitCode {
    simple_cli::main()
}
