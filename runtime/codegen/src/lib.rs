//! Code generation: typed program -> middle form -> Cranelift -> code in memory.
//!
//! `repr` says how values of each type are laid out, `lower` makes the middle form (`mir`) with explicit counting, `passes` makes
//! it cheap, `backend` turns it into machine code. Nothing here parses, checks types or opens a library.

pub mod backend;
pub mod lower;
pub mod mir;
pub mod passes;
pub mod repr;
