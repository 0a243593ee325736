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
//! shared.rs    the file of a library for C: a copy of `libsimple_library.so` with a program and its functions
//! object.rs    the same as an object file, to be linked with `libsimple_library.a`
//! library.rs   the other side: starts the program when C calls it
//! ```
//!
//! Nothing here compiles. The command line is `simple_cli`'s.

mod attach;
mod attached;
mod binder;
mod ending;
mod executable;
pub mod failure;
pub mod library;
mod object;
pub mod output;
pub mod profile;
mod program;
mod shared;

pub use attach::{AttachError, attach};
pub use binder::{address, bind, for_threads, is_own, offered};
pub use ending::{Watch, end, leaks, summary, watch_leaks};
pub use executable::{Parts, STACK, main};
pub use library::Function;
pub use object::object;
pub use program::{Program, Torch};
pub use shared::shared;
