//! Running a program that is compiled: what `simple run` and executables do from there to the exit code.
//!
//! ```text
//! ending.rs    runs a program in memory and ends as it does: errors, examples of specs, leaks, exit code
//! failure.rs   how an error that nothing caught is shown
//! binder.rs    finds foreign functions, with the bridge
//! program.rs   what an executable carries: the image and what goes with it, as bytes
//! attach.rs    the file of an executable: a copy of `simple-start` with a program attached
//! attached.rs  the other side: finds the program in the running executable
//! executable.rs  what `simple-start` does
//! ```
//!
//! Nothing here compiles. The command line is `simple_cli`'s.

mod attach;
mod attached;
mod binder;
mod ending;
mod executable;
pub mod failure;
pub mod output;
pub mod profile;
mod program;

pub use attach::{AttachError, attach};
pub use binder::{address, bind, is_own, offered};
pub use ending::{Watch, end, leaks, summary, watch_leaks};
pub use executable::{Parts, STACK, main};
pub use program::{Program, Torch};
