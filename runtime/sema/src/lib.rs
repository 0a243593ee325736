//! Meaning: names, modules, types, the extern policy, shapes. A tree in, a typed program and diagnostics out.
//!
//! Pure: source text comes through [`loader::SourceLoader`], signatures of foreign functions through
//! [`loader::ExternSignatures`]; nothing here opens a file or a library. Entry: [`check`]. Code map: `checker.rs` is the
//! order of work, `modules.rs` and `collect.rs` read modules, `signature.rs` and `types.rs` types, `methods.rs` and
//! `traits.rs` find methods, `impls.rs` checks impls, `promises.rs` knows what bounds say, `mixins.rs` adds members that a type takes from elsewhere, `associated.rs` knows associated types,
//! `state/` has what the checker remembers, `body/` checks bodies, `infer/` has types that are not known yet, `exhaustive.rs` proves matches, `session.rs` checks a program entry by entry,
//! `unused.rs` finds what nothing uses, `warnings.rs` turns warnings off. Next: `typed` for the
//! result.

#![allow(
    clippy::result_large_err,
    reason = "method look-up hands its receiver and arguments back by value when it does not apply; that is not an error"
)]

mod any_signature;
mod arena;
mod asked;
mod associated;
mod body;
mod c_types;
mod certain;
mod checker;
pub mod codes;
mod collect;
mod comparisons;
mod contracts;
mod counts;
mod decls;
mod entry;
mod exclusive;
mod exhaustive;
mod exports;
mod externs;
mod foreign;
mod foreign_var;
mod format_spec;
mod gone;
mod hidden;
mod impls;
mod imports;
mod infer;
mod keys;
mod late;
mod listed;
pub mod loader;
mod made_up;
mod mentions;
mod methods;
mod mixins;
mod modules;
mod owned;
mod paths;
mod promises;
mod ranked;
mod replayed;
mod reporting;
mod sendable;
pub mod session;
mod shapes;
mod signature;
mod state;
mod steps;
mod suggest;
mod traits;
pub mod typed;
mod types;
mod unit_result;
mod unreplayed;
mod unused;
mod visit;
mod warnings;

pub use checker::{CheckOptions, Checked, check};
pub use state::PROBE;
pub use warnings::{warning_code, warning_name};
