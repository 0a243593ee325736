//! Control flow: statements and blocks, branches, loops, what is left and caught.

mod control;
mod errors;
mod loops;
pub(in crate::body) mod presence;
mod stmt;
mod with;

use super::*;
