//! What an executable with tensors begins with: `simple compile` attaches the program to a copy of this.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: simple_core::allocator::Allocator = simple_core::allocator::Allocator;

fn main() -> ExitCode {
    simple_start::main(simple_start::Parts::all)
}
