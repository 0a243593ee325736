//! Projects: a folder with `simple.sdn`, which names it and the other folders and git repositories that it uses.
//!
//! `simple new NAME` makes one, `simple add` adds a dependency, `simple build` fetches, checks and makes an executable.
//! `manifest.rs` reads and changes `simple.sdn`, `packages.rs` tells the loader where the modules of dependencies are,
//! `fetch.rs` brings git repositories here and compares them with the lock file (`lock.rs`). No registry is needed.

mod add;
mod build;
mod fetch;
mod git;
mod lock;
pub mod manifest;
mod new;
pub mod packages;

pub use add::add;
pub use build::{build, is_here};
pub use new::new;
