//! As `start.rs`, for programs without tensors, files of tensors, SDN and profiles: less than half as large.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: simple_core::allocator::Allocator = simple_core::allocator::Allocator;

fn main() -> ExitCode {
    simple_start::main(simple_start::Parts::plain)
}
