//! What the checker remembers, each thing with one owner.
//!
//! A field of an owner is seen in its own file only, so all that can happen to it stands there. Owners know types and
//! syntax; they do not know the checker, which holds them, nor each other.

mod journal;
mod reports;

pub(crate) use reports::{Checkpoint, Mark, Reporting, Reports};
