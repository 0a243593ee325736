//! Compiled programs: their form, how one is put into memory, and running it.
//!
//! ```text
//! form.rs     Image: machine code and data of a program, which know no process and no address
//! stored.rs   the same as bytes: what the cache of compiled programs and executables hold
//! sources.rs  of a program's texts what its errors show
//! place/      an image gets memory: addresses are written into code and data
//! run.rs      Executable: runs, binds foreign functions, reports errors
//! running.rs  which calls are running, from addresses on the stack
//! threads.rs  copies of a program for the threads that it starts
//! pieces.rs   several images one after the other over the same variables
//! ```
//!
//! Nothing here compiles: `simple_codegen` makes images, and an executable has none of it. Reading order: as above.

pub mod form;
pub mod host;
mod late;
mod pieces;
mod place;
mod run;
mod running;
mod sources;
pub mod stored;
mod threads;
mod trace;

pub use form::{First, Image};
pub use pieces::{Pieces, Ran};
pub use place::PlaceError;
pub use place::reloc::{TooFar, apply, size as reloc_size};
/// Whether this machine's code reaches foreign functions that are not bound yet through thunks; otherwise each call
/// looks at a flag.
pub use place::thunk::{SUPPORTED as BINDS_BY_THUNKS, thunks_size};
pub use run::{Binder, BoundExtern, Executable, Outcome, RuntimeFailure};
pub use sources::shown_sources;
pub use threads::BinderMaker;
pub use trace::{Frame, Trace};
