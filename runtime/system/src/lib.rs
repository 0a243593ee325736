//! What this project asks of the system, in the safe way: files and memory.
//!
//! - `open`: reads files, and refuses pipes, devices and folders where a file is meant;
//! - `replace`: writes files that are complete or not at all;
//! - `memory`: memory whose size depends on data, as an error instead of an abort when there is none;
//! - `reads`: which files were read, for whoever watches them;
//! - `words`: the system's reasons in words;
//! - `faults`: lets a test make the n-th operation fail.
//!
//! Leaves out what a file holds, and how an error is shown. The runtime, the bridge, the command and the torch library
//! all use it, so it depends on none of them.

pub mod faults;
pub mod memory;
pub mod open;
pub mod reads;
pub mod replace;
mod words;

pub use words::in_words;
