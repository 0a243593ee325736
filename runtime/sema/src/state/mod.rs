//! What the checker remembers, each thing with one owner.
//!
//! A field of an owner is seen in its own file only, so all that can happen to it stands there. Owners know declarations,
//! types and syntax; they do not know the checker, which holds them, nor each other.

mod decls;
mod input;
mod instances;
mod journal;
mod modules;
mod output;
mod reports;

pub(crate) use decls::{Add, Counts, Decls};
pub(crate) use input::Input;
pub(crate) use instances::Instances;
pub(crate) use modules::{Modules, Prelude};
pub(crate) use output::{ModuleInit, Output};
pub use reports::PROBE;
pub(crate) use reports::{Checkpoint, Mark, Reporting, Reports};
