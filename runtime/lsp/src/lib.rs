//! The language server: what editors ask about programs, over the Language Server Protocol.
//!
//! ```text
//! message.rs    one message of JSON-RPC after the other
//! server.rs     what is asked, and the answers; checks again once no message is waiting
//! document.rs   open files, positions in them
//! analysis.rs   what a check found, and where its places are in a text that was changed since
//! report.rs     diagnostics, and the fixes that their advice offers
//! outline.rs    symbols and folds, from the tree alone
//! facts.rs      hover, definition, references, highlights, names of variables changed, types shown beside names
//! complete.rs   the names that could be at the cursor
//! signature.rs  what the call around the cursor takes (`call.rs`)
//! tokens.rs     what each name is, for its colour
//! ```
//!
//! Knows no files: whoever starts it checks programs ([`Analyzer`]). Leaves out names
//! across files that no open program imports. The protocol's JSON is built by hand:
//! its types as a crate would make the first start of Simple longer.

mod analysis;
mod call;
mod complete;
mod document;
mod facts;
mod message;
mod outline;
mod report;
mod server;
mod signature;
mod tokens;

use simple_sema::Checked;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use server::serve;

/// The texts of open files, by their paths.
pub type Open = HashMap<PathBuf, String>;

/// Checks programs for the server.
pub trait Analyzer {
    /// Checks the program whose root file is `root`, an absolute path that is open. Open files have the text in `open`
    /// rather than that on the disk. Paths in the result are absolute.
    fn check(&self, root: &Path, open: &Open) -> Checked;
}
