//! From the typed program to a middle form that is cheap to run.
//!
//! `repr` says how values of each type are laid out, `lower` makes the middle form (`mir`) with explicit counting, `passes` makes
//! it cheap. Nothing here parses, checks types, knows a machine or opens a library. Next: `simple_codegen`, which turns the
//! middle form into machine code.

pub mod lower;
pub mod mir;
pub mod passes;
pub mod repr;
