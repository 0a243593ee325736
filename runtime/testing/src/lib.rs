//! What the tests of several crates share: golden files and folders that are gone when a test ends.
//!
//! A dependency of tests alone, and without dependencies of its own. What is particular to one crate's tests, such
//! as how diagnostics are printed, is beside those tests.

mod folder;
pub mod golden;

pub use folder::Folder;
